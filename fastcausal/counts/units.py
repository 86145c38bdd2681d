"""Statistics as units of resampling: examples or clusters, of one system or of two joined."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.arrays.strata import By
from fastcausal.counts.formula import Formula
from fastcausal.errors import InputError
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.significance.units import EXAMPLE, OneScore, Units, WholeUnits

if TYPE_CHECKING:
    import pyarrow as pa


class Counted(Protocol):
    """The part of statistics that units are made of."""

    @property
    def formula(self) -> Formula: ...  # noqa: D102
    @property
    def rows(self) -> CountRows: ...  # noqa: D102
    @property
    def units(self) -> pa.Table | None: ...  # noqa: D102
    @property
    def row_of(self) -> Int64 | None: ...  # noqa: D102
    def compressed(self) -> Self: ...  # noqa: D102
    def clusters(self, column: str | None) -> Int64: ...  # noqa: D102
    def parts(self, by: By) -> Mapping[str, Self]: ...  # noqa: D102


def units_of(statistics: Counted, cluster: str | None = None, score: str | None = None) -> Units:
    """Return the units of one system.

    Parameters
    ----------
    statistics : Statistics
    cluster : str, optional
        A column of the units: the sums of its values are drawn.
    score : str, optional
        The score to compute, by flat name; None: all. Draws do not depend on it.

    Raises
    ------
    InputError
        Only sums are kept, the cluster column is unknown, or has nulls.
    ValueError
        An unknown score.
    """
    row_of, whole = _rows_of(statistics)
    codes = None if cluster is None else statistics.clusters(cluster)
    formulas = _formulas(whole.formula, score)
    if not whole.formula.adds:
        return _whole_units(formulas[-1], whole.rows, row_of, codes, cluster)
    terms = [formula.terms(whole.rows) for formula in formulas]
    return _units(formulas[-1], terms, row_of, codes, cluster)


def joint_units(
    a: Counted, b: Counted, cluster: str | None = None, score: str | None = None
) -> Units:
    """Return the units of two systems on the same examples, joined by id.

    Parameters
    ----------
    a, b : Statistics
    cluster : str, optional
        A column of the units of ``a``.
    score : str, optional
        As in `units_of`.

    Returns
    -------
    Units
        The terms of ``a``, then those of ``b``.

    Raises
    ------
    InputError
        As `units_of`; or ids repeat, or are missing on one side.
    ValueError
        An unknown score, or statistics that count different things.
    """
    formula = a.formula.union(b.formula)
    (of_a, whole_a), (of_b, whole_b) = _rows_of(a), _rows_of(b)
    codes = None if cluster is None else a.clusters(cluster)
    pairs, row_of = distinct(np.stack([of_a, of_b[places(a, b)]], axis=1))
    sides = [
        side.formula.convert(side.rows, formula)[column]
        for side, column in zip((whole_a, whole_b), pairs.T, strict=True)
    ]
    formulas = _formulas(formula, score)
    terms = [np.hstack([each.terms(rows) for rows in sides]) for each in formulas]
    return _units(formulas[-1], terms, row_of, codes, cluster)


def terms_of(statistics: Counted, cluster: str | None, score: str) -> CountRows:
    """Return the terms of a score for every example in order, or for every cluster.

    Raises
    ------
    InputError, ValueError
        As `units_of`.
    """
    row_of, whole = _rows_of(statistics)
    terms: CountRows = whole.formula.only(score).terms(whole.rows)
    if cluster is None:
        each: CountRows = terms[row_of]
        return each
    return _sums_by(terms, row_of, statistics.clusters(cluster))


def _formulas(formula: Formula, score: str | None) -> list[Formula | OneScore]:
    """Return the formula of all scores, which decides the draws, and that of the wanted score."""
    return [formula] if score is None else [formula, formula.only(score)]


def _rows_of(statistics: Counted) -> tuple[Int64, Any]:
    """Return the row of each unit, and the statistics with distinct, ascending rows."""
    if statistics.units is None:
        raise InputError("statistics of sums alone have no units to draw")
    whole = statistics.compressed()
    assert whole.row_of is not None
    return whole.row_of, whole


def places(a: Counted, b: Counted, names: tuple[str, str] = ("A", "B")) -> Int64:
    """Return the place in b of each unit of a: by id, or by position if neither side has ids.

    Raises
    ------
    InputError
        Ids are on one side alone, null, repeated or missing; or, without ids, the numbers of units
        differ. The message has the names of the sides.
    """
    from fastcausal.files.keys import lacking, places_of, some_keys

    ids = [_ids(side, name) for side, name in zip((a, b), names, strict=True)]
    if ids[0] is None and ids[1] is None:
        n_a, n_b = len(a.clusters(None)), len(b.clusters(None))
        if n_a != n_b:
            raise InputError(f"{names[0]} has {n_a} units, {names[1]} has {n_b}, both without ids")
        return np.arange(n_a)
    for k, name in enumerate(names):
        if ids[k] is None:
            raise InputError(f"{name} has no ids, {names[1 - k]} has ids to join by")
    for (own, other), name in zip((ids, ids[::-1]), names, strict=True):
        if len(missing := lacking(other, own)):
            raise InputError(f"{name}: {len(missing)} ids are missing{some_keys(other, missing)}")
    return places_of(*ids)


def _ids(side: Counted, name: str) -> Any:
    """Return the ids of the units as text, None without ids."""
    import pyarrow as pa

    from fastcausal.arrays.arrow import joined
    from fastcausal.files.keys import require_unique

    if side.units is None:
        raise InputError(f"{name}: sums alone have no units to draw or to join")
    if "id" not in side.units.column_names:
        return None
    ids = joined(side.units["id"].cast(pa.string()))
    if ids.null_count:
        raise InputError(f"{name}: an id is null, expected ids or no column of ids")
    require_unique(ids, called=lambda row: f'{name}: id "{ids[row]}"')
    return ids


def _units(
    formula: Formula | OneScore,
    terms: list[CountRows],
    row_of: Int64,
    codes: Int64 | None,
    cluster: str | None,
) -> Units:
    """Make units of the last terms, in the order of the first ones."""
    if codes is None or cluster is None:
        return Units(formula, terms[-1], np.bincount(row_of, minlength=len(terms[-1])), EXAMPLE)
    sums = [_sums_by(each, row_of, codes) for each in terms]
    different, place = distinct(sums[0])
    first = np.empty(len(different), np.int64)
    first[place] = np.arange(len(place))
    return Units(formula, sums[-1][first], np.bincount(place, minlength=len(first)), cluster)


def _sums_by(terms: CountRows, row_of: Int64, codes: Int64) -> CountRows:
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
    formula: Any, rows: CountRows, row_of: Int64, codes: Int64 | None, cluster: str | None
) -> WholeUnits:
    """Make units of rows that do not add: a cluster has all its rows, in ascending order."""
    if codes is None or cluster is None:
        times = np.bincount(row_of, minlength=len(rows))
        return WholeUnits(formula, rows, times, EXAMPLE, np.arange(len(rows)))
    order = np.lexsort((row_of, codes))
    starts = np.unique(codes[order], return_index=True)[1]
    # Big-endian numbers sort as their bytes do.
    parts = np.split(row_of[order].astype(">i8"), starts[1:])
    contents = sorted(Counter(part.tobytes() for part in parts).items())
    members = [np.frombuffer(content, ">i8").astype(np.int64) for content, _ in contents]
    unit_of = np.repeat(np.arange(len(members)), [len(rows_of_unit) for rows_of_unit in members])
    times = np.array([n for _, n in contents])
    return WholeUnits(formula, rows[np.concatenate(members)], times, cluster, unit_of)
