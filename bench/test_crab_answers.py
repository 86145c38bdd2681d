"""Yes and no against many thresholds at once."""

from __future__ import annotations

import numpy as np

from fastcausal.tasks.crab.sweep import count

CORPUS = "made answers"

N_PAIRS = 10_000_000


def test_thresholds(race):
    random = np.random.default_rng(0)
    score = random.integers(0, 101, N_PAIRS).astype(np.float64)
    said = random.integers(-1, 3, N_PAIRS)
    limits = np.arange(0.5, 100)
    many = count(score, said, limits)
    assert all((count(score, said, limits[k : k + 1])[0] == many[k]).all() for k in (0, 49))
    is_yes, at = score > limits[49], many[49]
    assert at.tolist() == [
        [int(((said == answer) & (is_yes == gold)).sum()) for answer in range(3)]
        for gold in (False, True)
    ]
    race(
        "100 thresholds",
        N_PAIRS,
        lambda: count(score, said, limits),
        {"one threshold": lambda: count(score, said, limits[49:50])},
        3,
    )
