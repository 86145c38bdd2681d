"""Units of several systems in one order, joined by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np

from fastcausal.arrays.arrow import joined, values_of
from fastcausal.counts.formula import Formula
from fastcausal.counts.joint import places
from fastcausal.counts.signatures import joint_signature
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.significance.sums import CountRows


def align(systems: Iterable[tuple[str, Statistics]]) -> dict[str, Statistics]:
    """Bring the units of all systems into the order of the first system, and compress them."""
    # Units are joined by id; without ids by position, if the digests of gold agree.
    joined: dict[str, Statistics] = {}
    for name, statistics in _share_units(systems):
        if name in joined:
            raise InputError(f'two systems have the name "{name}", expected a name each')
        if joined:
            statistics = _reorder(next(iter(joined.items())), (name, statistics))
        joined[name] = statistics.compressed()
    if not joined:
        raise InputError("no systems, expected at least one")
    return unify(joined)


def _share_units(
    systems: Iterable[tuple[str, Statistics]],
) -> Iterable[tuple[str, Statistics]]:
    """Give every system the units that the predictions of any system name beyond gold."""
    systems = iter(systems)
    first = next(systems, None)
    if first is None or not first[1].formula.in_gold:
        return chain([] if first is None else [first], systems)
    each = [first, *systems]
    beyond = dict.fromkeys(id for _, own in each for id in own.ids_beyond_gold())
    return [(name, own.with_units(beyond) if beyond else own) for name, own in each]


def _reorder(first: tuple[str, Statistics], other: tuple[str, Statistics]) -> Statistics:
    """Return the statistics of another system with the units of the first."""
    (name, mine), (other_name, theirs) = first, other
    joint_signature(mine.signature, theirs.signature, (name, other_name))
    if mine.formula.holds_values and mine.units is theirs.units:  # joined already
        return theirs
    order = places(mine, theirs, (name, other_name))
    _check_gold(first, other)
    taken = theirs.take(order)
    taken = replace(taken, system=theirs.system, gold=theirs.gold)
    _check_gold_counts(first, (other_name, taken))
    return replace(taken, units=mine.units)


def require_one_gold(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    """Raise InputError for two named systems if their digests of gold differ."""
    (name, mine), (other, theirs) = a, b
    if None not in (mine.gold, theirs.gold) and mine.gold != theirs.gold:
        raise InputError(f"{name} and {other} were scored against different gold")


def _check_gold(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    require_one_gold(a, b)
    (name, mine), (other, theirs) = a, b
    assert mine.units is not None
    if None in (mine.gold, theirs.gold) and "id" not in mine.units.column_names:
        raise InputError(f"{name} and {other} have no ids to join by, and their gold is unknown")


def _check_gold_counts(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    """Raise InputError if counts that depend only on gold differ in a unit."""
    (name, mine), (other, theirs) = a, b
    if None in (mine.gold, theirs.gold):  # no gold to compare
        return
    try:
        formula = mine.formula.union(theirs.formula)
    except ValueError:  # `unify` reports it
        return
    for fields in formula.gold_fields:
        left, right = (_sum_fields(each, formula, fields) for each in (mine, theirs))
        if left is not None and right is not None and (unlike := left != right).any():
            k = int(unlike.argmax())
            called = f"unit {k}"
            if mine.units is not None and "id" in mine.units.column_names:
                called = f"example {mine.units['id'][k]}"
            raise InputError(
                f"{name} and {other} were scored against different gold: {called}: "
                f"{' + '.join(fields)} is {left[k]} and {right[k]}"
            )


def _sum_fields(
    statistics: Statistics, formula: Formula, fields: tuple[str, ...]
) -> CountRows | None:
    """Return the sum of these fields for every unit; None if the file lacks a column."""
    own = statistics.formula
    if not {*fields} <= {*own.fields}:
        units = statistics.units
        if units is None or not {*fields} <= {*units.column_names}:
            return None
        totals: CountRows = np.sum([values_of(joined(units[name])) for name in fields], axis=0)
        return totals
    columns = [own.fields.index(name) for name in fields]
    sums: CountRows = own.convert(statistics.rows, formula)[:, columns].sum(axis=1)
    return sums if statistics.row_of is None else sums[statistics.row_of]


def unify(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Give all systems the joint signature and label numbers; refuse other roles and counts."""
    names = list(systems)
    signature = reduce(joint_signature, (each.signature for each in systems.values()))
    formula = systems[names[0]].formula
    for name in names[1:]:
        try:
            formula = formula.union(systems[name].formula)
        except ValueError as error:
            raise InputError(f"{names[0]} and {name}: {error}") from error
    return {
        name: replace(
            s, formula=formula, signature=signature, rows=s.formula.convert(s.rows, formula)
        )
        for name, s in systems.items()
    }
