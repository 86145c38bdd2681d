"""Settings of intervals and tests as one value, and checks of these numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any

from fastcausal.options import Method, check

MAX_SEED = 2**63 - 1
METHODS: dict[Method, str] = {
    "jackknife": "jackknife",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
}
"""Names of the methods in print."""


@dataclass(frozen=True)
class Draws:
    """Settings of intervals and tests."""

    # Method of intervals, see `fastcausal.significance.intervals.intervals_of`
    method: Method = "jackknife"
    # Between 0 and 1. Intervals cover the true score in this share of samples.
    confidence: float = 0.95
    # Number and seed of resamples, which intervals by the jackknife do not use
    n_resamples: int = 10_000
    seed: int = 0
    # A column; units with the same value are drawn together. None draws single units.
    cluster: str | None = None

    def __post_init__(self) -> None:
        check("method", self.method, Method)
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence is {self.confidence}, expected a number between 0 and 1")
        check_draws(self.n_resamples, self.seed)

    def settings(self) -> dict[str, Any]:
        """Return the settings that a result shows: all but the column of clusters."""
        return {name: value for name, value in asdict(self).items() if name != "cluster"}

    def arguments(self) -> dict[str, Any]:
        """Return the settings by name, as arguments of public functions."""
        return asdict(self)


def check_draws(n_resamples: int, seed: int) -> None:
    """Raise ValueError for a number of resamples below 1, or a seed outside of 0 to 2^63 - 1."""
    check_count("n_resamples", n_resamples)
    check_seed(seed)


def check_count(name: str, value: object) -> None:
    """Raise ValueError for a value that is not an integer of at least 1."""
    if not isinstance(value, Integral):
        raise ValueError(f"{name} is {value}, expected an integer")
    if int(value) < 1:
        raise ValueError(f"{name} is {value}, expected at least 1")


def check_seed(seed: object) -> None:
    """Raise ValueError for a seed that is not an integer from 0 to 2^63 - 1."""
    if not isinstance(seed, Integral) or not 0 <= int(seed) <= MAX_SEED:
        raise ValueError(f"seed is {seed}, expected 0 to 2^63 - 1")
