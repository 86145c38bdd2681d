"""Subsets below and from a limit: ``--by date<2022-01-01`` in every command with ``--by``."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.arrays.strata import sorted_strata
from tests.support.cli import cli

DATES = ["2021-12-31", "2022-01-01", "2022-01-01T08:30", "2020-02-29"]
CUT, BELOW, FROM = "date<2022-01-01", {0, 3}, {1, 2}


def rows(**columns):
    """Four rows with an id, a date and more columns."""
    return [
        {"id": f"s{k}", "date": date, **{name: values[k] for name, values in columns.items()}}
        for k, date in enumerate(DATES)
    ]


def write(path, rows):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def relations(wrong=()):
    marked = [[{"cause": [0, 1], "effect": [3, 4]}] for _ in DATES]
    return rows(length=[5] * 4, relations=[[] if k in wrong else m for k, m in enumerate(marked)])


def pairs(labels):
    spans = {"doc_id": [*"wxyz"], "a": ["e1"] * 4, "b": ["e2"] * 4}
    return rows(**spans, label=labels)


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Command lines of which half of the second subset is wrong, with the group and score."""
    folder = tmp_path_factory.mktemp("cut")

    def file(name, rows):
        return str(write(folder / name, rows))

    gold = file("g.jsonl", relations())
    labels = file("l.jsonl", rows(label=[1, 1, 0, 0]))
    crab = [
        {"topic_id": k, "event_order_a": 1, "event_order_b": 2, "score": 90, "date": date}
        for k, date in enumerate(DATES)
    ]
    answers = [{k: v for k, v in row.items() if k not in ("score", "date")} for row in crab]
    answers = [row | {"prediction": "10" if k == 1 else "90"} for k, row in enumerate(answers)]
    table = pq.read_table(write(folder / "t.parquet", relations()))
    fc.write(fc.read(table), folder / "g.parquet")
    values = [{**row, "value": 0.0 if k == 1 else 1.0} for k, row in enumerate(rows())]
    return {
        "score": (["score", gold, file("p.jsonl", relations({1}))], "recall"),
        "score of batches": (
            ["score", str(folder / "g.parquet"), file("q.jsonl", relations({1}))], "recall",
        ),
        "classify": (["classify", labels, file("m.jsonl", rows(label=[1, 0, 0, 0]))], "accuracy"),
        "aggregate": (["aggregate", file("v.jsonl", values)], "value"),
        "eci": (
            ["eci", file("e.jsonl", pairs(["CAUSE"] * 4)),
             file("f.jsonl", pairs(["CAUSE", "NONE", "CAUSE", "CAUSE"]))],
            "recall",
        ),
        "crab pairwise": (
            ["crab", "pairwise", file("c.jsonl", crab), file("a.jsonl", answers)], "accuracy",
        ),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["score", "score of batches", "classify", "aggregate", "eci", "crab pairwise"]
)
def test_every_command_cuts_a_column(name, commands):
    arguments, score = commands[name]
    report = json.loads(cli(*arguments, "--by", CUT, "--json")[0])
    if name == "eci":
        found = {part: groups["exists"]["overall"] for part, groups in report["by"][CUT].items()}
    else:
        subsets = {part: groups for part, groups in report["subsets"].items() if CUT in part}
        groups = {part.partition("=")[2]: g.get("scores", g) for part, g in subsets.items()}
        found = {part: of_part["overall"] for part, of_part in groups.items()}
    assert {part: scores[score] for part, scores in found.items()} == {"yes": 1.0, "no": 0.5}


def test_raters(tmp_path):
    long = [row | {"rater": r, "label": "x"} for row in rows() for r in "ab"]
    ratings = write(tmp_path / "r.jsonl", long)
    out, _ = cli("agree", ratings, "--labels", "label", "--by", CUT, "--json")
    found = {part: s["overall"]["n_units"] for part, s in json.loads(out)["subsets"].items()}
    assert found == {f"{CUT}=no": 2, f"{CUT}=yes": 2}


def test_sweeps(tmp_path):
    gold = write(tmp_path / "g.jsonl", relations())
    (tmp_path / "runs").mkdir()
    write(tmp_path / "runs" / "a.jsonl", relations({1}))
    fc.sweep(gold, tmp_path / "runs", out=tmp_path / "out", by=CUT)
    scores = pq.read_table(tmp_path / "out" / "scores.parquet").to_pylist()
    found = {row["subset"]: row["recall"] for row in scores if row["group"] == "overall"}
    assert (found[f"{CUT}=yes"], found[f"{CUT}=no"]) == (1.0, 0.5)


def test_columns_of_predictions_alone():
    gold = [{name: v for name, v in row.items() if name != "date"} for row in relations()]
    subsets = fc.score(gold, relations({1}), by=CUT).subsets
    assert subsets[f"{CUT}=no"]["overall"].recall == 0.5


@given(
    values=st.lists(st.none() | st.integers(-9, 9) | st.floats(-9, 9, width=16), max_size=8),
    limit=st.integers(-9, 9),
)
def test_numbers(values, limit):
    """Numbers are compared as numbers, and a missing one is in neither subset."""
    table = pa.table({"x": pa.array(values, pa.float64())})
    names, codes = sorted_strata(table, f"x<{limit}")
    expected = ["null" if v is None else "yes" if v < limit else "no" for v in values]
    assert [names[k] for k in codes] == expected


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("date<2022", 'column "date": "2021-12-31", expected a number'),
        ("date<soon", '--by date<soon: "soon", expected a date as 2022-01-31'),
        ("day<2022-01-01", 'no column "day"'),
    ],
)
def test_refused(by, message):
    with pytest.raises(fc.InputError, match=message):
        fc.score(fc.read(relations()), fc.read(relations()), by=by)
    table = pa.table({"x<1": ["a", "b"]})
    assert sorted_strata(table, "x<1")[0] == ["a", "b"]
