"""Raw answers of language models in files and frames of every kind, and bad input."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats.model_output import sources
from tests.support.cli import cli

from .test_answers import CASES, by_role, expected, rows


def write_csv(table, path):
    table.to_pandas().to_csv(path, index=False)


def write_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


FILES = {
    "a.csv": write_csv,
    "a.jsonl": write_lines,
    "a.parquet": pq.write_table,
    "a.arrow": pyarrow.feather.write_feather,
}
FRAMES = {
    "pyarrow": lambda table: table,
    "pandas": pa.Table.to_pandas,
    "polars": pl.from_arrow,
    "DuckDB": duckdb.from_arrow,
    "list": pa.Table.to_pylist,
    "columns": pa.Table.to_pydict,
}


@pytest.mark.parametrize("name", FILES)
def test_files(name, tmp_path):
    FILES[name](pa.Table.from_pylist(rows()), tmp_path / name)
    same_as_rows(fc.read(tmp_path / name, answers="output"))


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name):
    same_as_rows(fc.read(FRAMES[name](pa.Table.from_pylist(rows())), answers="output"))


@pytest.mark.slow  # the package takes seconds to import
def test_data_sets():
    datasets = pytest.importorskip("datasets")
    same_as_rows(fc.read(datasets.Dataset.from_list(rows()), answers="output"))


def same_as_rows(read):
    whole = fc.read(rows(), answers="output")
    assert read.to_examples() == whole.to_examples()
    assert read.table["kind"].to_pylist() == [case.kind for case in CASES]
    assert read.unparsed.equals(whole.unparsed)
    assert "output" not in read.table.column_names


RAIN = {"cause": "rain", "effect": ["floods"]}
SAID = st.sampled_from(
    [json.dumps({"relations": [RAIN]}), "Sure: []", "none", "", None, 5, {"relations": [RAIN]}]
)
VALUES = st.sampled_from([None, "x", "é", 1, -0.0, 2.5, True, [], [1], {"a": 1}, {"b": [RAIN]}])
ROWS = st.fixed_dictionaries(
    {"output": SAID.filter(lambda said: type(said) is str) | SAID},
    optional={"id": st.integers(0, 9), "text": st.sampled_from(["rain , floods", "a", None, 5])}
    | dict.fromkeys(["relations", "Text", "model", "kind"], VALUES),
)
LINES = st.lists(ROWS.map(json.dumps), min_size=1, max_size=4)
ODD_LINES = st.sampled_from(["", "{}", '{"output": "\\ud800"}', '{"output": "a", "output": "b"}'])


@given(
    st.tuples(LINES, st.lists(ODD_LINES, max_size=1)).map(lambda lines: [*lines[0], *lines[1]]),
    st.sampled_from(["output", "output", "output", "relations", "Output", "kind.b"]),
    st.sampled_from([None, None, "id", "model", "kind.a"]),
)
@example(['{"output": "[]", "relations": [{"cause": "e1"}]}'], "output", "relations.0.cause")
@example(['{"output": 5, "model": null}', '{"output": "none"}'], "output", None)
@example(['{"output": "none", "text": "a", "model": null}'] * 2, "output", None)
@example(['{"output": ""}', '{"output": "none", "text": "a"}'], "output", None)
@example(['{"output": {"cause": "a"}}'], "output", None)
@example(['{"kind": {"b": "none"}}'], "kind.b", None)
def test_lines_are_read_as_objects_are(lines, answers, id):
    source = Source("a.jsonl", "\n".join(lines).encode())

    def read():
        try:
            read = fc.read(source, answers=answers, id=id)
        except InputError as error:
            return str(error)
        return str(read.table.schema), repr(read.table.to_pydict()), read.reading

    quick = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "_read_lines", lambda *_: None)
        assert quick == read()


def test_lines_make_no_objects(monkeypatch):
    monkeypatch.delattr(Source, "objects")
    line = {"text": "rain , floods", "output": "[]", "relations": [RAIN], "usage": {"in": 1}}
    read = fc.read(Source("a.jsonl", json.dumps(line).encode()), answers="output")
    assert read.table["usage"].to_pylist() == [{"in": 1}]


def test_bytes_below_null_are_no_answer():
    said = pa.array(['{"relations": []}', '```json\n{"relations": []}```'])
    bits = pa.py_buffer(np.packbits([True, False], bitorder="little"))
    hidden = pa.Array.from_buffers(said.type, 2, [bits, *said.buffers()[1:]])
    read = fc.read(pa.table({"text": ["a", "b"], "output": hidden}), answers="output")
    assert read.unparsed.to_pylist()[0]["reason"] == "the answer is empty"
    assert (read.n_unread, read.reading.notes) == (1, {})


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
)
def test_texts_of_gold_of_every_type(kind):
    table = pa.table({"id": ["a", "b"], "text": ["rain , floods", "none"], "relations": [[], []]})
    text = table["text"].cast(kind)
    gold = fc.Relations(table.set_column(1, "text", text))
    bare = [{"id": "b", "output": "[]"}, {"id": "a", "output": json.dumps({"relations": [RAIN]})}]
    read = fc.read(bare, answers="output", like=gold)
    assert read.table["text"].to_pylist() == ["none", "rain , floods"]
    assert read.to_examples()[1]["relations"] == [{"cause": [(0, 1)], "effect": [(2, 3)]}]
    lines = b'{"id": "a", "relations": [{"cause": "rain"}]}'
    read = fc.read(Source("a.jsonl", lines), format="spans", like=gold)
    assert read.to_examples()[0]["relations"] == [{"cause": [(0, 1)]}]


def test_an_answer_that_gold_lacks_needs_a_text():
    gold = fc.Relations.from_examples([{"id": "a", "text": "rain", "relations": []}])
    rows = [{"id": "a"}, {"id": "b"}, {"id": "c", "text": "floods"}]
    read = fc.read([row | {"output": "[]"} for row in rows], answers="output", like=gold)
    reasons = [(row["id"], row["reason"]) for row in read.unparsed.to_pylist()]
    assert reasons == [("b", 'gold has no "b", and the answer no text')]


def test_texts_of_gold_that_are_numbers():
    gold = fc.Relations(pa.table({"text": [5], "relations": [[]]}))
    with pytest.raises(fc.InputError, match=r'row 0: example 0: "text" is a number, expected a'):
        fc.read([{"output": "none"}], answers="output", like=gold)


def test_texts_come_from_gold():
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    bare = [{"id": c.id, "output": c.answer} for c in reversed(CASES)]
    report = fc.score(gold, bare, answers="output", unparsed="skip")
    n_unread = {case.kind for case in CASES if None in expected(case)}
    assert n_unread == {"refusal", "a relation that is a text", "ends within the last relation"}
    assert report["cause"].f1 == report["effect"].f1 == 1
    assert report["signal"].precision == 1  # pairs have none
    for scored in (
        fc.score(gold, rows(), answers="output", unparsed="skip"),
        fc.score(gold, rows(), format="answers", answers="output", unparsed="skip"),
    ):
        assert scored.to_dict()["scores"] == report.to_dict()["scores"]


def test_relations_of_the_frame_itself_are_not_the_answer():
    """In a table of gold with a column of answers, the answers are read and not the relations."""
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    frame = gold.table.append_column("output", pa.array([c.answer for c in CASES]))
    read = fc.read(frame, answers="output")
    assert [by_role(e["relations"]) for e in read.to_examples()] == [*map(expected, CASES)]


def test_a_user_of_language_models(tmp_path):
    """One command leads from a file of raw answers to F1 and the rate of failures."""
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    fc.write(gold, tmp_path / "gold.jsonl", format="jsonl")
    FILES["a.csv"](pa.Table.from_pylist(rows()), tmp_path / "out.csv")
    printed, _ = cli(
        "score", tmp_path / "gold.jsonl", tmp_path / "out.csv", "--answers", "output",
        "--unparsed", "empty", "--json",
    )  # fmt: skip
    report = json.loads(printed)
    assert report["scores"]["overall"]["precision"] == 1
    assert report["n_unparsed_answers"] == 16
    assert report["unparsed_answers_rate"] == 16 / 300
    assert report["n_unparsed_relations"] == 7
    assert "pred: answer in a fence: 105" in report["warnings"]


def test_answers_become_a_table(tmp_path):
    FILES["a.csv"](pa.Table.from_pylist(rows()), tmp_path / "out.csv")
    cli("convert", tmp_path / "out.csv", tmp_path / "a.parquet", "--answers", "output")
    read = fc.read(tmp_path / "a.parquet")
    assert [by_role(e["relations"]) for e in read.to_examples()] == [*map(expected, CASES)]
    assert read.unparsed.equals(fc.read(rows(), answers="output").unparsed)


def test_a_sweep_of_answers(tmp_path):
    gold, raw = sample.GOLD, sample.RAW_ANSWERS
    options = ["--answers", "output", "--unparsed", "empty"]
    out, _ = cli("sweep", gold, raw, "--out", tmp_path / "swept", *options)
    assert "1 scored, 0 kept, 0 failed" in out
    f1 = pq.read_table(tmp_path / "swept" / "scores.parquet")["f1"].to_pylist()
    report = fc.score(gold, raw, answers="output", unparsed="empty")
    assert report["overall"].f1 in f1


BAD = {
    "empty.csv": (b"", "empty.csv is empty"),
    "header.csv": (b"id,output\n", "header.csv has no rows"),
    "column.csv": (b"id,said\na,[]\n", 'column.csv:1: no column "output": found id, said'),
    "column.jsonl": (b'{"id": "a", "said": "x"}\n', 'no column "output": found id, said'),
    "cut.jsonl": (b'{"id": "a", "output": "[]"}\n{"id": "b", "outp', "cut.jsonl:2: invalid JSON"),
    "cut.parquet": (b"PAR1\0\0\0", "cut.parquet"),
    "latin.csv": ("id,output\na,é\n".encode("latin-1"), "latin.csv:2: byte 0xe9 is not UTF-8"),
    "utf16.csv": ("id,output\na,x\n".encode("utf-16")[:-1], "utf16.csv: damaged UTF-16 at byte"),
    "twice.csv": (b"id,output,output\na,x,y\n", 'twice.csv:1: column "output" occurs 2 times'),
    "ids.csv": (b"id,output\na,[]\na,[]\n", 'id "a" occurs twice'),
    "no_id.csv": (b"id,output\na,[]\n,[]\n", 'no_id.csv:3: no "id"'),
    "other.csv": (b"id,output\nz,[]\n", '"z"'),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_message(name, tmp_path):
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "gold.jsonl").write_text('{"id": "a", "length": 2, "relations": []}\n')
    out, err = cli(
        "score", tmp_path / "gold.jsonl", tmp_path / name, "--answers", "output",
        "--per-example", tmp_path / "out.parquet", expect=2,
    )  # fmt: skip
    assert (out, err.count("error: ")) == ("", 1)
    assert message in " ".join(err.split())
    assert {path.name for path in tmp_path.iterdir()} == {name, "gold.jsonl"}


def test_swapped_files(tmp_path):
    gold, pred = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    gold.write_text('{"id": "a", "length": 2, "relations": []}\n')
    pred.write_text('{"id": "a", "text": "a b", "output": "[]"}\n')
    cli("score", gold, pred, "--answers", "output")
    _, err = cli("score", pred, gold, "--answers", "output", expect=2)
    assert "pred.jsonl" in err


@pytest.mark.parametrize("options", [[], ["--from", "jsonl"], ["--from", "spans"]])
def test_the_column_and_the_format_belong_together(options, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "text": "a b", "length": 2, "relations": []}\n')
    if not options:
        _, err = cli("score", gold, gold, "--from", "answers", expect=2)
        assert "--answers" in err
    else:
        _, err = cli("score", gold, gold, "--answers", "output", *options, expect=2)
        assert 'answers is "output", which is for answers' in err


@pytest.mark.parametrize("source", [rows(), pa.Table.from_pylist(rows())])
def test_frames_of_another_format_have_no_answers(source):
    with pytest.raises(ValueError, match=r"^answers is \"output\", which is for answers, not for"):
        fc.read(source, format="spans", answers="output")


@pytest.mark.parametrize("opening", ['["', '{"a":', "[[", '{"cause": "', "```", "<think>", "\\"])
def test_long_answers_without_an_end(opening):
    """Long answers without an end are read in linear time."""
    read = fc.read([{"text": "a", "output": opening * 20_000}], answers="output")
    assert read.n_unread == 1


FAILED = [
    {"error": "overloaded", "details": {}},
    {"usage": {}},
    {"body": {"details": {}}},
    {"x": None},
]


@pytest.mark.parametrize("failed", FAILED)
@pytest.mark.parametrize(
    "answer",
    [
        {"relations": [{"cause": "rain", "effect": "floods"}]},
        {"cause": "rain", "effect": "floods"},
        {"body": {"relations": [{"cause": "rain", "effect": "floods"}]}},
        {"relations": []},
    ],
)
def test_keys_of_other_answers_are_no_answer(failed, answer, tmp_path):
    given = [{"text": "Rain brings floods", "output": value} for value in [answer, *[failed] * 199]]
    table = pa.Table.from_pylist(given)
    path = tmp_path / "a.jsonl"
    write_lines(table, path)  # each object has the keys of all
    for source in (given, table, path):
        read = fc.read(source, answers="output")
        assert len(read.unparsed) == 199
        assert "relations said to be none" not in read.reading.notes
