"""``fastcausal sweep GOLD RUN... --out DIR``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import FAILED, doing, print_json, show, warn
from fastcausal.cli.options import (
    MARKS,
    PROTOCOL,
    READS,
    ByOption,
    JoinOption,
    JsonOption,
    Marks,
    PolicyOptions,
    ProtocolOptions,
    ReadOptions,
    make_recipe,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.task_options import SetOption, TaskOption, task_options, task_under
from fastcausal.options import Policy
from fastcausal.report.escapes import printable

SOME_FAILED = 1  # exit status if some runs were set aside


def sweep(
    gold: Annotated[str, Argument(help="Gold annotations in any format; - for stdin.")],
    runs: Annotated[
        list[str],
        Argument(
            metavar="RUN...",
            help="Files of predictions, and folders of such files or of subfolders of parts.",
        ),
    ],
    out: Annotated[Path, Option(help="Write to this folder, or go on with its sweep.")],
    task: TaskOption = "score",
    set: SetOption = None,
    scoring: ProtocolOptions = PROTOCOL,
    system: Annotated[
        str | None,
        Option(
            metavar="COLUMN",
            help="Take all runs from one data set, in which this column names them.",
        ),
    ] = None,
    run_column: Annotated[str | None, Option(help="The other name of --system.")] = None,
    column: Annotated[
        list[str] | None,
        Option(help="Keep this column of gold with the counts; may be given several times."),
    ] = None,
    by: ByOption = None,
    unparsed: Annotated[
        Policy,
        Option(
            help="Set runs with unparsed predictions aside, score these as empty, or skip examples."
        ),
    ] = "error",
    unmatched: Annotated[
        Policy,
        Option(
            help="Set runs aside whose ids differ from gold's, score these as empty, or skip them."
        ),
    ] = "error",
    join: JoinOption = None,
    jobs: Annotated[
        int | None,
        Option(
            min=1, help="Score so many runs at a time; by default one for each core, at most 4."
        ),
    ] = None,
    shard: Annotated[
        str | None,
        Option(metavar="I/N", help="Score every N-th run alone, counted from 0 or from 1."),
    ] = None,
    json: JsonOption = False,
    reads: ReadOptions = READS,
    marks: Marks = MARKS,
) -> None:
    """Score many runs against one gold; a repeated command continues an interrupted sweep.

    Examples
    --------
    fastcausal sweep gold.csv careful.jsonl hasty.jsonl --out runs --unparsed empty
    fastcausal leaderboard runs
    fastcausal sweep pairs_gold.csv pairs_careful.csv --out pairs --task eci --set candidates=listed
    """
    from fastcausal.sweeps.sweep import sweep as score_all

    task, protocol = task_under(scoring.protocol, task)
    scoring = scoring._replace(protocol=protocol)
    with doing(f"scoring into {out}", "runs") as progress:
        result = score_all(
            gold,
            runs,
            out,
            make_recipe(scoring.chosen(), PolicyOptions(unparsed, unmatched, join), reads, marks),
            task=task,
            options=task_options(task, set or []),
            by=by,
            run_column=run_column,
            system=system,
            columns=column or (),
            shard=_shard(shard),
            jobs=jobs,
            progress=progress,
        )
    if json:
        print_json(result.to_dict())
    else:
        warn(f"{each['run']}: {each['error']}" for each in result.failed)
        show(printable(result.title))
    if result.failed:
        raise click.exceptions.Exit(SOME_FAILED if result.scored + result.kept else FAILED)


def _shard(text: str | None) -> tuple[int, int] | None:
    """Parse ``I/N``; the caller checks the numbers."""
    if text is None:
        return None
    parts = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if parts is None:
        raise click.BadParameter(f'"{text}", expected I/N such as 1/8', param_hint="--shard")
    return int(parts[1]), int(parts[2])
