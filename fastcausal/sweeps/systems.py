"""Statistics of several systems on the same units, in the same order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fastcausal.counts.files import take_one
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.systems import is_counts, read_systems
from fastcausal.counts.task import declared, resolve
from fastcausal.errors import InputError, Remedy, counted
from fastcausal.files.keys import repeated
from fastcausal.files.packed import name_of, stem_of
from fastcausal.files.records import Records
from fastcausal.report.numbers import Scale
from fastcausal.report.report import Report
from fastcausal.sweeps.align import OtherGoldError, align, keep_common_gold, unify
from fastcausal.tasks.values.reading import ValueReading

READING = ValueReading()
T = TypeVar("T")
Named = tuple[str, str, Statistics]  # own name of a system, name of its file, statistics


class Systems(NamedTuple):
    """Systems by name, with the same units in the same order."""

    systems: dict[str, Statistics]
    # For values: the rule, and numbers of answers by system
    answers: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    loaded: tuple[Statistics, ...] = ()  # a pair as it was read

    @property
    def first(self) -> Statistics:
        """Statistics of the first system."""
        return next(iter(self.systems.values()))

    def scores(self, asked: str | Iterable[str] | None) -> list[str]:
        """Return the requested scores as a list; by default the only one, or the main score."""
        if asked is None:
            return [self.first.formula.main]
        scores = [asked] if isinstance(asked, str) else list(asked)
        if not scores:
            raise ValueError("no score is asked for, expected one or more")
        return scores

    def scale(self, score: str, lower_is_better: bool = False) -> Scale:
        """Return the scale of a score in all systems; values take the direction of the caller."""
        scale = Scale.joint(statistics.scale(score) for statistics in self.systems.values())
        if not lower_is_better or scale.better == "lower":
            return scale
        if not self.first.formula.holds_values:
            has = "higher is better" if scale.better == "higher" else "it has no better direction"
            raise ValueError(f"lower_is_better is for values of logs and tables: {score}: {has}")
        return scale._replace(better="lower")

    def ranking_scale(self, score: str, lower_is_better: bool = False) -> Scale:
        """Return the scale of a score that ranks or judges; ValueError without a direction."""
        scale = self.scale(score, lower_is_better)
        if scale.better == "none":
            raise ValueError(
                f"{score} has no better direction, expected a score to rank and judge by; compare "
                "shows its change"
            )
        return scale


def request_scores(
    reading: ValueReading | None,
    score: str | Iterable[str] | None,
    cluster: str | None = None,
    system: str | None = None,
    sample: str | None = None,
) -> ValueReading:
    """Return the reading of these scores, with the columns of clusters, systems and repeats."""
    scores = () if score is None else (score,) if isinstance(score, str) else tuple(score)
    reading = replace(reading or READING, scores=scores, cluster=cluster)
    reading = reading if system is None else replace(reading, system=system)
    return reading if sample is None else replace(reading, epoch=sample)


def load(source: Any, reading: ValueReading = READING) -> Statistics:
    """Return statistics, or load them from a report, a file, a log or a table."""
    if isinstance(source, Statistics):
        return source
    if isinstance(source, Report):
        return source.statistics
    return take_one(source, load_all(source, reading))


def load_all(source: Any, reading: ValueReading = READING) -> dict[str, Statistics]:
    """Read a file of counts, or any other source by the task that declares a reader of it."""
    if not is_counts(source):
        [entry] = (task.load for task in declared() if task.load)
        loaded: dict[str, Statistics] = resolve(entry)(source, reading)
        return loaded
    systems = read_systems(source)
    for statistics in systems.values():
        reading.check_counts(name_of(source), statistics.formula)
    return systems


def load_by_name(sources: Any, reading: ValueReading = READING) -> dict[str, Statistics]:
    """Return all systems of sources by name, each with its own units."""
    named = _require_names((own, each) for own, _, each in _load_each(sources, reading))
    return {name: replace(each, system=name) for name, each in named.items()}


def pick(systems: Mapping[str, T], names: Sequence[str] | None) -> list[T]:
    """Return the two systems of these names, or the only two; InputError for others.

    >>> pick({"a": 1, "b": 2, "c": 3}, ["c", "a"])
    [3, 1]
    """
    known = ", ".join(systems)
    if names is None:
        if len(systems) != 2:
            remedy = Remedy("pick", ("A,B",), "would choose two")
            raise InputError(
                f"{counted(len(systems), 'system')} ({known[:200]}), expected two",
                remedy if len(systems) > 2 else None,
            )
        return [*systems.values()]
    if len(names) != 2:
        raise ValueError(f"pick is {','.join(names)}, expected two systems")
    return choose(systems, names)


def choose(systems: Mapping[str, T], names: Sequence[str]) -> list[T]:
    """Return the systems of these names; InputError for an unknown or repeated one."""
    known = ", ".join(systems)
    if repeated(names):
        raise InputError(f"{', '.join(names)}: one system twice, expected two")
    if missing := [name for name in names if name not in systems]:
        raise InputError(f'no system "{missing[0]}": found {known[:200]}')
    return [systems[name] for name in names]


def load_pair(
    a: Any,
    b: Any,
    roles: tuple[str, str],  # for messages, besides the names of the systems
    reading: ValueReading = READING,
    paired: bool = True,  # False leaves the units unchanged
    common: bool = False,  # True leaves out examples of other gold, with a warning
) -> tuple[tuple[str, str], Systems]:
    """Return the names of two systems, and both with the same units in the same order."""
    sides = load(a, reading), load(b, reading)
    names = _name_both(roles, (a, b), sides)
    shown = [
        role if name == role else f"{role} ({name})"
        for role, name in zip(roles, names, strict=True)
    ]
    systems = [*zip(shown, sides, strict=True)]
    if not paired:
        return names, _unify(dict(systems))
    kept, warnings = keep_common_gold(systems) if common else (systems, ())
    joint = _join(kept, reading.cluster, common)._replace(loaded=sides)
    joint = joint._replace(warnings=warnings + joint.warnings)
    if joint.answers is not None:
        sides_of = {role: joint.answers[name] for role, name in zip("ab", shown, strict=True)}
        joint = joint._replace(answers={"rule": joint.answers["rule"], **sides_of})
    return names, joint


def load_one(source: Any, role: str, reading: ValueReading = READING) -> tuple[str, Systems]:
    """Return one system, and its name: its own name, or its file's name, or its role."""
    statistics = load(source, reading)
    file = _name_file(source) if isinstance(source, str | os.PathLike) else role
    name = statistics.system or file
    return name, _join([(name, statistics)], reading.cluster)


def _unify(systems: dict[str, Statistics]) -> Systems:
    """Return two systems of one kind without joining their examples."""
    if not all(statistics.formula.holds_values for statistics in systems.values()):
        return Systems(unify(systems))
    from fastcausal.sweeps.pairing import unify_values

    return Systems(*unify_values(systems))


def _join(
    systems: Iterable[tuple[str, Statistics]], cluster: str | None, common: bool = False
) -> Systems:
    """Bring the units of systems into one order; reduce values to the same examples."""
    pairs = iter(systems)
    first = next(pairs, None)
    if first is None:
        raise InputError("no systems, expected at least one")
    if not first[1].formula.holds_values:
        return Systems(align(chain([first], pairs)))
    from fastcausal.sweeps.pairing import pair

    values, answers, warnings = pair(_require_names(chain([first], pairs)), cluster, common)
    return Systems(align(values.items()), answers, warnings)


def _require_names(systems: Iterable[tuple[str, Statistics]]) -> dict[str, Statistics]:
    """Return systems by name; InputError if two have the same."""
    by_name: dict[str, Statistics] = {}
    for name, statistics in systems:
        if name in by_name:
            raise InputError(f'two systems have the name "{name}", expected a name each')
        by_name[name] = statistics
    return by_name


def _name_both(
    roles: tuple[str, str], sources: tuple[Any, Any], sides: tuple[Statistics, Statistics]
) -> tuple[str, str]:
    """Name systems by their own names, or with their tasks; by their files if both are equal."""
    first, second = (
        _name_file(source) if isinstance(source, str | os.PathLike) else role
        for role, source in zip(roles, sources, strict=True)
    )
    own = sides[0].system or first, sides[1].system or second
    if own[0] != own[1]:
        return own
    with_tasks = _name_with_task(own[0], sides[0]), _name_with_task(own[1], sides[1])
    return with_tasks if with_tasks[0] != with_tasks[1] else (first, second)


def _name_with_task(name: str, statistics: Statistics) -> str:
    """Put the task of a log before the name of its system."""
    task = (statistics.facts.get("source") or {}).get("task")
    return name if task is None else f"{task} {name}"


def _name_file(source: str | os.PathLike[str]) -> str:
    """Return the name of a folder, or of a file without its suffix."""
    return Path(source).name if Path(source).is_dir() else stem_of(source)


def load_systems(
    sources: Any,
    reading: ValueReading = READING,
    common: bool = False,  # as in `load_pair`; such sources are read again
) -> Systems:
    """Return systems by name, with the same units in the same order."""
    # Sources are statistics, reports and paths: one, a list, or a mapping of names to them. A path
    # is a file of one or several systems, a log, a table, the folder of a sweep, or one of logs.
    own_names: list[str] = []
    files: list[str] = []

    def name_each() -> Iterator[tuple[str, Statistics]]:
        for own, file, statistics in _load_each(sources, reading):
            yield f"{own} ({file})" if own in own_names else own, statistics
            own_names.append(own)
            files.append(file)

    try:
        joint = _join(name_each(), reading.cluster, common)
    except OtherGoldError:
        if not common or isinstance(sources, Iterator):
            raise
        own_names.clear()
        files.clear()
        kept, warnings = keep_common_gold([*name_each()])
        joint = _join(kept, reading.cluster)._replace(warnings=warnings)
    if repeated(own_names) is None:
        return joint
    # Systems with one name are all named by their files.
    if again := repeated(files):
        raise InputError(f'two systems have the name "{files[again[0]]}", expected a name each')
    renamed = dict(zip(joint.systems, files, strict=True))
    answers = joint.answers and {renamed.get(k, k): v for k, v in joint.answers.items()}
    systems = {renamed[name]: statistics for name, statistics in joint.systems.items()}
    return joint._replace(systems=systems, answers=answers)


def _load_each(sources: Any, reading: ValueReading) -> Iterator[Named]:
    """Yield each system with its own name and the name of its file; progress counts sources."""
    readers, quiet = [*_list_readers(sources)], replace(reading, progress=None)
    for k, read in enumerate(readers, 1):
        yield from read(quiet)
        reading.report(k, len(readers))


def _list_readers(sources: Any) -> Iterator[Callable[[ValueReading], Iterable[Named]]]:
    """Yield a reader for each source; a folder gives a reader for each run or log."""
    if isinstance(sources, Mapping):
        yield from (partial(_load_named, name, name, source) for name, source in sources.items())
        return
    for k, source in enumerate(_list_sources(sources), 1):
        if isinstance(source, str | os.PathLike):
            yield from _list_readers_in(Path(source))
        else:
            yield partial(_load_source, f"system {k}", source)


def _list_readers_in(path: Path) -> Iterator[Callable[[ValueReading], Iterable[Named]]]:
    """Yield the reader of a file, or a reader for each run or log of a folder."""
    if not path.is_dir():
        yield partial(_load_file, path)
        return
    from fastcausal.sweeps.folder import counts_of_runs

    if runs := counts_of_runs(path):
        yield from (partial(_load_run, run, file) for run, file in runs.items())
        return
    logs = list_logs(path)
    if not logs:
        raise InputError(
            f"{path}: no runs/*.parquet, expected the folder of a sweep, one of logs, or a file"
        )
    yield from (partial(_load_named, None, _name_file(log), log) for log in logs)


def list_logs(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the sources in a folder that the task with a reader of other sources lists."""
    [entry] = (task.list_logs for task in declared() if task.list_logs)
    logs: list[Path] = resolve(entry)(folder)
    return logs


def _load_named(own: str | None, file: str, source: Any, reading: ValueReading) -> list[Named]:
    statistics = load(source, reading)
    return [(own or statistics.system or file, file, statistics)]


def _load_source(name: str, source: Any, reading: ValueReading) -> Iterator[Named]:
    if isinstance(source, Statistics | Report):
        yield from _load_named(None, name, source, reading)
        return
    systems = load_all(source, reading)
    for own, each in systems.items():
        yield (each.system or name, name, each) if len(systems) == 1 else (own, own, each)


def _load_file(path: Path, reading: ValueReading) -> Iterator[Named]:
    systems = load_all(path, reading)
    for name, statistics in systems.items():
        yield name, path.stem if len(systems) == 1 else name, statistics


def _load_run(name: str, file: Path, reading: ValueReading) -> list[Named]:
    return [(name, name, Statistics.read(file))]


def list_failures(sources: Any) -> tuple[str, ...]:
    """Warn of runs that a sweep could not score: they are missing from its folder."""
    paths = [Path(each) for each in _list_sources(sources) if isinstance(each, str | os.PathLike)]
    failed = {path: len([*path.glob("failed/*.json")]) for path in paths}
    return tuple(f"{path}: {n} runs that could not be scored" for path, n in failed.items() if n)


def is_table(source: Any) -> bool:
    """Return True for the rows of a table in memory."""
    rows = isinstance(source, list) and bool(source) and isinstance(source[0], Mapping)
    return rows or isinstance(source, Records) or hasattr(source, "__arrow_c_stream__")


def _list_sources(sources: Any) -> list[Any]:
    """Return one source, a list or the values of a mapping as a list."""
    if isinstance(sources, Statistics | Report | str | os.PathLike) or is_table(sources):
        return [sources]
    return list(sources.values() if isinstance(sources, Mapping) else sources)
