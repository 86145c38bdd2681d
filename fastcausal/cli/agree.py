"""``fastcausal agree A B [C ...]``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_grids,
    print_json,
    print_report,
    warn,
    write_rows,
)
from fastcausal.cli.options import FormatOption, JsonOption, format_of, refuse

if TYPE_CHECKING:
    from fastcausal.tables import Grid

OF_RELATIONS = ("protocol", "average", "by", "unparsed", "per_example", "matches")
OF_LABELS = ("level", "unit", "rater")


def agree(
    ctx: typer.Context,
    annotations: Annotated[
        list[str],
        typer.Argument(
            help="Files or brat and WebAnno folders; a column annotator, else the file, "
            "tells the annotator."
        ),
    ],
    protocol: Annotated[
        Literal["recess", "recess-code"],
        typer.Option(help="As the paper defines it, or as its program computes it."),
    ] = "recess",
    average: Annotated[
        Literal["example", "relation"] | None,
        typer.Option(help="What EM, OSB and TO are means over; the protocol's own by default."),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Also by the values of a column.")] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add bootstrap 95% intervals.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(help="Draw the values of this column instead of examples.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap behind intervals.")] = 0,
    unparsed: Annotated[
        Literal["error", "empty", "skip"],
        typer.Option(help="What a relation that cannot be read is."),
    ] = "error",
    labels: Annotated[
        str | None, typer.Option(help="Compare the labels of this column, not relations.")
    ] = None,
    level: Annotated[
        Literal["nominal", "ordinal", "interval", "ratio"], typer.Option(help="Of the labels.")
    ] = "nominal",
    unit: Annotated[
        str | None, typer.Option(help="Column of what is labelled; unit, id or index if not given.")
    ] = None,
    rater: Annotated[
        str | None, typer.Option(help="Column of who labelled, in one file of all ratings.")
    ] = None,
    json: JsonOption = False,
    format: FormatOption = "text",
    per_example: Annotated[
        Path | None,
        typer.Option(help="Write the values of every example: .parquet, .arrow or .csv."),
    ] = None,
    matches: Annotated[
        Path | None, typer.Option(help="Write the paired relations: .parquet, .arrow or .csv.")
    ] = None,
) -> None:
    """Measure how far annotators agree on causal relations."""
    with clear_errors(json or format == "json"):
        chosen = format_of(ctx, json, format)
        if not intervals and cluster is None:
            refuse(ctx, ("seed",), "is for intervals: add --intervals or --cluster")
        if labels is None:
            refuse(ctx, OF_LABELS, "is for labels: name their column with --labels")
        else:
            refuse(ctx, OF_RELATIONS, f"is for relations, but --labels {labels} compares labels")
            if len(annotations) > 1:
                refuse(
                    ctx, ("rater",), "is for one file of all ratings; of several each is a rater"
                )
            _agree_on_labels(
                annotations, labels, level, unit, rater, intervals, cluster, seed, chosen
            )
            return
        import fastcausal as fc
        from fastcausal.formats.io.targets import keep_apart
        from fastcausal.report import plain

        keep_apart([per_example, matches], annotations)
        with doing("comparing annotators"):
            found = fc.agreement(annotations, protocol, average=average, by=by, unparsed=unparsed)
            drawn = found.intervals(cluster, seed=seed) if intervals or cluster else None
        for target, detail in ((per_example, "per_example"), (matches, "matches")):
            if target is not None:
                write_rows(target, getattr(found, detail))
        if drawn is None:
            print_report(found, chosen)
        elif chosen == "json":
            print_json(found.to_dict() | {"intervals": plain(drawn)})
        else:
            warn(found.warnings)
            grids = [*found.to_tables(), intervals_grid(drawn, chosen)]
            print_grids(grids, chosen, found.signature)


def _agree_on_labels(
    paths: list[str],
    label: str,
    level: Literal["nominal", "ordinal", "interval", "ratio"],
    unit: str | None,
    rater: str | None,
    intervals: bool,
    cluster: str | None,
    seed: int,
    format: str,
) -> None:
    import fastcausal as fc
    from fastcausal.report import plain
    from fastcausal.tasks.reliability.files import read_rating_files

    table = read_rating_files(paths, label, unit, rater, cluster)
    found = fc.label_agreement(table, "label", "unit", "rater", level)
    grid = found.to_table()
    grid.title = f"{label}: {grid.title}"
    drawn = {}
    if intervals or cluster is not None:
        clusters = None if cluster is None else "cluster"
        interval = fc.alpha_interval(
            table, level, clusters=clusters, seed=seed, unit="unit", rater="rater", label="label"
        )
        drawn = {"alpha_interval": asdict(interval)}
        grid.part("alpha interval")
        for name, value in drawn["alpha_interval"].items():
            grid.add(name.replace("_", " "), value)
    if format == "json":
        print_json(found.to_dict() | plain(drawn))
    else:
        print_grids([grid], format, found.signature)


Intervals = dict[str, dict[str, tuple[float, float]]]


def intervals_grid(intervals: Intervals, format: str) -> Grid:
    """A row per role, a column per measure; of CSV a column per bound."""
    from fastcausal.tables import Grid

    title = "95% intervals"
    if format == "csv":
        grid = Grid(title, ["low", "high"])
        for group, measures in intervals.items():
            grid.part(group)
            for name, bounds in measures.items():
                grid.add(name, *bounds)
        return grid
    grid = Grid(title, list(intervals["total"]))
    for group, measures in intervals.items():
        grid.add(group, *(f"{low:.4f} to {high:.4f}" for low, high in measures.values()))
    return grid
