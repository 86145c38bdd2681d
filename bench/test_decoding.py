"""Logits of a batch of 32 × 128 tokens to relations, against the same in plain Python and numpy."""

from __future__ import annotations

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.decoding import span_selection
from fastcausal.decoding.spans import METHODS

CORPUS = "32 × 128 random logits"

BATCH, WIDTH = 32, 128
ROUNDS = 5


def boundaries():
    """Logits of a trained model: near -8, but high near the bounds of spans."""
    rng = np.random.default_rng(0)
    logits = rng.normal(-8, 2, (BATCH, WIDTH, 6)).astype(np.float32)
    peaks = rng.integers(1, WIDTH - 1, (BATCH, 6, 3))
    for e, c in np.ndindex(BATCH, 6):
        logits[e, peaks[e, c], c] += rng.normal(10, 2, 3)
    return logits


@pytest.mark.parametrize("method", METHODS)
def test_spans(race, method):
    logits = boundaries()
    decoder = fc.SpanDecoder(method)

    def plain():
        settings = decoder._settings()
        return [span_selection.select(e.T, None, None, True, *settings) for e in logits]

    found = decoder.decode(logits)
    assert found.scores.tolist() == [one.score for example in plain() for one in example]
    race(
        f"{method}, {BATCH} × {WIDTH}: logits to relations",
        BATCH,
        lambda: decoder.decode(logits),
        {"listed and sorted in plain Python": plain},
        ROUNDS,
    )
