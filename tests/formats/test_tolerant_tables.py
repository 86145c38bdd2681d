"""Tables as users have them: names in any case, separators, lists of rows, lines in any order."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.errors import InputError, InputNotice
from fastcausal.files.files import Source
from fastcausal.files.records import read_records
from fastcausal.formats import spans
from tests.support.cli import cli
from tests.support.format_cases import save

TEXTS = ("Rain fell and roads closed", "Snow fell as schools closed", "It is dry")
SPANS = (("Rain fell", "roads closed"), ("Snow fell", "schools closed"), None)
ROWS = [
    {"id": f"n{k}", "text": text, "relations": [] if pair is None else [
        dict(zip(("cause", "effect"), pair, strict=True))]}
    for k, (text, pair) in enumerate(zip(TEXTS, SPANS, strict=True))
]  # fmt: skip
WANTED = fc.read(ROWS).to_examples()
CASES = st.sampled_from([str.upper, str.title, str.lower])


def flat(separator=",", names=("id", "text", "cause", "effect")):
    lines = [names]
    lines += [(f"n{k}", t, *(p or ("", ""))) for k, (t, p) in enumerate(zip(TEXTS, SPANS))]  # noqa: B905
    return "".join(separator.join(line) + "\n" for line in lines).encode()


def examples(source):
    wanted = ("id", "text", "length", "relations")
    return [{name: row[name] for name in wanted} for row in formats.read(source).to_examples()]


@given(CASES, CASES, st.sampled_from(["text", "sentence"]), st.sampled_from(",;\t|"))
def test_names_in_any_case_and_every_separator(case, other, text, separator):
    names = (case("id"), other(text), case("cause"), other("effect"))
    assert examples(Source("x.csv", flat(separator, names))) == WANTED
    frame = read_records(Source("x.csv", flat(separator, names))).cells.to_pandas()
    assert examples(frame) == WANTED
    rows = [
        {case("ID"): r["id"], text: r["text"], other("relations"): r["relations"]} for r in ROWS
    ]
    assert examples(Source("x.jsonl", "\n".join(map(json.dumps, rows)).encode())) == WANTED
    assert examples(Source("x.json", json.dumps(rows, indent=1).encode())) == WANTED


def test_a_name_as_written_comes_first():
    records = read_records([{"ID": 1, "id": 2, "Label": "x", "LABEL": "y"}])
    assert records.integers("id").tolist() == [2]
    assert "label" not in records
    records = read_records([{"Label": "x"}])
    assert records.texts("label").to_pylist() == ["x"]
    assert (records.names, records.table.column_names) == (["label"], ["label"])
    assert records.objects() == [{"label": "x"}]


def test_a_sentence_is_a_text_where_gold_has_none():
    numbered = [{**row, "sentence": "s1"} for row in ROWS]
    assert examples(numbered) == WANTED
    pred = formats.read([{"id": "n0", "sentence": "s1", "relations": ROWS[0]["relations"]}],
                        like=formats.read(ROWS))  # fmt: skip
    assert pred.to_examples()[0]["relations"] == WANTED[0]["relations"]
    table = pd.DataFrame({"id": ["a"], "sentence": [3], "cause": [[0, 1]], "effect": [[1, 2]],
                          "length": [4]})  # fmt: skip
    assert formats.read(table).table["sentence"].to_pylist() == [3]


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_a_notice_tells_the_separator(tmp_path, separator, name, capfd):
    path = save(tmp_path, "x.csv", flat(separator))
    with pytest.warns(InputNotice, match=f"x.csv: cells separated by {name}"):
        read_records(path)
    from fastcausal.cli import app

    with pytest.raises(SystemExit):
        app(["score", str(path), str(path), "--json"])
    shown = capfd.readouterr()
    assert f"notice: {path}: cells separated by {name}" in shown.err.splitlines()
    assert json.loads(shown.out)["scores"]["overall"]["f1"] == 1


TAGGED = [
    {"index": 0, "prediction": ["<ARG0>Rain fell</ARG0> and <ARG1>roads closed</ARG1>"]},
    {"index": 1, "prediction": ["<ARG0>Snow fell</ARG0> as <ARG1>schools closed</ARG1>"]},
    {"index": 2, "prediction": []},
]


def lines(rows):
    return Source("pred.jsonl", "\n".join(map(json.dumps, rows)).encode())


@given(st.permutations(TAGGED), st.booleans(), st.booleans())
def test_lines_are_joined_by_index(rows, named, with_gold):
    gold = formats.read(ROWS if named else [{**row, "id": None} for row in ROWS])
    pred = formats.read(lines(rows), like=gold if with_gold else None)
    if named and with_gold:
        order = [pred.ids.to_pylist().index(f"n{k}") for k in range(3)]
        pred = pred.arranged(np.array(order), gold.ids)
    assert pred.table["relations"].to_pylist() == gold.table["relations"].to_pylist()
    misplaced = sum(row["index"] != k for k, row in enumerate(rows))
    told = {"lines in another order, joined by index": misplaced} if misplaced else {}
    assert pred.reading.notes == told
    assert fc.score(gold, lines(rows)).scores["overall"].f1 == 1


@pytest.mark.parametrize("left_out", range(3))
def test_a_missing_line_is_named_once(left_out):
    rows = [row for row in TAGGED if row["index"] != left_out]
    gold = formats.read(ROWS)
    with pytest.raises(InputError) as error:
        fc.score(gold, lines(rows))
    message = f'1 examples of gold have no prediction ("n{left_out}"), 0 of pred are not in gold'
    assert error.value.problem == message
    report = fc.score(gold, lines(rows), unmatched="empty")
    assert report.scores["overall"].recall == [0.5, 0.5, 1][left_out]
    nameless = formats.read([{**row, "id": None} for row in ROWS])
    message = f"pred.jsonl: no line with index {left_out}, expected 0 to 2"
    with pytest.raises(InputError, match=message if left_out < 2 else "has 2 examples, expected 3"):
        formats.read(lines(rows), like=nameless)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('[{"id": "a", "relations": []},\n 7]', "x.json:2: a number, expected an object"),
        ('[{"id": "a", "relations": []},\n\n{"id": 1, "id": 2}]',
         'x.json:3: an object has the key "id" 2 times'),
        ('[{"id": "a", "relations": []}\n{"id": "b"}]',
         "x.json:2: invalid JSON: Expecting ',' delimiter at column 1"),
        ('[{"id": "a", "relations": []},', "x.json:1: invalid JSON: Expecting value at column 31"),
        ('[{"id": "a", "relations": []}]\n1', "x.json:2: invalid JSON: Extra data at column 1"),
        ('[{"id": "a", "text": "b c", "relations": []},\n{"id": "b", "relations": 1}]',
         'x.json:2: example b: "relations" is a number, expected a list'),
    ],
)  # fmt: skip
def test_faults_in_a_list_have_their_line(data, message):
    with pytest.raises(InputError) as error:
        spans.read(Source("x.json", data.encode()))
    assert str(error.value) == message


def test_what_would_do_instead():
    with pytest.raises(InputError, match=r'expected one here or in gold; .*"length" would do'):
        formats.read([{"relations": [{"cause": "rain"}]}])
    with pytest.raises(InputError, match=r'a row per relation with "id", "text", "cause" and "eff'):
        formats.read(Source("x.csv", b"index,text\n1,Rain\n"), "cnc")


def test_reports_of_lines_can_be_pickled():
    pair = {"doc_id": "d", "a": "e1", "b": "e2", "label": "CAUSE"}
    pairs = "\n\n".join(map(json.dumps, (pair, {**pair, "b": "e3"}))).encode()
    report = fc.eci(Source("g.jsonl", pairs), Source("p.jsonl", pairs))
    again = pickle.loads(pickle.dumps(report))
    assert again.to_dict() == report.to_dict()
    records = pickle.loads(pickle.dumps(read_records(Source("g.jsonl", pairs))))
    assert records.locate(1) == "g.jsonl:3"


@pytest.mark.parametrize("more", [[], [[]], [("Snow fell", "schools closed")]])
def test_pairs_of_texts_are_refused(more):
    message = (
        'pairs of texts without tags, such as "Rain fell" and "roads closed", expected examples: '
        '{"text": ..., "relations": [{"cause": "Rain fell", "effect": "roads closed"}]}'
    )
    pairs = [("Rain fell", "roads closed"), *more]
    for read in (formats.read, lambda pairs: fc.score(ROWS[: len(pairs)], pairs)):
        with pytest.raises(InputError) as error:
            read(pairs)
        assert str(error.value) == message
    one_is_tagged = [*pairs, ["<ARG0>Rain</ARG0> fell", "<ARG1>Rain</ARG1> fell"]]
    assert formats.read(one_is_tagged).n_relations == 2


NO_RELATION = "no relation in any example"
BARE = [{**row, "relations": []} for row in ROWS]


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        (["score", "bare.jsonl", "full.jsonl"], f"gold has {NO_RELATION}"),
        (["errors", "bare.jsonl", "full.jsonl"], f"gold has {NO_RELATION}"),
        (["explain", "bare.jsonl", "full.jsonl"], f"gold has {NO_RELATION}"),
        (["report", "bare.jsonl", "full.jsonl", "--out", "x.html"], f"gold has {NO_RELATION}"),
        (["describe", "bare.jsonl"], f"the corpus has {NO_RELATION}"),
        (["check", "bare.jsonl"], f"the corpus has {NO_RELATION}"),
        (["convert", "bare.jsonl", "x.parquet"], f"bare.jsonl has {NO_RELATION}"),
        (["eci", "pairs.csv", "pairs.csv"], "gold has no pair in any document"),
    ],
)
def test_gold_without_relations_warns_in_every_command(tmp_path, monkeypatch, command, warning):
    monkeypatch.chdir(tmp_path)
    for name, rows in {"bare.jsonl": BARE, "full.jsonl": ROWS}.items():
        save(tmp_path, name, "\n".join(map(json.dumps, rows)))
    save(tmp_path, "pairs.csv", "doc_id,a,b,label\nd,e1,e2,NONE\n")
    assert f"warning: {warning}" in cli(*command)[1].splitlines()
    again = [part.replace("bare", "full") for part in command]
    if command[0] != "eci":
        assert NO_RELATION not in cli(*again)[1]


@pytest.mark.parametrize("form", ["document", "lines"])
def test_several_epochs_say_the_way(form):
    samples = [
        {"id": row["id"], "epoch": epoch, "input": row["text"], "scores": {},
         "output": {"completion": json.dumps({"relations": row["relations"]})}}
        for epoch in (1, 2) for row in ROWS
    ]  # fmt: skip

    def log(rows):
        head = {"version": 2, "eval": {"task": "t"}, "samples": rows}
        data = json.dumps(head) if form == "document" else "\n".join(map(json.dumps, rows))
        return Source("x.json", data.encode())

    gold = formats.read(ROWS)
    assert fc.score(gold, log(samples[:3])).scores["overall"].f1 == 1
    with pytest.raises(InputError) as error:
        formats.read(log(samples), like=gold)
    assert str(error.value) == (
        "x.json: 2 epochs, expected one answer to each sample; the commands score and compare "
        "take all"
    )


def test_a_notice_tells_the_column_of_texts():
    sources = [
        Source("x.csv", flat(names=("id", "Sentence", "cause", "effect"))),
        Source("x.csv", b"index,Sentence,causal_text_w_pairs,num_rs\na,It rains,[],0\n"),
        Source("x.json", json.dumps([{"Sentence": "It rains", "relations": []}] * 2).encode()),
    ]
    for source in sources:
        with pytest.warns(
            InputNotice, match='(?i)x.(csv|json): column "sentence" read as "text"'
        ) as told:
            assert formats.read(source).table["text"][0].as_py()
        assert len(told) == 1


def test_annotators_of_one_file(tmp_path):
    """Lists, and cells between semicolons, may hold several annotators, as lines may."""
    header, *lines = flat(";").decode().splitlines()
    rows = [f"{header};annotator", *(f"{line};{name}" for name in ("ann", "ben") for line in lines)]
    paths = [save(tmp_path, "x.csv", "\n".join(rows))]
    listed = [{**row, "annotator": name} for name in ("ann", "ben") for row in ROWS]
    for indent in (None, 0, 1):
        paths.append(save(tmp_path, f"x{indent}.json", json.dumps(listed, indent=indent)))
    for path in paths:
        sides = fc.read_annotators([path])
        assert {name: examples(side) for name, side in sides.items()} == dict.fromkeys(
            ("ann", "ben"), WANTED
        )
