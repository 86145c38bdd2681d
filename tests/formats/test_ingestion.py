"""Native readers against the plain ones: the same tables, notes, messages and errors."""

from __future__ import annotations

import csv
import io
import json
import random
from contextlib import contextmanager
from itertools import zip_longest

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.errors import InputError
from fastcausal.files import cells
from fastcausal.files.files import Source
from fastcausal.formats import _native, cnc, jsonl
from fastcausal.formats.cnc import copies, markup, submissions, tagged, truth
from fastcausal.formats.cnc.tagged import token_counts
from fastcausal.formats.reading.builder import Builder, UnreadError
from fastcausal.relations import Relations
from tests.support import plain_submissions
from tests.support.format_cases import CNC, LINES, SINGLE, SUBMISSION, TRUTH, needs_cnc, save
from tests.support.profiles import trials

from .test_format_tagged import PIECES

READINGS = ("strict", *markup.OFFICIAL)
WHITE = [" ", "\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2028", "\0", "\x7f"]
SIGNS = "<>[]{}()*_|#~^=&"
LONG = ["word " * 20, "x" * 64, " " * 63, "<SIG12>", "</SIG12>", "<SIG٣>", "<SIG007>", "</SIG007>"]
sentences = st.lists(st.sampled_from([*PIECES, *WHITE, *LONG]), max_size=20).map("".join)
GOLD = Relations.from_examples(
    [
        {"id": "a", "text": "Heavy rain caused floods .", "relations": []},
        {"id": "b", "text": "It was wet .", "relations": []},
        {"id": "c", "length": 3, "relations": []},
    ]
)
NAMELESS = Relations(GOLD.table.drop_columns(["id"]))


def natively(kept, lengths, reading):
    return tagged.Sentences(kept, lengths, reading, None)


def letters_of(word):
    """Return the part of a word that is compared: letters and digits, ASCII in lower case."""
    odd = ("\x80", "\xbf"), ("\u2000", "\u203f"), ("\u2212", "\u2212")
    kept = (
        c for c in word if (c.isalnum() if c.isascii() else not any(a <= c <= b for a, b in odd))
    )
    return "".join(c.lower() if c.isascii() else c for c in kept)


def n_other_words(sentence, text):
    """How many words of a sentence without its tags are others, of how many."""
    pairs = zip_longest(*(markup.TOKEN.findall(markup.strip_tags(t)) for t in (sentence, text)))
    pairs = [(None if w is None else letters_of(w) for w in pair) for pair in pairs]
    return sum(a != b for a, b in pairs), len(pairs)


def doubt(sentence, text, first, reading, is_bare, notes):
    """Why a sentence that can be read is not, if so."""
    mark = copies.unknown_mark(sentence, text, is_bare=is_bare)
    other, n = n_other_words(sentence, first if text is None else text)
    if reading in markup.OFFICIAL:
        notes[copies.UNKNOWN] += mark is not None
        notes[copies.NOTE] += other > 0 and mark is None
        return None
    is_another = other and 2 * other >= n
    notes[copies.NOTE] += other > 0 and not is_another and mark is None
    return mark or (is_another and "it is another sentence") or None


def plainly(examples, lengths, reading):
    """Return the result of `tagged.Sentences`, by the specification of the tags."""
    build = Builder("tagged sentences")
    for k, (example, length) in enumerate(zip(examples, lengths, strict=True)):
        for sentence in example:
            where = f"example {k}"
            build.notes[tagged.ODD] += (
                reading != "strict" and "<SIG" in sentence and markup.odd_signal_tag(sentence)
            )
            try:
                n_tokens, spans = markup.parse(sentence, reading)
            except UnreadError as reason:
                build.unread_relation(where, UnreadError(str(reason), sentence))
                continue
            length = n_tokens if length is None else length
            why = n_tokens == length and doubt(
                sentence, None, example[0], reading, not spans, build.notes
            )
            if n_tokens != length and reading == "strict":
                why = copies.unknown_mark(sentence, None, is_bare=True)
            if why:
                build.unread_relation(where, UnreadError(why, sentence))
            elif n_tokens == length:
                build.relation(spans)
            else:
                reason = UnreadError(f"has {n_tokens} tokens, expected {length}", sentence)
                build.unread_relation(where, reason)
        build.end_example(length)
    return build.table({"tagged": examples}, tags=reading)


def same(found, expected):
    assert found.table.equals(expected.table)
    assert found.reading == expected.reading


@pytest.mark.parametrize("reading", READINGS)
@given(st.lists(st.tuples(st.lists(sentences, max_size=4), st.none() | st.integers(0, 9))))
@hypothesis.example([([".<<ARG0>ARG0>", "/"], None)])  # what is left looks like a tag
@trials(300)
def test_native_tags_are_those_of_the_specification(reading, examples):
    texts, lengths = [t for t, _ in examples], [n for _, n in examples]
    kept = pa.array(texts, pa.list_(pa.string()))
    known = np.array([-1 if n is None else n for n in lengths], np.int32)
    for column in (
        kept,
        kept.cast(pa.list_(pa.large_string())),
        pa.chunked_array([kept.slice(0, len(kept) // 2), kept.slice(len(kept) // 2)]),
    ):
        found = natively(column, known, reading)
        found = found.table("tagged sentences", {"tagged": kept}, lambda k: f"example {k}")
        same(found, plainly(texts, lengths, reading))


WORDS = [
    "Rain",
    "rain",
    "RAIN.",
    "\u201cRain\u201d",
    "fell",
    "\u00e9t\u00e9",
    "\u00c9t\u00e9",
    "a-b",
    "a\u2212b",
    ".",
]
MARKED = ["<ARG0>", "</ARG0>", "<SIG", " ", "  ", "\n", "<b>", "[x]", "**", "&", "<cause>", *WORDS]
marked = st.lists(st.sampled_from(MARKED), max_size=12).map("".join)


@trials(500)
@given(st.lists(st.tuples(st.lists(marked, max_size=3), marked | st.none()), max_size=4))
def test_native_words_are_those_of_the_specification(examples):
    kept = pa.chunked_array([pa.array([s for s, _ in examples], pa.list_(pa.string()))])
    texts = pa.array([text for _, text in examples], pa.string())
    widths = np.zeros(sum(len(s) for s, _ in examples), np.int32)
    found = iter(copies.unlike(kept, texts, widths).tolist())
    for example, text in examples:
        for sentence in example:
            bits = next(found)
            plain = markup.strip_tags(sentence)
            bare = "" if text is None else markup.strip_tags(text)
            signs = {c for c in SIGNS if plain.count(c) > bare.count(c)}
            if text is None:  # no other mark-up is certain
                signs &= {*"<[{&"}
                assert signs or copies.unknown_mark(sentence, None, is_bare=True) is None
            assert bool(bits & copies.SIGNS) == bool(signs)
            if text is None:
                assert not bits & ~copies.SIGNS
                continue
            other, n = n_other_words(sentence, text)
            assert bool(bits & copies.OTHER_WORDS) == (other > 0)
            assert bool(bits & copies.OTHER_SENTENCE) == (other > 0 and 2 * other >= n)
            if signs or other:
                continue
            assert copies.unknown_mark(sentence, bare, is_bare=True) is None


@given(st.lists(sentences | st.none(), max_size=5), st.sampled_from(READINGS))
def test_native_token_counts(texts, reading):
    examples = [{"text": text, "length": 7, "relations": []} for text in texts]
    expected = [7 if text is None else markup.count_tokens(text, reading) for text in texts]
    like = Relations.from_examples(examples)
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.chunked_array([pa.array(["x", *texts], pa.string()).cast(kind).slice(1)])
        typed = Relations(pa.table({"text": column, **_without(like, "text")}))
        assert token_counts(typed, reading).tolist() == expected


def _without(relations, name):
    return {n: relations.table[n] for n in relations.table.column_names if n != name}


@needs_cnc
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("split", ["dev", pytest.param("train", marks=pytest.mark.slow)])
def test_native_tags_on_the_corpus(split, reading):
    for form in ("", "_grouped"):
        source = Source.open(CNC / f"{split}_subtask2{form}.csv")
        gold, slowly = both(cnc.read, TRUTH_PLAINLY, source, tags=reading)
        same(gold, slowly)
        kept = gold.table["tagged"].to_pylist()
        lengths = gold.table["length"].to_pylist()
        same(natively(gold.table["tagged"], np.array(lengths), reading).table(
            "tagged sentences", {}, lambda k: f"example {k}"
        ), plainly(kept, lengths, reading))  # fmt: skip


@needs_cnc
@pytest.mark.parametrize("reading", READINGS)
def test_submissions_of_the_corpus(reading):
    gold = cnc.read(CNC / "dev_subtask2_grouped.csv", tags=reading)
    for path in sorted((CNC / "cases").glob("*.submission.jsonl")):
        source = Source.open(path)
        like = gold if len(gold) == source.data.count(b"\n") else None
        same(*both(cnc.read, SUBMISSION_PLAINLY, source, like=like, tags=reading))


TRUTH_PLAINLY = (cells, "_plain"), (truth, "_plain_sentences")
SUBMISSION_PLAINLY = ((submissions, "_predictions", plain_submissions.predictions),)
LINES_PLAINLY = ((jsonl, "_plain_lines"),)


@contextmanager
def without(places):
    """Leave everything to the slow reader, which explains faults."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, *other in places:
            patch.setattr(module, name, other[0] if other else lambda *args: None)
        yield


def outcome(read, *args, **options):
    try:
        return read(*args, **options)
    except InputError as error:
        return str(error)


def both(read, places, source, **options):
    """The outcome with and without the fast reader."""
    found = outcome(read, source, **options)
    with without(places):
        return found, outcome(read, source, **options)


def agree(*args, **options):
    found, expected = both(*args, **options)
    if isinstance(expected, str):
        assert found == expected
    else:
        assert not isinstance(found, str), found
        same(found, expected)


def mangled(data: bytes, rng: random.Random, pool: list[bytes]) -> bytes:
    """A text with a few pieces put in, left out, doubled or exchanged."""
    for _ in range(rng.randrange(4)):
        k, n = rng.randrange(len(data) + 1), rng.randrange(1, 4)
        piece = rng.choice(pool)
        data = rng.choice(
            [
                data[:k] + piece + data[k:],
                data[:k] + data[k + n :],
                data[:k] + piece + data[k + n :],
                data[:k] + data[k : k + 9 * n] + data[k:],
            ]
        )
    return data


JSON_PIECES = [
    *[b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r\n", b"\r", b" ", b"\t", b"\0"],
    *[b"\\u0041", b"\\ud83d\\ude00", b"\\ud800", b"\\udc00", b"\\n", b"\\x", b"\\/", b"\\u00e"],
    *[b"\xff", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x0b", b"\x1f"],
    *[b"0", b"-0", b"01", b"1.0", b"1e3", b"null", b"true", b"NaN", b"9" * 19, b"9" * 5000],
    *[b'"a"', b'"b"', b'"index"', b'"prediction"', b'"x": 1,', b'"index": 1,', b"{}", b"[]"],
    *[b"<ARG0>", b"</ARG0>", b"<SIG0A>", b"  ", b"\n\n", b" \n\x1c\n"],
]


def json_lines(rng: random.Random) -> bytes:
    lines = []
    for k in range(rng.randrange(1, 5)):
        line = {"index": rng.choice([k, k, k, k, "abc"[k % 3], None, k + 1])}
        if rng.random() < 0.1:
            del line["index"]
        line["prediction"] = [
            "".join(rng.choices([*PIECES, "\x7f", "\u2028", "😀", '"', "\\", "/", "\b"], k=6))
            for _ in range(rng.randrange(3))
        ]
        if rng.random() < 0.1:
            line["text"] = "a"
        lines.append(json.dumps(line, ensure_ascii=rng.random() < 0.5))
    return ("\n".join(lines) + rng.choice(["", "\n"])).encode()


def fuzz_submissions(rng: random.Random) -> None:
    data = mangled(json_lines(rng), rng, JSON_PIECES)
    options = {"like": rng.choice([None, GOLD, NAMELESS]), "tags": rng.choice(READINGS)}
    agree(cnc.read, SUBMISSION_PLAINLY, Source("x.jsonl", data), **options)


def fuzz_lines(rng: random.Random) -> None:
    lines = []
    for k in range(rng.randrange(1, 5)):
        spans = [[[0, 1], [1, 3], [2, 2]][rng.choice([0, 0, 1, 1, 2])] for _ in range(3)]
        named = [{"role": "cause", "start": a, "stop": b} for a, b in spans[: rng.randrange(3)]]
        line = {"id": rng.choice(["abcd"[k], k]), "length": rng.choice([3, 3, None])}
        line["relations"] = rng.choice([[named], [named, named], [], [None, named], [[]]])
        line |= rng.choice([{}, {}, {"story": "s"}, {"n": k}, {"w": 1.5}])
        for name in list(line):
            if rng.random() < 0.03:
                del line[name]
        lines.append(json.dumps(line))
    text = "\n".join(lines).encode()
    pool = [*JSON_PIECES, b'"effect"', b'"start"', b"-1", b"3", b"2147483648"]
    source = Source("x.jsonl", mangled(text, rng, pool) if rng.random() < 0.7 else text)
    agree(jsonl.read, LINES_PLAINLY, source)


CSV_PIECES = [
    *[b'"', b'""', b",", b"\n", b"\r\n", b"\r", b" ", b"'", b"\\'", b"\\", b"\\n", b"[", b"]"],
    *[b"0", b"1", b"01", b"0x1", b"+1", b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"[]", b"#"],
    *[b"['a']", b'"[\'a\', ""b""]"', b"<ARG0>", b"</ARG0>", b"NULL", b"NA", b"true", b"\n\n"],
]


def truth_rows(rng: random.Random) -> bytes:
    grouped = rng.random() < 0.6
    header = "corpus,doc_id,sent_id,eg_id,index,text,"
    header += "causal_text_w_pairs,num_rs" if grouped else "text_w_pairs,pair_label"
    file = io.StringIO()
    writer = csv.writer(file, lineterminator=rng.choice(["\n", "\r\n"]))
    for k in range(rng.randrange(5)):
        text = rng.choice(["Rain fell", "It 'was'", 'so "wet"', "a\nb", "é ,"])
        marked = [f"<ARG0>{text.replace(' ', '</ARG0> ', 1)}", text, f"{text} x"]
        kept = rng.choices(marked, [5, 5, 1], k=rng.randrange(3))
        row = ["cnc", "d", rng.choice([k, k, k // 2]), 0, f"n{k}", text]
        if grouped:
            row += [str(kept), rng.choices([len(kept), len(kept) + 1, 0], [9, 1, 1])[0]]
        else:
            row += [rng.choice([*marked, ""]), rng.choice([0, 1, 1])]
        writer.writerow(row)
    return f"{header}\n{file.getvalue()}".encode()


def fuzz_truth(rng: random.Random) -> None:
    data = truth_rows(rng)
    source = Source("x.csv", mangled(data, rng, CSV_PIECES) if rng.random() < 0.7 else data)
    agree(cnc.read, TRUTH_PLAINLY, source, tags=rng.choice(READINGS))


@pytest.mark.drawn
@pytest.mark.parametrize("fuzz", [fuzz_submissions, fuzz_lines, fuzz_truth])
def test_fast_readers_give_what_the_others_do(fuzz):
    for seed in range(trials(6_000).max_examples):
        fuzz(random.Random(seed))


@given(st.binary(max_size=60), st.sampled_from(READINGS))
@trials(300)
def test_any_bytes(data, reading):
    if data and not data.isspace():
        agree(cnc.read, SUBMISSION_PLAINLY, Source("x.jsonl", data), tags=reading)
        agree(jsonl.read, LINES_PLAINLY, Source("x.jsonl", data))
        agree(cnc.read, TRUTH_PLAINLY, Source("x.csv", data), tags=reading)


@given(st.lists(st.lists(st.text(), max_size=3), min_size=1, max_size=4), st.booleans())
def test_all_that_json_writes_is_plain(predictions, ascii_only):
    lines = [
        json.dumps({"index": k, "prediction": p}, ensure_ascii=ascii_only)
        for k, p in enumerate(predictions)
    ]
    source = Source("x.jsonl", "\n".join(lines).encode())
    assert is_plain(source)
    assert submissions._read_lines(source, None, "strict").sentences.to_pylist() == predictions


def is_plain(source):
    """Return True if native code needs no second look at any line."""
    size, none = len(source.data), np.zeros(0, np.int64)
    return _native.read_submission(source.data, 0, size, 1, none, False)[3]


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]))), min_size=1))
def test_lists_of_strings_as_python_writes_them(rows):
    cells = [repr(row) for row in rows]
    assert truth.lists_in(pa.array(cells)).to_pylist() == rows


def test_usual_files_are_read_fast(tmp_path):
    for text, name in ((TRUTH, "a.csv"), (SINGLE, "b.csv"), ("\ufeff" + TRUTH, "c.csv")):
        table = cells._plain(Source.open(save(tmp_path, name, text)))
        assert "num_rs" not in table.column_names or truth._plain_sentences(table) is not None
    for lines in (SUBMISSION, SUBMISSION.replace("\n", "\r\n\n"), SUBMISSION.rstrip()):
        source = Source.open(save(tmp_path, "a.jsonl", lines))
        assert is_plain(source)
    source = Source.open(save(tmp_path, "b.jsonl", LINES))
    assert jsonl._plain_lines(source, ("cause", "effect", "signal")) is not None


def test_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "BLOCK", 50)
    rng = random.Random(1)
    rows = [["<ARG0>a</ARG0> b" * rng.randrange(3)] * rng.randrange(3) for _ in range(200)]
    lines = [json.dumps({"index": f"é{k}", "prediction": row}) for k, row in enumerate(rows)]
    source = Source("x.jsonl", "\n".join(lines).encode())
    agree(cnc.read, SUBMISSION_PLAINLY, source)
    assert cnc.read(source).table["tagged"].num_chunks > 50


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("reading", READINGS)
def test_parts_make_the_whole(tmp_path, size, named, reading):
    texts = [f"Rain {'so ' * (k % 3)}came" for k in range(7)]
    examples = [{"id": f"n{k}", "text": t, "relations": []} for k, t in enumerate(texts)]
    gold = Relations.from_examples(examples)
    lines = [
        {"index": f"n{k}" if named else k, "prediction": [f"<ARG0>{t}</ARG0>", "<ARG0>x"]}
        for k, t in enumerate(texts)
    ]
    text = "\ufeff\n" + "\n \r\n".join(map(json.dumps, lines))
    path = save(tmp_path, "pred.jsonl", text)
    whole = cnc.read(path, like=gold, tags=reading)
    golds = [Relations(gold.table.slice(k, size)) for k in range(0, 7, size)]
    found = list(submissions.batches(path, golds, reading))
    assert [len(part) for part in found] == [len(part) for part in golds]
    assert pa.concat_tables([part.table for part in found]).equals(
        whole.table.replace_schema_metadata(found[0].table.schema.metadata), check_metadata=False
    )
    assert whole.reading.notes == {} == found[-1].reading.notes
    unread = [message for part in found for message in part.reading.unread]
    assert tuple(unread[:10]) == whole.reading.unread


def test_parts_of_another_number(tmp_path):
    text = "".join(json.dumps({"index": k, "prediction": []}) + "\n" for k in range(3))
    path = save(tmp_path, "pred.jsonl", text)
    part = Relations.from_examples([{"length": 1, "relations": []}] * 2)
    for golds in ([part], [part, part], [part] * 4):
        message = f"{path} has 3 examples, expected {2 * len(golds)}"
        assert outcome(lambda: list(submissions.batches(path, golds))) == message  # noqa: B023
        whole = Relations(pa.concat_tables([gold.table for gold in golds]))
        assert outcome(cnc.read, path, like=whole) == message
    wrong = save(tmp_path, "wrong.jsonl", text.replace("2", "7"))
    message = f'{wrong}:3: "index" is 7, expected 2 to 3'
    assert outcome(lambda: list(submissions.batches(wrong, [part, part]))) == message


def test_parts_of_the_canonical_table(tmp_path):
    span = [{"role": "cause", "start": 0, "stop": 1}]
    rows = [{"id": f"n{k}", "length": 2, "relations": [span, None][: k % 3]} for k in range(7)]
    path = save(tmp_path, "x.jsonl", "\n\n".join(map(json.dumps, rows)))
    whole = jsonl.read(path)
    found = list(jsonl.line_batches(path, 3))
    assert [len(part) for part in found] == [3, 3, 1]
    assert (
        pa.concat_tables([part.table for part in found], promote_options="default")
        .select(whole.table.column_names)
        .equals(whole.table)
    )
    unread = [message for part in found for message in part.reading.unread]
    assert tuple(unread) == whole.reading.unread
