"""Plans of human labels against trying each number, and against simulated samples."""

from __future__ import annotations

import json
import math
from statistics import variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.meta.estimates import JudgedSample
from fastcausal.tasks.meta.plan import errors_of
from tests.oracles.powered import planned
from tests.support.cli import cli

VALUES = st.floats(0, 5).map(lambda x: round(x, 2))


@given(
    pairs=st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=10),
    unjudged=st.lists(VALUES, max_size=30),
    delta=st.floats(0.2, 4.0),
)
def test_the_fewest_rows_of_all(pairs, unjudged, delta):
    table = [{"m": m, "ann": y} for y, m in pairs] + [{"m": m, "ann": None} for m in unjudged]
    plan = fc.plan_labels(table, raters=["ann"], delta=delta, metrics=["m"])["m_all"]
    judged, metric = zip(*pairs, strict=True)
    assert plan.rows == len(pairs)
    if len({*judged}) == 1:
        assert math.isnan(plan.n_powered)
        assert math.isnan(plan.margin)
        return
    ends = (0, 1) if {*judged} <= {0, 1} else (min(judged), max(judged))
    expected = planned(judged, metric, [row["m"] for row in table], *ends, delta)
    if expected is None:
        assert math.isnan(plan.n_powered)
        assert plan.margin_all > delta
    else:
        assert plan.n_powered == plan.n_labels == expected
        assert plan.n_more == max(0, expected - len(pairs))
    n, of_people = plan.n_alone, variance(judged)
    assert t.ppf(0.975, n - 1) * math.sqrt(of_people / n) <= delta * (1 + 1e-12)
    if n > 2:
        assert t.ppf(0.975, n - 2) * math.sqrt(of_people / (n - 1)) > delta * (1 - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
def test_samples_of_the_planned_size_have_the_margin(noise):
    """Of 1,000 samples of as many labels as a large pilot asks for, 95% or more hold the mean."""
    rng = np.random.default_rng(7)

    def drawn(n):
        truth = rng.normal(size=n)
        return truth, truth + noise * rng.normal(size=n)

    delta, n_rows = 0.1, 3000
    truth, metric = drawn(n_rows)
    errors, freedom = errors_of(truth[:1500], metric[:1500], metric, (-4.0, 4.0))
    n = int(np.flatnonzero(t.ppf(0.975, freedom) * errors <= delta)[0]) + 2
    assert n < variance(truth) * (1.96 / delta) ** 2
    widths, hits = [], 0
    for _ in range(1000):
        truth, metric = drawn(n_rows)
        truth[n:] = np.nan
        found = JudgedSample(truth, metric, np.arange(n_rows), (-4.0, 4.0)).powered()
        widths.append((found.high - found.low) / 2)
        hits += found.low <= 0 <= found.high
    assert np.mean(widths) == pytest.approx(delta, rel=0.04)
    assert hits / 1000 >= 0.93


def test_labels_of_several_raters():
    """Three labels to a judged row; a metric without worth saves none."""
    rng = np.random.default_rng(2)
    values = rng.integers(0, 2, (400, 3)).tolist()
    table = [
        {"m": 0.5, "n": k % 2, **dict(zip("abc", v if k < 50 else [None] * 3, strict=True))}
        for k, v in enumerate(values)
    ]
    report = fc.plan_labels(table, raters=["a", "b", "c"], delta=0.05)
    flat = report["m_all"]
    assert abs(flat.n_powered - flat.n_alone) < 5
    assert flat.n_labels == 3 * flat.n_powered
    assert flat.n_more == 3 * (flat.n_powered - 50)
    assert report.labels_per_row == 3.0


def test_classes_have_a_plan_each():
    report = fc.plan_labels(sample.FOLDER / "crab_labels.csv", raters=["r4"], delta=0.11,
                            metrics=["letters"])  # fmt: skip
    assert [*report.scores] == [f"letters_all_{label}" for label in "ABCD"]
    a = report["letters_all_A"]
    assert a.n_powered < a.n_alone


def test_why_a_plan_has_no_number():
    table = [{"m": k % 3, "ann": k % 2 if k < 9 else None} for k in range(12)]
    [few] = fc.plan_labels(table, raters=["ann"], delta=0.01).warnings
    assert few.startswith("m_all: labels of all scored rows give ±0.")
    table = [{"m": k % 3, "ann": 1 if k < 9 else None} for k in range(12)]
    [flat] = fc.plan_labels(table, raters=["ann"], delta=0.01).warnings
    assert flat == "m_all: the pilot has fewer than two rows or does not vary, so it tells nothing"


@pytest.mark.parametrize("delta", [0, -1, math.inf, math.nan])
def test_bad_deltas(delta):
    with pytest.raises(ValueError, match="expected a positive number"):
        fc.plan_labels([{"m": 1, "ann": 1}], raters=["ann"], delta=delta)


def test_command(tmp_path):
    arguments = [sample.SCORES, sample.JUDGMENTS, "--delta", "0.13", "--metric", "judge"]
    out, _ = cli("meta", "plan", *arguments, "--json")
    report = fc.plan_labels(sample.SCORES, sample.JUDGMENTS, delta=0.13, metrics=["judge"])
    assert json.loads(out) == json.loads(report.to_json())
    out, _ = cli("meta", "plan", *arguments)
    assert "judge_wordy" in out
    _, err = cli("meta", "plan", sample.SCORES, expect=2)
    assert "expected HUMAN, or --human COLUMN" in err
    (tmp_path / "plan").write_text((sample.FOLDER / "crab_labels.csv").read_text())
    out, _ = cli("meta", tmp_path / "plan", "--human", "r4", "--metric", "letters", "--json")
    assert json.loads(out)["classes"] == ["A", "B", "C", "D"]
