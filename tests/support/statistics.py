"""Comparison of statistics: the counts of each unit, and every score to the last bit."""

from __future__ import annotations

import math

import numpy as np

from fastcausal.counts.statistics import Statistics


def same(found: dict[str, float], expected: dict[str, float]) -> bool:
    return found.keys() == expected.keys() and all(
        np.float64(found[k]).tobytes() == np.float64(v).tobytes()
        or (math.isnan(found[k]) and math.isnan(v))
        for k, v in expected.items()
    )


def of_draw(statistics: Statistics, weights: np.ndarray | None = None) -> dict[str, float]:
    scores = statistics.scores(None if weights is None else weights[None])
    return {name: float(value[0]) for name, value in scores.items()}


def alike(one: Statistics, other: Statistics) -> None:
    """Check that units, the row of each, and every score are equal."""
    assert (one.formula, one.signature) == (other.formula, other.signature)
    assert (one.units is None) == (other.units is None)
    if one.units is not None:
        assert one.units.equals(other.units)
        assert np.array_equal(one.rows[one._row_of], other.rows[other._row_of])
    one, other = one.compressed(), other.compressed()
    assert np.array_equal(one.rows, other.rows)
    assert np.array_equal(one.times, other.times)
    assert same(of_draw(one), of_draw(other))


def of_the_same(one: Statistics, other: Statistics) -> None:
    """Check `alike`, and that all metadata but the name of the system are equal."""
    alike(one, other)
    assert one.gold == other.gold
    assert (one.warnings, one.facts) == (other.warnings, other.facts)
    assert (one.left_out is None) == (other.left_out is None)
    if one.left_out is not None:
        assert one.left_out.equals(other.left_out)
