"""Units of rows: examples or clusters, drawn by weights."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.distinct import distinct
from fastcausal.counts.formula import Formula
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.significance.units import OneScore, Units, WholeUnits, worth_of

AnyInt = npt.NDArray[np.signedinteger]


def units_of_rows(
    formula: Formula,
    rows: CountRows,  # int64 or float64[n_rows, n_fields]: Different rows, ascending
    times: Int64,  # int64[n_rows]: Number of units with each row
    row_of: AnyInt,  # integers[n_units]: Row of each unit
    # int64[n_units]: Cluster of each unit: the sums of a cluster are drawn
    codes: Int64 | None = None,
    cluster: str | None = None,  # The column of the clusters
    # Flat name of the score to compute; None: all. The draws never depend on it.
    score: str | None = None,
) -> Units:
    """Return the units of one system."""
    formulas = formulas_of(formula, score)
    unit = cluster or formula.unit
    if not formula.adds:
        return _whole_units(formulas[-1], rows, times, row_of, codes, unit)
    terms = [f.terms(rows) for f in formulas]
    return units_of_terms(formulas[-1], terms, times, row_of, codes, unit)


def formulas_of(formula: Formula, score: str | None) -> list[Formula | OneScore]:
    """Return the formula of all scores, which decides the draws, and the wanted score's formula."""
    return [formula] if score is None else [formula, formula.only(score)]


def units_of_terms(
    formula: Formula | OneScore,
    terms: list[CountRows],
    times: Int64,
    row_of: AnyInt,
    codes: Int64 | None,
    unit: str,
) -> Units:
    """Make units of the last terms, in the order of the first ones."""
    if codes is None:
        return Units(formula, terms[-1], times, unit)
    sums = [sums_by(each, row_of, codes) for each in terms]
    different, place = distinct(sums[0])
    first = np.empty(len(different), np.int64)
    first[place] = np.arange(len(place))
    times = np.bincount(place, minlength=len(first))
    return Units(formula, sums[-1][first], times, unit, _worth_by_examples(codes))


def _worth_by_examples(codes: Int64) -> float:
    """Return the worth of clusters by their numbers of examples."""
    sizes = np.bincount(codes)
    return worth_of(sizes, np.ones(len(sizes), np.int64))


def sums_by(terms: CountRows, row_of: AnyInt, codes: Int64) -> CountRows:
    """Sum the terms of the units in each cluster; floats are rounded once, in any order."""
    order = np.argsort(codes, kind="stable")
    _, starts = np.unique(codes[order], return_index=True)
    rows = row_of[order]
    columns = [column[rows] for column in terms.T]
    if terms.dtype.kind == "f":
        sums = [[math.fsum(part) for part in np.split(c, starts[1:])] for c in columns]
        return np.array(sums, np.float64).T
    return np.stack([np.add.reduceat(column, starts) for column in columns], axis=1)


def _whole_units(
    formula: Any, rows: CountRows, times: Int64, row_of: AnyInt, codes: Int64 | None, unit: str
) -> WholeUnits:
    """Make units of rows that do not add: a cluster has all its rows, in ascending order."""
    if codes is None:
        return WholeUnits(formula, rows, times, unit, unit_of=np.arange(len(rows)))
    order = np.lexsort((row_of, codes))
    starts = np.unique(codes[order], return_index=True)[1]
    # Big-endian numbers sort as their bytes do.
    parts = np.split(row_of[order].astype(">i8"), starts[1:])
    contents = sorted(Counter(part.tobytes() for part in parts).items())
    members = [np.frombuffer(content, ">i8").astype(np.int64) for content, _ in contents]
    unit_of = np.repeat(np.arange(len(members)), [len(rows_of_unit) for rows_of_unit in members])
    times = np.array([n for _, n in contents])
    different, worth = rows[np.concatenate(members)], _worth_by_examples(codes)
    return WholeUnits(formula, different, times, unit, worth, unit_of=unit_of)
