"""Relations in the columns of data frames, tables and dicts, and in flat files."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli
from tests.support.format_cases import content, save, tables

SENTENCE = "Heavy rain fell , so roads were closed ."
NESTED = [
    {"id": "a", "text": SENTENCE, "genre": "news", "year": 1999,
     "relations": [{"cause": "heavy rain", "effect": ["roads", "closed"], "signal": "so"}]},
    {"id": "b", "text": "It was wet .", "genre": None, "year": 2000, "relations": []},
    {"id": "c", "text": SENTENCE, "genre": "law", "year": 2001, "relations": [
        {"cause": "rain", "effect": ["roads"]}, {"cause": "so", "effect": None}]},
]  # fmt: skip
FLAT = [
    {"id": "a", "text": SENTENCE, "genre": "news", "cause": "heavy rain", "effect": "so",
     "signal": "fell"},
    {"id": "b", "text": "It was wet .", "genre": None, "cause": None, "effect": "", "signal": None},
    {"id": "a", "text": None, "genre": "news", "cause": "roads", "effect": "rain", "signal": None},
]  # fmt: skip
SPANS_OF_FLAT = [
    [{"cause": [(0, 2)], "effect": [(4, 5)], "signal": [(2, 3)]},
     {"cause": [(5, 6)], "effect": [(1, 2)]}],
    [],
]  # fmt: skip


def frame_of(library: str):
    """Return the function that makes a library's frame of dicts."""
    if library == "pyarrow":
        return pa.Table.from_pylist
    module = pytest.importorskip(library)
    if library == "duckdb":

        def made(rows):
            rows = pa.Table.from_pylist(rows)
            return module.connect().sql("select * from rows")

        return made
    return module.Dataset.from_list if library == "datasets" else module.DataFrame


LIBRARIES = [
    *("pyarrow", "pandas", "polars", "duckdb"),
    pytest.param("datasets", marks=pytest.mark.slow),  # takes seconds to import
]
libraries = pytest.mark.parametrize("library", LIBRARIES)


@libraries
def test_texts_by_example(library):
    frame = frame_of(library)(NESTED)
    relations = fc.read(frame)
    expected = fc.read(NESTED, "spans")
    assert relations.table["relations"].equals(expected.table["relations"])
    assert relations.table["year"].to_pylist() == [1999, 2000, 2001]
    assert relations.table["genre"].to_pylist() == ["news", None, "law"]
    assert relations.to_examples()[0]["relations"] == [
        {"cause": [(0, 2)], "effect": [(5, 6), (7, 8)], "signal": [(4, 5)]}
    ]


@libraries
def test_a_row_per_relation(library):
    relations = fc.read(frame_of(library)(FLAT))
    assert [e["relations"] for e in relations.to_examples()] == SPANS_OF_FLAT
    assert relations.table.select(["id", "text", "genre"]).to_pydict() == {
        "id": ["a", "b"],
        "text": [SENTENCE, "It was wet ."],
        "genre": ["news", None],
    }


@libraries
@pytest.mark.parametrize("bounds", [lambda a, b: [a, b], lambda a, b: {"start": a, "stop": b}])
def test_offsets(library, bounds):
    rows = [{"id": "a", "text": SENTENCE, "relations": [{"cause": bounds(0, 10)}]}]
    tokens = [{"id": "a", "text": SENTENCE, "relations": [{"cause": (0, 2)}]}]
    make = frame_of(library)
    spans = fc.Relations.from_examples(tokens).table["relations"]
    assert fc.read(make(rows), "spans").table["relations"].equals(spans)
    if isinstance(bounds(0, 1), dict):
        assert fc.read(make(rows)).table["relations"].equals(spans)
        return
    with pytest.raises(fc.InputError, match=r'may count characters or tokens; format="spans" or'):
        fc.read(make(rows))
    counted = [{**tokens[0], "length": 9}]
    for frame, format in ((make(tokens), "examples"), (make(counted), None)):
        assert fc.read(frame, format).table["relations"].equals(spans)
    flat = [{"id": "a", "text": SENTENCE, "cause": bounds(0, 2), "effect": None, "length": 9}]
    assert fc.read(make(flat)).table["relations"].equals(spans)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars", "datasets"])
@given(table=tables())
def test_examples_come_back(library, table):
    examples = table.to_examples()
    again = fc.read(frame_of(library)(examples), "examples" if library == "pandas" else None)
    assert content(again, "id", "text") == content(table, "id", "text")
    assert {*again.table.column_names} == {*table.table.column_names}


def test_the_sample_comes_back():
    gold = fc.read(sample.GOLD)
    for library in ("pandas", "polars"):
        again = fc.read(frame_of(library)(gold.to_examples()))
        assert again.to_examples() == gold.to_examples()
        for protocol in ("recess", "cnc-2023"):
            assert fc.score(gold, again, protocol)["overall"].f1 == 1


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from(["x", "y", None]))), st.data())
def test_rows_of_an_example_in_any_order(pairs, data):
    """Examples follow the order of their first rows, relations the order of their rows."""
    rows = [
        {"id": name, "cause": cause, "effect": cause and "z", "text": "x y z"}
        for name, cause in pairs
    ]
    expected = {}
    for name, cause in pairs:
        relation = {"cause": [("xy".index(cause),) * 2], "effect": [(2, 2)]} if cause else None
        expected.setdefault(name, []).extend(filter(None, [relation]))
    wanted = {
        name: [{r: [(a, b + 1) for a, b in v] for r, v in one.items()} for one in relations]
        for name, relations in expected.items()
    }
    if rows:
        for frame in (rows, pa.Table.from_pylist(rows)):
            examples = fc.read(frame).to_examples()
            assert {e["id"]: e["relations"] for e in examples} == wanted
            assert [e["id"] for e in examples] == [*wanted]


def test_columns_that_differ_are_left_out():
    rows = [{**row, "number": k} for k, row in enumerate(FLAT)]
    relations = fc.read(rows)
    assert "number" not in relations.table.column_names
    note = "columns that differ from row to row of a sentence left out"
    assert relations.reading.notes == {note: 1}


def test_flat_files(tmp_path):
    table = pa.Table.from_pylist(FLAT)
    header = ",".join(FLAT[0])
    cells = [",".join("" if v is None else f'"{v}"' for v in row.values()) for row in FLAT]
    lines = "\n".join(map(json.dumps, FLAT))
    pq.write_table(table, tmp_path / "flat.parquet")
    paths = [
        save(tmp_path, "flat.csv", "\n".join([header, *cells]) + "\n"),
        save(tmp_path, "flat", "\n".join([header, *cells]) + "\n"),
        save(tmp_path, "flat.jsonl", lines),
        tmp_path / "flat.parquet",
    ]
    for path in paths:
        relations = fc.read(path)
        assert [e["relations"] for e in relations.to_examples()] == SPANS_OF_FLAT
        assert relations.table["genre"].to_pylist() == ["news", None]
        assert fc.score(path, FLAT)["overall"].f1 == 1
        assert fc.read(path, "flat").table.equals(relations.table)
        assert json.loads(cli("score", path, path, "--json")[0])["scores"]["overall"]["f1"] == 1
    folder = tmp_path / "folder"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(NESTED), folder / "nested.parquet")
    for source in (folder, folder / "nested.parquet"):
        assert fc.score(NESTED, source)["overall"].f1 == 1
        assert json.loads(cli("score", source, source, "--json")[0])["scores"]["overall"]["f1"] == 1


def test_texts_of_gold_by_id():
    gold = fc.read(NESTED)
    bare = [
        {"id": "c", "cause": "rain", "effect": "roads"},
        {"id": "c", "cause": "so", "effect": None},
        {"id": "b", "cause": None, "effect": None},
        {"id": "a", "cause": "heavy rain", "effect": "roads"},
    ]
    for side in (bare, pa.Table.from_pylist(bare)):
        report = fc.score(gold, side)
        assert (report["overall"].tp, report["effect"].fn, report["signal"].fn) == (5, 1, 1)


def test_formats_of_predictions(tmp_path):
    """``format=`` reaches predictions of every kind: offsets in characters score here."""
    gold = [{"id": "a", "text": "ab cd ef", "relations": [{"cause": (1, 2), "effect": (2, 3)}]}]
    pairs = [{"id": "a", "text": "ab cd ef", "relations": [{"cause": (3, 5), "effect": (6, 8)}]}]
    pq.write_table(pa.Table.from_pylist(pairs), tmp_path / "p.parquet")
    sides = [pairs, pa.Table.from_pylist(pairs), tmp_path / "p.parquet"]
    for pred in (*sides, save(tmp_path, "p.jsonl", json.dumps(pairs[0]))):
        assert fc.score(gold, pred, format="spans")["overall"].f1 == 1
        scorer = fc.ExtractionScorer(format="spans")
        scorer.update(gold=gold, pred=pred)
        assert scorer.compute()["overall"].f1 == 1
    with pytest.raises(fc.InputError, match="example a: span"):
        fc.score(gold, pairs)
    for side in sides[1:]:
        with pytest.raises(fc.InputError, match="may count characters or tokens"):
            fc.score(gold, side)


def test_lists_of_texts_are_told():
    texts = [{"text": "ab cd", "relations": [None, {"cause": "cd"}]}]
    tokens = [{"text": "ab cd", "relations": [None, {"cause": (1, 2)}]}]
    assert fc.read(texts).table["relations"].equals(fc.read(tokens).table["relations"])
    mixed = [{"text": "ab cd", "relations": [{"cause": "cd"}, {"effect": [0, 2]}]}]
    with pytest.raises(fc.InputError, match=r"\[start, stop\] beside texts may count characters"):
        fc.read(mixed)
    assert fc.read(mixed, "spans").n_relations == 2
    with pytest.raises(fc.InputError, match=r'span \'cd\'.*; format="spans" reads texts of spans'):
        fc.read([{"length": 2, "relations": [{"effect": (0, 2)}, {"cause": "cd"}]}])


CASES = {
    "no columns": ({"x": [1]}, 'no column "relations": found x; a row per relation has'),
    "no id": ({"cause": ["a"], "effect": ["b"]}, 'no column "id": found cause, effect'),
    "no effect": ({"id": ["a"], "cause": ["b"]}, 'no column "effect": found id, cause'),
    "a null id": (
        {"id": [None, "a"], "cause": ["a"] * 2, "effect": ["b"] * 2},
        'row 0: no "id", expected one in every row',
    ),
    "ids of floats": ({"id": [1.5], "cause": ["a"], "effect": ["b"]}, '"id" is 1.5, expected an'),
    "texts that differ": (
        {"id": ["a"] * 2, "text": ["x y", "x z"], "cause": ["x"] * 2, "effect": ["y", "z"]},
        "row 1: example a: another text than in ",
    ),
    "numbers": ({"id": ["a"], "cause": [1], "effect": ["b"]}, '"cause" is int64, expected texts'),
    "another role": (
        {"text": ["a b"], "relations": [[{"reason": "a"}]]},
        'relations have a field "reason", expected some of cause, effect, signal',
    ),
    "a text of JSON": (
        {"text": ["a b"], "relations": ["[]"]},
        'column "relations" is string, expected list<struct<cause, effect, signal>>; '
        'answers="relations" reads texts',
    ),
    "pairs and texts": (
        {"text": ["a b"], "relations": [[{"cause": "a", "effect": [2, 3]}]]},
        "[start, stop] beside texts may count characters or tokens",
    ),
    "two annotators": (
        {"annotator": ["x", "y"], "id": ["a"] * 2, "text": ["x y"] * 2, "cause": ["x"] * 2,
         "effect": ["y"] * 2},
        'id "a" occurs twice',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_columns_that_are_refused(case, tmp_path):
    columns, message = CASES[case]
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "x.parquet")
    for source in (table, tmp_path / "x.parquet"):
        with pytest.raises(fc.InputError) as caught:
            fc.read(source)
        assert message in str(caught.value)
    cli("convert", tmp_path / "x.parquet", tmp_path / "out.parquet", expect=2)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "id,text,cause,effect\n", "has no rows"),
        ("a.csv", "id,text,cause,effect\na,x y,x\n", "a.csv:2: 3 columns, expected 4"),
        ("a.csv", "id,cause,effect,text\n,x,y,x y\n", 'a.csv:2: no "id"'),
        ("a.csv", "id,cause,effect\na,x,y\n", 'no "text" to find its spans in'),
        ("a.csv", "id,text,cause,effect\na,x y,x,y\na,x z,x,y\n", "a.csv:3: example a: another"),
        ("a.csv", b"id,cause,effect\na,x\xff,y\n", "is not UTF-8"),
        ("a.jsonl", '{"id": 1, "cause": "x", "effect": "y"}\n{"id": 1,', "a.jsonl:2: invalid JSON"),
        ("a.jsonl", '{"id": 1, "cause": "x", "effect": "y"}\n{"id": 1, "cause": 2, "effect": "x"}',
         'a.jsonl: column "cause" is a string and'),
        ("a.jsonl", '{"length": 3, "relations": [{"cause": "x"}]}\n', "example 0: span 'x'"),
    ],
)  # fmt: skip
def test_files_that_are_refused(tmp_path, name, text, message):
    path = save(tmp_path, name, text)
    with pytest.raises(fc.InputError) as caught:
        fc.read(path)
    assert message in str(caught.value)
    cli("convert", path, tmp_path / "out.parquet", expect=2)
    assert not (tmp_path / "out.parquet").exists()


def test_pandas_columns_of_several_kinds():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"text": ["ab cd"] * 2, "relations": [[{"cause": "cd"}], [{"cause": ["ab", "cd"]}]]}
    )
    assert [len(e["relations"][0]["cause"]) for e in fc.read(frame).to_examples()] == [1, 2]
    frame = pandas.DataFrame({"id": ["a", "b"], "cause": ["x", 3], "effect": ["x", "y"]})
    with pytest.raises(fc.InputError, match='column "cause" is a string and a number, expected'):
        fc.read(frame)


@pytest.mark.slow  # the package takes seconds to import
def test_datasets():
    datasets = pytest.importorskip("datasets")
    rows = datasets.Dataset.from_list(NESTED)
    shown = rows.select([2, 0])
    assert [e["id"] for e in fc.read(shown).to_examples()] == ["c", "a"]
    with pytest.raises(fc.InputError, match="a DatasetDict of train, expected a Dataset of it"):
        fc.read(datasets.DatasetDict({"train": rows}))


def test_large_frames_shuffled():
    """Relations of an example are joined even if a shuffle left their rows far apart."""
    rows = [
        {"id": str(k), "text": "x y z", "cause": "x", "effect": "yz"[n]}
        for k in range(2000)
        for n in (0, 1)
    ]
    random.Random(1).shuffle(rows)
    relations = fc.read(pa.Table.from_pylist(rows))
    assert len(relations) == 2000
    assert relations.n_relations == 4000
