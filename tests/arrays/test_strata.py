"""Values of columns as subsets: a missing value is another one than each text."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.arrays.strata import joint_strata, sorted_strata, strata_of
from tests.support.cli import cli

VALUES = [None, "null", '"null"', "x", None, "nulls", ""]
SUBSETS = {'""null""': 1, '"null"': 1, "null": 2, "nulls": 1, "x": 1, "": 1}
values = st.none() | st.sampled_from(VALUES[1:]) | st.text('nul"', max_size=8)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=12))
def test_no_two_values_have_one_name(rows):
    table = pa.table(
        {
            name: pa.array(c, pa.string())
            for name, c in zip("gh", zip(*rows, strict=True), strict=True)
        }
    )
    columns = table["g"].to_pylist()
    for names, codes in (strata_of(table, "g"), sorted_strata(table, "g")):
        assert len({*names}) == len(names) == len({*columns})
        named = [names[code] for code in codes]
        assert len({*zip(named, columns, strict=True)}) == len(names)
        for name, value in zip(named, columns, strict=True):
            assert (name == "null") == (value is None)
            assert value is None or '"' in value or value == name or value == "null"
    names, codes = joint_strata(table, ["g", "h"])
    assert len({*names}) == len(names) == len({*rows})
    assert len({(names[code], row) for code, row in zip(codes, rows, strict=True)}) == len(names)


def relations():
    one = [{"cause": [[0, 2]], "effect": [[3, 5]]}]
    return [{"id": str(k), "length": 6, "relations": one, "g": v} for k, v in enumerate(VALUES)]


def sizes_of_relations():
    report = fc.score(relations(), relations(), by="g").to_dict()
    return {n[2:]: part["cause"]["tp"] for n, part in report["subsets"].items() if n[:2] == "g="}


def sizes_of_extractions():
    text = "[Cause] rain [Effect] floods"
    rows = [{"id": str(k), "gold": text, "output": text, "g": v} for k, v in enumerate(VALUES)]
    report = fc.answers(rows, by="g")
    assert {name[2:] for name in report.subsets} == {*SUBSETS}
    return {name: part["joint"]["n"] for name, part in report.to_dict()["by"].items()}


def sizes_of_pairs():
    key = {"topic_id": 1, "event_order_a": 0, "score": 50}
    pairs = [key | {"event_order_b": k + 1, "g": v} for k, v in enumerate(VALUES)]
    report = fc.crab.pairwise(pairs, ["50"] * len(pairs), by="g").to_dict()
    return {name[2:]: part["n_pairs"] for name, part in report["subsets"].items()}


def sizes_of_metrics():
    scores = [{"item": str(k), "m": k, "g": v} for k, v in enumerate(VALUES)]
    human = [{"item": str(k), "label": k % 2} for k in range(len(VALUES))]
    parts = fc.meta(scores, human, by="g").to_dict()["by"]
    return {name: part["m"]["pooled"]["n"] for name, part in parts.items()}


@pytest.mark.parametrize(
    "sizes", [sizes_of_relations, sizes_of_extractions, sizes_of_pairs, sizes_of_metrics]
)
def test_a_missing_value_is_a_subset_of_its_own(sizes):
    assert sizes() == SUBSETS


def test_missing_numbers_are_a_subset_of_metrics():
    scores = [{"item": str(k), "m": k, "g": v} for k, v in enumerate([1.5, None, 2.5, None])]
    human = [{"item": str(k), "label": k % 2} for k in range(4)]
    assert [*fc.meta(scores, human, by="g").by] == ["1.5", "2.5", "null"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_files_of_counts_keep_them_apart(suffix, tmp_path):
    gold, counts = tmp_path / "gold.jsonl", tmp_path / f"counts.{suffix}"
    gold.write_text("".join(json.dumps(row) + "\n" for row in relations()))
    cli("score", str(gold), str(gold), "--per-example", str(counts))
    out, _ = cli("aggregate", str(counts), "--by", "g", "--json")
    parts = json.loads(out)["subsets"]
    assert {n[2:]: p["cause"]["tp"] for n, p in parts.items() if n[:2] == "g="} == SUBSETS
