"""``fastcausal agree A B [C ...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_json,
    print_table,
    warn,
    write_rows,
)
from fastcausal.cli.options import refuse
from fastcausal.options import AgreementProtocol, Level, MeanOver, Policy

if TYPE_CHECKING:
    from fastcausal.tables import Grid
    from fastcausal.tasks.agreement.agree import Agreement

OF_RELATIONS = ("protocol", "average", "by", "unparsed", "per_example", "matches")
OF_LABELS = ("level", "unit", "rater")


def agree(
    ctx: typer.Context,
    annotations: Annotated[
        list[str],
        typer.Argument(
            help="Files, or brat and WebAnno folders; the column annotator names the "
            "annotator, else the file does."
        ),
    ],
    protocol: Annotated[
        AgreementProtocol,
        typer.Option(help="Follow the paper (recess) or its program (recess-code)."),
    ] = "recess",
    average: Annotated[
        MeanOver | None,
        typer.Option(help="Average EM, OSB and TO over these; by default as the protocol does."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Also measure each value of this column separately.")
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add 95% bootstrap intervals.")
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Resample the values of this column instead of examples; implies --intervals."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed the bootstrap with this number.")] = 0,
    unparsed: Annotated[
        Policy,
        typer.Option(
            help="Stop at unparsed relations, count them as empty, or skip their examples."
        ),
    ] = "error",
    labels: Annotated[
        str | None, typer.Option(help="Compare the labels in this column instead of relations.")
    ] = None,
    level: Annotated[
        Level,
        typer.Option(help="Measure labels on this scale."),
    ] = "nominal",
    unit: Annotated[
        str | None, typer.Option(help="Take units from this column; by default unit, id or index.")
    ] = None,
    rater: Annotated[
        str | None, typer.Option(help="Take raters from this column, in one file of all ratings.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
    per_example: Annotated[
        Path | None,
        typer.Option(
            help="Write the values of each example to this .parquet, .arrow or .csv file."
        ),
    ] = None,
    matches: Annotated[
        Path | None,
        typer.Option(help="Write the paired relations to this .parquet, .arrow or .csv file."),
    ] = None,
) -> None:
    """Measure how far annotators agree on causal relations."""
    with clear_errors(json):
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
                annotations, labels, level, unit, rater, intervals, cluster, seed, json
            )
            return
        import fastcausal as fc
        from fastcausal.formats.io.targets import keep_apart

        keep_apart([per_example, matches], annotations)
        with doing("comparing annotators"):
            agreement = fc.agreement(
                annotations, protocol, average=average, by=by, unparsed=unparsed
            )
            drawn = agreement.intervals(cluster, seed=seed) if intervals or cluster else None
        for target, detail in ((per_example, "per_example"), (matches, "matches")):
            if target is not None:
                write_rows(target, getattr(agreement, detail))
        if json:
            print_json(
                agreement.to_dict() | ({"intervals": undefined_is_null(drawn)} if drawn else {})
            )
            return
        warn(agreement.warnings)
        print_table(agreement.to_table())
        if drawn is not None:
            print_table(intervals_table(agreement, drawn))
        print_table(agreement.signature)


def _agree_on_labels(
    paths: list[str],
    label: str,
    level: Level,
    unit: str | None,
    rater: str | None,
    intervals: bool,
    cluster: str | None,
    seed: int,
    json: bool,
) -> None:
    import fastcausal as fc
    from fastcausal.tasks.reliability.files import read_rating_files

    table = read_rating_files(paths, label, unit, rater, cluster)
    measures = fc.label_agreement(table, "label", "unit", "rater", level).to_dict()
    if intervals or cluster is not None:
        clusters = None if cluster is None else "cluster"
        drawn = fc.alpha_interval(
            table, level, clusters=clusters, seed=seed, unit="unit", rater="rater", label="label"
        )
        measures["alpha_interval"] = drawn.to_dict()
    if json:
        print_json(measures)
        return
    print_table(labels_table(label, measures), measures["signature"])


def labels_table(label: str, measures: dict[str, Any]) -> Grid:
    """A row per figure; those that belong together are a part."""
    from fastcausal.tables import Grid

    table = Grid(f"agreement on {label}", [""])
    several = {name: value for name, value in measures.items() if isinstance(value, dict)}
    for name, value in measures.items():
        if name not in (*several, "signature"):
            table.add(_words(name), _value(value))
    for name, values in several.items():
        table.part(_words(name))
        for key, value in values.items():
            table.add(key if name == "majority" else _words(key), _value(value))
    return table


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: object) -> str:
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


def intervals_table(agreement: Agreement, intervals: Intervals) -> Grid:
    """A row per role, a column per measure."""
    from fastcausal.tables import Grid

    table = Grid("95% intervals", list(agreement["total"]))
    for group, measures in intervals.items():
        table.add(group, *(f"{low:.4f} to {high:.4f}" for low, high in measures.values()))
    return table
