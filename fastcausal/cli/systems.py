"""Several systems on one gold: scored in turn, shown side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fastcausal.cli.console import (
    doing,
    hint,
    print_json,
    short_names,
    warn,
)
from fastcausal.cli.options import DrawOptions, SampleOptions
from fastcausal.cli.tables import TableOptions

Columns = Sequence[str] | None
SAMPLE = "sample"  # the column of units that tells answers to an item
REPEATS = "would tell the answers to an item"

if TYPE_CHECKING:
    from pathlib import Path

    from fastcausal.counts.statistics import Statistics
    from fastcausal.formats.ranked import Ranked
    from fastcausal.report.grid import Grid
    from fastcausal.report.numbers import Scale
    from fastcausal.report.report import Report

    Grids = Callable[[dict[str, Report], Columns, bool], list[Grid]]


def make_reports(
    systems: Mapping[str, Ranked],
    make: Callable[[Any], Any],
    samples: SampleOptions,
    vote: Callable[[Ranked], Any] | None = None,
    by: Columns = None,
) -> dict[str, Any]:
    """Make the report of each system, over its answers; errors start with its name."""
    several, over = has_several(systems, samples.over), samples.over
    reports = {}
    for name, answers in systems.items():
        with (
            doing(f"scoring {name}"),
            prefix_errors(name if len(systems) > 1 else None, answers.sources[0]),
        ):
            if not several:
                reports[name] = make(answers.sources[0])
                continue
            from fastcausal.sweeps.answers import reduce_answers, sign

            count = partial(_count, make, name)
            reports[name] = sign(reduce_answers(answers, count, over, vote=vote), over).report(by)
    return reports


def _count(make: Callable[[Any], Any], name: str, source: Any) -> Statistics:
    counted: Statistics = make(source).statistics
    return replace(counted, system=name)


def has_several(systems: Mapping[str, Ranked], over: str) -> bool:
    """Return True if a rule has several answers to an item, or makes values of items."""
    if over == "first":
        return False
    is_one = over in ("mean", "best", "majority")
    return not is_one or any(len(answers.sources) > 1 for answers in systems.values())


def split_files(
    files: Sequence[str], system: str | None, sample: str | None, id: str | None = None
) -> dict[str, Ranked]:
    """Return the answers of each system of files, by its name or the short name of its file."""
    from fastcausal.errors import InputError
    from fastcausal.formats.ranked import split_file

    found: dict[str, Ranked] = {}
    for short, file in short_names([*files]).items():
        for name, answers in split_file(file, system, sample, id).items():
            if (name or short) in found:
                raise InputError(f'{file}: another system "{name or short}", expected a name each')
            found[name or short] = answers
    return found


def write_units(target: Path | None, reports: Mapping[str, Any]) -> None:
    """Write the counts of every unit; several systems get a column of names."""
    if target is None:
        return
    from fastcausal.counts.systems import write_systems

    statistics = {name: report.statistics for name, report in reports.items()}
    if len(statistics) > 1:
        write_systems(target, statistics)
    else:
        next(iter(statistics.values())).write(target)


@contextmanager
def prefix_errors(system: str | None, source: Any = None) -> Iterator[None]:
    """Name the system in errors, if there are several, and the option for ids that repeat."""
    # ``source`` has the ids of predictions; those of gold may not repeat.
    from fastcausal.errors import InputError, Remedy
    from fastcausal.files.keys import RepeatedError

    try:
        yield
    except InputError as error:
        said = f"{system}: {error}" if system else str(error)
        name = str(getattr(source, "name", source))
        if isinstance(error, RepeatedError) and str(error).startswith((f"{name}:", "id ")):
            raise InputError(said, Remedy("sample", ("COLUMN",), REPEATS)) from None
        raise InputError(said) from error


def add_intervals(
    reports: Mapping[str, Report],
    draws: DrawOptions,
    by: Columns,
) -> dict[str, Report]:
    """Add intervals to every score of every report; answers are drawn with their items."""
    with doing("resampling"):
        found = {}
        for name, report in reports.items():
            given = draws._asdict()
            statistics = report._drawn
            if statistics.units is not None and SAMPLE in statistics.units.column_names:
                given["cluster"] = statistics.resolve_cluster(draws.cluster) or "id"
            found[name] = report.with_intervals(**given, by=by)
        return found


def print_reports(
    reports: dict[str, Report],
    tables: TableOptions,
    by: Columns = None,
    counts: bool = False,
    grids: Grids | None = None,
    comparisons: Mapping[str, Report] | None = None,
) -> None:
    """Print one report, or compare several; then their comparisons of subsets."""
    first, *more = reports.values()
    if tables.format == "json":
        found = {name: report.to_dict() for name, report in reports.items()}
        for name, comparison in (comparisons or {}).items():
            found[name]["comparison"] = comparison.to_dict()
        print_json({"systems": found} if more else next(iter(found.values())))
        return
    if not more:
        tables.show(first, counts)
    else:
        from fastcausal.sweeps.side_by_side import shared_legend

        warn(f"{name}: {w}" for name, report in reports.items() for w in report.warnings)
        for name, report in reports.items():
            for line in report.hints:
                hint(f"hint: {name}: {line}")
        notes = [*shared_legend(reports), first.signature]
        made = (grids or systems_tables)(reports, by, counts)
        tables.show_grids(made, *notes, scales=first.scales if tables.percent else {})
    for comparison in (comparisons or {}).values():
        tables.show(comparison)


def systems_tables(
    reports: dict[str, Report], by: Columns = None, counts: bool = False
) -> list[Grid]:
    """Make one table of the reports' summaries or extractions; else a table per system."""
    summaries = {name: report.summary() for name, report in reports.items()}
    if all(summaries.values()):
        return [_emphasize_best(_summaries_table(reports), _find_scale(reports))]
    if all("n_gold_relations" in report.facts for report in reports.values()):
        from fastcausal.sweeps.side_by_side import systems_table

        return [_emphasize_best(systems_table(reports, by, counts), _find_scale(reports))]
    grids = []
    for name, report in reports.items():
        for grid in report.to_tables(counts):
            grid.title = f"{name}: {grid.title}"
            grids.append(grid)
    return grids


def groups_table(
    reports: dict[str, Report], by: Columns = None, counts: bool = False
) -> list[Grid]:
    """Make a part for every group of scores, subsets last, with a row per system."""
    from fastcausal.report.report import scores_table

    parts: dict[str, dict[str, Any]] = {}
    group_of = dict[str, str]()
    for name, report in reports.items():
        for subset, groups in {"": report.scores, **report.subsets}.items():
            for group, scores in groups.items():
                part = f"{subset} {group}".strip()
                group_of[part] = group
                parts.setdefault(part, {})[name] = scores
    first = next(iter(reports.values()))
    grid = scores_table(f"{len(reports)} systems", parts, counts)
    return [_emphasize_best(grid, lambda part, score: first.scale(group_of[part], score))]


def _emphasize_best(grid: Grid, scale_of: Callable[[str, str], Scale | None]) -> Grid:
    """Emphasize the best of each score in pasted tables; rows are systems."""
    if grid.emphasize_best(scale_of):
        grid.caption = "Bold: the best, not tested"
    return grid


def _find_scale(reports: Mapping[str, Report]) -> Callable[[str, str], Scale | None]:
    """Return the function from a part and a score to the scale, which is the same in all parts."""
    scales = next(iter(reports.values())).scales
    return lambda part, score: scales.get(score)


def _summaries_table(reports: dict[str, Report]) -> Grid:
    """Make a row per system; subsets are parts."""
    from fastcausal.report.report import scores_table

    subsets = dict.fromkeys(name for report in reports.values() for name in report.subsets)
    parts = {
        subset: {
            name: report.summary(subset)
            for name, report in reports.items()
            if not subset or subset in report.subsets
        }
        for subset in ("", *subsets)
    }
    return scores_table(f"{len(reports)} systems", parts, counts=True)
