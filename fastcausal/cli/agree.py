"""``fastcausal agree A B [C ...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_json,
    print_table,
    warn,
    write_parquet,
)

if TYPE_CHECKING:
    from rich.table import Table

    from fastcausal.annotators.agree import Agreement


def agree(
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
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap.")] = 0,
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
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    per_example: Annotated[
        Path | None, typer.Option(help="Write the values of every example to a Parquet file.")
    ] = None,
    matches: Annotated[
        Path | None, typer.Option(help="Write the paired relations to a Parquet file.")
    ] = None,
) -> None:
    """Measure how far annotators agree on causal relations."""
    with clear_errors(json):
        if labels is not None:
            _agree_on_labels(
                annotations, labels, level, unit, rater, intervals, cluster, seed, json
            )
            return
        import fastcausal as fc
        from fastcausal.formats.targets import keep_apart

        keep_apart([per_example, matches], annotations)
        with doing("comparing annotators"):
            found = fc.agreement(annotations, protocol, average=average, by=by, unparsed=unparsed)
            drawn = found.intervals(cluster, seed=seed) if intervals or cluster else None
        for target, detail in ((per_example, "per_example"), (matches, "matches")):
            if target is not None:
                write_parquet(target, getattr(found, detail))
        if json:
            print_json(found.to_dict() | ({"intervals": undefined_is_null(drawn)} if drawn else {}))
            return
        warn(found.warnings)
        print_table(found.to_table())
        if drawn is not None:
            print_table(intervals_table(found, drawn))
        print_table(found.signature)


def _agree_on_labels(
    paths: list[str],
    label: str,
    level: Literal["nominal", "ordinal", "interval", "ratio"],
    unit: str | None,
    rater: str | None,
    intervals: bool,
    cluster: str | None,
    seed: int,
    json: bool,
) -> None:
    import fastcausal as fc
    from fastcausal.ratings.files import read_rating_files

    table = read_rating_files(paths, label, unit, rater, cluster)
    found = fc.label_agreement(table, "label", "unit", "rater", level).to_dict()
    if intervals or cluster is not None:
        clusters = None if cluster is None else "cluster"
        drawn = fc.alpha_interval(
            table, level, clusters=clusters, seed=seed, unit="unit", rater="rater", label="label"
        )
        found["alpha_interval"] = drawn.to_dict()
    if json:
        print_json(found)
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(f"agreement on {label}"),
                  title_justify="left")  # fmt: skip
    shown.add_column("")
    shown.add_column("", justify="right")
    for name, value in found.items():
        if name != "signature":
            shown.add_row(name.replace("_", " "), Text(_value(value)))
    print_table(shown, found["signature"])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value(part)}" for key, part in value.items())
    if value is None:
        return "undefined"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


Intervals = dict[str, dict[str, tuple[float, float]]]


def undefined_is_null(intervals: Intervals) -> dict[str, dict[str, list[float | None]]]:
    """Intervals ready for JSON."""
    return {
        group: {
            name: [None if bound != bound else bound for bound in bounds]
            for name, bounds in measures.items()
        }
        for group, measures in intervals.items()
    }


def intervals_table(found: Agreement, intervals: Intervals) -> Table:
    """A row per role, a column per measure."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="95% intervals", title_justify="left")
    table.add_column("")
    for name in found["total"]:
        table.add_column(name, justify="right")
    for group, measures in intervals.items():
        table.add_row(group, *(f"{low:.4f} to {high:.4f}" for low, high in measures.values()))
    return table
