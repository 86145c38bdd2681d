"""The spread of differences between systems, of every number of resamples that both define."""

from __future__ import annotations

import numpy as np

import fastcausal as fc
from fastcausal.significance import _ranks, sampling

PLACES = 64  # a row of strays is filled up to a multiple of it


def test_spreads_are_standard_deviations_of_what_both_define():
    rng = np.random.default_rng(3)
    for n in (*range(8), 63, 64, 65, 200):
        strays = np.full((5, PLACES * max(1, -(-n // PLACES))), np.nan)
        strays[:, :n] = rng.normal(size=(5, n))
        strays[3:, :n][rng.random((2, n)) < 0.5] = np.nan  # other places of either
        found = np.zeros((5, 5))
        _ranks.spreads(strays, found, 1)
        for a in range(5):
            for b in range(a + 1, 5):
                apart = strays[a] - strays[b]
                apart = apart[~np.isnan(apart)]
                expected = apart.std(ddof=1) if len(apart) > 1 else 0.0
                np.testing.assert_allclose(found[[a, b], [b, a]], expected, rtol=1e-12)


def test_the_largest_seed_is_taken():
    times = np.ones(40, np.int64)
    last, other = (
        np.concatenate([*sampling.bootstrap_weights(times, 2, seed)])
        for seed in (2**63 - 1, 2**63 - 2)
    )
    assert last.sum(axis=1).tolist() == [40, 40]
    assert not np.array_equal(last, other)


def test_resamples_of_few_units_are_warned_of():
    for n, warned in ((1, False), (2, True), (29, True), (40, False)):
        rows = [
            {"id": f"{k}", "length": 3, "relations": [{"cause": (0, 1 + k % 2)}]} for k in range(n)
        ]
        gold = fc.Relations.from_examples(rows)
        pred = fc.Relations.from_examples([{**rows[0], "id": row["id"]} for row in rows])
        statistics = fc.score(gold, pred).statistics
        for method, few in (("percentile", warned), ("bca", warned), ("jackknife", False)):
            lines = statistics.intervals(method=method, n_resamples=20).warnings
            assert any("fewer than 30" in line for line in lines) == few
