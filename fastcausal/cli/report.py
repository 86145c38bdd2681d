"""``fastcausal report GOLD PRED... --out FILE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from fastcausal.cli.console import doing, is_standard_output, print_json, short_names, show, warn
from fastcausal.cli.gold import gold_options, items_of, leads_with_gold
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    POLICIES,
    PROTOCOL,
    READS,
    SAMPLES,
    ByOption,
    DrawOptions,
    JsonOption,
    Marks,
    PolicyOptions,
    ProtocolOptions,
    ReadOptions,
    SampleOption,
    ScoreOption,
    SystemOption,
    SystemsOption,
    ValueOptions,
    make_recipe,
    refuse,
    refuse_draws,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.systems import add_intervals, make_reports, split_files
from fastcausal.cli.task_options import SetOption, TaskOption
from fastcausal.report.escapes import cell_text

OF_DRAWS = tuple(name for name in DrawOptions._fields if name != "cluster")

if TYPE_CHECKING:
    from fastcausal.report.page import Card, Section
    from fastcausal.report.report import Report
    from fastcausal.sweeps.items import Items


def report(
    ctx: click.Context,
    gold: Annotated[
        str,
        Argument(
            help="Gold annotations in any format; - for stdin. Or a log or a table of an "
            "evaluation, or counts."
        ),
    ],
    pred: Annotated[
        list[str] | None,
        Argument(
            help="Predictions in any format; of several, others are compared with the first. Or "
            "more logs, tables, counts."
        ),
    ] = None,
    *,
    out: Annotated[Path, Option(help="Write the page for the browser to this file.")],
    scoring: ProtocolOptions = PROTOCOL,
    task: TaskOption = "score",
    set: SetOption = None,
    score: ScoreOption = None,
    system: SystemOption = None,
    systems: SystemsOption = None,
    sample: SampleOption = None,
    by: ByOption = None,
    examples: Annotated[
        int, Option(min=0, help="Leave examples beyond so many out, right ones first.")
    ] = 20_000,
    policies: PolicyOptions = POLICIES,
    draws: DrawOptions = DRAWS,
    json: JsonOption = False,
    reads: ReadOptions = READS,
    marks: Marks = MARKS,
) -> None:
    """Write one page to look at: scores, errors, and every example with its spans marked.

    Examples
    --------
    fastcausal report gold.csv careful.jsonl --out careful.html
    fastcausal report gold.csv careful.jsonl hasty.jsonl --out page.html --by corpus
    fastcausal report a.eval b.eval --out page.html --score match
    fastcausal report runs.csv --system model --score match --out page.html
    """
    pred = pred or []
    files = [gold, *pred]
    values = ValueOptions(
        id=reads.id,
        answers=reads.answers,
        system=system,
        systems=systems,
        sample=sample,
        missing="skip",
    )
    is_of_runs = gold != "-" and not leads_with_gold(files, values, score)
    if is_of_runs or task != "score":
        refuse(ctx, ("arguments", "iou", "match", "by", *OF_DRAWS), "is for relations")
        scored_so = gold_options(ctx, task, set, scoring, policies, reads, is_of_runs)
        runs = items_of(ctx, files, scored_so, values, score, draws.cluster, marks, policies.join)
        _write_items(runs, files, out, examples, json)
        return
    refuse(ctx, ("set", "score", "systems", "sample"), "is for logs, tables and --task")
    import fastcausal as fc
    from fastcausal.arrays.strata import columns_by, name_cluster
    from fastcausal.errors import counted, name_few
    from fastcausal.files.packed import readable_again, stem_of
    from fastcausal.files.targets import keep_apart
    from fastcausal.formats import opened, read_marked
    from fastcausal.formats.cnc.rereading import GOLD_READING
    from fastcausal.formats.ranked import Ranked
    from fastcausal.report.page import write_page
    from fastcausal.tasks.extraction.page import describe_left_out, page_of

    protocol = scoring.chosen()
    recipe = make_recipe(protocol, policies, reads, marks)
    if protocol.average != "counts":
        raise fc.InputError(f"{scoring.protocol} does not add up over examples: it has no page")
    if system is None:
        parts = {name: Ranked((file,)) for name, file in short_names(pred).items()}
    else:
        parts = split_files(pred, system, None, reads.id)
    if len(parts) == 1:
        refuse_inference(ctx, True, draws)
    else:  # their ranks are drawn
        refuse_draws(ctx, draws.method)
    keep_apart([out], [gold, *pred])
    with doing(f"reading {gold}"):
        tags = GOLD_READING[protocol.tags]
        gold_side = read_marked(opened(readable_again(gold)), tags=tags, **recipe.of_gold)
    kept = columns_by(name_cluster(draws.cluster))

    def scored(source: Any) -> Report:
        return fc.score(gold_side, readable_again(source), recipe, by=by, statistics=kept)

    reports = add_intervals(make_reports(parts, scored, SAMPLES), draws, by)
    with doing(f"writing {out}"):
        title = f"{name_few([*reports], 'system')} on {stem_of(gold)}, {protocol.name}"
        sections, cards = _parts(reports, draws)
        page = page_of(title, sections, reports, examples, cards)
        write_page(out, page)
    columns = (page.part and page.part.data) or {}
    sizes = {name: columns[name] for name in ("n_examples", "n_left_out")}
    warnings = [
        f"{name}: {warning}" if len(reports) > 1 else warning
        for name, report in reports.items()
        for warning in report.warnings
    ]
    warnings += describe_left_out(sizes)
    if json:
        written = {"path": str(out), **sizes, "n_systems": len(reports)}
        print_json({**written, "warnings": warnings})
        return
    warn(warnings)
    said = f"{counted(sizes['n_examples'], 'example')}, {counted(len(reports), 'system')}"
    show(cell_text(f"{out}: {said}"), err=is_standard_output(out))


def _write_items(runs: Items, files: Sequence[str], out: Path, examples: int, json: bool) -> None:
    """Write the page of the items of runs."""
    from fastcausal.errors import counted
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.page import write_page
    from fastcausal.sweeps.items_page import page_of

    keep_apart([out], files)
    with doing(f"writing {out}"):
        page = page_of(runs, examples)
        write_page(out, page)
    sizes = {"n_examples": runs.n_items, "n_left_out": max(runs.n_items - examples, 0)}
    if json:
        written = {"path": str(out), **sizes, "n_systems": len(runs.runs)}
        print_json({**written, "warnings": [*page.warnings]})
        return
    warn(page.warnings)
    said = f"{counted(runs.n_items, 'item')}, {counted(len(runs.runs), 'run')}"
    show(cell_text(f"{out}: {said}"), err=is_standard_output(out))


def _parts(reports: Mapping[str, Report], draws: DrawOptions) -> tuple[list[Section], list[Card]]:
    """Make the sections beside the examples, and the cards above them."""
    from fastcausal.tasks.extraction.sections import cards_of

    first, *more = reports.values()
    if not more:
        return [*first.sections()], cards_of(reports)
    from fastcausal.sweeps.sections import parts_of_systems

    return parts_of_systems(reports, **draws._asdict())
