"""Weighted sums of rows: exact for integers, rounded once for floats; order does not matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
CountRows = npt.NDArray[Any]
EXACT = 2**53  # float64 holds every integer up to here
EXACT_SINGLE = 2**24  # and float32
LARGEST = 1e150  # absolute value of a float in data: its square is finite


def sums_of(
    terms: CountRows,  # int or float64[n_rows, n_fields]: Finite numbers
    weights: Int64,  # int64[n_draws, n_rows]: Frequency of each row in a draw
) -> CountRows:
    """Return ``weights @ terms``: exact for integers, each sum rounded once for floats."""
    # A sum of floats equals ``math.fsum`` over the repeated values; their order does not matter.
    # Returns int64 or float64[n_draws, n_fields].
    return summing(terms, int(weights.sum(axis=1).max(initial=0)))(weights)


def max_abs(values: Any) -> Any:
    """Return the largest absolute value, 0 for an empty array, without a copy.

    >>> int(max_abs(np.array([[-3, 2]]))), float(max_abs(np.zeros(0)))
    (3, 0.0)
    """
    return max(values.max(initial=0).item(), -values.min(initial=0).item())


def narrowed(counts: CountRows) -> CountRows:
    """Convert counts to the smallest integer type; return floats unchanged."""
    if counts.dtype.kind == "f":
        return counts
    return counts.astype(np.min_scalar_type(-1 - int(max_abs(counts))))


def products_of(a: CountRows, b: CountRows, n: int) -> CountRows:
    """Multiply element by element, as floats if a sum of n products may leave int64.

    >>> products_of(np.array([2, 3]), np.array([5, 7]), 2)
    array([10, 21])
    """
    largest = float(max_abs(a)) * float(max_abs(b)) * float(n)
    if "f" in (a.dtype.kind, b.dtype.kind) or largest >= 2.0**62:
        a = a.astype(np.float64)
    return a * b


def scaled_down(values: CountRows) -> CountRows:
    """Scale floats by a power of two to at most 1, so that their squares are finite.

    >>> scaled_down(np.array([3.0, -8.0])), scaled_down(np.array([3, -8]))
    (array([ 0.1875, -0.5   ]), array([ 3, -8]))
    """
    if values.dtype.kind != "f":
        return values
    return np.ldexp(values, -int(np.frexp(max_abs(values))[1]))


def summing(terms: CountRows, most: int) -> Callable[[Int64], CountRows]:
    """Return `sums_of` these terms as a function of weights that add up to at most ``most``."""
    # Float matrices multiply many times faster than integer ones, and exactly if every sum stays
    # below 2^24 (float32) or 2^53 (float64).
    if terms.dtype.kind == "f":
        parts = _exact_parts(terms, most)
        return lambda weights: _sums_of_parts(parts, weights, terms.shape[1])
    bound = float(max_abs(terms)) * float(most)
    if bound >= 2.0**63:
        raise ValueError(f"weighted counts may add up to {bound:.3g}, expected less than 2^63")
    if bound >= EXACT:
        return lambda weights: weights @ terms
    floats = terms.astype(np.float32 if bound < EXACT_SINGLE else np.float64)
    return lambda weights: _product(weights, floats).astype(np.int64)


def _product(weights: Int64, rows: Any) -> Any:
    """Multiply by a float matrix with sums that are exact in any order."""
    times = weights.astype(rows.dtype)
    # BLAS threads keep processors busy long after one small product.
    return np.einsum("ij,jk->ik", times, rows) if len(times) == 1 else times @ rows


def _exponent_of(values: Float64, most: int) -> int:
    """Return the power of two above all absolute values; refuse values with infinite sums."""
    largest = max_abs(values)
    if not math.isfinite(2.0 * largest * most):
        raise ValueError(f"a term is {largest:g}, expected terms with finite sums")
    return int(np.frexp(largest)[1])


def _exact_parts(values: Float64, most: int) -> list[Float64]:
    """Split floats into multiples of powers of two, whose weighted sums are exact in float64."""
    bits = 52 - most.bit_length()
    if bits < 1:
        raise ValueError("weights add up to 2^51 or more, expected less")
    exponent = _exponent_of(values, most)
    parts, rest = [], values.copy()
    while rest.any():
        exponent -= bits
        part = np.ldexp(rest, -exponent)
        parts.append(np.ldexp(np.rint(part, out=part), exponent, out=part))
        rest -= part
    return parts


def _sums_of_parts(parts: list[Float64], weights: Int64, n_fields: int) -> Float64:
    sums = [_product(weights, part) for part in parts]
    if len(sums) < 3:  # a sum of two is rounded once
        return sum(sums, np.zeros((len(weights), n_fields)))
    cells = np.stack(sums, axis=-1).reshape(-1, len(sums))
    return np.array([math.fsum(cell) for cell in cells.tolist()]).reshape(sums[0].shape)


class FixedPoint(NamedTuple):
    """Floats as sums of integers times powers of two, whose weighted sums are exact."""

    parts: Int64  # int64[n_parts, n_rows]
    # The column and the power of two of each part; empty for integers, whose columns are
    # parts
    columns: tuple[tuple[int, int], ...]
    n_columns: int

    @classmethod
    def split(cls, values: CountRows, total: int) -> FixedPoint:
        """Split finite floats, so that weights of this total leave every sum below 2^62."""
        if values.dtype.kind != "f":
            return cls(np.ascontiguousarray(values.T), (), len(values.T))
        bits = min(52, 62 - total.bit_length())
        if bits < 1:
            raise ValueError("weights add up to 2^61 or more, expected less")
        parts, columns = list[Int64](), list[tuple[int, int]]()
        for k, column in enumerate(values.T):
            exponent = _exponent_of(column, total)
            rest = column
            while rest.any():
                exponent -= bits
                part = np.rint(np.ldexp(rest, -exponent))
                rest = rest - np.ldexp(part, exponent)
                parts.append(part.astype(np.int64))
                columns.append((k, exponent))
        held = np.array(parts, np.int64).reshape(len(parts), len(values))
        return cls(held, tuple(columns), values.shape[1])

    def room(self, n_draws: int) -> Int64:
        """Return zeros for the sums of so many draws: int64[n_draws, n_parts]."""
        return np.zeros((n_draws, len(self.parts)), np.int64)

    def near(self, sums: Int64) -> CountRows:
        """Return sums as `rounded` does, but let the last digits differ; many times faster."""
        if not self.columns:
            return self.rounded(sums)
        totals = np.zeros((len(sums), self.n_columns))
        for p, (k, exponent) in enumerate(self.columns):
            totals[:, k] += np.ldexp(sums[:, p].astype(np.float64), exponent)
        return totals

    def rounded(self, sums: Int64) -> CountRows:
        """Return sums of values from sums of parts, int64[n_draws, n_parts]; round floats once."""
        if len(self.parts) and not self.columns:
            return sums
        totals = np.zeros((len(sums), self.n_columns))
        for k in range(self.n_columns):
            own = [(p, exponent) for p, (of, exponent) in enumerate(self.columns) if of == k]
            if own:
                parts, exponents = zip(*own, strict=True)
                totals[:, k] = rounded_sums(sums[:, list(parts)], exponents)
        return totals


def rounded_sums(parts: Int64, exponents: Sequence[int]) -> Float64:
    """Add parts along the last axis, each times its power of two; round each sum once.

    >>> rounded_sums(np.array([[3, 1], [0, -2]]), [-1, 0])
    array([ 2.5, -2. ])
    """
    least = min(exponents)
    shifts = [exponent - least for exponent in exponents]
    sums = [
        _times_power(sum(n << shift for n, shift in zip(cell, shifts, strict=True)), least)
        for cell in parts.reshape(-1, len(shifts)).tolist()
    ]
    return np.array(sums, np.float64).reshape(parts.shape[:-1])


def _times_power(n: int, exponent: int) -> float:
    """Return an integer times a power of two, rounded once."""
    if exponent >= 0:
        return float(n << exponent)
    return n / (1 << -exponent)
