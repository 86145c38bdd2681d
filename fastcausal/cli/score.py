"""``fastcausal score GOLD PRED``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import click

from fastcausal.cli.console import doing, hint
from fastcausal.cli.derived import show_systems
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    POLICIES,
    PROTOCOL,
    READS,
    SAMPLES,
    ByOption,
    DrawOptions,
    IntervalsOption,
    LenientOption,
    Marks,
    PolicyOptions,
    ProtocolOptions,
    ReadOptions,
    SampleOptions,
    import_numpy,
    make_recipe,
    refuse,
    refuse_inference,
    refuse_settings,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.systems import (
    add_intervals,
    has_several,
    make_reports,
    prefix_errors,
    print_reports,
    split_files,
    write_units,
)
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.counts.task import protocols_under
from fastcausal.options import Backend

# Options without effect on protocols that count no pairs of relations.
OF_RELATIONS = (
    "kernel", "matches", "reasons", "counts", "backend", "threads", "source_format", "answers",
    "occurrence", "id", "join", "gold_column", "pred_column",
    "arguments", "iou", "match",
    *(name for name in Marks._fields if name != "words"),
)  # fmt: skip
SCORE = "fastcausal.tasks.extraction.score:score"
OF_ONE_ANSWER = ("matches", "reasons")
SCORED_AGAIN = 1 << 20  # largest files, in bytes, that are scored again for a hint

if TYPE_CHECKING:
    from fastcausal.recipe import Recipe


def score(
    ctx: click.Context,
    gold: Annotated[str, Argument(help="Gold annotations in any format; - for stdin.")],
    pred: Annotated[
        list[str], Argument(help="Predictions in any format; a table row for each file.")
    ],
    scoring: ProtocolOptions = PROTOCOL,
    tables: TableOptions = TABLES,
    per_example: Annotated[
        Path | None,
        Option(help="Write the counts of each example to this .parquet, .arrow or .csv file."),
    ] = None,
    matches: Annotated[
        Path | None,
        Option(help="Write the chosen pairs to this .parquet, .arrow or .csv file."),
    ] = None,
    reasons: Annotated[
        Path | None,
        Option(
            help="Write why predictions are unparsed to this .csv, .jsonl, .parquet or .arrow file."
        ),
    ] = None,
    gold_column: Annotated[str | None, Option(metavar="COLUMN", function=SCORE)] = None,
    pred_column: Annotated[str | None, Option(metavar="COLUMN", function=SCORE)] = None,
    by: ByOption = None,
    counts: Annotated[
        bool, Option("--counts", help="Add all counts to the table; JSON always has them.")
    ] = False,
    policies: PolicyOptions = POLICIES,
    backend: Annotated[
        Backend,
        Option(help="Count on the CPU, on an NVIDIA GPU, or in plain Python (reference)."),
    ] = "cpu",
    threads: Annotated[
        int | None,
        Option(
            min=1,
            help="Set the number of threads; by default the work decides. No score depends on it.",
        ),
    ] = None,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
    reads: ReadOptions = READS,
    marks: Marks = MARKS,
    samples: SampleOptions = SAMPLES,
    lenient: LenientOption = False,
) -> None:
    """Score predictions against gold.

    Examples
    --------
    fastcausal score gold.csv careful.jsonl --protocol cnc-2023
    fastcausal score gold.csv careful.jsonl hasty.jsonl --by corpus --intervals
    fastcausal score gold.csv careful.jsonl --per-example careful.parquet
    fastcausal score sections.csv sections_careful.csv --protocol fincausal-2020
    """
    if tables.format == "json":
        refuse(ctx, ("counts",), "is for tables, JSON has all counts anyway")
    import_numpy()
    import fastcausal as fc
    from fastcausal.arrays.strata import columns_by, name_cluster
    from fastcausal.counts.systems import join_files, open_rows
    from fastcausal.files.packed import readable_again
    from fastcausal.files.targets import keep_apart, notes_on_one_file
    from fastcausal.formats import opened
    from fastcausal.formats.columns import take_relations
    from fastcausal.protocols import RECESS

    published = protocols_under("score").get(scoring.protocol)
    if published is not None and published.score:
        refuse(ctx, OF_RELATIONS, f"is for relations, not for {scoring.protocol}")
        settings = policies._asdict() | {"tags": reads.tags, "by": by, "lenient": lenient}
        settings |= marks.given()
        refuse_inference(ctx, intervals, draws)
        keep_apart([per_example], [gold, *pred])
        count: Any = partial(cast(Any, fc.score), protocol=scoring.protocol, **settings)
        systems = split_files(pred, samples.system, samples.sample, reads.id)
        reports = make_reports(systems, lambda file: count(gold, file), samples, by=by)
        show_systems(reports, tables, draws if intervals else None, by, per_example)
        return
    refuse_settings(ctx, "score", scoring.protocol)
    protocol = scoring.chosen()
    recipe = make_recipe(protocol, policies, reads, marks)
    if protocol.average != "counts":
        refuse(ctx, ("counts", "intervals"), f"is for sums of counts, {scoring.protocol} has none")
    refuse_inference(ctx, intervals, draws)
    keep_apart([per_example, matches, reasons], [gold, *pred])
    systems = split_files(pred, samples.system, samples.sample, reads.id)
    is_plain = not has_several(systems, samples.over)
    if not is_plain:
        refuse(ctx, OF_ONE_ANSWER, "is for one answer to an example: add --over first")
    reports = {}
    with doing(f"reading {gold}"):
        table = (
            readable_again(gold)
            if gold_column is None
            else take_relations(gold, gold_column, pred_column)
        )
        source = opened(table)
        gold_side = _reusable(source, recipe, len(systems) > 1 or not is_plain)
    if not is_plain:
        keep: dict[str, Any] = {"statistics": columns_by(name_cluster(draws.cluster)), "by": by}
        keep |= {"backend": backend, "num_threads": threads, "pred_column": pred_column}
        from fastcausal.sweeps.scoring import scoring_of

        vote = scoring_of(recipe, table).vote if samples.over == "majority" else None
        reports = make_reports(
            systems, lambda each: fc.score(gold_side, each, recipe, **keep), samples, vote, by=by
        )
        reports = add_intervals(reports, draws, by) if intervals else reports
        write_units(per_example, reports)
        print_reports(reports, tables, by, counts)
        return
    names = {name: answers.sources[0] for name, answers in systems.items()}
    with (
        join_files(per_example, list(names)) as counted,
        open_rows(matches, len(names) > 1) as write_matches,
        open_rows(reasons, len(names) > 1) as write_reasons,
    ):
        for name, path in names.items():
            with (
                doing(f"scoring {name}") as progress,
                prefix_errors(name if len(names) > 1 else None, path),
            ):
                report: Any = fc.score(
                    gold_side,
                    path,
                    recipe,
                    by=by,
                    backend=backend,
                    num_threads=threads,
                    statistics=columns_by(name_cluster(draws.cluster)) if intervals else None,
                    per_example=counted.get(name),
                    progress=progress,
                    pred_column=pred_column,
                )
                # Gold may be in memory.
                is_file = pred_column is None and isinstance(path, str)
                notes = notes_on_one_file(gold, path) if is_file else ()
                report.warnings = tuple(dict.fromkeys((*report.warnings, *notes)))
                if matches is not None:
                    write_matches(name, report.matches)
                if reasons is not None:
                    write_reasons(name, report.unparsed)
            if intervals:
                report = add_intervals({name: report}, draws, by)[name]
            reports[name] = report.without_details()
    print_reports(reports, tables, by, counts)
    are_files = all(isinstance(path, str) for path in names.values())
    if tables.format == "text" and protocol is RECESS and are_files:
        given = policies._asdict() | reads.arguments() | marks.given()
        hint(_official_hint(source, names, **given))


def _official_hint(gold: Any, systems: Mapping[str, str], **given: Any) -> str:
    """Return a hint with the official scores of small Causal News Corpus files; else ""."""
    import fastcausal as fc
    from fastcausal.formats.reading.format import Opened

    if not isinstance(gold, Opened) or gold.format.name != "cnc":
        return ""
    files = [Path(path) for path in (gold.path, *systems.values())]
    if not all(map(Path.is_file, files)) or sum(f.stat().st_size for f in files) > SCORED_AGAIN:
        return ""
    try:
        f1 = {n: fc.score(gold, p, "cnc-2023", **given)["overall"].f1 for n, p in systems.items()}
    except ValueError:  # shown to users who request that protocol, or other tags
        return ""
    each = [f"{name if len(f1) > 1 else ''} {score:.4f}".strip() for name, score in f1.items()]
    return f"official, cnc-2023: {', '.join(each)}; see fastcausal explain"


def _reusable(source: Any, recipe: Recipe, several: bool) -> Any:
    """Load gold of one batch to memory; leave larger gold, or gold of unknown size, in its file."""
    from fastcausal.formats import read_marked, stream
    from fastcausal.formats.cnc.rereading import GOLD_READING
    from fastcausal.formats.reading.format import Opened

    tags = GOLD_READING[recipe.protocol.tags]
    is_whole = isinstance(source, Opened) and not source.can_stream
    if is_whole or recipe.marking.changes_reading:
        return read_marked(source, tags=tags, **recipe.of_gold)
    side = stream(source, None, tags)
    if side is None:
        return read_marked(source, tags=tags) if several else source
    if side.follows or not (several or side.is_one_batch):
        return source
    whole = side.read_if_small()
    return source if whole is None else whole
