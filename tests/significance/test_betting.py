"""Bets that may be looked at whenever: values worked out elsewhere, a plain loop, error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.significance.betting import (
    LEAST_WORTH,
    bet_on_mean,
    bet_on_ratio,
    log_wealth,
    mix_normals,
)

SIGNS = np.array([1.0, -1.0, 0.0])
NUM = [8, 10, 4, 12, 6, 9, 10, 7, 8, 10, 12, 5]
DEN = [10, 10, 6, 14, 9, 10, 12, 8, 10, 11, 13, 7]


@pytest.mark.parametrize(
    ("counts", "least", "log_e", "low"),
    [
        ((30, 10, 60), 0.0, 3.339569, 0.0084),
        ((10, 10, 80), -0.05, 0.143153, -0.1477),
        ((3, 0, 27), 0.0, 0.649642, -0.1224),
        ((0, 0, 300), -0.05, 11.139420, -0.0204),
        ((60, 30, 250), 0.01, 2.393508, 0.0030),
    ],
)
def test_wins_losses_ties(counts: tuple[int, ...], least: float, log_e: float, low: float) -> None:
    bet = bet_on_mean(SIGNS, np.array(counts), least, 0.05)
    assert bet.log_e == pytest.approx(log_e, abs=1e-6)
    assert bet.low == pytest.approx(low, abs=5e-5)


def test_ratio_of_documents() -> None:
    parts = np.array([NUM, DEN]).T
    assert bet_on_ratio(parts, np.ones(12, int), 14, 0.7, 0.05).log_e == pytest.approx(
        0.402058, abs=1e-6
    )


def test_mixture() -> None:
    assert mix_normals(0.1, 0.03, 100, 100, 0.0, 0.05).low == pytest.approx(0.015369, abs=1e-6)


def bet_by_loop(values: list[float], least: float) -> float:
    """Multiply the wealth of each share unit by unit."""
    wealths = []
    for j in range(40):
        rate = 0.005 * 190 ** (j / 39) / (1 + least)
        wealth = 1.0
        for value in values:
            wealth *= 1 + rate * (value - least)
        wealths.append(wealth)
    return math.log(math.fsum(wealths) / 40)


differences = st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.25, 1.0]), min_size=1, max_size=40)


@given(differences, st.floats(-0.9, 0.9), st.randoms(use_true_random=False))
def test_bets_match_a_loop_in_any_order(
    values: list[float], least: float, random: np.random.Generator
) -> None:
    ones = np.ones(len(values), int)
    bet = bet_on_mean(np.array(values), ones, least, 0.05)
    assert bet.log_e == pytest.approx(bet_by_loop(values, least), abs=1e-9)
    mirrored = [-value for value in values]
    assert bet.log_e_fail == pytest.approx(bet_by_loop(mirrored, -least), abs=1e-9)
    for goal, bound, beyond in ((bet.log_e, bet.low, 1e-9), (bet.log_e_fail, -bet.high, -1e-9)):
        # A bound is where the wealth is 1/alpha: the two say the same about any hypothesis.
        side = least if beyond > 0 else -least
        if abs(bound - side) > 1e-9:
            assert (goal >= math.log(20)) == (bound >= side)
    shuffled = [*values]
    random.shuffle(shuffled)
    assert bet_on_mean(np.array(shuffled), ones, least, 0.05) == bet
    counted, times = np.unique(values, return_counts=True)
    assert bet_on_mean(counted, times, least, 0.05) == bet
    mirror = bet_on_mean(-np.array(values), ones, -least, 0.05)
    assert mirror[:4] == pytest.approx((-bet.high, -bet.low, bet.log_e_fail, bet.log_e), abs=1e-9)


pairs = st.lists(
    st.integers(0, 14).flatmap(lambda den: st.tuples(st.integers(0, den), st.just(den))),
    min_size=1,
    max_size=30,
)


@given(pairs, st.floats(0.05, 0.95))
def test_bets_on_ratios_match_a_loop(parts: list[tuple[int, int]], least: float) -> None:
    ones, most = np.ones(len(parts), int), 14 * max(least, 1 - least)
    bet = bet_on_ratio(np.array(parts), ones, 14, least, 0.05)
    gains = [(num - least * den) / most for num, den in parts]
    assert bet.log_e == pytest.approx(bet_by_loop(gains, 0.0), abs=1e-9)
    assert bet.log_e_fail == pytest.approx(bet_by_loop([-gain for gain in gains], 0.0), abs=1e-9)
    if abs(bet.low - least) > 1e-9:
        assert (bet.low >= least) == (bet.log_e >= math.log(20))
    if abs(bet.high - least) > 1e-9:
        assert (bet.high <= least) == (bet.log_e_fail >= math.log(20))
    assert bet_on_ratio(np.array(parts[::-1]), ones, 14, least, 0.05) == bet


@given(st.floats(-1, 1), st.floats(0.001, 1), st.integers(10, 5000), st.floats(-1, 1))
def test_mixture_decides_as_its_bounds(value: float, se: float, n: int, least: float) -> None:
    mixed = mix_normals(value, se, n, n, least, 0.05)
    for bound, side, log_e in (
        (mixed.low, least, mixed.log_e),
        (-mixed.high, -least, mixed.log_e_fail),
    ):
        if abs(bound - side) > 1e-9:
            assert (bound >= side) == (log_e >= math.log(20))


def test_mixture_of_few_units_is_unknown() -> None:
    assert math.isnan(mix_normals(0.1, 0.03, 100, LEAST_WORTH - 0.5, 0.0, 0.05).low)
    assert math.isnan(mix_normals(0.1, math.nan, 100, 100, 0.0, 0.05).low)


def test_bets_hold_at_all_looks() -> None:
    # 400 histories of 200 units without a gain, looked at after each: 5% may be wrong.
    rng = np.random.default_rng(5)
    crossed = 0
    for _ in range(400):
        values = rng.choice([-1.0, 0.0, 0.0, 1.0], 200)
        logs = np.cumsum(np.log1p(0.005 * 190.0 ** (np.arange(40) / 39)[:, None] * values), axis=1)
        wealth = np.exp(logs).mean(axis=0)
        crossed += bool((wealth >= 20).any())
        at_end = log_wealth(values, np.ones(200, int))
        assert at_end == pytest.approx(math.log(wealth[-1]), abs=1e-9)
    assert crossed / 400 <= 0.05
