"""Subsets by the values of several columns, each as it alone gives them."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli
from tests.support.format_cases import tables

GOLD = fc.read(sample.GOLD)
LETTERS = pa.array(["ab"[k % 2] if k % 5 else None for k in range(len(GOLD))])
NUMBERS = pa.array([k % 3 for k in range(len(GOLD))])
COLUMNS = GOLD.table.append_column("letter", LETTERS).append_column("number", NUMBERS)
PRED = fc.read(sample.SYSTEMS["careful"], like=GOLD)


def test_each_column_alone():
    both = fc.score(COLUMNS, PRED, by=["letter", "number", "letter"])
    letter, number = (fc.score(COLUMNS, PRED, by=by) for by in ("letter", "number"))
    assert both.subsets == {**letter.subsets, **number.subsets}
    assert [*both.subsets] == [
        "multi_relation", "letter=a", "letter=b", "letter=null", "number=0", "number=1", "number=2"
    ]  # fmt: skip
    assert both.scores == letter.scores
    assert fc.score(COLUMNS, PRED, by=["letter"]).to_dict() == letter.to_dict()
    assert both.statistics.report(["letter", "number"]).subsets == both.subsets
    intervals = both.statistics.intervals(n_resamples=100, by=["letter", "number"])
    alone = both.statistics.intervals(n_resamples=100, by="number")
    for name in ("number=0", "number=2"):
        assert intervals.subsets[name] == alone.subsets[name]


@given(tables(unread=False, min_size=0), st.data())
def test_batches_and_order(table, data):
    """Counts by two columns contain the counts by each column, however rows are batched."""
    n = len(table)
    columns = {
        name: data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        for name, values in (("x", ["a", "b", None]), ("y", [1, 2]))
    }
    gold = table.table
    for name, values in columns.items():
        gold = gold.append_column(
            name, pa.array(values, pa.string() if name == "x" else pa.int64())
        )
    whole = fc.ExtractionScorer(by=("x", "y"))
    whole.update(gold=gold, pred=table)
    parts = [fc.ExtractionScorer(by=("x", "y")) for _ in range(2)]
    cut = data.draw(st.integers(0, n))
    for part, rows in zip(parts, (gold.slice(0, cut), gold.slice(cut)), strict=True):
        part.update(gold=rows, pred=fc.Relations(rows))
    parts[1].merge(parts[0])
    assert parts[1].compute().subsets == whole.compute().subsets
    for by in ("x", "y"):
        alone = fc.ExtractionScorer(by=by)
        alone.update(gold=gold, pred=table)
        expected = alone.compute().subsets
        assert {k: v for k, v in whole.compute().subsets.items() if k in expected} == expected
    with pytest.raises(ValueError, match="cannot merge scores by x into scores by x, y"):
        whole.merge(fc.ExtractionScorer(by="x"))


def test_commands(tmp_path):
    gold, kept = tmp_path / "gold.parquet", tmp_path / "counts.parquet"
    fc.write(fc.Relations(COLUMNS), gold)
    pred = sample.SYSTEMS["careful"]
    two = ("--by", "letter", "--by", "number")
    expected = fc.score(gold, pred, by=["letter", "number"]).to_dict()["subsets"]
    scored = json.loads(cli("score", gold, pred, *two, "--json", "--per-example", kept)[0])
    assert json.loads(json.dumps(expected)) == scored["subsets"]
    text = cli("score", gold, pred, sample.SYSTEMS["hasty"], *two)[0]
    assert "letter=a" in text
    assert "number=2" in text
    assert json.loads(cli("aggregate", kept, *two, "--json")[0])["subsets"] == scored["subsets"]
    for end in ("1 scored", "1 kept"):  # the second one finds the first
        assert end in cli("sweep", gold, pred, "--out", tmp_path / "out", *two)[0]
    assert json.loads((tmp_path / "out/sweep.json").read_text())["by"] == ["letter", "number"]
    cli("score", gold, pred, "--by", "letter", "--by", "nothing", expect=2)


@given(tables(unread=False, min_size=1), st.data())
def test_columns_of_predictions_are_joined_by_id(table, data):
    """A column of predictions in any order makes the subsets that a column of gold makes."""
    n = len(table)
    ids = pa.array([f"e{k}" for k in range(n)])
    source = table.table
    if "id" in source.column_names:
        source = source.drop_columns(["id"])
    source = source.append_column("id", ids)
    values = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))
    marked = source.append_column("mood", pa.array(values, pa.string()))
    order = data.draw(st.permutations(range(n)))
    expected = fc.score(fc.Relations(marked), fc.Relations(source), by="mood")
    found = fc.score(fc.Relations(source), fc.Relations(marked.take(order)), by="mood")
    assert found.to_dict() == expected.to_dict()
    assert found.statistics.report("mood").subsets == expected.subsets
    own = fc.score(fc.Relations(marked), fc.Relations(marked.take(order)), by="mood")
    assert own.to_dict() == expected.to_dict()


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl"])
def test_files_of_predictions_with_columns(suffix, tmp_path):
    gold, pred = (tmp_path / f"{name}.{suffix}" for name in ("gold", "pred"))
    fc.write(GOLD, gold)
    marked = PRED.table.append_column("letter", LETTERS)
    fc.write(fc.Relations.trusted(marked, PRED.reading), pred)
    counts = tmp_path / "counts.parquet"
    options = ["--by", "letter", "--json", "--per-example", counts]
    scored = json.loads(cli("score", gold, pred, *options)[0])["subsets"]
    expected = fc.score(COLUMNS, PRED, by="letter").to_dict()["subsets"]
    assert scored == json.loads(json.dumps(expected))
    again = json.loads(cli("aggregate", counts, "--by", "letter", "--json")[0])["subsets"]
    assert again == scored
    message = cli("score", gold, pred, "--by", "other", expect=2)[1]
    assert 'no column "other"' in message
