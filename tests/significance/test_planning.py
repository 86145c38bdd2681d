"""Numbers of units that find a difference, against the rule itself and against scipy's normal."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fastcausal.significance.planning import MAX_UNITS, units_needed

LEVELS = st.sampled_from([(0.5, 0.9), (0.8, 0.95), (0.9, 0.99), (0.95, 0.5)])


def required(n, variance, delta, power, confidence):
    """The units that the test of n units needs."""
    both = stats.t.ppf((1 + confidence) / 2, n - 1) + stats.t.ppf(power, n - 1)
    return variance * (both / delta) ** 2


@given(st.floats(0.01, 5), st.floats(0.01, 2), LEVELS)
def test_the_fewest_units_that_suffice(variance, delta, levels):
    n = units_needed(variance, delta, *levels)
    assert required(n, variance, delta, *levels) <= n
    for fewer in {max(2, n // 2), max(2, n - 1)} - {n}:
        assert required(fewer, variance, delta, *levels) > fewer


@pytest.mark.parametrize(("power", "confidence"), [(0.8, 0.95), (0.9, 0.5)])
def test_more_than_a_billion_units_are_those_of_the_normal_law(power, confidence):
    both = stats.norm.ppf((1 + confidence) / 2) + stats.norm.ppf(power)
    expected = math.ceil(1e12 * both**2)
    assert expected > MAX_UNITS
    assert units_needed(1e10, -0.1, power, confidence) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("variance", "delta"), [(1e300, 0.1), (1.0, 1e-200), (math.inf, 1.0)])
def test_numbers_out_of_reach(variance, delta):
    with pytest.raises(ValueError, match=r"needs 2\^53 units or more"):
        units_needed(variance, delta, 0.8, 0.95)
