"""Corrections of p for many tests: Holm, Benjamini and Hochberg, Benjamini and Yekutieli."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]


def holm(p: Float64) -> Float64:
    """Adjust p so that the chance of any false rejection is bounded (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p: Float64) -> Float64:
    """Adjust p so that the expected share of false ones among rejections is bounded (1995).

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    return _stepped_up(p, 1.0)


def benjamini_yekutieli(p: Float64) -> Float64:
    """Adjust p as `benjamini_hochberg` does, for tests with any dependence (2001)."""
    return _stepped_up(p, float(np.sum(1 / np.arange(1, len(p) + 1))))


def _stepped_up(p: Float64, factor: float) -> Float64:
    order = np.argsort(p, kind="stable")
    steps = p[order] * (len(p) / np.arange(1, len(p) + 1)) * factor
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return adjusted


CORRECTIONS: dict[str, Callable[[Float64], Float64]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": lambda p: p,
}


CORRECTED = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "uncorrected"}
"""Names of the corrections in print."""


def level_text(confidence: float) -> str:
    """Format the level of significance, 1 - confidence, as percent.

    >>> level_text(0.95), level_text(0.999)
    ('5%', '0.1%')
    """
    return f"{100 * (1 - confidence):.3g}%"


def adjusted(
    p: Any,  # float64[n_tests]
    correction: str,
) -> Float64:
    """Adjust p-values for the number of tests; undefined p stay NaN and count as no test."""
    values = np.array(p, np.float64)
    defined = ~np.isnan(values)
    if defined.any():
        values[defined] = CORRECTIONS[correction](values[defined])
    return values


def resamples_needed(n_tests: int, confidence: float) -> int:
    """Return the fewest resamples with which Holm's smallest p can reach 1 - confidence."""
    # With R resamples p is at least 1 / (R + 1); Holm multiplies it by the number of tests.
    return math.ceil(round(n_tests / (1 - confidence), 6)) - 1
