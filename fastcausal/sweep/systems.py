"""Statistics of several systems on the same units, in one order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastcausal.errors import InputError, repeated, some_of
from fastcausal.report import Report
from fastcausal.statistics import Statistics

if TYPE_CHECKING:
    import pyarrow as pa


def statistics_of(source: Any) -> Statistics:
    """Return statistics, those of a report, or those of a file."""
    if isinstance(source, Statistics):
        return source
    return source.statistics if isinstance(source, Report) else Statistics.read(source)


def name_of(source: Any, default: str) -> str:
    """Name a system by its statistics, else by its file, else by default."""
    if isinstance(source, Statistics | Report):
        return statistics_of(source).facts.get("system") or default
    return Path(source).stem


def pair_of(
    a: Any, b: Any, roles: tuple[str, str]
) -> tuple[tuple[str, str], Statistics, Statistics]:
    """Return the names of two systems and their statistics, with units in one order.

    Parameters
    ----------
    a, b : Statistics, Report or path
    roles : tuple of str
        What messages call them, besides their names.
    """
    sources = [statistics_of(source) for source in (a, b)]
    names = name_of(a, roles[0]), name_of(b, roles[1])
    called = [
        role if name == role else f"{role} ({name})"
        for role, name in zip(roles, names, strict=True)
    ]
    left, right = aligned(dict(zip(called, sources, strict=True))).values()
    return names, left, right


def aligned(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Bring the units of all systems into the order of the first.

    Units are joined by id; by position where there are no ids and the digests of gold agree.

    Parameters
    ----------
    systems : mapping of str to Statistics
        By the names that messages have.

    Raises
    ------
    InputError
        The systems have other signatures, counts, ids or gold.
    """
    (name, first), *rest = systems.items()
    joined = {name: first}
    ids = _ids(name, first)
    for other, statistics in rest:
        _check_signatures((name, first.signature), (other, statistics.signature))
        theirs = _ids(other, statistics)
        if ids is not None and theirs is not None:
            statistics = _in_order(name, ids, other, theirs, statistics)
        _check_gold(ids is not None and theirs is not None, (name, first), (other, statistics))
        joined[other] = statistics
    return _of_one_formula(joined)


def _ids(name: str, statistics: Statistics) -> pa.Array | None:
    """Ids as text; None where there are none."""
    import pyarrow as pa

    from fastcausal.arrays.arrow import joined

    if statistics.units is None:
        raise InputError(f"{name}: sums alone cannot be compared, expected a row per example")
    if "id" not in statistics.units.column_names:
        return None
    ids = joined(statistics.units["id"].cast(pa.string()))
    if ids.null_count:
        raise InputError(f"{name}: an id is null, expected ids or no column of ids")
    if len(ids.unique()) < len(ids):
        again = repeated(ids.to_pylist())
        assert again is not None
        raise InputError(f'{name}: id "{ids[again[0]]}" occurs twice')
    return ids


def _in_order(
    name: str, ids: pa.Array, other: str, theirs: pa.Array, statistics: Statistics
) -> Statistics:
    import pyarrow.compute as pc

    from fastcausal.arrays.arrow import values_of

    if ids.equals(theirs):
        return statistics
    for lacking, present, absent in ((other, ids, theirs), (name, theirs, ids)):
        missing = present.filter(pc.invert(pc.is_in(present, absent)))
        if len(missing):
            named = some_of(missing.slice(0, 4).to_pylist())
            raise InputError(f"{lacking}: {len(missing)} ids are missing{named}")
    return statistics.take(values_of(pc.index_in(ids, theirs)).astype("int64"))


def _check_signatures(a: tuple[str, str], b: tuple[str, str]) -> None:
    """Raise InputError with the parts in which two signatures differ."""
    (name, mine), (other, theirs) = a, b
    if mine != theirs:
        parts = [signature.split("|") for signature in (mine, theirs)]
        of_mine, of_theirs = (
            "|".join(part for part in side if part not in across)
            for side, across in (parts, parts[::-1])
        )
        raise InputError(
            f"{name} has the signature {of_mine}, {other} has {of_theirs}, expected one signature"
        )


def _check_gold(by_id: bool, a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    (name, mine), (other, theirs) = a, b
    gold = [statistics.facts.get("gold") for statistics in (mine, theirs)]
    if None not in gold and gold[0] != gold[1]:
        raise InputError(f"{name} and {other} were scored against different gold")
    if by_id:
        return
    if None in gold:
        raise InputError(f"{name} and {other} have no ids on both sides to join examples by")
    if mine.n_units != theirs.n_units:
        raise InputError(f"{name} has {mine.n_units} examples, {other} has {theirs.n_units}")


def _of_one_formula(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Number labels alike where systems predict unlike ones; refuse other roles and counts."""
    names = list(systems)
    formula = systems[names[0]].formula
    for name in names[1:]:
        try:
            formula = formula.union(systems[name].formula)
        except ValueError as error:
            raise InputError(f"{names[0]} and {name}: {error}") from error
    return {
        name: replace(s, formula=formula, rows=s.formula.convert(s.rows, formula))
        for name, s in systems.items()
    }
