"""Systems on the same examples: missing ids, different contents, unequal numbers of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import drop_columns, joined
from fastcausal.arrays.strata import name_cluster
from fastcausal.counts.signatures import different
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy
from fastcausal.files.keys import format_keys, lacking, places_of
from fastcausal.options import AUTO, CLUSTERS
from fastcausal.significance.sums import Int64
from fastcausal.tasks.values.formula import CONTENT, ValueFormula
from fastcausal.tasks.values.report import count_answers, find_source, list_notes

MAX_UNEQUAL = 4  # times as many answers, beyond which p may be too small (docs/desk.md)


# Systems, the rule with the numbers of answers of each system, warnings
Joint = tuple[dict[str, Statistics], dict[str, Any], tuple[str, ...]]


def pair(
    systems: Mapping[str, Statistics],
    cluster: str | None = None,
    may_drop: bool = False,  # True leaves out examples of other contents, with a warning
) -> Joint:
    """Reduce systems to the same examples, in the same order, by the policy for missing ones."""
    names = [*systems]
    signed = _unify(systems)
    every = {name: _ids(name, s) for name, s in systems.items()}
    formula = _require_values(next(iter(signed.values())))
    same = _same(every)
    common = intersect(every) if same is None else same
    if formula.missing == "error" and same is None:
        require_same(every, common)
    united = _unite(every) if same is None else same
    wanted = united if formula.missing == "zero" else common
    if not len(wanted):
        raise _refuse_disjoint(every)
    answers = {
        name: count_answers(s) | {"missing": len(united) - len(every[name])}
        for name, s in systems.items()
    }
    aligned = {name: _restrict(s, every[name], wanted) for name, s in signed.items()}
    changed: tuple[str, ...] = ()
    if may_drop:
        aligned, changed = _drop_changed(aligned)
    unlike = dict[str, None]()
    for name in names[1:]:
        both = (names[0], aligned[names[0]]), (name, aligned[name])
        _check_examples(*both, name_cluster(cluster))
        unlike |= dict.fromkeys(c for c in CLUSTERS if cluster == AUTO and _differ(*both, c).any())
    if formula.missing == "skip":
        aligned = _drop_unscored(aligned)
    units = drop_columns(_fill_units(aligned), unlike)
    return (
        {name: replace(s, units=units) for name, s in aligned.items()},
        {"rule": formula.answers, **answers},
        list_notes(systems)
        + changed
        + tuple(f"systems have other values of {each}: no cluster by default" for each in unlike)
        + _compare_numbers(aligned, formula.answers),
    )


def unify_values(systems: Mapping[str, Statistics]) -> Joint:
    """Give two systems one formula and signature without joining their examples."""
    signed = _unify(systems)
    answers = {
        role: {**count_answers(s), "missing": 0}
        for role, s in zip("ab", signed.values(), strict=True)
    }
    rule = _require_values(next(iter(signed.values()))).answers
    return signed, {"rule": rule, **answers}, list_notes(systems)


def _require_values(statistics: Statistics) -> ValueFormula:
    """Return the formula of values."""
    formula = statistics.formula
    assert isinstance(formula, ValueFormula)
    return formula


def _unify(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Give all systems one formula and signature; InputError if their scores or rules differ."""
    (first, statistics), *rest = systems.items()
    formulas = [_require_values(statistics)]
    for name, other in rest:
        try:
            formulas.append(formulas[0].union(other.formula))
        except ValueError as error:
            ours, theirs = (
                s.formula.signature([]) if isinstance(s.formula, ValueFormula) else s.signature
                for s in (statistics, other)
            )
            raise InputError(
                f"{first} and {name} are of other scores or rules: {different(ours, theirs)} and "
                f"{different(theirs, ours)}"
            ) from error
    formula = formulas[0]
    for each in formulas[1:]:
        formula = formula.union(each)
    formats = {find_source(s).get("format", "table") for s in systems.values()}
    signature = formula.signature(formats)
    return {name: replace(s, formula=formula, signature=signature) for name, s in systems.items()}


def _ids(name: str, statistics: Statistics) -> pa.Array:
    if statistics.units is None or "id" not in statistics.units.column_names:
        raise InputError(f"{name}: no ids to join by")
    return joined(statistics.units["id"].cast(pa.string()))


def _same(every: Mapping[str, pa.Array]) -> pa.Array | None:
    """Return the ids of all systems if they are equal, in the same order."""
    first, *rest = every.values()
    return first if all(map(first.equals, rest)) else None


def _unite(every: Mapping[str, pa.Array]) -> pa.Array:
    return pc.unique(pa.chunked_array([*every.values()], pa.string()))


def intersect(every: Mapping[str, pa.Array]) -> pa.Array:
    """Return the ids that all systems have, in the order of the first."""
    return reduce(lambda a, b: a.filter(pc.is_in(a, b)), every.values())


def _refuse_disjoint(every: Mapping[str, pa.Array]) -> InputError:
    shown = "; ".join(
        f"{name} has {len(ids)}{format_keys(ids, np.arange(len(ids)))}"
        for name, ids in every.items()
    )
    return InputError(f"no common ids: {shown}", _UNPAIRED)


_UNPAIRED = Remedy("unpaired", (), "would compare other examples on purpose")


def require_same(every: Mapping[str, pa.Array], common: pa.Array) -> None:
    """Raise InputError if a system has ids that another one lacks; the message names such ids."""
    if not len(common):
        raise _refuse_disjoint(every)
    alone = {name: lacking(ids, common) for name, ids in every.items()}
    if not any(map(len, alone.values())):
        return
    shown = "; ".join(
        f"{name} alone has {len(rows)} ids{format_keys(every[name], rows)}"
        for name, rows in alone.items()
    )
    raise InputError(
        f"{shown}, expected the same ids",
        Remedy("missing", ("skip", "zero"), "would leave them out or count 0"),
    )


def _restrict(statistics: Statistics, ids: pa.Array, wanted: pa.Array) -> Statistics:
    """Reduce a system to the wanted examples; an example that it lacks gets 0 as values."""
    units = statistics.units
    assert units is not None
    if ids.equals(wanted):
        return _replace_rows(statistics, statistics.rows_of_units(), units)
    places = places_of(wanted, ids)
    lacks = places < 0
    taken = statistics.rows_of_units()[places]
    taken[lacks, 0::2], taken[lacks, 1::2] = 0, 1
    table = units.take(pa.array(places, mask=lacks))
    if not lacks.any():
        return _replace_rows(statistics, taken, table)
    return _replace_rows(
        statistics, taken, table.set_column(table.column_names.index("id"), "id", wanted)
    )


def _replace_rows(statistics: Statistics, rows: Any, units: pa.Table) -> Statistics:
    return replace(
        statistics,
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=units,
        row_of=None,
        left_out=None,
    )


def _check_examples(
    a: tuple[str, Statistics], b: tuple[str, Statistics], cluster: str | None
) -> None:
    """Raise InputError if contents or clusters of an example differ between two systems."""
    (name, mine), (other, _) = a, b
    assert mine.units is not None
    for column, noun in ((CONTENT, "inputs"), (cluster, f"values of {cluster}")):
        unlike = _differ(a, b, column)
        if unlike.any():
            id = mine.units["id"][int(unlike.argmax())]
            raise InputError(
                f"{name} and {other} have other {noun} for {int(unlike.sum())} of {len(unlike)} "
                f'ids, first for "{id}": expected the same examples'
            )


def _drop_changed(systems: dict[str, Statistics]) -> tuple[dict[str, Statistics], tuple[str, ...]]:
    """Leave out examples whose contents differ between systems, unless all do, with a warning."""
    first, *others = systems.items()
    masks = [_differ(first, other, CONTENT) for other in others]
    unlike = np.logical_or.reduce([mask for mask in masks if len(mask)] or [np.zeros(0, bool)])
    if not unlike.any() or unlike.all():  # `_check_examples` reports it
        return systems, ()
    assert first[1].units is not None
    rows, kept = np.flatnonzero(unlike), ~unlike
    ids = joined(first[1].units["id"].cast(pa.string()))
    warning = (
        f"{' and '.join(systems)} have other inputs or targets for {len(rows)} of {len(unlike)} "
        f"ids, which are left out{format_keys(ids, rows)}"
    )
    left = {
        name: _replace_rows(s, s.rows_of_units()[kept], s.units.filter(pa.array(kept)))  # type: ignore[union-attr]
        for name, s in systems.items()
    }
    return left, (warning,)


def _differ(
    a: tuple[str, Statistics], b: tuple[str, Statistics], column: str | None
) -> npt.NDArray[np.bool_]:
    """Mark the examples that differ in a column which both systems have."""
    tables = [side.units for _, side in (a, b)]
    sides = [t[column] for t in tables if t is not None and column in t.column_names]
    if len(sides) < 2 or any(pa.types.is_nested(side.type) for side in sides):
        return np.zeros(0, bool)
    left, right = (joined(side.cast(pa.string())) for side in sides)
    return np.asarray(pc.fill_null(pc.not_equal(left, right), False))


def _drop_unscored(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Drop a score of an example from all systems if one of them lacks it."""
    rows = [s.rows.copy() for s in systems.values()]
    has = np.logical_and.reduce([each[:, 1::2] > 0 for each in rows])
    if _require_values(next(iter(systems.values()))).of == "mean":
        for each in rows:
            each[:, 0::2] *= has
            each[:, 1::2] *= has
    kept = has.any(axis=1) if len(has) else has[:, 0]
    return {
        name: _replace_rows(s, each[kept], s.units.filter(pa.array(kept)))  # type: ignore[union-attr]
        for (name, s), each in zip(systems.items(), rows, strict=True)
    }


def _fill_units(systems: Mapping[str, Statistics]) -> pa.Table:
    """Return the columns of the first system, with its nulls filled from the other systems."""
    first, *rest = (s.units for s in systems.values())
    assert first is not None
    for name in first.column_names:
        for other in rest:
            if (
                first[name].null_count
                and other is not None
                and name in other.column_names
                and other[name].type == first[name].type
            ):
                filled = pc.coalesce(first[name], other[name])
                first = first.set_column(first.column_names.index(name), name, filled)
    return first


def _compare_numbers(systems: Mapping[str, Statistics], rule: str) -> tuple[str, ...]:
    """Return a note on unequal numbers of answers, a warning above a factor of `MAX_UNEQUAL`."""
    numbers = {name: n for name, s in systems.items() if (n := _count_scored(s)) is not None}
    if len(numbers) < 2 or not all(map(len, numbers.values())):
        return ()
    every = np.stack([*numbers.values()])
    high, low = every.max(axis=0), every.min(axis=0)
    if (high == low).all() and every.max() <= MAX_UNEQUAL * every.min():
        return ()
    shown = ", ".join(f"{_format_range(n)} in {name}" for name, n in numbers.items())
    if rule in ("max", "min") and (high != low).any():
        raise InputError(f"{rule} of other numbers of answers: {shown}, expected as many")
    if every.max() > MAX_UNEQUAL * max(1, every.min()):
        return (f"answers to an example: {shown}: more than {MAX_UNEQUAL} times as many, the "
                "p-value may be too small",)  # fmt: skip
    return (f"answers to an example: {shown}",)


def _count_scored(statistics: Statistics) -> Int64 | None:
    """Return each example's number of answers with a score, at least 1; None if unknown."""
    units = statistics.units
    if units is None or "n_answers" not in units.column_names:
        return None
    n, unscored = (
        np.asarray(pc.fill_null(units[name], 0), np.int64) for name in ("n_answers", "n_unscored")
    )
    lost = 0 if _require_values(statistics).missing == "zero" else unscored
    numbers: Int64 = np.maximum(n - lost, 1)
    return numbers


def _format_range(numbers: Int64) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low} to {high}"
