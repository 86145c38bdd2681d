"""Statistics of several systems on the same units, in one order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError
from fastcausal.report import Report
from fastcausal.significance.units import places
from fastcausal.statistics import Statistics


def statistics_of(source: Any) -> Statistics:
    """Return statistics, those of a report, or those of a file."""
    if isinstance(source, Statistics):
        return source
    return source.statistics if isinstance(source, Report) else Statistics.read(source)


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
    sides = statistics_of(a), statistics_of(b)
    names = _names(roles, (a, b), sides)
    called = [
        role if name == role else f"{role} ({name})"
        for role, name in zip(roles, names, strict=True)
    ]
    left, right = aligned(dict(zip(called, sides, strict=True))).values()
    return names, left, right


def _names(
    roles: tuple[str, str], sources: tuple[Any, Any], sides: tuple[Statistics, Statistics]
) -> tuple[str, str]:
    """Name systems as their statistics do; where that is one name, by their files."""
    first, second = (
        Path(source).stem if isinstance(source, str | Path) else role
        for role, source in zip(roles, sources, strict=True)
    )
    own = sides[0].system or first, sides[1].system or second
    return (first, second) if own[0] == own[1] else own


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
    for other, statistics in rest:
        _check_signatures((name, first.signature), (other, statistics.signature))
        order = places(first, statistics, (name, other))
        _check_gold((name, first), (other, statistics))
        joined[other] = replace(
            statistics.take(order), system=statistics.system, gold=statistics.gold
        )
    return _of_one_formula(joined)


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


def _check_gold(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    (name, mine), (other, theirs) = a, b
    digests = [mine.gold, theirs.gold]
    if None not in digests and digests[0] != digests[1]:
        raise InputError(f"{name} and {other} were scored against different gold")
    assert mine.units is not None
    if None in digests and "id" not in mine.units.column_names:
        raise InputError(f"{name} and {other} have no ids to join by, and their gold is unknown")


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
