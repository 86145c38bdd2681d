"""Units of several systems in one order, joined by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined, values_of
from fastcausal.counts.formula import Formula
from fastcausal.counts.joint import places
from fastcausal.counts.signatures import joint_signature
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, counted
from fastcausal.files.keys import format_keys, lacking, places_of
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
    require_one_gold(first, other)
    order = places(mine, theirs, (name, other_name))
    _require_ids(first, other)
    taken = theirs.take(order)
    taken = replace(taken, system=theirs.system, gold=theirs.gold)
    _check_gold_counts(first, (other_name, taken))
    return replace(taken, units=mine.units)


class OtherGoldError(InputError):
    """Two systems were scored against different gold."""


def require_one_gold(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    """Raise InputError for two named systems if their digests of gold differ."""
    (name, mine), (other, theirs) = a, b
    if None not in (mine.gold, theirs.gold) and mine.gold != theirs.gold:
        raise OtherGoldError(f"{name} and {other} were scored against different gold")


def _require_ids(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
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
    for fields, left, right in _pair_fields(mine, theirs, formula):
        if (unlike := left != right).any():
            k = int(unlike.argmax())
            called = f"unit {k}"
            if mine.units is not None and "id" in mine.units.column_names:
                called = f"example {mine.units['id'][k]}"
            raise InputError(
                f"{name} and {other} were scored against different gold: {called}: "
                f"{' + '.join(fields)} is {left[k]} and {right[k]}"
            )


def _pair_fields(
    a: Statistics, b: Statistics, formula: Formula
) -> Iterator[tuple[tuple[str, ...], CountRows, CountRows]]:
    """Yield the sums of each unit, in both, of counts that depend on gold alone."""
    for fields in formula.gold_fields:
        left, right = (_sum_fields(each, formula, fields) for each in (a, b))
        if left is not None and right is not None:
            yield fields, left, right


def keep_common_gold(
    systems: Sequence[tuple[str, Statistics]],
) -> tuple[list[tuple[str, Statistics]], tuple[str, ...]]:
    """Leave out examples of other gold, if systems were scored against different gold.

    Return the systems and a warning that names the examples. Counts show the examples that one
    gold alone has, and other numbers of gold's relations; other gold of equal numbers they hide.
    """
    known = [(name, own) for name, own in systems if own.gold is not None]
    if len({own.gold for _, own in known}) < 2:
        return [*systems], ()
    (first, mine), *others = known
    if not all(own.units is not None and "id" in own.units.column_names for _, own in systems):
        require_one_gold((first, mine), next(o for o in others if o[1].gold != mine.gold))
    every = {name: _list_gold_ids(own) for name, own in systems}
    common = reduce(lambda a, b: a.filter(pc.is_in(a, b)), every.values())
    alone = {name: lacking(ids, common) for name, ids in every.items()}
    places = {name: places_of(common, joined(own.units["id"])) for name, own in systems}  # type: ignore[index]
    unlike = np.zeros(len(common), bool)
    for name, own in others:
        joint_signature(mine.signature, own.signature, (first, name))
        try:
            formula = mine.formula.union(own.formula)
        except ValueError:  # `unify` reports it
            continue
        pair = mine.take(places[first]), own.take(places[name])
        for _, left, right in _pair_fields(*pair, formula):
            unlike |= left != right
    if unlike.all():
        raise OtherGoldError(
            f"{' and '.join(every)} were scored against different gold, without a common example"
        )
    dropped = pa.concat_arrays([
        *(ids.take(pa.array(alone[name])) for name, ids in every.items()),
        common.filter(pa.array(unlike)),
    ])  # fmt: skip
    said = [
        f"{counted(len(rows), 'example')} of {name} alone{format_keys(every[name], rows)}"
        for name, rows in alone.items()
        if len(rows)
    ]
    if rows := np.flatnonzero(unlike).tolist():
        said.append(
            f"{counted(len(rows), 'example')} with other counts of gold"
            f"{format_keys(common, np.array(rows))}"
        )
    kept = len(common) - len(rows)
    left_out = f"{' and '.join(said)} left out; " if said else ""
    warning = (
        f"{' and '.join(every)} were scored against different gold: {left_out}counts cannot tell "
        f"if gold of the other {counted(kept, 'example')} is the same"
    )
    return [(name, _drop(own, dropped)) for name, own in systems], (warning,)


def _list_gold_ids(statistics: Statistics) -> pa.Array:
    """Return the ids of the examples that gold names."""
    assert statistics.units is not None
    ids = joined(statistics.units["id"].cast(pa.string()))
    return ids.filter(pa.array(statistics.are_in_gold))


def _drop(statistics: Statistics, ids: pa.Array) -> Statistics:
    """Leave out the units of these ids; what remains has no known digest of gold."""
    assert statistics.units is not None
    kept = pc.invert(pc.is_in(joined(statistics.units["id"].cast(pa.string())), ids))
    taken = statistics.take(np.flatnonzero(np.asarray(kept)))
    return replace(taken, system=statistics.system, gold=None)


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
