"""``fastcausal task leaderboard SUBMISSIONS``."""

from __future__ import annotations

from fastcausal.cli.console import doing
from fastcausal.cli.options import DRAWS, DrawOptions, HtmlOption
from fastcausal.cli.shared_task.options import HERE, DirOption, SubmissionsArgument
from fastcausal.cli.tables import TABLES, TableOptions


def leaderboard(
    submissions: SubmissionsArgument,
    dir: DirOption = HERE,
    draws: DrawOptions = DRAWS,
    tables: TableOptions = TABLES,
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

    keep_apart([html], [str(submissions)])
    with doing("judging", "submissions") as progress:
        made = board(submissions, folder_of(dir), Draws(**draws._asdict()), progress)
    if html is not None:
        with doing(f"writing {html}"):
            made.to_html(html)
    tables.show(made)
