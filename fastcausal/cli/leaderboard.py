"""``fastcausal leaderboard FILE_OR_SWEEP...``."""

from __future__ import annotations

from typing import Annotated, Any

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.gold import GOLD_OPTIONS, GoldOptions, is_gold, refuse_without_gold
from fastcausal.cli.options import (
    DRAWS,
    VALUES,
    CsvOption,
    DrawOptions,
    FormatOption,
    HtmlOption,
    JsonOption,
    LatexOption,
    LowerOption,
    MarkdownOption,
    ScoreOption,
    ValueOptions,
    format_of,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import Correction


def leaderboard(
    ctx: click.Context,
    systems: Annotated[
        list[str],
        Argument(
            metavar="[GOLD] SYSTEM...",
            help="Gold and predictions of systems; or counts, as score --per-example writes them, "
            "logs and tables of evaluations, folders of sweeps or logs.",
        ),
    ],
    score: ScoreOption = None,
    lower_is_better: LowerOption = False,
    scored: GoldOptions = GOLD_OPTIONS,
    values: ValueOptions = VALUES,
    baseline: Annotated[
        str | None, Option(help="Test every system against this one, by name.")
    ] = None,
    correction: Annotated[
        Correction,
        Option(help="Correct p-values of many tests by Holm, Benjamini-Hochberg, or not."),
    ] = "holm",
    draws: DrawOptions = DRAWS,
    json: JsonOption = False,
    format: FormatOption = "text",
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
    csv: CsvOption = False,
    html: HtmlOption = None,
) -> None:
    """Rank systems on the same examples, with confidence intervals, rank intervals and p-values.

    Examples
    --------
    fastcausal leaderboard gold.csv careful.jsonl hasty.jsonl --unparsed empty
    fastcausal leaderboard careful.parquet hasty.parquet
    fastcausal leaderboard careful.parquet hasty.parquet --baseline hasty --html board.html
    """
    chosen = format_of(ctx, json, format, markdown=markdown, latex=latex, csv=csv)
    if baseline is None:
        refuse(ctx, ("correction",), "is of p-values against a system: name it with --baseline")
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart
    from fastcausal.sweeps.compare import with_scores

    keep_apart([html], systems)
    ranked: Any = systems
    if len(systems) > 1 and is_gold(systems[0], with_scores(values.reading(None), score)):
        ranked = scored.scored(ctx, systems[0], systems[1:], values, draws.cluster)
        values = VALUES
    else:
        refuse_without_gold(ctx)
    with doing(f"ranking by {score or 'score'}", "samples") as progress:
        board = fc.leaderboard(
            ranked,
            score,
            lower_is_better=lower_is_better,
            reading=values.reading(progress),
            baseline=baseline,
            correction=correction,
            **draws._asdict(),
        )
    if html is not None:
        with doing(f"writing {html}"):
            board.to_html(html)
    print_report(board, chosen)
