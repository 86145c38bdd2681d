"""Weighted sums of rows: exact for integers, rounded once for floats; order does not matter."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
CountRows = npt.NDArray[Any]
EXACT = 2**53  # float64 holds every integer up to here
EXACT_SINGLE = 2**24  # and float32


def sums_of(terms: CountRows, weights: Int64) -> CountRows:
    """Return ``weights @ terms``: exact for integers, each sum rounded once for floats."""
    return exact_sums(terms, weights) if terms.dtype.kind == "f" else weighted_sums(terms, weights)


def max_abs(values: Any) -> Any:
    """Return the largest absolute value, 0 for an empty array."""
    return np.abs(values).max(initial=0)


def weighted_sums(rows: npt.NDArray[np.int64], weights: npt.NDArray[np.int64]) -> Any:
    """Return ``weights @ rows`` of integers, exact.

    Float matrices multiply many times faster than integer ones, and exactly if every sum stays
    below 2^24 (float32) or 2^53 (float64).

    Parameters
    ----------
    rows : int[n_rows, n_fields]
    weights : int64[n_draws, n_rows]
        Frequency of each row in a draw.

    Returns
    -------
    int64[n_draws, n_fields]

    Raises
    ------
    ValueError
        A sum might leave 64 bits.

    Examples
    --------
    >>> weighted_sums(np.array([[1, 2], [3, 4]]), np.array([[1, 1], [2, 0]]))
    array([[4, 6],
           [2, 4]])
    """
    bound = float(max_abs(rows)) * float(weights.sum(axis=1, dtype=np.float64).max(initial=0))
    if bound < EXACT:
        kind = np.float32 if bound < EXACT_SINGLE else np.float64
        return _product(weights.astype(kind), rows.astype(kind)).astype(np.int64)
    if bound >= 2.0**63:
        raise ValueError(f"weighted counts may add up to {bound:.3g}, expected less than 2^63")
    return weights @ rows


def _product(weights: Any, rows: Any) -> Any:
    """Multiply float matrices with sums that are exact in any order."""
    # BLAS threads keep processors busy long after one small product.
    return np.einsum("ij,jk->ik", weights, rows) if len(weights) == 1 else weights @ rows


def exact_sums(values: Float64, weights: npt.NDArray[np.int64]) -> Float64:
    """Return ``weights @ values`` of floats, each sum rounded once.

    The result equals ``math.fsum`` over the repeated values and does not depend on their order.

    Parameters
    ----------
    values : float64[n_rows, n_fields]
        Finite.
    weights : int64[n_draws, n_rows]
        Frequency of each row in a draw; their sum stays below 2^50.

    Returns
    -------
    float64[n_draws, n_fields]

    Examples
    --------
    >>> exact_sums(np.array([[0.1], [0.5]]), np.array([[3, 0], [1, 1]]))
    array([[0.3],
           [0.6]])
    """
    # Multiples of one power of two, small enough for float64 to add every product exactly.
    bits = 52 - int(weights.sum(axis=1).max(initial=0)).bit_length()
    if bits < 1:
        raise ValueError("weights add up to 2^51 or more, expected less")
    times = weights.astype(np.float64)
    exponent = int(np.frexp(max_abs(values))[1])
    parts = []
    while values.any():
        exponent -= bits
        part = np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)
        parts.append(_product(times, part))
        values = values - part
    if len(parts) < 3:  # a sum of two is rounded once
        return sum(parts, np.zeros((len(weights), values.shape[1])))
    cells = np.stack(parts, axis=-1).reshape(-1, len(parts))
    return np.array([math.fsum(cell) for cell in cells.tolist()]).reshape(parts[0].shape)


class FixedPoint(NamedTuple):
    """Floats as sums of integers times powers of two, whose weighted sums are exact.

    Attributes
    ----------
    parts : int64[n_parts, n_rows]
    columns : tuple of (int, int)
        The column and the power of two of each part; none of integers, which are parts themselves.
    n_columns : int
    """

    parts: Int64
    columns: tuple[tuple[int, int], ...]
    n_columns: int

    @classmethod
    def of(cls, values: CountRows, total: int) -> FixedPoint:
        """Split finite floats, so that weights of this total leave every sum below 2^62.

        Examples
        --------
        >>> split = FixedPoint.of(np.array([[0.5, 3.0], [0.25, 1.0]]), 2)
        >>> split.rounded(split.parts.sum(axis=1)[None])
        array([[0.75, 4.  ]])
        """
        if values.dtype.kind != "f":
            return cls(np.ascontiguousarray(values.T), (), len(values.T))
        bits = min(52, 62 - total.bit_length())
        if bits < 1:
            raise ValueError("weights add up to 2^61 or more, expected less")
        parts, columns = list[Int64](), list[tuple[int, int]]()
        for k, column in enumerate(values.T):
            exponent = int(np.frexp(max_abs(column))[1])
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

    def rounded(self, sums: Int64) -> CountRows:
        """Return sums of parts, int64[n_draws, n_parts]: as they are, or floats rounded once."""
        if len(self.parts) and not self.columns:
            return sums
        totals = np.zeros((len(sums), self.n_columns))
        for k in range(self.n_columns):
            own = [(p, exponent) for p, (of, exponent) in enumerate(self.columns) if of == k]
            if not own:
                continue
            least = min(exponent for _, exponent in own)
            columns = [(sums[:, p].tolist(), exponent - least) for p, exponent in own]
            whole = [sum(each) for each in zip(
                *([n << shift for n in column] for column, shift in columns), strict=True
            )]  # fmt: skip
            totals[:, k] = [_times_power(n, least) for n in whole]
        return totals


def _times_power(n: int, exponent: int) -> float:
    """Return an integer times a power of two, rounded once."""
    if exponent >= 0:
        return float(n << exponent)
    return n / (1 << -exponent)
