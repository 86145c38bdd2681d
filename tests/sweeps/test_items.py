"""Runs item by item, against plain dictionaries."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.values import files
from fastcausal.tasks.values.reading import ValueReading
from tests.oracles import runs as oracle

RIGHT = st.sampled_from([None, 0, 1])
GRADED = st.sampled_from([None, 0, 0.1, 0.2, 0.7, 1, 1.5])
IDS = st.integers(0, 5).map(str)


VALUES = st.one_of(st.just(RIGHT), st.just(GRADED))


@st.composite
def runs(draw, n_runs=2):
    """Runs with several answers to an item, crashed ones, and items that some of them lack."""
    value = draw(VALUES)
    rows = st.lists(st.tuples(IDS, value), min_size=12, max_size=40)
    return {f"run {k}": draw(rows) for k in range(n_runs)}


def table(rows):
    """Rows as `fastcausal.items` takes them, the repeats of an item numbered."""
    seen = {}
    return [
        {"id": id, "epoch": seen.setdefault(id, []).append(0) or len(seen[id]), "value": value}
        for id, value in rows
    ]


def tables(drawn):
    return {name: table(rows) for name, rows in drawn.items()}


def check(found, expected):
    assert {row["id"] for row in found["items"]} == {*expected}
    for row in found["items"]:
        wanted = expected[row["id"]]
        for run, cell in row["values"].items():
            value = wanted["values"][run]["value"]
            assert cell["value"] == (None if value is None else pytest.approx(float(value)))
            assert {n: cell[n] for n in ("n", "right", "crashed")} == {
                n: wanted["values"][run][n] for n in ("n", "right", "crashed")
            }
        assert row["flaky"] == wanted["flaky"]
        assert row.get("change") == wanted.get("change")


@pytest.mark.parametrize("n_runs", [1, 2, 3])
@given(data=st.data(), missing=st.sampled_from(["skip", "zero"]))
def test_items_are_those_of_plain_dictionaries(n_runs, data, missing):
    drawn = data.draw(runs(n_runs))
    found = fc.items(tables(drawn), missing=missing).to_dict()
    expected = oracle.items(drawn, missing)
    check(found, expected)
    counts = oracle.counts(expected)
    assert {name: found[name] for name in counts} == counts
    assert ("change" in found["items"][0]) == (len(drawn) == 2)


@given(runs(), st.randoms())
def test_the_order_of_rows_moves_no_bit(drawn, random):
    rows = tables(drawn)
    shuffled = {name: random.sample(each, len(each)) for name, each in rows.items()}
    assert fc.items(rows).to_json() == fc.items(shuffled).to_json()


@given(runs(), st.sampled_from(["up", "down", "flipped", "flaky", "crashed"]), st.integers(1, 5))
def test_counts_are_of_all_items(drawn, only, top):
    every, some = (fc.items(tables(drawn), **a) for a in ({}, {"only": only, "top": top}))
    kept = {
        "flipped": lambda row: row["change"] in ("up", "down"),
        "flaky": lambda row: any(row["flaky"].values()),
        "crashed": lambda row: any(cell["crashed"] for cell in row["values"].values()),
    }.get(only, lambda row: row["change"] == only)
    expected, found = every.to_dict(), some.to_dict()
    assert found.pop("items") == [*filter(kept, expected.pop("items"))][:top]
    assert found == expected


@given(runs(3), st.sampled_from(["change", "value", "crashed"]))
def test_orders(drawn, sort):
    def key(row):
        values = [v["value"] for v in row["values"].values() if v["value"] is not None]
        crashed = sum(v["crashed"] for v in row["values"].values())
        if sort == "crashed":
            return -crashed
        if sort == "value":
            return sum(values) / len(values) if values else math.inf
        return min(values) - max(values) if values else math.inf

    keys = [*map(key, fc.items(tables(drawn), sort=sort).to_dict()["items"])]
    assert keys == pytest.approx(sorted(keys))


def test_intervals_are_exact():
    """Clopper and Pearson of 3 of 4; nothing without answers."""
    rows = {"a": table([("1", 1), ("1", 1), ("1", 0), ("1", 1), ("2", None)])}
    one, two = fc.items(rows, confidence=0.9).to_dict()["items"]
    cell = one["values"]["a"]
    # Each bound has 5% of the binomial on its other side.
    tail = sum(math.comb(4, k) * cell["low"] ** k * (1 - cell["low"]) ** (4 - k) for k in (3, 4))
    assert tail == pytest.approx(0.05)
    assert cell["high"] ** 4 == pytest.approx(0.95)
    assert two["values"]["a"] == {
        "value": None, "n": 0, "right": 0, "crashed": 1, "low": None, "high": None,
    }  # fmt: skip


def test_sums_that_round_do_not_depend_on_the_way():
    """0.1 three times is 0.1; added up in floats it is not."""
    rows = {"a": table([("1", 0.1)] * 3), "b": table([("1", 0.1)])}
    assert fc.items(rows).to_dict()["items"][0]["change"] == "same"


def test_files_have_the_same(tmp_path):
    rows = tables({"a, b": [("1", 1), ("1", 0), ("=2", None)], "c": [("1", 1), ("=2", 0)]})
    found = fc.items(rows)
    for suffix in ("json", "jsonl", "csv", "parquet", "arrow", "html"):
        found.write(tmp_path / f"items.{suffix}")
    whole = json.loads((tmp_path / "items.json").read_text())
    assert whole == found.to_dict()
    lines = (tmp_path / "items.jsonl").read_text().splitlines()
    assert [*map(json.loads, lines)] == whole["items"]
    flat = pq.read_table(tmp_path / "items.parquet")
    assert flat.equals(found.to_arrow())
    assert flat["values.a, b.value"].to_pylist() == [0.5, None]
    rows, written = (
        [*csv.DictReader(io.StringIO(text))]
        for text in (found.to_csv(), (tmp_path / "items.csv").read_text())
    )
    assert [row.pop("id") for row in rows] == ["1", "'=2"]
    assert [row.pop("id") for row in written] == ["1", "=2"]
    for row, other in zip(rows, written, strict=True):
        assert {k: v.removesuffix(".0") for k, v in row.items()} == other
    header = (tmp_path / "items.csv").read_text().splitlines()[0].replace('"', "")
    assert header == ",".join(flat.column_names)
    with pytest.raises(fc.InputError, match="unknown suffix"):
        found.write(tmp_path / "items.xlsx")


def test_clusters_and_systems_of_one_table():
    """Items that the first run lacks have their cluster from the second one."""
    a = [{"id": k, "model": "a", "topic": f"t{k % 2}", "value": 1} for k in range(4)]
    b = [{"id": k, "model": "b", "topic": f"t{k % 2}", "value": 0} for k in range(1, 5)]
    found = fc.items(a + b, system="model")
    assert found.items["cluster"].to_pylist() == ["t0", "t1", "t0", "t1", "t0"]
    assert found.to_dict() == fc.items({"a": a, "b": b}).to_dict()


def test_other_inputs_are_named():
    """Two logs with one id for two questions: items warn, a gate stops."""
    read = files.read_answers(Path(sample.__file__).with_name("run_a.eval"), ValueReading())[0]
    asked = ["another"] * 4 + read.contents.to_pylist()[4:]
    runs = {"a": read, "b": replace(read, contents=pa.array(asked))}
    found = fc.items(runs)
    assert found.warnings == ('a and b have other inputs for 2 items ("q00", "q01")',)
    assert found.n_items == 40
    with pytest.raises(fc.InputError, match="expected the same examples"):
        fc.gate(*runs.values(), no_regression=True)


def test_what_is_refused(tmp_path):
    one = [{"id": 1, "value": 1}]
    with pytest.raises(fc.InputError, match="occurs 2 times"):
        fc.items({"a": one * 2})
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").write_text('{"id": 1, "value": 1}\n')
    with pytest.raises(fc.InputError, match='two runs have the name "a"'):
        fc.items(*tmp_path.glob("*/a.jsonl"))
    with pytest.raises(ValueError, match="of two runs, got 1"):
        fc.items({"a": one}, only="down")
    with pytest.raises(fc.InputError, match="1 of 1 answers without value"):
        fc.items({"a": [{"id": 1, "value": None}], "b": one}, missing="error")
    with pytest.raises(fc.InputError, match="expected the same ids"):
        fc.items({"a": one, "b": [*one, {"id": 2, "value": 1}]}, missing="error")
    with pytest.raises(fc.InputError, match="several scores"):
        fc.items({"a": fc.statistics([{"id": 1, "x": 1, "y": 2}], ("x", "y"))})
