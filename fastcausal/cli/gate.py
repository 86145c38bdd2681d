"""``fastcausal gate [GOLD] --candidate B``, with ``--baseline A --min-delta D`` or ``--min``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from fastcausal.cli.console import doing, show
from fastcausal.cli.gold import (
    GOLD_OPTIONS,
    GoldOptions,
    leads_with_gold,
    names_its_systems,
    refuse_without_gold,
)
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    VALUES,
    AnytimeOption,
    DrawOptions,
    JoinOption,
    LowerOption,
    Marks,
    ScoreOption,
    UnpairedOption,
    ValueOptions,
    import_numpy,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Verdict
from fastcausal.report.escapes import cell_text

if TYPE_CHECKING:
    from fastcausal.sweeps.gate import Gate

NOT_PASSED = 1
OF_BASELINE = ("min_delta", "unpaired", "score", "lower_is_better", "no_regression")
LEVELS: dict[Verdict, str] = {
    "pass": "notice",
    "fail": "error",
    "inconclusive": "warning",
    "unchanged": "notice",
}


def gate(
    ctx: click.Context,
    files: Annotated[
        list[str] | None,
        Argument(
            metavar="[GOLD] [FILE]...",
            help="Gold, for a candidate and a baseline of predictions; with --system, files of "
            "both.",
        ),
    ] = None,
    candidate: Annotated[
        str | None,
        Option(help="Judge these counts, as score --per-example writes them, or predictions."),
    ] = None,
    baseline: Annotated[str | None, Option(help="Compare with these.")] = None,
    min_delta: Annotated[
        float | None,
        Option(
            help="Pass if the candidate is significantly better by this; below 0: worse by no more."
        ),
    ] = None,
    least: Annotated[
        list[str] | None,
        Option(
            "--min",
            metavar="SCORE=VALUE",
            help="Pass if the lower confidence bound of a score is at least this; may be given "
            "several times.",
        ),
    ] = None,
    point: Annotated[
        bool, Option("--point", help="Compare values with --min, not their confidence bounds.")
    ] = False,
    score: ScoreOption = None,
    scored: GoldOptions = GOLD_OPTIONS,
    marks: Marks = MARKS,
    join: JoinOption = None,
    lower_is_better: LowerOption = False,
    values: ValueOptions = VALUES,
    unpaired: UnpairedOption = False,
    draws: DrawOptions = DRAWS,
    looks: Annotated[
        Path | None,
        Option(help="Keep the looks at this test set in this file: their levels add up to one."),
    ] = None,
    window: Annotated[
        int | None, Option(min=1, help="Share the level equally among so many looks.")
    ] = None,
    anytime: AnytimeOption = False,
    largest: Annotated[
        float | None,
        Option(help="Take this as the largest denominator of a unit, for --min with --anytime."),
    ] = None,
    no_regression: Annotated[
        bool,
        Option(
            "--no-regression",
            help="Fail if items fail that the baseline had right in every answer, or significantly "
            "more often.",
        ),
    ] = False,
    allow: Annotated[int, Option(min=0, help="Let so many items fail.")] = 0,
    allow_flaky: Annotated[
        bool, Option("--allow-flaky", help="Let items fail that are right in some answers alone.")
    ] = False,
    junit: Annotated[
        Path | None, Option(help="Write the verdict to this file as JUnit's XML.")
    ] = None,
    github: Annotated[
        bool, Option("--github", help="Annotate a GitHub workflow, and add to its summary.")
    ] = False,
    tables: TableOptions = TABLES,
) -> None:
    """Judge a candidate: exit status 0 if it passes, 1 if it fails or is inconclusive.

    The same predictions are unchanged: exit status 0 unless a gain is required.

    Examples
    --------
    fastcausal gate gold.csv --candidate careful.jsonl --min overall_f1=0.7
    fastcausal gate gold.csv --baseline hasty.jsonl --candidate careful.jsonl --min-delta -0.01
    fastcausal gate --baseline hasty.parquet --candidate careful.parquet --min-delta -0.01
    fastcausal gate --baseline values_a.csv --candidate values_b.csv --no-regression
    fastcausal gate runs.csv --system model --value match --candidate new --min match=0.2
    """
    files = files or []
    import_numpy()
    is_split = bool(values.system or values.systems)
    if candidate is not None and not Path(candidate).exists():
        is_split = is_split or names_its_systems(files, values, score)
    if candidate is None or (len(files) > 1 and not is_split):
        raise click.UsageError(
            "expected [GOLD] --candidate B, with --baseline A --min-delta D, or with --min "
            "SCORE=VALUE: systems have options, so that none is judged by its place",
            ctx,
        )
    if is_split and not files:
        raise click.UsageError("expected a FILE, in which --candidate names a system", ctx)
    has_gold = leads_with_gold(files, values, score) if is_split else bool(files)
    if baseline is None:
        refuse(ctx, OF_BASELINE, "is of a difference: name a --baseline")
        if not least:
            raise click.UsageError("expected --baseline and --min-delta, or --min", ctx)
    elif min_delta is None and not no_regression:
        raise click.UsageError(
            "expected --min-delta, the least difference that passes, or --no-regression", ctx
        )
    if not no_regression:
        refuse(ctx, ("allow", "allow_flaky"), "is for --no-regression")
    elif min_delta is None and not least:
        names = ("cluster", "method", "n_resamples", "seed", "anytime")
        refuse(ctx, names, "is for --min-delta and --min, items are counted one by one")
    if not least:
        refuse(ctx, ("point", "largest"), "is for --min")
    if looks is None:
        refuse(ctx, ("window",), "is for --looks")
    if not anytime:
        refuse(ctx, ("largest",), "is for --anytime")
    import fastcausal as fc
    from fastcausal.files.files import replacing
    from fastcausal.files.targets import keep_apart
    from fastcausal.sweeps.item_table import read_runs
    from fastcausal.sweeps.systems import choose, load_by_name, request_scores

    systems = [candidate] if baseline is None else [baseline, candidate]
    keep_apart([junit, looks], files if is_split else [*systems, *files])
    sides: list[Any] = [*systems]
    if has_gold:
        counted = scored.scored(
            ctx, files[0], files[1:] if is_split else systems, values, draws.cluster, marks, join,
            digested=True, score=score, by_answer=no_regression,
        )  # fmt: skip
        sides = choose(counted, systems) if is_split else [*counted.values()]
        values = VALUES
    else:
        refuse_without_gold(ctx, "join")
        if is_split:
            with doing(f"reading {files[0]}", "samples") as progress:
                reading = request_scores(values.reading(progress), score, draws.cluster)
                read = read_runs if no_regression else load_by_name
                sides = choose(read(files, reading), systems)
    before = None if baseline is None else sides[0]
    with doing(f"judging {candidate}", "samples") as progress:
        result = fc.gate(
            before,
            sides[-1],
            min_delta=min_delta,
            floors=parse_floors(least or []),
            point=point,
            score=score,
            lower_is_better=lower_is_better,
            unpaired=unpaired,
            reading=values.reading(progress),
            looks=looks,
            window=window,
            anytime=anytime,
            largest=largest,
            no_regression=no_regression,
            allow=allow,
            allow_flaky=allow_flaky,
            **draws._asdict(),
        )
    if junit is not None:
        with replacing(junit) as file:
            file.write(result.to_junit().encode())
    if github:
        show(annotation(result), err=tables.format == "json")
        add_to_summary(result)
    tables.show(result)
    if not result.passed:
        raise click.exceptions.Exit(NOT_PASSED)


def parse_floors(given: list[str]) -> dict[str, float]:
    """Read ``SCORE=VALUE``; raise BadParameter for other texts, or a score twice."""
    floors: dict[str, float] = {}
    for each in given:
        name, _, value = each.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            name = ""
        if not name or name in floors:
            problem = "twice" if name else "expected SCORE=VALUE such as overall_f1=0.8"
            raise click.BadParameter(f'"{each}", {problem}', param_hint="--min")
        floors[name] = number
    return floors


def annotation(result: Gate) -> str:
    """Return the annotation of a GitHub run, escaped by GitHub's rules.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    said = cell_text(f"{result.title}; {result.reason}")
    said = said.replace("%", "%25")
    return f"::{LEVELS[result.verdict]} title=fastcausal gate::{said}"


def add_to_summary(result: Gate) -> None:
    """Append a table to the summary of the current GitHub workflow, if any."""
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{result.to_markdown()}\n")
