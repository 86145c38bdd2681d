"""``fastcausal task leaderboard SUBMISSIONS``."""

from __future__ import annotations

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import (
    DRAWS,
    DrawOptions,
    FormatOption,
    HtmlOption,
    JsonOption,
    format_of,
)
from fastcausal.cli.shared_task.options import HERE, DirOption, SubmissionsArgument


def leaderboard(
    ctx: click.Context,
    submissions: SubmissionsArgument,
    dir: DirOption = HERE,
    draws: DrawOptions = DRAWS,
    json: JsonOption = False,
    format: FormatOption = "text",
    html: HtmlOption = None,
) -> None:
    """Rank all submissions, with rank intervals; list refused ones with the reason.

    Examples
    --------
    fastcausal task leaderboard submissions --dir box --html board.html
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.shared_task.board import board
    from fastcausal.shared_task.record import folder_of
    from fastcausal.significance.draws import Draws

    chosen = format_of(ctx, json, format)
    keep_apart([html], [str(submissions)])
    with doing("judging", "submissions") as progress:
        made = board(submissions, folder_of(dir), Draws(**draws._asdict()), progress)
    if html is not None:
        with doing(f"writing {html}"):
            made.to_html(html)
    print_report(made, chosen)
