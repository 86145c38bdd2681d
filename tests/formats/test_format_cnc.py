"""Truth files and submissions."""

from __future__ import annotations

import ast
import csv
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats.cnc import copies, rereading, tagged, truth
from fastcausal.relations import Relations
from tests.support.format_cases import (
    CNC,
    SINGLE,
    SUBMISSION,
    TRUTH,
    content,
    names,
    needs_cnc,
    save,
    sentences,
    tables,
)

GOLD = Relations.from_examples(
    [
        {"id": "a", "text": "Heavy rain caused floods .", "relations": []},
        {"id": "b", "text": "It was wet .", "relations": []},
    ]
)


def fails(message, path, **options):
    """Reading fails with exactly this message, after the path."""
    with pytest.raises(InputError) as caught:
        formats.read(path, **options)
    assert str(caught.value).replace(f"{path}", "FILE") == message


def test_grouped_truth(tmp_path):
    gold = formats.read(save(tmp_path, "gold.csv", "\ufeff" + TRUTH))
    assert gold.ids.to_pylist() == ["a", "b"]
    assert gold.table["doc_id"].to_pylist() == ["d1", "d1"]
    assert gold.table["sent_id"].to_pylist() == ["0", "1"]
    assert gold.table["length"].to_pylist() == [5, 4]
    assert [e["relations"] for e in gold.to_examples()] == [
        [{"cause": [(0, 2)], "effect": [(3, 4)], "signal": [(2, 3)]}],
        [],
    ]
    assert gold.reading.tags == "strict"


def test_a_row_per_relation(tmp_path):
    gold = formats.read(save(tmp_path, "gold.csv", SINGLE.replace("\n", "\r\n")))
    assert gold.ids.to_pylist() == ["a0", "b0"]
    assert [e["relations"] for e in gold.to_examples()] == [
        [{"cause": [(0, 1)], "effect": [(2, 3)]}, {"effect": [(2, 3)], "signal": [(1, 2)]}],
        [],  # pair_label 0
    ]


def test_submission(tmp_path):
    path = save(tmp_path, "pred.jsonl", SUBMISSION.replace("\n", "\n\n"))
    pred = formats.read(path, like=GOLD)
    assert pred.ids.to_pylist() == ["a", "b"]
    assert pred.table["length"].to_pylist() == [5, 4]
    assert pred.to_examples()[0]["relations"] == [{"cause": [(0, 2)], "effect": [(3, 4)]}]
    alone = formats.read(path)
    assert alone.ids is None
    assert alone.table["length"].to_pylist() == [5, None]
    assert content(alone)[0] == content(pred)[0]


def test_predictions_that_cannot_be_read_are_counted(tmp_path):
    rows = [["Heavy rain caused floods .", "<ARG0>rain", "Heavy <ARG0>rain</ARG0>"], []]
    lines = [json.dumps({"index": k, "prediction": row}) + "\n" for k, row in enumerate(rows)]
    path = save(tmp_path, "pred.jsonl", "\n".join(lines))
    pred = formats.read(path, like=GOLD)
    assert pred.to_examples()[0]["relations"] == [{}, None, None]
    assert pred.reading.unread == (
        f"{path}:1: example a: prediction 2: <ARG0> is never closed",
        f"{path}:1: example a: prediction 3 has 2 tokens, expected 5: "
        'token 3 is missing, expected "caused"',
    )
    alone = formats.read(path)
    assert alone.reading.unread[1] == f"{path}:1: example 0: prediction 3 has 2 tokens, expected 5"


def test_string_indexes_are_ids_under_the_strict_reading(tmp_path):
    rows = [{"index": "b", "prediction": ["<ARG0>It</ARG0> was wet ."]}]
    path = save(tmp_path, "pred.jsonl", json.dumps(rows[0]))
    assert formats.read(path).ids.to_pylist() == ["b"]
    pred = formats.read(path, like=GOLD)
    assert (pred.ids.to_pylist(), pred.table["length"].to_pylist()) == (["b"], [4])
    assert pred.table["text"].to_pylist() == ["It was wet ."]
    unknown = save(tmp_path, "unknown.jsonl", json.dumps(rows[0] | {"index": "z"}))
    pred = formats.read(unknown, like=GOLD)
    assert (pred.ids.to_pylist(), pred.table["length"].to_pylist()) == (["z"], [4])
    fails("FILE has 1 example, expected 2", path, like=GOLD, tags="cnc-2023")


def test_official_readings_go_by_line_order(tmp_path):
    lines = SUBMISSION.replace('"index": 0', '"index": 7')
    path = save(tmp_path, "pred.jsonl", lines)
    fails('FILE:1: "index" is 7, expected 0 to 1', path, like=GOLD)
    pred = formats.read(path, like=GOLD, tags="cnc-2023")
    assert pred.ids.to_pylist() == ["a", "b"]
    assert pred.reading.notes == {"index is not the line's position": 1}
    lines = SUBMISSION.replace('"index": 0', '"index": "a"').replace('"index": 1', '"index": "a"')
    path = save(tmp_path, "named.jsonl", lines)
    pred = formats.read(path, like=GOLD, tags="cnc-2023")
    assert pred.ids.to_pylist() == ["a", "b"]
    assert pred.reading.notes == {"index is not the line's position": 1}


def test_num_rs(tmp_path):
    more = TRUTH.replace("['", "\"['").replace(".'],1", ".', 'Heavy rain caused floods .']\",1")
    path = save(tmp_path, "gold.csv", more)
    fails("FILE:2: example a: num_rs is 1, but the list has 2 sentences", path)
    gold = formats.read(path, tags="cnc-2023")
    assert len(gold.to_examples()[0]["relations"]) == 1
    assert gold.reading.notes == {"sentences beyond num_rs left out": 1}
    assert len(gold.table["tagged"][0]) == 1
    none = formats.read(save(tmp_path, "none.csv", TRUTH.replace("'],1", "'],0")), tags="cnc-2022")
    assert none.to_examples()[0]["relations"] == []
    path = save(tmp_path, "fewer.csv", TRUTH.replace("'],1", "'],3"))
    for tags in ("strict", "cnc-2023"):
        fails("FILE:2: example a: num_rs is 3, but the list has 1 sentences", path, tags=tags)


def test_gold_of_another_length(tmp_path):
    path = save(tmp_path, "gold.csv", TRUTH.replace("a,Heavy rain", "a,Rain"))
    first = 'token 1 is "Heavy", expected "Rain"'
    fails(f"FILE:2: example a: relation 1 has 5 tokens, expected 4: {first}", path)
    gold = formats.read(path, tags="cnc-2023")
    assert (gold.n_unread, gold.table["length"].to_pylist()) == (0, [5, 4])
    assert gold.reading.notes == {tagged.UNLIKE_TEXT: 1, copies.NOTE: 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "FILE is empty"),
        (" \n\n ", "FILE is empty"),
        (
            "index,text,label\na,b,1\n",
            'FILE:1: no column "causal_text_w_pairs" or "text_w_pairs": found index, text, label; '
            f"{truth.OTHER_TABLES}",
        ),
        (
            "index,text,causal_text_w_pairs\n",
            'FILE:1: no column "num_rs": found index, text, causal_text_w_pairs',
        ),
        (
            "corpus,index,text,text_w_pairs\n",
            'FILE:1: no column "doc_id", "sent_id": found corpus, index, text, text_w_pairs',
        ),
        (TRUTH + "c,d\n", "FILE:4: 2 columns, expected 8"),
        (TRUTH + 'c,"d\n', "FILE:4: invalid CSV: unexpected end of data"),
        (
            TRUTH.replace("[],0", "[],none"),
            "FILE:3: example b: num_rs is 'none', expected a number",
        ),
        (TRUTH.replace("[],0", "[],-1"), "FILE:3: example b: num_rs is '-1', expected a number"),
        (
            TRUTH.replace("[],0", "[3],1"),
            "FILE:3: example b: causal_text_w_pairs: expected a list of strings, found '[3]'",
        ),
        (
            TRUTH.replace("[],0", "[x,0"),
            "FILE:3: example b: causal_text_w_pairs: expected a list of strings, found '[x'",
        ),
        (
            TRUTH.replace("[],0", "It was wet .,1"),
            "FILE:3: example b: causal_text_w_pairs: expected a list of strings, "
            "found 'It was wet .'",
        ),
        (TRUTH.replace(",b,", ",a,"), 'FILE:3: id "a" occurs twice, first in FILE:2'),
        (
            SINGLE.replace("a1,Rain", "a1,Hail"),
            "FILE:3: example a1: another text than line 2 has for the same sentence",
        ),
    ],
)
def test_truth_files_that_are_refused(tmp_path, text, message):
    fails(message, save(tmp_path, "gold.csv", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"index": 0, "prediction": ["a', "invalid JSON: Unterminated string starting at "
         "column 29"),
        ('{"index": 0}', 'no "prediction": found index'),
        ('["a"]', "a list, expected an object"),
        ('"a"', "a string, expected an object"),
        ('{"prediction": "a"}', '"prediction" is a string, expected a list of strings'),
        ('{"prediction": {}}', '"prediction" is an object, expected a list of strings'),
        ('{"prediction": null}', '"prediction" is null, expected a list of strings'),
        ('{"prediction": 1.5}', '"prediction" is a number, expected a list of strings'),
        ('{"prediction": ["a", null]}', '"prediction" holds null, expected a list of strings'),
        ('{"prediction": [["a"]]}', '"prediction" holds a list, expected a list of strings'),
        ('{"index": 0, "prediction": []}', "index 0 occurs twice, first in FILE:1"),
        ('{"index": 2, "prediction": []}', '"index" is 2, expected 0 to 1'),
        ('{"index": true, "prediction": []}', '"index" is a boolean, expected 1'),
        ('{"index": "1", "prediction": []}', '"index" is a string, expected 1'),
        ('{"index": [1], "prediction": []}', '"index" is a list, expected 1'),
    ],
)  # fmt: skip
def test_submissions_that_are_refused(tmp_path, text, message):
    first = SUBMISSION.splitlines()[0]
    fails(f"FILE:3: {message}", save(tmp_path, "pred.jsonl", f"{first}\n\n{text}\n"), like=GOLD)


def test_submissions_with_other_faults(tmp_path):
    first = SUBMISSION.splitlines()[0]
    path = save(tmp_path, "bytes.jsonl", b'{"prediction": []}\n{"prediction": ["\xe9"]}\n')
    fails("FILE:2: byte 0xe9 is not UTF-8", path)
    path = save(tmp_path, "twice.jsonl", '{"index": "a", "prediction": []}\n' * 2)
    fails('FILE:2: id "a" occurs twice, first in FILE:1', path)
    path = save(tmp_path, "half.jsonl", '{"index": 0, "prediction": ["\\ud800"]}')
    with pytest.raises(InputError, match=r'column "tagged" cannot be stored'):
        formats.read(path)
    path = save(tmp_path, "deep.jsonl", first + "\n" + "[" * 100_000)
    with pytest.raises(InputError, match=r"invalid JSON: maximum recursion depth"):
        formats.read(path)
    path = save(tmp_path, "many.jsonl", first + '\n{"prediction": 1}' * 12)
    with pytest.raises(InputError) as caught:
        formats.read(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[0] == f'{path}:2: "prediction" is a number, expected a list of strings'
    assert lines[10] == "... and 2 more"


@pytest.mark.slow
def test_long_sentences_and_many_relations(tmp_path):
    sentence = "<ARG0>" + "long " * 2_000_000 + "</ARG0><ARG1>end</ARG1>"
    text = sentence.replace("<ARG0>", "").replace("</ARG0><ARG1>", "").replace("</ARG1>", "")
    path = tmp_path / "long.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["index", "text", "causal_text_w_pairs", "num_rs"])
        writer.writerow(["a", text, [sentence], 1])
    gold = formats.read(path)
    assert gold.to_examples()[0]["relations"] == [
        {"cause": [(0, 2_000_000)], "effect": [(2_000_000, 2_000_001)]}
    ]
    line = json.dumps({"index": 0, "prediction": [sentence]})
    pred = formats.read(save(tmp_path, "long.jsonl", line), like=gold)
    assert content(pred, "id") == content(gold, "id")
    line = json.dumps({"index": 0, "prediction": ["<ARG0>a</ARG0> b"] * 10_000})
    assert formats.read(save(tmp_path, "many.jsonl", line)).n_relations == 10_000


ESCAPES = [
    r"\x9", r"\x92", r"\u12", r"\ufeff", r"\U0001F600", r"\U00110000", r"\ud83d", r"\ude00",
    r"\N{DASH}", r"\0", r"\101", r"\d", r"\n", r"\'", r"\"", r"\\", r"\a", "a", "é", '"',
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:invalid escape")
@given(st.lists(st.sampled_from(ESCAPES), max_size=5))
def test_escapes_are_those_of_python(pieces):
    cell = f"['', '{''.join(pieces)}']"
    try:
        expected = ast.literal_eval(cell)
    except SyntaxError:
        with pytest.raises(InputError):
            truth.strings_in(cell)
    else:
        assert truth.strings_in(cell) == expected


@given(st.lists(st.text(max_size=6), max_size=3))
def test_cells_are_python_lists(strings):
    for cell in (repr(strings), repr(tuple(strings)), "".join(strings)):
        try:
            expected = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            expected = None
        if isinstance(expected, list):
            assert truth.strings_in(cell) == expected
        else:
            with pytest.raises(InputError):
                truth.strings_in(cell)


@given(tables(overlaps=False, unread=False))
def test_truth_and_submission_round_trips(tmp_path_factory, table):
    text = " ".join(filter(None, table.table["text"].to_pylist()))
    if re.search("</?(ARG|SIG)", text):
        return
    folder = tmp_path_factory.mktemp("cnc")
    columns = ("id", "text") if table.ids is not None else ("text",)
    assert formats.write(table, folder / "gold.csv") == []
    gold = formats.read(folder / "gold.csv")
    assert content(gold, *columns) == content(table, *columns)
    lost = formats.write(table, folder / "pred.jsonl", "cnc")
    assert lost == [f"a submission does not hold the columns {', '.join(columns)}"]
    pred = formats.read(folder / "pred.jsonl", like=table)
    assert content(pred, *columns) == content(table, *columns)


@given(st.lists(st.tuples(names, sentences(), st.lists(st.text(max_size=9))), max_size=3))
def test_kept_sentences_are_written_as_they_are(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("cnc")
    read = tagged.read([sentences for _, _, sentences in rows], tags="cnc-2023")
    formats.write(read, folder / "pred.jsonl", "cnc")
    if rows:
        again = formats.read(folder / "pred.jsonl", tags="cnc-2023")
        assert again.table.equals(read.table)


def test_what_a_file_cannot_hold(tmp_path):
    examples = [
        {"text": "a b c", "relations": [None, {"cause": [(0, 2), (1, 3)]}], "story": 1},
        {"text": "a <ARG0> c", "relations": [{"cause": (0, 1)}], "story": 2},
    ]
    table = Relations.from_examples(examples)
    assert formats.write(table, tmp_path / "gold.csv") == [
        'values of the column "story" are written as text',
        "example 0: relation 1 is unread and left out",
        "example 0: relation 2: 1 spans overlap others or have no tag",
        "example 1: tags within its text will be read",
    ]
    roles = Relations.from_examples(
        [{"text": "a", "relations": [{"reason": (0, 1)}, {"cause": (0, 1)}]}],
        roles=("reason", "cause"),
    )
    lost = ["example 0: relation 1: 1 spans overlap others or have no tag"]
    assert formats.write(roles, tmp_path / "roles.csv") == lost
    assert formats.read(tmp_path / "roles.csv").to_examples()[0]["relations"] == [
        {},
        {"cause": [(0, 1)]},
    ]


def test_what_cannot_be_written(tmp_path):
    table = Relations.from_examples([{"id": "x", "length": 2, "relations": [{"cause": (0, 1)}]}])
    with pytest.raises(InputError, match=r"^example x has no text, which this format needs$"):
        formats.write(table, tmp_path / "gold.csv")
    table = Relations.from_examples([{"id": "x", "length": 2, "relations": []}])
    with pytest.raises(InputError, match=r"^example x: a truth file needs its text$"):
        formats.write(table, tmp_path / "gold.csv")
    table = Relations.from_examples(
        [{"id": "x", "length": 2, "text": "a", "relations": [{"cause": (0, 1)}]}]
    )
    with pytest.raises(InputError, match=r"^example x: its text has 1 tokens, expected 2$"):
        formats.write(table, tmp_path / "gold.csv")
    assert list(tmp_path.iterdir()) == []


@needs_cnc
@pytest.mark.parametrize(
    ("split", "n_examples", "n_relations", "misread"),
    [("dev", 340, 249, 7), ("train", 3075, 2257, 52)],
)
def test_the_corpus(split, n_examples, n_relations, misread):
    gold = formats.read(CNC / f"{split}_subtask2_grouped.csv")
    assert (len(gold), gold.n_relations, gold.n_unread) == (n_examples, n_relations, 0)
    official = rereading.reread(gold, "cnc-2023")
    assert official.n_unread == 0
    assert official.table["length"].equals(gold.table["length"])
    pairs = zip(content(gold), content(official), strict=True)
    differ = [a != b for x, y in pairs for a, b in zip(x["relations"], y["relations"], strict=True)]
    assert (len(differ), sum(differ)) == (n_relations, misread)
    single = formats.read(CNC / f"{split}_subtask2.csv")
    assert single.n_unread == 0
    by_sentence = {
        tuple(row[k] for k in ("corpus", "doc_id", "sent_id")): row
        for row in content(single, "corpus", "doc_id", "sent_id", "text")
    }
    for row in content(gold, "corpus", "doc_id", "sent_id", "text"):
        if row["relations"]:
            assert by_sentence.pop(tuple(row[k] for k in ("corpus", "doc_id", "sent_id"))) == row
    assert not by_sentence


@needs_cnc
def test_the_corpus_round_trips(tmp_path):
    gold = formats.read(CNC / "dev_subtask2_grouped.csv")
    columns = ("id", "text", "corpus", "doc_id", "sent_id")
    bare = Relations(gold.table.drop_columns(["tagged"]))
    for table in (gold, bare):
        assert formats.write(table, tmp_path / "gold.csv") == []
        assert content(formats.read(tmp_path / "gold.csv"), *columns) == content(gold, *columns)
    for name, format in [("a.bio", "bio"), ("a.jsonl", "spans"), ("a.jsonl", "jsonl")]:
        formats.write(bare, tmp_path / name, format)
        again = formats.read(tmp_path / name)
        assert content(again, "id", "text") == content(gold, "id", "text")


@needs_cnc
def test_the_submissions_of_the_corpus():
    # 25 sentences of 14_malformed are in small letters, their tags, too: <arg0>.
    unread = {"13_mix": 16, "14_malformed": 196, "23_syn_mix": 7}
    for case in json.loads((CNC / "cases" / "manifest.json").read_text()):
        gold = formats.read(CNC / "cases" / case["truth"], tags="cnc-2023")
        path = CNC / "cases" / f"{case['name']}.submission.jsonl"
        official = formats.read(path, like=gold, tags="cnc-2023")
        notes = {copies.UNKNOWN: 25} if case["name"] == "14_malformed" else {}
        assert (official.n_unread, official.reading.notes) == (0, notes)
        strict = formats.read(path, like=gold)
        assert strict.n_unread == unread.get(case["name"], 0)
