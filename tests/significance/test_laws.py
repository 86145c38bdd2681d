"""Laws equal scipy's, over all sizes that tests and intervals meet, also far in the tails."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special, stats

from fastcausal.significance import laws

LEVELS = st.floats(1e-12, 0.9999)
# The continued fraction rounds once for each of its terms: the error grows with the freedom.
FREEDOM = st.floats(0, 6).map(lambda power: 10.0**power)
NEAR = 1e-9


@given(st.floats(-4, 3).map(lambda power: 10.0**power), FREEDOM)
@example(0.0, 3.0)
@example(math.inf, 3.0)
@example(1e300, 1.0)
def test_p_of_student(t, freedom):
    expected = 2 * stats.t.sf(t, freedom)
    assert laws.student_p(t, freedom) == pytest.approx(expected, rel=NEAR, abs=1e-300)
    assert laws.student_p(-t, freedom) == laws.student_p(t, freedom)


@given(LEVELS, FREEDOM)
@example(0.5, 7.0)
@example(1e-50, 30.0)
@example(0.975, math.inf)
def test_quantiles_of_student(level, freedom):
    """A quantile has its level beyond it; scipy's before 1.14 are near."""
    found = laws.student_quantile(level, freedom)
    if math.isfinite(freedom):
        beyond = 2 * min(level, 1 - level)
        assert laws.student_p(found, freedom) == pytest.approx(beyond, rel=NEAR)
    assert found == pytest.approx(stats.t.ppf(level, freedom), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("level", [5e-161, 1e-30, 0.001, 0.3])
def test_quantiles_of_one_degree_of_freedom(level):
    """Cauchy's law has quantiles in closed form, also where the square of t overflows."""
    assert laws.student_quantile(level, 1) == pytest.approx(
        -1 / math.tan(math.pi * level), rel=NEAR
    )


@pytest.mark.parametrize(("level", "expected"), [(0, -math.inf), (1, math.inf), (1.5, math.nan)])
def test_levels_at_the_ends(level, expected):
    for found in (laws.student_quantile(level, 5), laws.normal_quantile(level)):
        assert found == pytest.approx(expected, nan_ok=True)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_bounds_of_proportions(right, n, confidence):
    right = min(right, n)
    level = (1 - confidence) / 2
    expected = (
        special.betaincinv(right, n - right + 1, level) if right else 0,
        special.betaincinv(right + 1, n - right, 1 - level) if right < n else 1,
    )
    assert laws.binomial(right, n, confidence) == pytest.approx(expected, rel=NEAR)


@given(st.integers(1, 10**6), st.floats(0, 6))
@example(laws.MAX_COUNTED, 1.0)
@example(laws.MAX_COUNTED + 1, 1.0)
def test_tosses(n, z):
    most = max(0, round((n - z * math.sqrt(n)) / 2))
    expected = stats.binom.cdf(most, n, 0.5)
    assert laws.share_of_tosses(n, most) == pytest.approx(expected, rel=NEAR)


@given(st.floats(-38, 8))
def test_normal(x):
    assert laws.normal_share(x) == pytest.approx(special.ndtr(x), rel=1e-12)
    level = special.ndtr(x)
    if 0 < level < 1:
        assert laws.normal_quantile(level) == pytest.approx(special.ndtri(level), rel=1e-12)


@given(st.floats(1e-9, 1 - 1e-6), FREEDOM)
@example(1e-12, 1.0)
def test_quantiles_of_chi_squared(level, freedom):
    # Far below the mean a quantile is as near as the distance to the mean is told.
    assert laws.chi_squared_quantile(level, freedom) == pytest.approx(
        2 * special.gammaincinv(freedom / 2, level), rel=NEAR, abs=1e-15
    )
