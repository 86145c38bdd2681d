"""``fastcausal task archive SUBMISSIONS --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, show
from fastcausal.cli.options import DRAWS, DrawOptions
from fastcausal.cli.parameters import Option
from fastcausal.cli.shared_task.options import HERE, DirOption, SubmissionsArgument
from fastcausal.report.escapes import printable


def archive(
    submissions: SubmissionsArgument,
    out: Annotated[Path, Option(help="Write to this zip.")] = Path("archive.zip"),
    dir: DirOption = HERE,
    draws: DrawOptions = DRAWS,
) -> None:
    """Write what a paper's reader needs: digests, signatures, versions, the leaderboard.

    Examples
    --------
    fastcausal task archive submissions --dir box --out causes-2027.zip
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.shared_task.archive import archive as write_archive
    from fastcausal.shared_task.board import board
    from fastcausal.shared_task.record import SharedTask, folder_of
    from fastcausal.significance.draws import Draws

    keep_apart([out], [str(submissions)])
    folder = folder_of(dir)
    with doing("judging", "submissions") as progress:
        made = board(submissions, folder, Draws(**draws._asdict()), progress)
    write_archive(out, SharedTask.read(folder), made)
    show(printable(f"{out}: {made.title}"))
