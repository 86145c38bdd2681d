"""Agreement of people who left out some rows, and the number of items from which flips are
sampled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.meta.correlations import CORRELATIONS
from fastcausal.tasks.meta.soft import MAX_LISTED, soft_pairwise_accuracy
from tests.oracles import meta as oracle
from tests.support.profiles import trials
from tests.tasks.meta.test_meta import close, human_of, scores_of, tables

VOTES = st.sampled_from([1, 2, 3, 5, None])


@trials(100)
@given(rows=tables(n_raters=3, labels=VOTES))
def test_the_ceiling_is_of_the_rows_that_a_rater_and_another_labelled(rows):
    rows = [row for row in rows if any(vote is not None for vote in row[4])]
    assume(len({vote for row in rows for vote in row[4]} - {None}) > 1)
    assume(all(any(row[4][k] is not None for row in rows) for k in range(3)))
    report = fc.meta(scores_of(rows), human_of(rows), level="ordinal", n_resamples=5)
    for level, score_of in oracle.LEVELS.items():
        for score in CORRELATIONS:
            values = []
            for k in range(3):
                beside = [
                    (s, i, votes[k], [v for r, v in enumerate(votes) if r != k and v is not None])
                    for s, i, _, _, votes in rows
                    if votes[k] is not None
                ]
                plain = [(s, i, own, math.fsum(v) / len(v)) for s, i, own, v in beside if v]
                if plain:
                    values.append(score_of(sorted(plain), score))
            expected = oracle.mean_defined(values)
            assert close(report.human["ceiling"][level][score], expected, 1e-9), (level, score)


@pytest.mark.parametrize("n", [1, MAX_LISTED, MAX_LISTED + 1])
def test_all_flips_of_few_items_and_a_sample_of_more(n):
    """Up to MAX_LISTED items, neither the seed nor the number of resamples changes the result."""
    values = np.random.default_rng(n).random((2 * n, 2))
    items, systems = np.tile(np.arange(n), 2), [np.arange(n), np.arange(n, 2 * n)]
    found = {
        soft_pairwise_accuracy(items, systems, values, n_resamples, seed)
        for n_resamples, seed in ((20, 0), (20, 1), (300, 0))
    }
    if n > MAX_LISTED:
        assert len(found) > 1
        return
    rows = [("xy"[k // n], str(k % n), *row[::-1]) for k, row in enumerate(values.tolist())]
    [value] = found
    assert value == pytest.approx(oracle.soft_pairwise_accuracy(rows), abs=1e-12)
