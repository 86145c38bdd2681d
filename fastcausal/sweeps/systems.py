"""Statistics of several systems on the same units, in the same order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fastcausal.counts.formula import Formula
from fastcausal.counts.joint import places
from fastcausal.counts.signatures import joint_signature
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.files.keys import repeated
from fastcausal.files.packed import stem_of
from fastcausal.report.report import Report
from fastcausal.significance.sums import CountRows
from fastcausal.sweeps.folder import counts_of_runs
from fastcausal.tasks.values.count import read_all, read_statistics
from fastcausal.tasks.values.files import logs_in
from fastcausal.tasks.values.formula import ValueFormula
from fastcausal.tasks.values.pairing import (
    Systems,
    counts_of,
    is_values,
    notes,
    one_signature,
    pair,
)
from fastcausal.tasks.values.reading import ValueReading

READING = ValueReading()
Named = tuple[str, str, Statistics]  # own name of a system, name of its file, statistics


def statistics_of(source: Any, reading: ValueReading = READING) -> Statistics:
    """Return statistics, or load them from a report, a file, a log or a table."""
    if isinstance(source, Statistics):
        return source
    return source.statistics if isinstance(source, Report) else read_statistics(source, reading)


def pair_of(
    a: Any,
    b: Any,
    roles: tuple[str, str],
    reading: ValueReading = READING,
    paired: bool = True,
) -> tuple[tuple[str, str], Systems]:
    """Return the names of two systems, and both with the same units in the same order.

    Parameters
    ----------
    a, b : Statistics, Report, path or table
    roles : tuple of str
        Words for the two systems in messages, besides their names.
    reading : ValueReading
    paired : bool
        False leaves the units unchanged.
    """
    sides = statistics_of(a, reading), statistics_of(b, reading)
    names = _names(roles, (a, b), sides)
    called = [
        role if name == role else f"{role} ({name})"
        for role, name in zip(roles, names, strict=True)
    ]
    systems = zip(called, sides, strict=True)
    if paired:
        joint = _joined(systems, reading.cluster)
        if joint.answers is not None:
            joint = joint._replace(answers=_of_roles(joint.answers, called))
        return names, joint
    apart = _apart(dict(systems))
    return names, apart


def one_of(source: Any, role: str, reading: ValueReading = READING) -> tuple[str, Systems]:
    """Return one system, and its name: its own name, or its file's name, or its role."""
    side = statistics_of(source, reading)
    file = _file_name(source) if isinstance(source, str | os.PathLike) else role
    name = side.system or file
    return name, _joined([(name, side)], reading.cluster)


def _of_roles(answers: Mapping[str, Any], called: list[str]) -> dict[str, Any]:
    """Name the numbers of answers ``a`` and ``b``."""
    counts = {role: answers[name] for role, name in zip("ab", called, strict=True)}
    return {"rule": answers["rule"], **counts}


def _apart(systems: dict[str, Statistics]) -> Systems:
    """Return two systems of one kind without joining their examples."""
    if not all(map(is_values, systems.values())):
        return Systems(_of_one_kind(systems))
    signed = one_signature(systems)
    formula = next(iter(signed.values())).formula
    assert isinstance(formula, ValueFormula)
    counts = {
        role: {**counts_of(s), "missing": 0} for role, s in zip("ab", signed.values(), strict=True)
    }
    return Systems(signed, {"rule": formula.answers, **counts}, notes(systems))


def _joined(systems: Iterable[tuple[str, Statistics]], cluster: str | None) -> Systems:
    """Bring the units of systems into one order; reduce values to the same examples."""
    pairs = iter(systems)
    first = next(pairs, None)
    if first is None:
        raise InputError("no systems, expected at least one")
    if not is_values(first[1]):
        return Systems(aligned(chain([first], pairs)))
    paired = pair(_each_named_once(chain([first], pairs)), cluster)
    return paired._replace(systems=aligned(paired.systems.items()))


def _each_named_once(systems: Iterable[tuple[str, Statistics]]) -> dict[str, Statistics]:
    named: dict[str, Statistics] = {}
    for name, statistics in systems:
        if name in named:
            raise InputError(f'two systems have the name "{name}", expected a name each')
        named[name] = statistics
    return named


def _names(
    roles: tuple[str, str], sources: tuple[Any, Any], sides: tuple[Statistics, Statistics]
) -> tuple[str, str]:
    """Name systems by their own names, or with their tasks; by their files if both are equal."""
    first, second = (
        _file_name(source) if isinstance(source, str | os.PathLike) else role
        for role, source in zip(roles, sources, strict=True)
    )
    own = sides[0].system or first, sides[1].system or second
    if own[0] != own[1]:
        return own
    of_tasks = _with_task(own[0], sides[0]), _with_task(own[1], sides[1])
    return of_tasks if of_tasks[0] != of_tasks[1] else (first, second)


def _with_task(name: str, statistics: Statistics) -> str:
    task = (statistics.facts.get("source") or {}).get("task")
    return name if task is None else f"{task} {name}"


def _file_name(source: str | os.PathLike[str]) -> str:
    return Path(source).name if Path(source).is_dir() else stem_of(source)


def systems_of(sources: Any, reading: ValueReading = READING) -> Systems:
    """Return systems by name, with the same units in the same order.

    If two systems have the same name, all are named by their files.

    Parameters
    ----------
    sources : mapping of str to source, list of sources, or a source
        Statistics, reports and paths. A path is a file of one or several systems, a log, a table,
        the folder of a sweep with all its runs, or a folder of logs.
    reading : ValueReading

    Raises
    ------
    InputError
        A file cannot be read, or a folder has no runs or logs; as `aligned`.
    """
    own_names: list[str] = []
    files: list[str] = []

    def called() -> Iterator[tuple[str, Statistics]]:
        for own, file, statistics in _each(sources, reading):
            yield f"{own} ({file})" if own in own_names else own, statistics
            own_names.append(own)
            files.append(file)

    joint = _joined(called(), reading.cluster)
    if repeated(own_names) is None:
        return joint
    if again := repeated(files):
        raise InputError(f'two systems have the name "{files[again[0]]}", expected a name each')
    renamed = dict(zip(joint.systems, files, strict=True))
    answers = joint.answers and {renamed.get(k, k): v for k, v in joint.answers.items()}
    named = {renamed[name]: statistics for name, statistics in joint.systems.items()}
    return joint._replace(systems=named, answers=answers)


def _each(sources: Any, reading: ValueReading) -> Iterator[Named]:
    """Yield each system with its own name and the name of its file; progress counts sources."""
    found, quiet = [*_found(sources)], replace(reading, progress=None)
    for k, read in enumerate(found, 1):
        yield from read(quiet)
        reading.report(k, len(found))


def _found(sources: Any) -> Iterator[Callable[[ValueReading], Iterable[Named]]]:
    """Yield a reader for each source; a folder gives a reader for each run or log."""
    if isinstance(sources, Mapping):
        yield from (partial(_named, name, name, source) for name, source in sources.items())
        return
    for k, source in enumerate(_listed(sources), 1):
        if isinstance(source, str | os.PathLike):
            yield from _in_path(Path(source))
        else:
            yield partial(_named, None, f"system {k}", source)


def _named(own: str | None, file: str, source: Any, reading: ValueReading) -> list[Named]:
    statistics = statistics_of(source, reading)
    return [(own or statistics.system or file, file, statistics)]


def set_aside(sources: Any) -> tuple[str, ...]:
    """Warn of runs that a sweep could not score: they are missing from its folder."""
    paths = [Path(each) for each in _listed(sources) if isinstance(each, str | os.PathLike)]
    failed = {path: len([*path.glob("failed/*.json")]) for path in paths}
    return tuple(f"{path}: {n} runs that could not be scored" for path, n in failed.items() if n)


def _listed(sources: Any) -> list[Any]:
    if isinstance(sources, Statistics | Report | str | os.PathLike):
        return [sources]
    return list(sources.values() if isinstance(sources, Mapping) else sources)


def _in_path(path: Path) -> Iterator[Callable[[ValueReading], Iterable[Named]]]:
    if not path.is_dir():
        yield partial(_in_file, path)
        return
    if runs := counts_of_runs(path):
        yield from (partial(_run, run, file) for run, file in runs.items())
        return
    logs = logs_in(path)
    if not logs:
        raise InputError(
            f"{path}: no runs/*.parquet, expected the folder of a sweep, one of logs, or a file"
        )
    yield from (partial(_log, log) for log in logs)


def _in_file(path: Path, reading: ValueReading) -> Iterator[Named]:
    systems = read_all(path, reading)
    for name, statistics in systems.items():
        yield name, path.stem if len(systems) == 1 else name, statistics


def _run(name: str, file: Path, reading: ValueReading) -> list[Named]:
    return [(name, name, Statistics.read(file))]


def _log(path: Path, reading: ValueReading) -> list[Named]:
    statistics, name = read_statistics(path, reading), _file_name(path)
    return [(statistics.system or name, name, statistics)]


def aligned(systems: Iterable[tuple[str, Statistics]]) -> dict[str, Statistics]:
    """Bring the units of all systems into the order of the first system.

    Units are joined by id; without ids by position, if the digests of gold agree.

    Parameters
    ----------
    systems : pairs of str and Statistics
        Names, for messages, and statistics, which are kept compressed.

    Raises
    ------
    InputError
        Two systems differ in signature, counts, ids or gold, or share a name; or there are none.
    """
    joined: dict[str, Statistics] = {}
    for name, statistics in _with_one_set_of_units(systems):
        if name in joined:
            raise InputError(f'two systems have the name "{name}", expected a name each')
        if joined:
            statistics = _in_order_of(next(iter(joined.items())), (name, statistics))
        joined[name] = statistics.compressed()
    if not joined:
        raise InputError("no systems, expected at least one")
    return _of_one_kind(joined)


def _with_one_set_of_units(
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


def _in_order_of(first: tuple[str, Statistics], other: tuple[str, Statistics]) -> Statistics:
    """Return the statistics of another system with the units of the first."""
    (name, mine), (other_name, theirs) = first, other
    joint_signature(mine.signature, theirs.signature, (name, other_name))
    order = places(mine, theirs, (name, other_name))
    _check_gold(first, other)
    taken = theirs.take(order)
    taken = replace(taken, system=theirs.system, gold=theirs.gold)
    _check_counts_of_gold(first, (other_name, taken))
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


def _check_counts_of_gold(a: tuple[str, Statistics], b: tuple[str, Statistics]) -> None:
    """Raise InputError if counts that depend only on gold differ in a unit."""
    (name, mine), (other, theirs) = a, b
    if None in (mine.gold, theirs.gold):  # no gold to compare
        return
    try:
        formula = mine.formula.union(theirs.formula)
    except ValueError:  # `_of_one_kind` reports it
        return
    for fields in formula.of_gold:
        left, right = (_counts_of_gold(each, formula, fields) for each in (mine, theirs))
        if left is not None and right is not None and (unlike := left != right).any():
            k = int(unlike.argmax())
            called = f"unit {k}"
            if mine.units is not None and "id" in mine.units.column_names:
                called = f"example {mine.units['id'][k]}"
            raise InputError(
                f"{name} and {other} were scored against different gold: {called}: "
                f"{' + '.join(fields)} is {left[k]} and {right[k]}"
            )


def _counts_of_gold(
    statistics: Statistics, formula: Formula, fields: tuple[str, ...]
) -> CountRows | None:
    """Return the sum of these fields for every unit; None if the file lacks a column."""
    own = statistics.formula
    if not {*fields} <= {*own.fields}:
        units = statistics.units
        if units is None or not {*fields} <= {*units.column_names}:
            return None
        totals: CountRows = np.sum([np.asarray(units[name]) for name in fields], axis=0)
        return totals
    columns = [own.fields.index(name) for name in fields]
    sums: CountRows = own.convert(statistics.rows, formula)[:, columns].sum(axis=1)
    return sums if statistics.row_of is None else sums[statistics.row_of]


def _of_one_kind(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
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
