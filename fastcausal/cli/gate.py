"""``fastcausal gate --baseline A --candidate B --min-delta D``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from fastcausal.cli.console import doing, print_report, show
from fastcausal.cli.options import (
    DRAWS,
    VALUES,
    DrawOptions,
    FormatOption,
    JsonOption,
    LowerOption,
    ScoreOption,
    UnpairedOption,
    ValueOptions,
    format_of,
)
from fastcausal.cli.parameters import Option
from fastcausal.options import Verdict
from fastcausal.report.escapes import cell_text

if TYPE_CHECKING:
    from fastcausal.sweeps.gate import Gate

NOT_PASSED = 1
LEVELS: dict[Verdict, str] = {"pass": "notice", "fail": "error", "inconclusive": "warning"}


def gate(
    ctx: click.Context,
    baseline: Annotated[
        str, Option(help="Compare with these counts, as score --per-example writes them.")
    ],
    candidate: Annotated[str, Option(help="Judge these counts.")],
    min_delta: Annotated[
        float,
        Option(
            help="Pass if the candidate is significantly better by this; below 0: worse by no more."
        ),
    ],
    score: ScoreOption = None,
    lower_is_better: LowerOption = False,
    values: ValueOptions = VALUES,
    unpaired: UnpairedOption = False,
    draws: DrawOptions = DRAWS,
    junit: Annotated[
        Path | None, Option(help="Write the verdict to this file as JUnit's XML.")
    ] = None,
    github: Annotated[
        bool, Option("--github", help="Annotate a GitHub workflow, and add to its summary.")
    ] = False,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Judge a candidate: exit status 0 if it passes, 1 if it fails or is inconclusive.

    Examples
    --------
    fastcausal gate --baseline hasty.parquet --candidate careful.parquet --min-delta -0.01
    """
    chosen = format_of(ctx, json, format)
    import fastcausal as fc
    from fastcausal.files.files import replacing
    from fastcausal.files.targets import keep_apart

    keep_apart([junit], [baseline, candidate])
    with doing(f"comparing {candidate} with {baseline}", "samples") as progress:
        result = fc.gate(
            baseline,
            candidate,
            min_delta=min_delta,
            score=score,
            lower_is_better=lower_is_better,
            unpaired=unpaired,
            reading=values.reading(progress),
            **draws._asdict(),
        )
    if junit is not None:
        with replacing(junit) as file:
            file.write(result.to_junit().encode())
    if github:
        show(annotation(result), err=chosen == "json")
        add_to_summary(result)
    print_report(result, chosen)
    if not result.passed:
        raise click.exceptions.Exit(NOT_PASSED)


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
