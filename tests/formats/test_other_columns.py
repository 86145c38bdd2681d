"""Columns beside the relations are carried along, and written or reported lost."""

from __future__ import annotations

import csv
import json
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.files.files import Source
from fastcausal.formats import cnc
from fastcausal.formats.cnc import truth
from tests.support.format_cases import SINGLE, SPANS, SUBMISSION, TRUTH, save, tables

from .test_format_cnc import fails
from .test_ingestion import TRUTH_PLAINLY, both, same

GENRES = TRUTH.replace("num_rs\n", "num_rs,genre\n").replace("],1\n", "],1,news\n")
GENRES = GENRES.replace("[],0\n", '[],0,"a, ""b"""\n')


def both_ways(path, tags="strict"):
    """A truth file read fast and read row by row."""
    fast, slow = both(cnc.read, TRUTH_PLAINLY, Source.open(path), tags=tags)
    same(fast, slow)
    return fast


@pytest.mark.parametrize("tags", ["strict", "cnc-2023"])
def test_a_row_per_sentence(tmp_path, tags):
    gold = both_ways(save(tmp_path, "gold.csv", GENRES), tags)
    assert gold.table.column_names[:2] == ["id", "text"]
    assert gold.table.select(["genre", "eg_id", "num_rs", "sent_id"]).to_pydict() == {
        "genre": ["news", 'a, "b"'],
        "eg_id": ["0", "0"],
        "num_rs": ["1", "0"],
        "sent_id": ["0", "1"],
    }


def test_a_row_per_relation(tmp_path):
    text = SINGLE.replace("pair_label\n", "pair_label,genre,author,length\n")
    text = text.replace(",1,1\n", ",1,1,news,x,1\n").replace(",0,0\n", ",0,0,law,z,1\n")
    text = text.replace(",x,1\n", ",y,1\n", 1)
    gold = both_ways(save(tmp_path, "gold.csv", text))
    assert gold.table["genre"].to_pylist() == ["news", "law"]
    assert gold.table["seq_label"].to_pylist() == ["1", "0"]
    assert not {"author", "eg_id", "text_w_pairs", "pair_label"} & {*gold.table.column_names}
    assert gold.reading.notes == {
        "columns that differ from row to row of a sentence left out": 1,
        "columns named as those of any table (id, length, relations, tagged) left out": 1,
    }


def test_scoring_by_any_column(tmp_path):
    gold = save(tmp_path, "gold.csv", GENRES)
    report = fc.score(gold, save(tmp_path, "pred.jsonl", SUBMISSION), by="genre")
    assert {"genre=news", 'genre=a, "b"'} <= set(report.subsets)


def test_submissions(tmp_path):
    lines = [
        {**json.loads(line), "model": "m", "n": k}
        for k, line in enumerate(SUBMISSION.split("\n")[:2])
    ]
    path = save(tmp_path, "pred.jsonl", "\n".join(map(json.dumps, lines)))
    pred = fc.read(path)
    assert pred.table.select(["model", "n"]).to_pydict() == {"model": ["m", "m"], "n": [0, 1]}
    gold = fc.read(save(tmp_path, "gold.csv", TRUTH))
    found = fc.read(path, like=gold)
    assert found.table["n"].to_pylist() == [0, 1]
    assert found.table["text"].equals(gold.table["text"])
    assert fc.score(gold, path)["overall"].f1 == fc.score(gold, found)["overall"].f1


others = st.dictionaries(
    st.sampled_from(["genre", "corpus", "doc_id", "sent_id", "eg_id", "é,"]),
    st.sampled_from(["", "NA", "a", '"q", \n', "0", "no"]),
)


@given(tables(unread=False, overlaps=False), st.data())
def test_what_is_written_is_read_again(tmp_path_factory, table, data):
    added = {
        name: [data.draw(st.just(v)) for _ in range(len(table))]
        for name, v in data.draw(others).items()
    }
    for name, values in added.items():
        table = fc.Relations(table.table.append_column(name, [values]))
    path = tmp_path_factory.mktemp("columns") / "gold.csv"
    for format, changes in (("spans", ()), ("jsonl", ()), ("parquet", ()), ("cnc", ("NA", ""))):
        lost = fc.write(table, path, format)
        again = fc.read(path, format).table
        for name, values in added.items():
            if values[0] in changes and name in truth.SENTENCE:
                values = [f"({value})" for value in values]
                assert any(f'column "{name}" are written in brackets' in line for line in lost)
            assert again[name].to_pylist() == values
        if "corpus" not in added:
            kept = {*again.column_names} - {"tagged", "eg_id", "num_rs", "id"}
            assert kept <= set(table.table.column_names), format


def test_what_others_say_they_lose(tmp_path):
    gold = fc.read(save(tmp_path, "gold.csv", GENRES))
    for suffix in ("bio", "ann"):
        lost = "\n".join(fc.write(gold, tmp_path / f"x.{suffix}"))
        assert "corpus, doc_id, sent_id, eg_id, num_rs, genre" in lost, lost
    assert "genre" in fc.write(gold, tmp_path / "x.jsonl", "cnc")[0]
    nulls = fc.read(
        [{"text": "a", "relations": [], "x": None}, {"text": "a", "relations": [], "x": 1}]
    )
    assert fc.write(nulls, tmp_path / "x.csv") == [
        'values of the column "x" are written as text',
        'nulls in the column "x" are written as empty cells',
    ]


def test_long_cells_in_threads(tmp_path):
    """Threads read long cells at once, although Python's limit of cells is the process's."""
    text = TRUTH.replace("[],0", "[ ],0").replace("It was wet .", "wet " * 50_000)
    path = save(tmp_path, "gold.csv", text)
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda _: len(Source.open(path).rows()), range(64))]
    assert found == [3] * 64
    limit = csv.field_size_limit()
    Source.open(path).rows()
    assert csv.field_size_limit() == limit


def test_columns_and_keys_twice(tmp_path):
    text = TRUTH.replace("eg_id", "text")
    fails('FILE:1: column "text" occurs 2 times', save(tmp_path, "gold.csv", text))
    line = '{"index": 0, "prediction": [], "prediction": ["a"]}'
    message = 'FILE:1: an object has the key "prediction" 2 times'
    fails(message, save(tmp_path, "pred.jsonl", line))
    line = SPANS.replace('"id": "a"', '"id": "a", "id": "b"')
    fails('FILE:1: an object has the key "id" 2 times', save(tmp_path, "spans.jsonl", line))
    line = '{"length": 1, "relations": [], "length": 2}'
    fails('FILE:1: an object has the key "length" 2 times', save(tmp_path, "x.jsonl", line))


@pytest.mark.slow
def test_too_many_columns(tmp_path):
    keys = {f"k{k}": 0 for k in range(100_000)}
    for name, line in (
        ("a.jsonl", {"index": 0, "prediction": []}),
        ("b.jsonl", {"length": 1, "relations": []}),
    ):
        path = save(tmp_path, name, json.dumps(line | keys))
        with pytest.raises(fc.InputError, match=r"10000\d columns, expected at most 1000$"):
            fc.read(path)
    header, *rows = TRUTH.splitlines()
    wide = [",".join([header, *keys])[:90_000].rpartition(",")[0]]
    n = wide[0].count(",") - header.count(",")
    path = save(tmp_path, "c.csv", "\n".join(wide + [row + "," * n for row in rows]))
    with pytest.raises(fc.InputError, match=r"columns, expected at most 1000$"):
        fc.read(path)


def test_cells_are_bounded(tmp_path):
    numbers = "[" + "1," * (2 * truth.LONGEST // 2) + "]"
    text = TRUTH.replace("[],0", f'"{numbers}",0')
    path = save(tmp_path, "gold.csv", text)
    message = (
        f"without escapes other than of quotes, as it has more than {truth.LONGEST} characters"
    )
    with pytest.raises(fc.InputError, match=message):
        fc.read(path)
    assert cnc.truth.strings_in(str(["a'b"] * truth.LONGEST)) == ["a'b"] * truth.LONGEST


def test_every_reader_of_predictions_keeps_them(tmp_path):
    """Readers of files, tables and dicts keep other columns, in every form of relations."""
    ids = ["a", "b"]
    gold = fc.Relations.from_examples([{"id": i, "text": "x y", "relations": []} for i in ids])
    added = [{"id": i, "model": "m", "n": k} for k, i in enumerate(ids)]
    kinds = {
        "answers": {"output": '{"relations": []}'},
        "spans": {"relations": []},
        "flat": {"cause": "x", "effect": "y"},
        "examples": {"length": 2, "relations": [{"cause": [[0, 1]]}]},
        "jsonl": {"length": 2, "relations": [[{"role": "cause", "start": 0, "stop": 1}]]},
    }
    for name, own in kinds.items():
        rows = [{**row, **own} for row in added]
        options = {"answers": "output"} if name == "answers" else {}
        sources = [save(tmp_path, f"{name}.jsonl", "\n".join(map(json.dumps, rows)))]
        if name != "jsonl":
            sources += [rows, pa.Table.from_pylist(rows)]
        for source in sources:
            relations = fc.read(source, like=gold, **options)
            assert relations.table["model"].to_pylist() == ["m", "m"], name
            assert [*map(int, relations.table["n"].to_pylist())] == [0, 1], name
