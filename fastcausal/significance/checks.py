"""Checks of the arguments of every inference."""

from __future__ import annotations

from numbers import Integral

from fastcausal.options import Method, check

MOST_SEED = 2**63 - 1


def check_inference(method: str, confidence: float, n_resamples: int, seed: int) -> None:
    """Raise ValueError for an unknown method, or a number out of its range."""
    check("method", method, Method)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected a number between 0 and 1")
    check_draws(n_resamples, seed)


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
    if not isinstance(seed, Integral) or not 0 <= int(seed) <= MOST_SEED:
        raise ValueError(f"seed is {seed}, expected 0 to 2^63 - 1")
