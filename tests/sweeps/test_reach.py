"""Where no outcome could be significant, compare and leaderboard say so: against all outcomes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.significance.corrections import adjusted
from fastcausal.tasks.values.reading import ValueReading
from tests.support.profiles import trials


def table(values: list[int]) -> list[dict[str, object]]:
    return [{"id": f"i{k}", "value": value} for k, value in enumerate(values)]


def least_of_all(n: int, n_differ: int) -> float:
    """Return the least p over all signs of the items that differ."""
    found = []
    for signs in product((0, 1), repeat=n_differ):
        a = [*signs, *[1] * (n - n_differ)]
        b = [*(1 - s for s in signs), *[1] * (n - n_differ)]
        found.append(fc.compare(table(a), table(b)).scores["value"].p)
    return min(found)


@pytest.mark.parametrize("n_differ", [1, 2, 5, 6])
def test_least_p_is_that_of_the_best_outcome(n_differ: int):
    n = 12
    a, b = [0] * n_differ + [1] * (n - n_differ), [1] * n
    report = fc.compare(table(a), table(b))
    least = least_of_all(n, n_differ)
    assert report.scores["value"].p == pytest.approx(least)
    if least > 0.05:
        assert report.least_p == {"value": pytest.approx(least)}
        assert report.to_dict()["least_p"] == {"value": pytest.approx(least)}
        said = f"{n_differ} differ, so p is at least {least:.4g}: no outcome is significant"
        assert f"value: {said}" in report.legend
    else:
        assert report.least_p is None
        assert "least_p" not in report.to_dict()
        assert not any("no outcome" in line for line in report.legend)


def test_corrected_and_drawn_p():
    n = 40
    a = [0] * 6 + [1] * (n - 6)
    sides = [[{"id": str(k), "x": v, "y": v} for k, v in enumerate(each)] for each in (a, [1] * n)]
    alone = fc.compare(*sides, ["x", "y"])
    assert alone.least_p is None
    both = fc.compare(*sides, ["x", "y"], correction="holm")
    assert both.least_p == {"x": 0.0625, "y": 0.0625}
    assert "y: p is at least 0.0625: no outcome is significant" in both.legend
    few = [[{"id": str(k), "x": v + k % 3 * 0.5 * s, "w": 1 + k} for k, v in enumerate([1] * n)]
           for s in (0, 1)]  # fmt: skip
    reading = ValueReading(numerator="x", denominator="w")
    drawn = fc.compare(*few, reading=reading, n_resamples=10)
    [least] = (drawn.least_p or {}).values()
    assert least == pytest.approx(1 / 11)


def test_one_unit():
    report = fc.compare(table([0]), table([1]))
    assert report.least_p == {"value": 1.0}
    assert any("no outcome is significant" in line for line in report.legend)


def test_leaderboard_against_a_baseline():
    base = [0] * 6 + [1] * 20
    other = [1] * 26
    close = [0] * 5 + [1] * 21
    systems = {"base": table(base), "better": table(other), "close": table(close)}
    board = fc.leaderboard(systems, baseline="base")
    # 6 differ: 0.0313, twice by Holm; 1 differs: 1
    assert board.least_p == {"better": 0.0625, "close": 1.0}
    assert board.to_dict()["least_p"] == {"better": 0.0625, "close": 1.0}
    assert "better: p_adjusted is at least 0.0625: no outcome is significant" in board.legend
    assert fc.leaderboard(systems, baseline="base", correction="none").least_p == {"close": 1.0}
    assert fc.leaderboard(systems).least_p is None


@trials(100)
@given(
    a=st.lists(st.integers(0, 1), min_size=8, max_size=30),
    data=st.data(),
    correction=st.sampled_from(["none", "holm", "bh"]),
)
def test_no_p_is_below_the_least(a: list[int], data: st.DataObject, correction: str):
    b = data.draw(st.lists(st.integers(0, 1), min_size=len(a), max_size=len(a)))
    report = fc.compare(table(a), table(b), correction=correction)
    p = adjusted([report.scores["value"].p], correction)[0]
    for least in (report.least_p or {}).values():
        assert p >= least - 1e-12
        assert least > 0.05
