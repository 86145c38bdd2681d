"""Plans from pilots, held by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.significance.intervals import student_p


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
