"""``fastcausal compare A B``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import (
    DRAWS,
    VALUES,
    CsvOption,
    DrawOptions,
    FormatOption,
    HtmlOption,
    JsonOption,
    LatexOption,
    MarkdownOption,
    ScoresOption,
    UnpairedOption,
    ValueOptions,
    format_of,
)
from fastcausal.cli.parameters import Argument

STATISTICS = "Counts of {}, as score --per-example writes them; or a log or table of an evaluation."


def compare(
    ctx: click.Context,
    a: Annotated[str, Argument(help=STATISTICS.format("A"))],
    b: Annotated[str, Argument(help=STATISTICS.format("B"))],
    score: ScoresOption = None,
    values: ValueOptions = VALUES,
    unpaired: UnpairedOption = False,
    draws: DrawOptions = DRAWS,
    json: JsonOption = False,
    format: FormatOption = "text",
    markdown: MarkdownOption = False,
    latex: LatexOption = False,
    csv: CsvOption = False,
    html: HtmlOption = None,
) -> None:
    """Compare two systems on the same examples: B minus A, with confidence interval and p-value.

    Examples
    --------
    fastcausal compare careful.parquet hasty.parquet
    fastcausal compare careful.parquet hasty.parquet --score cause_f1 --latex
    fastcausal compare a.eval b.eval --score match --cluster doc
    """
    chosen = format_of(ctx, json, format, markdown=markdown, latex=latex, csv=csv)
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart

    keep_apart([html], [a, b])
    with doing(f"comparing {b} with {a}", "samples") as progress:
        comparison = fc.compare(
            a,
            b,
            score,
            unpaired=unpaired,
            reading=values.reading(progress),
            **draws._asdict(),
        )
    if html is not None:
        comparison.to_html(html)
    print_report(comparison, chosen)
