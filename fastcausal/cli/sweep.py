"""``fastcausal sweep GOLD RUN... --out DIR``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import click

from fastcausal.cli.console import FAILED, doing, print_json, show, warn
from fastcausal.cli.options import (
    PROTOCOL,
    READS,
    ByOption,
    JsonOption,
    PolicyOptions,
    ProtocolOptions,
    ReadOptions,
    recipe_of,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.counts.task import resolve
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
    task: Annotated[
        str, Option(help="Score by this command: classify, eci, qa, or relations by score.")
    ] = "score",
    set: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=VALUE",
            help="Set an option of another task, such as candidates=listed; once for each value.",
        ),
    ] = None,
    scoring: ProtocolOptions = PROTOCOL,
    run_column: Annotated[
        str | None,
        Option(help="Take all runs from one data set, in which this column names them."),
    ] = None,
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
) -> None:
    """Score many runs against one gold; a repeated command continues an interrupted sweep.

    Examples
    --------
    fastcausal sweep gold.csv careful.jsonl hasty.jsonl --out runs --unparsed empty
    fastcausal leaderboard runs
    fastcausal sweep pairs_gold.csv pairs_careful.csv --out pairs --task eci --set candidates=listed
    """
    from fastcausal.sweeps.sweep import sweep as score_all

    with doing(f"scoring into {out}", "runs") as progress:
        result = score_all(
            gold,
            runs,
            out,
            recipe_of(scoring.chosen(), PolicyOptions(unparsed, unmatched), reads),
            task=task,
            options=_options(task, set or []),
            by=by,
            run_column=run_column,
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


def _options(task: str, settings: list[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` as values of the types that the function of a task takes."""
    from fastcausal.sweeps.scoring import sweepable_tasks

    given: dict[str, list[str]] = {}
    for setting in settings:
        name, is_set, value = setting.partition("=")
        if not is_set:
            raise click.BadParameter(f'"{setting}", expected NAME=VALUE', param_hint="--set")
        given.setdefault(name, []).append(value)
    tasks = sweepable_tasks()
    hints = get_type_hints(resolve(tasks[task].score)) if given and task in tasks else {}
    return {name: _values(name, texts, hints.get(name, str)) for name, texts in given.items()}


def _values(name: str, texts: list[str], hint: Any) -> Any:
    """Return the value of an option: of texts, or of one text."""
    kinds = [hint] if get_origin(hint) not in (Union, UnionType) else [*get_args(hint)]
    items = [get_args(kind) for kind in kinds if get_origin(kind) in (Iterable, Sequence)]
    if items:
        [inner] = items[0]
        return [_values(name, [text], inner) for text in texts]
    if len(texts) > 1:
        raise click.BadParameter(f"{name} is set {len(texts)} times", param_hint="--set")
    [text] = texts
    if NoneType in kinds and text == "null":
        return None
    for number in (int, float):
        if number in kinds:
            with suppress(ValueError):
                return number(text)
    if float in kinds:
        raise click.BadParameter(f'{name} is "{text}", expected a number', param_hint="--set")
    return text
