"""Units of two systems, joined by id."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.units import formulas_of, sums_by, units_of_terms
from fastcausal.errors import InputError
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.significance.units import Units


def joint_units(
    a: Statistics,
    b: Statistics,
    cluster: str | None = None,  # A column of the units of ``a``, or "auto"
    score: str | None = None,  # As in `Statistics.drawn`
) -> Units:
    """Return the units of two systems on the same examples, joined by id."""
    # Returns Units: terms of ``a``, followed by terms of ``b``.
    formula = a.formula.union(b.formula)
    (of_a, whole_a), (of_b, whole_b) = a.different_rows(), b.different_rows()
    cluster = a.resolve_cluster(cluster)
    codes = None if cluster is None else a.clusters(cluster)
    pairs, row_of = distinct(np.stack([of_a, of_b[places(a, b)]], axis=1))
    sides = [
        side.formula.convert(rows, formula)[column]
        for side, rows, column in zip((a, b), (whole_a, whole_b), pairs.T, strict=True)
    ]
    formulas = formulas_of(formula, score)
    terms = [np.hstack([each.terms(rows) for rows in sides]) for each in formulas]
    times = np.bincount(row_of, minlength=len(pairs))
    return units_of_terms(formulas[-1], terms, times, row_of, codes, cluster or formula.unit)


def terms_of(statistics: Statistics, cluster: str | None, score: str) -> CountRows:
    """Return the terms of a score for every example in order, or for every cluster."""
    row_of, rows = statistics.different_rows()
    terms: CountRows = statistics.formula.only(score).terms(rows)
    cluster = statistics.resolve_cluster(cluster)
    if cluster is None:
        each: CountRows = terms[row_of]
        return each
    return sums_by(terms, row_of, statistics.clusters(cluster))


def places(a: Statistics, b: Statistics, names: tuple[str, str] = ("A", "B")) -> Int64:
    """Return the place in b of each unit of a: by id, or by position if neither side has ids."""
    from fastcausal.files.keys import format_keys, lacking, places_of

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
            raise InputError(f"{name}: {len(missing)} ids are missing{format_keys(other, missing)}")
    return places_of(*ids)


def _ids(side: Statistics, name: str) -> Any:
    """Return the ids of the units as text, None without ids."""
    import pyarrow as pa

    from fastcausal.arrays import compute as pc
    from fastcausal.arrays.arrow import joined
    from fastcausal.files.keys import require_unique

    if side.units is None:
        raise InputError(f"{name}: sums alone have no units to draw or to join")
    if "id" not in side.units.column_names:
        return None
    ids = joined(pc.cast(side.units["id"], pa.string()))
    if ids.null_count:
        raise InputError(f"{name}: an id is null, expected ids or no column of ids")
    require_unique(ids, called=lambda row: f'{name}: id "{ids[row]}"')
    return ids
