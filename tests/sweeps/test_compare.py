"""Comparisons of two systems: bounds are near scipy's; neither order nor threads change a bit."""

from __future__ import annotations

import math
import random

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.statistics import Statistics
from fastcausal.significance import sampling
from fastcausal.significance.paired import detectable

SYSTEMS = ("careful", "chatty")
QUICK = {"n_resamples": 200}


@pytest.fixture(scope="module")
def sides():
    return [fc.score(sample.GOLD, sample.SYSTEMS[name], unparsed="empty") for name in SYSTEMS]


@pytest.fixture(scope="module")
def of_examples(sides):
    """Return a function from numbers of examples, int[..., n], to F1 of B minus F1 of A."""
    only = [side.statistics.formula.only("overall_f1") for side in sides]
    terms = [each.terms(side.statistics.rows) for each, side in zip(only, sides, strict=True)]

    def delta(numbers, axis=-1):
        a, b = (
            each.value(part[numbers].sum(axis=-2)) for each, part in zip(only, terms, strict=True)
        )
        return b - a

    return delta


def test_values_are_those_of_scoring(sides):
    a, b = sides
    names = ["overall_f1", "multi_relation_cause_recall"]
    comparison = fc.compare(a, b, names, cluster=None, **QUICK)
    f1, recall = comparison.scores.values()
    assert (f1.a, f1.b) == (a["overall"].f1, b["overall"].f1)
    assert f1.delta == f1.b - f1.a
    assert recall.b == b.subsets["multi_relation"]["cause"].recall
    assert comparison.n_units == a.n_examples
    assert comparison.signature == a.signature
    assert f1.mde == detectable(f1.se, f1.worth - 1, 0.95)
    assert f1.worth < comparison.n_differ


def test_bounds_are_near_those_of_scipy(sides, of_examples):
    numbers = np.arange(sides[0].n_examples)
    f1 = fc.compare(*sides, cluster=None)["overall_f1"]
    for method in ("bca", "percentile"):
        bounds = fc.compare(*sides, cluster=None, method=method)["overall_f1"]
        theirs = stats.bootstrap(
            (numbers,), of_examples, vectorized=True, method=method, n_resamples=30_000, batch=1000,
            random_state=np.random.default_rng(1),
        ).confidence_interval  # fmt: skip
        # Quantiles of that many resamples vary by some 0.03 standard errors each.
        assert [bounds.low, bounds.high] == pytest.approx([*theirs], abs=0.1 * f1.se)


def test_jackknife_is_a_plain_loop(sides, of_examples):
    numbers = np.arange(sides[0].n_examples)
    n = len(numbers)
    without = np.array([of_examples(np.delete(numbers, k)) for k in numbers])
    se = math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    counts = [s.statistics.formula.only("overall_f1").terms(s.statistics.rows) for s in sides]
    n_differ = (counts[0] != counts[1]).any(axis=1).sum()
    f1 = fc.compare(*sides, cluster=None, **QUICK)["overall_f1"]
    half = se * stats.t.ppf(0.975, min(n_differ, f1.worth) - 1)
    assert f1.se == pytest.approx(se, rel=1e-12)
    assert [f1.low, f1.high] == pytest.approx([f1.delta - half, f1.delta + half], rel=1e-12)


def test_exchanged_sides(sides):
    forth, back = fc.compare(*sides, **QUICK), fc.compare(*reversed(sides), **QUICK)
    a, b = (side["overall_f1"] for side in (forth, back))
    assert (a.delta, a.p) == (-b.delta, b.p)
    assert a.se == pytest.approx(b.se, rel=1e-12)
    assert forth.n_differ == back.n_differ


@pytest.mark.parametrize("cluster", [None, "doc_id"])
def test_neither_order_nor_threads_change_a_bit(sides, cluster, monkeypatch):
    plain = fc.compare(*sides, cluster=cluster, **QUICK)
    monkeypatch.setattr(sampling, "WORK_PER_THREAD", 1)
    for seed, n_cores in ((1, 1), (2, 2)):
        monkeypatch.setattr("os.cpu_count", lambda n=n_cores: n)
        order = random.Random(seed)
        shuffled = []
        for side in sides:
            numbers = np.array(order.sample(range(side.n_examples), side.n_examples))
            shuffled.append(side.statistics.take(numbers))
        comparison = fc.compare(*shuffled, cluster=cluster, **QUICK)
        assert comparison.to_dict()["scores"] == plain.to_dict()["scores"]
        assert comparison.n_differ == plain.n_differ


def test_files_reports_and_statistics(sides, tmp_path):
    files = [tmp_path / f"{name}.parquet" for name in SYSTEMS]
    for file, side in zip(files, sides, strict=True):
        side.statistics.write(file)
    comparison = fc.compare(*files, **QUICK)
    assert comparison.systems == dict(zip("ab", SYSTEMS, strict=True))
    assert comparison.scores == fc.compare(*sides, **QUICK).scores
    assert comparison.scores == fc.compare(*(s.statistics for s in sides), **QUICK).scores


def test_clusters(sides):
    comparison = fc.compare(*sides, cluster="doc_id", **QUICK)
    documents = len(sides[0].statistics.units["doc_id"].unique())
    assert (comparison.unit, comparison.n_units) == ("doc_id", documents)
    worth = comparison["overall_f1"].worth
    assert 5 < worth < documents
    assert f"{documents} clusters (doc_id), worth {worth:.1f}; " in comparison.title
    assert comparison["overall_f1"].p_exact == (comparison.n_differ <= 16)
    assert fc.compare(*sides, **QUICK) == comparison  # by default
    [warning] = fc.compare(*sides, cluster=None, **QUICK).warnings
    assert "share a doc_id" in warning


def test_a_system_and_itself(sides):
    comparison = fc.compare(sides[0], sides[0], **QUICK)
    f1 = comparison["overall_f1"]
    assert (comparison.n_differ, f1.delta, f1.p, f1.p_exact) == (0, 0.0, 1.0, True)
    unseen = 1 - 0.025 ** (1 / comparison.n_units)  # as many may differ if none does
    assert (f1.low, f1.high) == pytest.approx((-unseen, unseen))
    assert f"none of {comparison.n_units} differ; up to {100 * unseen:.1f}% may" in str(comparison)


@pytest.mark.parametrize("n", [7, 8])
def test_few_units_have_the_p_of_student(sides, n):
    """Exchanges of seven units have next to no power, so Student's t is taken; bounds agree."""
    few = [side.statistics.take(np.arange(n)) for side in sides]
    comparison = fc.compare(*few, cluster=None, **QUICK)
    f1 = comparison["overall_f1"]
    assert (comparison.test, f1.p_exact) == (("student", False), ("randomisation", True))[n - 7]
    assert ("paired Student's t-test" in str(comparison)) == (n == 7)
    assert (f1.low > 0 or f1.high < 0) == (f1.p <= 0.05)
    if n == 7:
        assert f1.p == pytest.approx(2 * stats.t.sf(abs(f1.delta) / f1.se, min(n, f1.worth) - 1))


def test_answers_and_labels():
    """Means of floats are compared, and confusions whose sides know labels of their own."""
    gold, *preds = (
        pa.table({"id": range(40), "label": [k // m % 3 for k in range(40)]}) for m in (1, 3, 2)
    )
    labels = fc.compare(*(fc.classify(gold, pred) for pred in preds), "overall_accuracy", **QUICK)
    assert labels.n_units == 40
    assert 0 < labels["overall_accuracy"].p <= 1
    questions = [
        {"id": f"{k}", "question": "Why?", "answers": {"text": ["heavy rain"]}} for k in range(30)
    ]
    answers = [{q["id"]: word * (int(q["id"]) % m) for q in questions}
               for m, word in ((2, "rain"), (3, "heavy rain "))]  # fmt: skip
    reports = [fc.qa(questions, answer) for answer in answers]
    comparison = fc.compare(*reports, **QUICK)
    assert comparison["overall_f1"].delta == pytest.approx(
        reports[1]["overall"].f1 - reports[0]["overall"].f1
    )


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_p_of_several_scores_are_corrected(sides, correction):
    scores = ["overall_f1", "cause_f1", "effect_f1", "signal_recall"]
    plain = fc.compare(*sides, scores, **QUICK)
    corrected = fc.compare(*sides, scores, correction=correction, **QUICK)
    p = [each.p for each in plain.scores.values()]
    expected = stats.false_discovery_control(p)
    if correction == "holm":
        order = np.argsort(p)
        expected = np.empty(4)
        expected[order] = np.maximum.accumulate(np.sort(p) * [4, 3, 2, 1]).clip(max=1)
    found = [each.p_adjusted for each in corrected.scores.values()]
    assert found == pytest.approx(expected, abs=1e-12)
    assert [each.p for each in corrected.scores.values()] == p
    assert (plain.correction, corrected.correction) == ("none", correction)
    assert "p_adjusted" not in plain["cause_f1"]
    assert "4 tests, uncorrected" in str(plain)
    assert "4 tests, uncorrected" in plain.to_latex()
    for text in (str(corrected), corrected.to_latex()):
        assert "uncorrected" not in text
        assert "4 tests" in text
    assert "uncorrected" not in str(fc.compare(*sides, **QUICK))  # one test


def test_a_mark_is_by_the_corrected_p():
    """Eight units gain and one loses: p is 20/512, and three times as much of three scores."""
    rights = {0}, {*range(1, 9)}
    tables = ([{"id": k, "s0": int(k in right), "s1": k % 2, "s2": 1} for k in range(40)]
              for right in rights)  # fmt: skip
    sides = [fc.statistics(table, score=["s0", "s1", "s2"]) for table in tables]
    for correction, mark in (("none", False), ("holm", True)):
        found = fc.compare(*sides, ["s0", "s1", "s2"], correction=correction, **QUICK)
        assert found["s0"].p < 0.05
        [line] = [row for row in found.to_markdown().splitlines() if row.startswith("| s0 ")]
        assert ("\u2020" in line) == mark


def test_forms(sides):
    comparison = fc.compare(*sides, **QUICK)
    [row] = comparison.to_arrow().to_pylist()
    assert row == {"score": "overall_f1", **comparison.to_dict()["scores"]["overall_f1"]}
    assert max(len(line) for line in str(comparison.to_table()).splitlines()) <= 80
    for text in (comparison.to_markdown(), comparison.to_latex(), comparison._repr_html_()):
        assert "minimum detectable effect" in text
    assert comparison.to_csv().startswith("name,a,b,delta,low,high,p,mde\noverall_f1,0.81")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "f1"}, 'unknown score "f1", expected one of overall_precision'),
        ({"cluster": "docid"}, 'no column "docid"'),
        ({"n_resamples": 0}, "n_resamples is 0, expected at least 1"),
        ({"confidence": 1}, "confidence is 1, expected a number between 0 and 1"),
        ({"seed": -1}, "seed is -1, expected 0"),
        ({"method": "normal"}, 'method is "normal", expected one of bca, percentile'),
        ({"score": []}, "no score is asked for"),
        ({"correction": "by"}, 'correction is "by", expected one of holm, bh, none'),
    ],
)
def test_bad_options(sides, options, message):
    with pytest.raises(ValueError, match=message):
        fc.compare(*sides, **options)


def test_nulls_in_clusters(sides):
    statistics = sides[0].statistics
    assert isinstance(statistics, Statistics)
    doc = pa.array([None, *["a"] * (statistics.n_units - 1)])
    units = statistics.units.append_column("doc", doc)
    side = Statistics.of_units(statistics.formula, statistics.signature, statistics.rows, units)
    with pytest.raises(fc.InputError, match='column "doc" has 1 nulls'):
        fc.compare(side, side, cluster="doc")
