"""Intervals of whole evaluations: of reports, on the command line, in files, by parts."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.report.numbers import Bounded
from tests.support.cli import cli

GOLD, PRED = str(sample.GOLD), str(sample.SYSTEMS["careful"])
KEYS = ["method", "confidence", "n_resamples", "seed", "unit", "n_units", "scores", "subsets",
        "worth"]  # fmt: skip


@pytest.fixture(scope="module")
def report():
    return fc.score(GOLD, PRED)


@pytest.fixture(scope="module")
def intervals(report):
    return report.statistics.intervals(n_resamples=300, cluster="doc_id", seed=3)


def test_the_contract(report, intervals):
    found = intervals.to_dict()
    assert list(found) == KEYS
    n_documents = len(report.statistics.units["doc_id"].unique())
    assert [found[key] for key in KEYS[:6]] == [
        "jackknife",
        0.95,
        None,
        None,
        "doc_id",
        n_documents,
    ]
    assert found["scores"].keys() == report.scores.keys()
    assert found["subsets"].keys() == {"multi_relation"}
    for groups in (found["scores"], found["subsets"]["multi_relation"]):
        assert [*groups["cause"]] == ["precision", "recall", "f1"]
    low, high = found["scores"]["overall"]["f1"]
    assert low < report["overall"].f1 < high
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("method", ["bca", "percentile", "jackknife"])
def test_one_score_is_one_of_all(report, method):
    options = {"method": method, "n_resamples": 200, "cluster": "doc_id", "confidence": 0.9}
    flat = report.statistics.intervals(**options).flat()
    for name in ("overall_f1", "multi_relation_cause_recall"):
        assert report.statistics.interval(name, **options) == flat[name]


def test_the_same_bits(report, intervals, tmp_path):
    """Intervals keep every bit from a file, with shuffled units, and from merged parts."""
    options = {"n_resamples": 300, "cluster": "doc_id", "seed": 3}
    statistics = report.statistics
    order = np.random.default_rng(0).permutation(statistics.n_units)
    statistics.write(tmp_path / "counts.parquet")
    for same in (
        fc.Statistics.read(tmp_path / "counts.parquet"),
        statistics.take(order),
        statistics.take(order[:20]) + statistics.take(order[20:]),
    ):
        assert same.intervals(**options).to_dict() == intervals.to_dict()


def test_jackknife_draws_nothing(report):
    found = report.statistics.intervals(method="jackknife").to_dict()
    assert (found["n_resamples"], found["seed"]) == (None, None)


def test_parts_have_units_of_their_own(report):
    by = fc.score(GOLD, PRED, by="corpus")
    found = by.statistics.intervals(n_resamples=100, by="corpus")
    parts = by.statistics.by("corpus")
    assert {*found.subsets} == {*by.subsets}
    for name, part in parts.items():
        alone = part.intervals(n_resamples=100)
        assert found.subsets[f"corpus={name}"] == alone.scores
    shown = by.with_intervals(n_resamples=100, by="corpus")
    for name in parts:
        assert isinstance(shown.subsets[f"corpus={name}"]["overall"].f1, Bounded)


def test_warnings(report):
    few = report.statistics.take(np.arange(20))
    said = few.intervals(method="bca", n_resamples=10, cluster=None).warnings
    assert len(said) == 2
    assert said[0].startswith("20 examples: BCa bootstrap confidence intervals of fewer than 30")
    assert "take the column doc_id as cluster" in said[1]
    assert few.intervals(cluster=None).warnings == said[1:]
    assert report.with_intervals(n_resamples=10, cluster=None).warnings[-1] == said[1]
    for cluster in ("id", "auto"):
        assert not report.statistics.intervals(n_resamples=10, cluster=cluster).warnings


TWO, FOUR = [0, 0, 1, 1], ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("columns", "unit"),
    [
        ({"topic": TWO, "doc": TWO, "doc_id": FOUR}, "doc"),  # single values are no clusters
        ({"cluster": TWO, "article": ["x", None, "x", "y"]}, "cluster"),
        ({"topic": ["x"] * 4}, "example"),  # one cluster tells nothing
        ({"document": [[k] for k in TWO], "document_id": [1.0, 1.0, 2.0, 2.0]}, "document_id"),
        ({"id": ["0", "1", "2", "3"], "page": TWO}, "example"),
    ],
)
def test_clusters_by_default(columns, unit):
    rows = [{"id": str(k), "value": k % 3, **{n: v[k] for n, v in columns.items()}}
            for k in range(4)]  # fmt: skip
    made = fc.statistics(rows)
    assert made.intervals().unit == made.drawn("auto").unit == unit
    if unit != "example":
        assert made.interval("value") == made.interval("value", cluster=unit)
        assert fc.compare(made, made).unit == unit
    for cluster in (None, "none"):
        assert made.intervals(cluster=cluster).unit == "example"
        assert made.interval("value", cluster=cluster) == fc.statistics(
            [{"id": row["id"], "value": row["value"]} for row in rows]
        ).interval("value")


def test_the_first_name_of_the_list_is_taken():
    names = ["doc_id", "doc", "document", "document_id", "article", "topic", "cluster"]
    for k, name in enumerate(names):
        rows = [{"id": str(j), "value": j % 3, **dict.fromkeys([*names[:k:-1], name], j // 2)}
                for j in range(6)]  # fmt: skip
        assert fc.statistics(rows).drawn("auto").unit == name


def test_a_report_with_intervals(report):
    bounded = report.with_intervals(method="bca", n_resamples=200)
    plain = bounded.to_dict()
    assert (
        plain["intervals"] == report.statistics.intervals(method="bca", n_resamples=200).to_dict()
    )
    assert {k: v for k, v in plain.items() if k not in ("intervals", "warnings")} == {
        k: v for k, v in report.to_dict().items() if k != "warnings"
    }
    low, high = plain["intervals"]["scores"]["overall"]["f1"]
    cell = f"{report['overall'].f1:.4f} [{low:.4f}, {high:.4f}]"
    assert cell in str(bounded)
    assert max(map(len, str(bounded).splitlines()[:12])) <= 80
    for written in (bounded.to_markdown().replace("\\", ""), bounded._repr_html_()):
        assert cell in written
    assert cell.replace("[", "{[}").replace("]", "{]}") in bounded.to_latex()
    header, overall = (line.split(",") for line in bounded.to_csv().splitlines()[:2])
    assert header[2:5] == ["precision", "precision_low", "precision_high"]
    at = header.index("f1_low")
    assert [float(cell) for cell in overall[at : at + 2]] == [low, high]
    row = bounded.to_arrow().to_pylist()[0]
    assert (row["f1_low"], row["f1_high"]) == (low, high)
    assert "95% confidence intervals, BCa bootstrap, 200 resamples: 12 clusters (doc_id)" in str(
        bounded
    )
    assert pickle.loads(pickle.dumps(bounded)).to_csv() == bounded.to_csv()


def test_labels_and_answers():
    labels = fc.classify([0, 1, 1, 0, 1] * 9, [0, 1, 0, 0, 1] * 9)
    bounded = labels.with_intervals(n_resamples=100)
    low, high = bounded.to_dict()["intervals"]["scores"]["class_1"]["recall"]
    assert (bounded.classes[1].recall.low, bounded.classes[1].recall.high) == (low, high)
    assert low < 2 / 3 < high
    parts = labels.statistics.take(np.arange(40))
    parts = replace(parts, units=pa.table({"half": [k % 2 for k in range(40)]})).report(by="half")
    shown = parts.with_intervals(n_resamples=100, by="half").subsets["half=0"]
    assert isinstance(shown["positive"].f1, Bounded)
    assert shown["overall"].accuracy.low < 0.9
    questions = [
        {"id": f"{k}", "question": "Why?", "answers": [{"text": "x", "answer_start": 0}]}
        for k in range(6)
    ]
    gold = {"data": [{"paragraphs": [{"context": "x", "qas": questions}]}]}
    pred = {f"{k}": "xxyxyy"[k] for k in range(6)}
    questions = fc.qa(gold, pred).with_intervals(method="jackknife")
    assert questions.scores["overall"].f1.low < 0.5 < questions.scores["why"].f1.high


def test_bounds_that_are_none(report):
    one = report.statistics.take(np.array([0]))
    found = one.intervals(n_resamples=10)
    assert all(math.isnan(each.low) for each in found.flat().values())
    assert found.to_dict()["scores"]["overall"]["f1"] == [None, None]
    assert found.to_arrow()["low"].null_count == len(found.flat())


def test_tables(intervals):
    assert "multi_relation" in str(intervals)
    assert "<table>" in intervals._repr_html_()
    table = intervals.to_arrow()
    assert table.column_names == ["subset", "group", "score", "low", "high"]
    assert len(table) == len(intervals.flat()) == 24


def test_no_units(report):
    with pytest.raises(InputError, match="statistics of sums alone have no units to draw"):
        report.statistics.without_units().intervals()
    with pytest.raises(ValueError, match='unknown score "f1", expected one of overall_precision'):
        report.statistics.interval("f1")


def test_the_command(report):
    args = ["score", GOLD, PRED, "--intervals", "--n-resamples", "200", "--seed", "4"]
    printed = json.loads(cli(*args, "--json")[0])
    expected = report.statistics.intervals(n_resamples=200, seed=4).to_dict()
    assert printed["intervals"] == expected
    several = [*args, "--json", sample.SYSTEMS["hasty"], "--unparsed", "empty"]
    two = json.loads(cli(*several)[0])
    assert two["systems"]["careful"]["intervals"] == expected


@pytest.mark.parametrize("options", [(), ("--cluster", "doc_id"), ("--by", "corpus")])
@pytest.mark.parametrize("method", ["bca", "jackknife"])
def test_aggregate_is_score(tmp_path, options, method):
    """`aggregate` of a file of counts prints the same bits as `score`."""
    options = (*options, "--intervals", "--method", method, "--json")
    hasty = str(sample.SYSTEMS["hasty"])
    args = ["score", GOLD, PRED, hasty, "--unparsed", "empty", *options]
    scored, _ = cli(*args, "--per-example", tmp_path / "counts.parquet")
    assert cli("aggregate", tmp_path / "counts.parquet", *options)[0] == scored


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "1"], "--seed is for confidence intervals: add --intervals"),
        (["--cluster", "doc_id"], "--cluster is for confidence intervals: add --intervals"),
        (["--intervals", "--method", "jackknife", "--seed", "1"], "--seed is for resamples"),
        (["--intervals", "--protocol", "cnc-2022"], "--intervals is for sums of counts"),
        (["--intervals", "--confidence", "1"], "confidence is 1.0, expected a number between"),
        (["--intervals", "--n-resamples", "0"], "n_resamples is 0, expected at least 1"),
        (["--intervals", "--cluster", "document"], 'no column "document"'),
    ],
)
def test_bad_options(options, message):
    _, stderr = cli("score", GOLD, PRED, *options, expect=2)
    assert message in " ".join(stderr.split())
