"""``fastcausal agree A B [C ...]``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from fastcausal.cli.console import (
    doing,
    print_json,
    warn,
    write_rows,
)
from fastcausal.cli.options import (
    MARKS,
    ByOption,
    ClusterOption,
    FromOption,
    JoinOption,
    Marks,
    MethodOption,
    SeedOption,
    is_given,
    open_sources,
    refuse,
    warn_of_draws,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import (
    AUTO,
    NO_CLUSTER,
    AgreementProtocol,
    LabelPolicy,
    Level,
    MeanOver,
    Method,
    Policy,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.report.grid import Grid
    from fastcausal.tasks.agreement.report import Agreement
    from fastcausal.tasks.labels.report import LabelAgreement

OF_RELATIONS = (
    "source_format", *Marks._fields, "join", "protocol", "average", "unparsed", "unmatched",
    "per_example", "matches", "replace",
)  # fmt: skip
OF_LABELS = ("level", "unit", "rater")


def agree(
    ctx: click.Context,
    annotations: Annotated[
        list[str],
        Argument(
            help="Files, or brat and WebAnno folders; the column annotator names the "
            "annotator, else the file does."
        ),
    ],
    protocol: Annotated[
        AgreementProtocol,
        Option(help="Follow the paper (recess) or its program (recess-code)."),
    ] = "recess",
    average: Annotated[
        MeanOver | None,
        Option(help="Average EM, OSB and TO over these; by default as the protocol does."),
    ] = None,
    by: ByOption = None,
    intervals: Annotated[bool, Option("--intervals", help="Add 95% confidence intervals.")] = False,
    cluster: ClusterOption = AUTO,
    method: MethodOption = "jackknife",
    seed: SeedOption = 0,
    unparsed: Annotated[
        Policy,
        Option(help="Stop at unparsed relations, count them as empty, or skip their examples."),
    ] = "error",
    unmatched: Annotated[
        LabelPolicy,
        Option(help="Stop at an example with two texts, or skip it."),
    ] = "error",
    join: JoinOption = None,
    replace: Annotated[
        str | None,
        Option(help="Test if this annotator, as a model, may stand in for the others."),
    ] = None,
    labels: Annotated[
        str | None,
        Option(help="Compare the labels in this column instead of relations; A,B: one a rater."),
    ] = None,
    level: Annotated[
        Level,
        Option(help="Measure labels on this scale."),
    ] = "nominal",
    unit: Annotated[
        str | None, Option(help="Take units from this column; by default unit, id or index.")
    ] = None,
    rater: Annotated[
        str | None, Option(help="Take raters from this column, in one file of all ratings.")
    ] = None,
    source_format: FromOption = None,
    marks: Marks = MARKS,
    tables: TableOptions = TABLES,
    per_example: Annotated[
        Path | None,
        Option(help="Write the values of each example to this .parquet, .arrow or .csv file."),
    ] = None,
    matches: Annotated[
        Path | None,
        Option(help="Write the paired relations to this .parquet, .arrow or .csv file."),
    ] = None,
    disagreements: Annotated[
        Path | None,
        Option(
            help="Write what annotators marked otherwise, side by side, to this .csv or .html file."
        ),
    ] = None,
) -> None:
    """Measure how far annotators agree on causal relations.

    Examples
    --------
    fastcausal agree annotator_1.jsonl annotator_2.jsonl annotator_3.jsonl --intervals
    fastcausal agree labels_1.csv labels_2.csv --labels label
    """
    intervals = intervals or is_given(ctx, "cluster")
    if not intervals:
        reason = "is for confidence intervals: add --intervals or --cluster"
        refuse(ctx, ("method", "seed"), reason)
    warn_of_draws(ctx, method, ("seed",))
    if labels is None:
        refuse(ctx, OF_LABELS, "is for labels: name their column with --labels")
    else:
        refuse(ctx, OF_RELATIONS, f"is for relations, but --labels {labels} compares labels")
        if len(annotations) > 1:
            refuse(ctx, ("rater",), "is for one file of all ratings; of several each is a rater")
        _agree_on_labels(
            annotations, labels, level, unit, rater, by or (), intervals, cluster, method, seed,
            tables, disagreements,
        )  # fmt: skip
        return
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.report import plain

    keep_apart([per_example, matches, disagreements], annotations)
    with doing("comparing annotators"):
        sources: Any = open_sources(annotations, source_format)
        agreement = fc.agree(
            sources, protocol, average=average, by=by, unparsed=unparsed, unmatched=unmatched,
            join=join, replace=replace, **marks.given(),
        )  # fmt: skip
        cluster = agreement.statistics.resolve_cluster(cluster) if intervals else None
        drawn = agreement.intervals(cluster, method=method, seed=seed) if intervals else None
    for target, detail in ((per_example, "per_example"), (matches, "matches")):
        if target is not None:
            write_rows(target, getattr(agreement, detail))
    _write_disagreements(disagreements, agreement)
    if drawn is None:
        tables.show(agreement)
    elif tables.format == "json":
        print_json(agreement.to_dict() | {"intervals": plain(drawn)})
    else:
        warn(agreement.warnings)
        grids = [*agreement.to_tables(), intervals_grid(drawn, method, cluster)]
        tables.show_grids(grids, agreement.signature, scales=agreement.scales)


def _agree_on_labels(
    paths: list[str],
    label: str,
    level: Level,
    unit: str | None,
    rater: str | None,
    by: Sequence[str],
    intervals: bool,
    cluster: str | None,
    method: Method,
    seed: int,
    tables: TableOptions,
    disagreements: Path | None,
) -> None:
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart
    from fastcausal.significance.draws import METHODS
    from fastcausal.tasks.labels.files import find_cluster_of_units, read_rating_files

    keep_apart([disagreements], paths)
    cluster = cluster if intervals and cluster != NO_CLUSTER else None
    table = read_rating_files(paths, label, unit, rater, cluster, by)
    measures = fc.label_agreement(table, "label", "unit", "rater", level, by)
    _write_disagreements(disagreements, measures)
    grids = measures.to_tables()
    grid = grids[0]
    grid.title = f"{label}: {grid.title}"
    drawn = {}
    if intervals:
        clusters = None if cluster is None else "cluster"
        if cluster == AUTO:
            clusters = cluster = find_cluster_of_units(table)
        interval = fc.alpha_interval(
            table, level, clusters=clusters, method=method, seed=seed, unit="unit", rater="rater",
            label="label",
        )  # fmt: skip
        drawn = {"alpha_interval": interval.to_dict()}
        grid.part(f"95% confidence interval of alpha, {METHODS[method]}{_name_clusters(cluster)}")
        for name, value in drawn["alpha_interval"].items():
            if name != "method":
                grid.add(name.replace("_", " "), value)
    if tables.format == "json":
        print_json(measures.to_dict() | drawn)
    else:
        tables.show_grids(grids, measures.signature, scales=measures.scales)


def _write_disagreements(target: Path | None, report: Agreement | LabelAgreement) -> None:
    """Write a page to an .html file, a table to any other."""
    if target is None:
        return
    suffix = target.suffix.lower()
    if suffix not in (".html", ".htm"):
        table = report.disagreements
        write_rows(target, _escape_formulas(table) if suffix == ".csv" else table)
        return
    from fastcausal.files.files import replacing

    with replacing(target) as file:
        file.write(report.disagreements_page().encode())


def _escape_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before text that a spreadsheet would read as a formula."""
    import pyarrow as pa

    from fastcausal.arrays.arrow import strings
    from fastcausal.report.escapes import csv_value

    columns = [
        strings([None if v is None else str(csv_value(v)) for v in column.to_pylist()])
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.Table.from_arrays(columns, table.column_names)


def _name_clusters(cluster: str | None) -> str:
    return "" if cluster is None else f" of clusters ({cluster})"


MeasureBounds = dict[str, dict[str, tuple[float, float]]]


def intervals_grid(intervals: MeasureBounds, method: Method, cluster: str | None) -> Grid:
    """Make a part per role, a row per measure."""
    from fastcausal.report.grid import Grid
    from fastcausal.significance.draws import METHODS

    title = f"95% confidence intervals, {METHODS[method]}{_name_clusters(cluster)}"
    grid = Grid(title, ["low", "high"])
    for group, measures in intervals.items():
        grid.part(group)
        for name, bounds in measures.items():
            grid.add(name, *bounds, score=name)
    return grid
