"""``fastcausal score GOLD PRED``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastcausal.cli.console import (
    doing,
    print_grids,
    print_json,
    print_report,
    short_names,
    warn,
)
from fastcausal.cli.options import (
    ClusterOption,
    ConfidenceOption,
    FormatOption,
    IntervalsOption,
    JsonOption,
    MethodOption,
    ResamplesOption,
    SeedOption,
    format_of,
    refuse,
    refuse_inference,
)
from fastcausal.options import Backend, Method, Policy, ProtocolName

if TYPE_CHECKING:
    from fastcausal.groups import Groups, Number, Scores
    from fastcausal.report import Report
    from fastcausal.tables import Grid


def score(
    ctx: typer.Context,
    gold: Annotated[str, typer.Argument(help="Gold annotations in any format; - for stdin.")],
    pred: Annotated[
        list[str], typer.Argument(help="Predictions in any format; a table row for each file.")
    ],
    protocol: Annotated[ProtocolName, typer.Option(help="Score by this named recipe.")] = "recess",
    json: JsonOption = False,
    format: FormatOption = "text",
    per_example: Annotated[
        Path | None,
        typer.Option(
            help="Write the counts of each example to this .parquet, .arrow or .csv file."
        ),
    ] = None,
    matches: Annotated[
        Path | None,
        typer.Option(help="Write the chosen pairs to this .parquet, .arrow or .csv file."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Also score each value of this column separately.")
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Add all counts to the table; JSON always has them.")
    ] = False,
    unparsed: Annotated[
        Policy,
        typer.Option(
            help="Stop at unparsed predictions, score them as empty, or skip their examples."
        ),
    ] = "error",
    unmatched: Annotated[
        Policy,
        typer.Option(help="Stop at ids that one side lacks, score them as empty, or skip them."),
    ] = "error",
    backend: Annotated[
        Backend,
        typer.Option(help="Count on the CPU, on an NVIDIA GPU, or in plain Python (reference)."),
    ] = "cpu",
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Set the number of threads; by default the work decides. No score depends on it.",
        ),
    ] = None,
    intervals: IntervalsOption = False,
    cluster: ClusterOption = None,
    method: MethodOption = "bca",
    confidence: ConfidenceOption = 0.95,
    n_resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
) -> None:
    """Score predictions against gold."""
    chosen = format_of(ctx, json, format)
    if chosen == "json":
        refuse(ctx, ("counts",), "is for tables, JSON has all counts anyway")
    if protocol == "cnc-2022":
        refuse(ctx, ("counts", "intervals"), "is for sums of counts, cnc-2022 has none")
    refuse_inference(ctx, intervals, method)
    import fastcausal as fc
    from fastcausal.formats.io.targets import keep_apart

    keep_apart([per_example, matches], [gold, *pred])
    names = short_names(pred)
    reports: dict[str, Report] = {}
    with doing(f"reading {gold}"):
        gold_side = _reusable(gold, protocol)
    with _one_table(per_example, list(names)) as tables:
        for name, path in names.items():
            with (
                doing(f"scoring {path}") as progress,
                _named(name if len(names) > 1 else None),
            ):
                reports[name] = fc.score(
                    gold_side,
                    path,
                    protocol,
                    by=by,
                    unparsed=unparsed,
                    unmatched=unmatched,
                    backend=backend,
                    num_threads=threads,
                    per_example=tables.get(name),
                    progress=progress,
                )
    if intervals:
        reports = with_intervals(reports, cluster, method, confidence, n_resamples, seed, by)
    if matches is not None:
        from fastcausal.count_files import with_system
        from fastcausal.formats.table import appending

        with appending(matches) as write:
            for name, report in reports.items():
                matched = report.matches
                write(with_system(matched, name) if len(names) > 1 else matched)
    print_reports(reports, chosen, by, counts)


def _reusable(gold: str, protocol: ProtocolName) -> Any:
    """Gold for several systems: what can be scored batch by batch stays in its file."""
    import fastcausal as fc
    from fastcausal.formats import opened
    from fastcausal.formats.io.files import readable_again
    from fastcausal.formats.io.format import Opened
    from fastcausal.protocols import PROTOCOLS

    source = opened(readable_again(gold))
    if not isinstance(source, Opened) or source.in_batches:
        return source
    return fc.read(source, tags=PROTOCOLS[protocol].tags)


@contextmanager
def _one_table(target: Path | None, systems: list[str]) -> Iterator[dict[str, Path]]:
    """A file for each system to write to; in the end they are one, with a column of names."""
    if target is None:
        yield {}
        return
    if len(systems) == 1:
        yield {systems[0]: target}
        return
    from fastcausal.count_files import about_systems, batches_in, metadata_of, with_system
    from fastcausal.formats.table import appending

    abouts: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory(prefix="fastcausal-") as folder:
        files = {name: Path(folder, f"{k}.parquet") for k, name in enumerate(systems)}
        yield files
        with appending(target, lambda: metadata_of(about_systems(abouts))) as write:
            for name, file in files.items():
                abouts[name], tables = batches_in(file)
                for table in tables:
                    write(with_system(table, name))


@contextmanager
def _named(system: str | None) -> Iterator[None]:
    """Say in an error which of several systems it is about."""
    from fastcausal.errors import InputError

    try:
        yield
    except InputError as error:
        raise InputError(f"{system}: {error}" if system else str(error)) from error


def with_intervals(
    reports: dict[str, Report],
    cluster: str | None,
    method: Method,
    confidence: float,
    n_resamples: int,
    seed: int,
    by: str | None,
) -> dict[str, Report]:
    """Give every score of every report its interval."""
    with doing("resampling"):
        return {
            name: report.with_intervals(
                cluster=cluster,
                method=method,
                confidence=confidence,
                n_resamples=n_resamples,
                seed=seed,
                by=by,
            )
            for name, report in reports.items()
        }


def print_reports(
    reports: dict[str, Report], format: str, by: str | None = None, counts: bool = False
) -> None:
    """Print one report, or what there is to compare of several."""
    first, *more = reports.values()
    if not more:
        print_report(first, format, counts)
    elif format == "json":
        print_json({"systems": {name: report.to_dict() for name, report in reports.items()}})
    else:
        warn(f"{name}: {w}" for name, report in reports.items() for w in report.warnings)
        notes = *first.legend, first.signature
        print_grids(systems_tables(reports, by, counts), format, *notes)


def systems_tables(
    reports: dict[str, Report], by: str | None = None, counts: bool = False
) -> list[Grid]:
    """Make one table of what systems extract; of other tasks, those of each system."""
    if all("n_gold_relations" in report.facts for report in reports.values()):
        return [systems_table(reports, by, counts)]
    grids = []
    for name, report in reports.items():
        for grid in report.to_tables(counts):
            grid.title = f"{name}: {grid.title}"
            grids.append(grid)
    return grids


def systems_table(reports: dict[str, Report], by: str | None = None, counts: bool = False) -> Grid:
    """A row per system: overall scores, and the last of them (F1) for every role.

    Parts are the values of the column ``by``; ``counts`` adds those of all roles together.
    """
    from fastcausal.report import scores_table

    first = next(iter(reports.values()))
    parts = {"": {name: _of_system(report.scores, counts) for name, report in reports.items()}}
    subsets = dict.fromkeys(name for report in reports.values() for name in report.subsets)
    for subset in subsets:
        if by is not None and subset.startswith(f"{by}="):
            parts[subset] = {
                name: _of_system(report.subsets[subset], counts)
                for name, report in reports.items()
                if subset in report.subsets
            }
    sentences = _range([report.n_examples for report in reports.values()])
    relations = _range([report.n_gold_relations for report in reports.values()])
    facts = f"{sentences} sentences, {relations} gold relations, {len(reports)} systems"
    return scores_table(f"{first.protocol}: {facts}", parts, counts=True)


def _range(numbers: list[int]) -> str:
    """One number, or the least and the greatest: some systems may have examples left out."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def _of_system(groups: Groups, counts: bool) -> Scores:
    """One row of `systems_table`."""
    from fastcausal.groups import Scores

    overall = groups["overall"]
    scores = {name: value for name, value in overall.items() if isinstance(value, float)}
    *_, last = scores
    row: dict[str, Number] = dict(scores)
    row |= {f"{group} {last}": groups[group][last] for group in [*groups][1:]}
    return Scores(row | (dict(overall) if counts else {}))
