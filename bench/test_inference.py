"""Intervals of every score, against numpy on the drawn examples and the method of sacreBLEU.

Rivals draw `FEW` resamples, ours `MANY`; notes below the table have ratios for equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.counts.formula import Formula
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.intervals import drawn_scores

from . import corpus

CORPUS = "CNC, good system"

Scores = dict[str, np.ndarray]

MANY = 1000
FEW = 2
SUP = 1.95  # limit of Kolmogorov's distance of two samples, times the root of half their size


@pytest.fixture(scope="module")
def statistics(request) -> Statistics:
    """Counts of ``--sentences`` examples."""
    n = request.config.getoption("--sentences")
    sides = (corpus.table_of(rows, ids=False) for rows in corpus.sentences(n))
    return fc.score(*sides).statistics


def by_numpy(formula: Formula, terms: np.ndarray, n_resamples: int) -> Scores:
    """Draw examples by number, count how often each is drawn, multiply by their terms."""
    rng, n = np.random.default_rng(0), len(terms)
    draws = (rng.integers(n, size=n) for _ in range(n_resamples))
    sums = [np.bincount(draw, minlength=n).astype(np.float64) @ terms for draw in draws]
    return formula.scores_of(np.array(sums).astype(np.int64))


def as_sacrebleu(formula: Formula, terms: np.ndarray, n_resamples: int) -> Scores:
    """Gather float32 rows of the drawn examples, add them up, score each resample by itself."""
    rng, n = np.random.default_rng(0), len(terms)
    each = []
    for _ in range(n_resamples):
        sums = terms[rng.choice(n, size=n, replace=True)].sum(axis=0)
        each.append(formula.scores_of(sums.round().astype(np.int64)[None]))
    return {name: np.concatenate([scores[name] for scores in each]) for name in each[0]}


RIVALS = {"numpy": (by_numpy, np.float64), "as sacreBLEU": (as_sacrebleu, np.float32)}


def rivals(statistics: Statistics, n_resamples: int) -> dict[str, Callable[[], Scores]]:
    """Return the calls of the rivals, with examples ready in memory in their own form."""
    formula = statistics.formula
    terms = formula.terms(statistics.rows)
    return {
        name: partial(call, formula, terms.astype(dtype), n_resamples)
        for name, (call, dtype) in RIVALS.items()
    }


@pytest.mark.parametrize("name", RIVALS)
def test_one_law(name):
    """Resampled scores of a few hundred examples have the same law for ours and each rival."""
    sides = (corpus.table_of(rows, ids=False) for rows in corpus.sentences(340))
    statistics = fc.score(*sides).statistics
    ours = drawn_scores(statistics.drawn(), MANY, 0)
    for score, others in rivals(statistics, MANY)[name]().items():
        both = np.sort(np.concatenate([ours[score], others]))
        shares = [np.searchsorted(np.sort(each), both, "right") for each in (ours[score], others)]
        assert np.abs(shares[0] - shares[1]).max() / np.sqrt(2 * MANY) < SUP, score


def test_intervals(race, note, statistics):
    n = statistics.n_units
    outcome = race(
        f"{MANY} resamples, every score, BCa",
        n,
        lambda: statistics.intervals(method="bca", n_resamples=MANY),
        {f"{name}, {FEW} resamples": call for name, call in rivals(statistics, FEW).items()},
        rounds=3,
    )
    if outcome is not None:
        for name in outcome.others:
            ratio = outcome.ratio(name) * MANY / FEW
            note(f"{name.partition(',')[0]}, {MANY} resamples of {n:,} examples: {ratio:,.0f}×")


def test_one_score_by_jackknife(race, statistics):
    race(
        "F1 by the jackknife",
        statistics.n_units,
        lambda: statistics.interval("overall_f1", method="jackknife"),
        rounds=3,
    )


def test_comparison(race, statistics, request):
    """Compare the good system with the bad one."""
    gold, _ = corpus.sentences(statistics.n_units)
    pred = corpus.sentences(statistics.n_units, noise=corpus.BAD)[1]
    bad = fc.score(*(corpus.table_of(rows, ids=False) for rows in (gold, pred))).statistics
    race(
        "compare, 10,000 resamples",
        statistics.n_units,
        lambda: fc.compare(statistics, bad),
        {"BCa of one system": lambda: statistics.intervals(method="bca", n_resamples=MANY)},
        rounds=3,
        corpus="CNC, good and bad system",
    )
