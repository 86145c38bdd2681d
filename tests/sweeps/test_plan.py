"""Plans from pilots, held by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.significance.laws import student_p
from fastcausal.significance.planning import units_needed, variance_bounds


def drawn(random, n, answers, gain, epochs=True):
    """Values of A and B on n examples that differ in how hard they are, several answers each."""
    level = random.beta(2, 2, n) * (1 - gain)
    sides = [random.random((n, answers)) < p[:, None] for p in (level, level + gain)]
    return [side.astype(float) for side in sides]


def rows_of(values):
    return [
        {"id": i, "epoch": e, "value": float(v)} for i, row in enumerate(values)
        for e, v in enumerate(row)
    ]  # fmt: skip


def power_of(random, n, answers, gain, trials=1500):
    """The share of comparisons with p at most .05."""
    found = 0
    for _ in range(trials):
        a, b = (side.mean(axis=1) for side in drawn(random, n, answers, gain))
        d = b - a
        found += student_p(d.mean() / (d.std(ddof=1) / math.sqrt(n)), n - 1) <= 0.05
    return found / trials


def test_simulation():
    random, gain = np.random.default_rng(3), 0.08
    pilot = [fc.statistics(rows_of(side)) for side in drawn(random, 3000, 4, gain)]
    plans = {each["answers"]: each["units"] for each in fc.plan(*pilot, delta=gain).plans}
    assert plans[None] == pytest.approx(plans[4], abs=1)
    assert plans[1] > plans[2] > plans[4] > plans[16]
    for answers in (1, 4):
        assert power_of(random, plans[answers], answers, gain) == pytest.approx(0.8, abs=0.04)


def test_clusters_and_defaults():
    rows = [[{"id": k, "value": int(k % n == 0), "doc": k // 4} for k in range(80)] for n in (2, 3)]
    sides = [fc.statistics(side) for side in rows]
    found = fc.plan(*sides, cluster="doc")
    assert (found.unit, found.n_units) == ("doc", 20)
    assert found.delta == abs(fc.compare(*sides)["value"].delta)
    [each] = found.plans
    assert each["more"] == max(0, each["units"] - 20)


def test_without_a_difference_the_lower_end_of_the_pilot_is_planned_for():
    rng = np.random.default_rng(4)
    a, b = ([{"id": k, "value": float(v)} for k, v in enumerate(rng.normal(m, 1, 60))]
            for m in (0.5, 0))  # fmt: skip
    sides = fc.statistics(a), fc.statistics(b)
    change = fc.compare(*sides, confidence=0.8)["value"]
    ends = -change.high, -change.low
    for found in (fc.plan(*sides), fc.plan(*sides[::-1])):
        assert (found.delta_low, found.delta_high) == pytest.approx(ends)
        assert found.delta == pytest.approx(-change.delta)
        [each] = found.plans
        least, most = (fc.plan(*sides, delta=end).plans[0]["units"] for end in ends[::-1])
        assert (each["units_low"], each["units"], each["units_high"]) == (least, most, most)
        assert f"to detect {ends[0]:.4f}" in found.title
    equal = fc.statistics(a), fc.statistics([row | {"value": row["value"] + (-1) ** row["id"]}
                                             for row in a])  # fmt: skip
    with pytest.raises(ValueError, match="the lower end of the pilot's 80% interval is -"):
        fc.plan(*equal)


@pytest.mark.drawn
def test_pilots_of_twenty_hold_the_right_number_of_units_in_four_of_five():
    rng, trials, delta = np.random.default_rng(5), 1000, 0.1674
    ends = variance_bounds(19, 0.8)
    right, found, held = units_needed(1.0, delta, 0.8, 0.95), [], 0
    for variance in rng.normal(0, 1, (trials, 20)).var(axis=1, ddof=1):
        units = [
            units_needed(variance * times, delta, 0.8, 0.95) for times in (ends[0], 1, ends[1])
        ]
        found.append(units[1])
        held += units[0] <= right <= units[2]
    assert right == 283
    assert held / trials == pytest.approx(0.8, abs=0.03)
    assert np.quantile(found, [0.1, 0.9]) == pytest.approx([172, 404], abs=15)


def test_one_estimate_of_the_design_as_now():
    """Answers that vary more than examples leave the variance between examples at 0."""
    same = [{"id": i, "epoch": e, "value": e} for i in range(60) for e in range(2)]
    better = [row | {"value": 1} if row["id"] % 20 == 0 else row for row in same]
    found = fc.plan(fc.statistics(same), fc.statistics(better), delta=0.1).plans
    plans = {each["answers"]: each["units"] for each in found}
    assert plans[None] == plans[2] == 385


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 1}, "power is 1"),
        ({"confidence": 0}, "confidence is 0"),
        ({"delta": 0}, "delta is 0"),
        ({}, "does not vary"),
    ],
)
def test_faults(options, message):
    same = fc.statistics([{"id": k, "value": 1} for k in range(9)])
    with pytest.raises(ValueError, match=message):
        fc.plan(same, same, **options)
