"""``fastcausal leaderboard FILE_OR_SWEEP...``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, get_args

import click

from fastcausal.cli.console import doing
from fastcausal.cli.gold import GOLD_OPTIONS, GoldOptions, leads_with_gold, refuse_without_gold
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    VALUES,
    CorrectionOption,
    DrawOptions,
    HtmlOption,
    LowerOption,
    Marks,
    ScoresOption,
    ValueOptions,
    import_numpy,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Join

if TYPE_CHECKING:
    from fastcausal.report.report import Report


def leaderboard(
    ctx: click.Context,
    files: Annotated[
        list[str],
        Argument(
            metavar="[GOLD] SYSTEM...",
            help="Gold and predictions of systems; or counts, as score --per-example writes them, "
            "logs and tables of evaluations, folders of sweeps or logs.",
        ),
    ],
    score: ScoresOption = None,
    lower_is_better: LowerOption = False,
    group: Annotated[
        str | None,
        Option(
            "--group",
            metavar="COLUMN|PATTERN",
            help="Average over seeds: systems that agree in this column of --join, or in all but "
            "{seed} of this pattern of names, such as {model}_s{seed}.",
        ),
    ] = None,
    top: Annotated[int | None, Option("--top", min=1, help="Show so many systems or groups.")] = (
        None
    ),
    join: Annotated[
        list[str] | None,
        Option(
            "--join",
            metavar="TABLE|id|text|position",
            help="Show the columns of this table beside systems, its column system or run; or join "
            "examples of GOLD so.",
        ),
    ] = None,
    scored: GoldOptions = GOLD_OPTIONS,
    marks: Marks = MARKS,
    values: ValueOptions = VALUES,
    baseline: Annotated[
        str | None, Option(help="Test every system against this one, by name.")
    ] = None,
    correction: CorrectionOption = "holm",
    draws: DrawOptions = DRAWS,
    tables: TableOptions = TABLES,
    html: HtmlOption = None,
) -> None:
    """Rank systems on the same examples, with confidence intervals, rank intervals and p-values.

    Examples
    --------
    fastcausal leaderboard gold.csv careful.jsonl hasty.jsonl --unparsed empty
    fastcausal leaderboard careful.parquet hasty.parquet
    fastcausal leaderboard values_a.csv values_b.csv --group values_{seed}
    fastcausal leaderboard careful.parquet hasty.parquet --baseline hasty --html board.html
    fastcausal leaderboard runs.csv --system model --score match
    """
    import_numpy()
    from fastcausal.sweeps.hyperparameters import is_pattern

    table, by = _split_join(ctx, join or [])
    if group is not None:
        refuse(ctx, ("baseline",), "is for single systems, --group is of several")
        if is_pattern(group) and table is not None:
            refuse(ctx, ("join",), "names the column of --group, or is for single systems")
    if baseline is None:
        refuse(ctx, ("correction",), "is of p-values against a system: name it with --baseline")
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart

    keep_apart([html], [*files, *([table] if table else [])])
    ranked: Any = files
    if leads_with_gold(files, values, score):
        ranked = scored.scored(
            ctx, files[0], files[1:], values, draws.cluster, marks, by, score=score
        )
        values = VALUES
    else:
        refuse_without_gold(ctx, *(["join"] if by else []))
    with doing(f"ranking by {score[0] if score else 'score'}", "systems") as progress:
        shared = {
            "lower_is_better": lower_is_better,
            "top": top,
            "table": table,
            "reading": values.reading(progress),
            **draws._asdict(),
        }
        board: Report
        if group is None:
            board = fc.leaderboard(
                ranked, score, baseline=baseline, correction=correction, **shared
            )
        else:
            board = fc.seeds(ranked, group, score, **shared)
    if html is not None:
        with doing(f"writing {html}"):
            board.to_html(html)
    tables.show(board)


def _split_join(ctx: click.Context, given: list[str]) -> tuple[str | None, Join | None]:
    """Return the table of ``--join``, and the way to join examples."""
    ways: list[Any] = [each for each in given if each in get_args(Join)]
    tables = [each for each in given if each not in ways]
    if len(ways) > 1 or len(tables) > 1:
        raise click.UsageError("--join is given twice, expected one table, and one way", ctx)
    return next(iter(tables), None), next(iter(ways), None)
