"""Tagged sentences, against readings written a second time, plainly, and against seqeval."""

from __future__ import annotations

import itertools
import re

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2, Entities

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats.cnc import markup, rereading, tagged
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.relations import Relations
from tests.oracles.markup import official_tags, strict_iob2, strict_reading
from tests.oracles.writing import with_tags
from tests.support.format_cases import sentences, spans_in
from tests.support.profiles import trials

PIECES = [
    *["<ARG0>", "</ARG0>", "<ARG1>", "</ARG1>", "<SIG0>", "</SIG0>", "<SIG1>", "</SIG1>"] * 3,
    *["a", "b", "of", ".", "é", "\u00a0", "\x1c"] * 3,
    *[" ", "  ", "\t", "\n"] * 2,
    *["<SIG10>", "</SIG10>", "<ARG2>", "</ARG>", "<SIG>", "<SIG0A>", "<ARG0", "</SIG1", "<", ">"],
    *["<b>", "<arg0>", "/", "ARG0>"],
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(texts)
@trials(300)
@example("<ARG0> w </ARG0>")
@example("of<ARG1> protests</ARG1>")
@example("un<ARG0>like</ARG0>ly <SIG0>x</SIG0>")
@example("a<ARG0></ARG0>b")
def test_strict_is_what_a_character_by_character_reading_gives(text):
    expected = strict_reading(text)
    if expected is None:
        with pytest.raises(UnreadError):
            markup.parse(text)
    else:
        assert markup.parse(text) == expected


@given(texts)
@trials(300)
def test_official_readings_are_what_the_token_loops_give(text):
    arguments, signals = official_tags(text)
    role = {"C": 0, "E": 1, "S": 2}
    strict = [(role[r], a, b) for r, a, b in strict_iob2(arguments) + strict_iob2(signals)]
    relaxed = [(role[r], a, b + 1) for t in (arguments, signals) for r, a, b in get_entities(t)]
    assert markup.parse(text, "cnc-2023") == (len(arguments), sorted(strict))
    assert markup.parse(text, "cnc-2022") == (len(arguments), sorted(relaxed))


def test_chunks_are_those_of_seqeval_for_all_short_sequences():
    names = ["O", "B-C", "I-C", "B-E", "I-E"]
    for n in range(6):
        for sequence in map(list, itertools.product(names, repeat=n)):
            runs = [(t[0] == "B", t[2], k, k + 1) for k, t in enumerate(sequence) if t != "O"]
            relaxed = [(r, a, b + 1) for r, a, b in get_entities(sequence)]
            assert markup.chunks(runs, relaxed=True) == relaxed
            strict = [(e.tag, e.start, e.end) for e in Entities([sequence], IOB2).entities[0]]
            assert markup.chunks(runs, relaxed=False) == strict


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("<ARG0> w </ARG0>", [(0, 0, 1)]),
        ("of<ARG1> protests</ARG1>", [(1, 1, 2)]),
        ("<ARG0>a</ARG0><ARG1>b</ARG1>", [(0, 0, 1), (1, 0, 1)]),
        ("<ARG0>a <ARG1>b</ARG0> c</ARG1>", [(0, 0, 2), (1, 1, 3)]),
        ("<SIG0>if</SIG0> a <SIG0>then</SIG0> b", [(2, 0, 1), (2, 2, 3)]),
        ("<SIG0>a <SIG12>b</SIG12></SIG0>", [(2, 0, 2), (2, 1, 2)]),
        ("a\u00a0b <ARG0>c\u2003d</ARG0>", [(0, 1, 2)]),
        ("", []),
    ],
)
def test_strict_examples(text, spans):
    assert markup.parse(text)[1] == spans


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<ARG2>a</ARG2>", "unknown tag <ARG2>"),
        ("<SIG>a</SIG>", "unknown tag <SIG>"),
        ("<SIG0A>a</SIG0A>", "unknown tag <SIG0A>"),
        ("a <ARG0 that goes on and on", "unknown tag <ARG0 that goes on a..."),
        ("a</ARG0> b", "</ARG0> closes nothing"),
        ("<ARG1>a", "<ARG1> is never closed"),
        ("<ARG1>a <ARG1>b</ARG1>", "<ARG1> is opened again before it is closed"),
        ("<ARG0></ARG0> a", "</ARG0> marks no token"),
        ("<SIG1> \t</SIG1> a", "</SIG1> marks no token"),
    ],
)
def test_strict_says_why_a_sentence_is_unread(text, reason):
    with pytest.raises(UnreadError, match=f"^{re.escape(reason)}$"):
        markup.parse(text)
    assert markup.parse(text, "cnc-2023")
    read = tagged.read([[text, text]])
    assert read.n_unread == 2
    assert read.reading.unread[1] == f"example 0: relation 2: {reason}"


def test_an_unknown_reading_is_refused():
    message = 'tags is "cnc", expected one of strict, aligned, cnc-2023, cnc-2022'
    with pytest.raises(ValueError, match=f"^{message}$"):
        formats.read([["a"]], tags="cnc")


@st.composite
def written(draw):
    text, n = draw(sentences())
    spans = [(r, a, b) for r in range(3) for a, b in draw(spans_in(n, overlaps=True))]
    return text, n, spans


@given(written())
def test_what_is_written_reads_back(case):
    text, n, spans = case
    sentence, left_out = with_tags(text, spans)
    if markup.holds_tags(text):
        return
    kept = sorted(spans)
    for span in left_out:
        kept.remove(span)
        assert any(span[0] == r < 2 and span[1] < b and a < span[2] for r, a, b in kept)
    assert markup.parse(sentence) == (n, kept)
    assert re.sub("</?(ARG[01]|SIG[0-9]+)>", "", sentence) == text


def test_sentences_of_another_length_are_unread():
    read = tagged.read([["a b", "<ARG0>a</ARG0>", "a <ARG1>b</ARG1>"]])
    assert read.table["relations"].to_pylist()[0][1] is None
    assert read.reading.unread == ("example 0: relation 2 has 1 tokens, expected 2",)
    gold = Relations.from_examples([{"id": "x", "text": "a b c", "relations": []}])
    read = tagged.read([["a b", "<ARG0>a</ARG0> b c"]], like=gold)
    misfit = 'example x: relation 1 has 2 tokens, expected 3: token 3 is missing, expected "c"'
    assert read.reading.unread == (misfit,)
    assert read.to_examples()[0]["relations"] == [None, {"cause": [(0, 1)]}]
    assert (read.ids.to_pylist(), read.table["text"].to_pylist()) == (["x"], ["a b c"])


def test_lists_that_are_no_tagged_sentences():
    with pytest.raises(InputError, match=r"^example 1: expected a list of tagged sentences$"):
        tagged.read([["a"], "b"])
    with pytest.raises(InputError, match=r"^tagged sentences has 1 example, expected 2$"):
        tagged.read([["a"]], like=tagged.read([[], []]))
    with pytest.raises(InputError, match=r'^tagged sentences: column "tagged" cannot be stored'):
        tagged.read([["\ud800"]])


def test_reread_interprets_the_sentences_anew():
    sentences = [["<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>", "<ARG0>a b c"], []]
    like = Relations.from_examples([{"text": "Rain  causes floods", "relations": []}] * 2)
    strict = tagged.read(sentences, like=like)
    official = rereading.reread(strict, "cnc-2023", like=like)
    assert strict.table["length"].to_pylist() == [3, 3]
    assert official.table["length"].to_pylist() == [4, 4]
    assert (strict.reading.tags, official.reading.tags) == ("strict", "cnc-2023")
    assert rereading.reread(official, "strict").table.equals(strict.table)
    plain = tagged.read(sentences)
    again = rereading.reread(plain, "cnc-2022")
    assert again.to_examples()[0]["relations"] == [
        {"cause": [(0, 2)], "effect": [(2, 3)]},
        {"cause": [(0, 3)]},
    ]


@given(st.lists(st.lists(texts, max_size=3), max_size=4))
def test_reread_is_reading(examples):
    strict = tagged.read(examples)
    for reading in ("cnc-2023", "cnc-2022"):
        direct = tagged.read(examples, like=strict, tags=reading).table
        assert rereading.reread(strict, reading, like=strict).table.equals(direct)
        direct = tagged.read(examples, tags=reading).table
        assert rereading.reread(strict, reading).table["relations"].equals(direct["relations"])


def test_reread_needs_the_sentences():
    message = "the table keeps no tagged sentences"
    table = Relations.from_examples([{"length": 2, "relations": []}])
    with pytest.raises(InputError, match=message):
        rereading.reread(table, "strict")
    odd = Relations(table.table.append_column("tagged", pa.array([3])))
    with pytest.raises(InputError, match=message):
        rereading.reread(odd, "strict")


@pytest.mark.slow
def test_ten_megabytes_of_one_sentence():
    words = " ".join(["word"] * 2_000_000)
    text = f"<ARG0>{words}</ARG0> <SIG0>so</SIG0> <ARG1>that</ARG1>"
    n = 2_000_002
    spans = [(0, 0, n - 2), (1, n - 1, n), (2, n - 2, n - 1)]
    assert markup.parse(text) == (n, spans)
    assert markup.parse(text, "cnc-2023")[0] == n
    many = "<SIG0>a</SIG0> " * 100_000
    assert len(markup.parse(many)[1]) == len(markup.parse(many, "cnc-2023")[1]) == 100_000
