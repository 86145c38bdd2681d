"""``fastcausal task check SUBMISSION``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, print_json, show
from fastcausal.cli.options import JsonOption
from fastcausal.cli.parameters import Argument
from fastcausal.cli.shared_task.options import HERE, DirOption
from fastcausal.report.escapes import printable


def check(
    submission: Annotated[Path, Argument(help="A file, folder or zip of predictions.")],
    dir: DirOption = HERE,
    json: JsonOption = False,
) -> None:
    """Tell what the organisers' machine says of a submission: a refusal, or counts.

    Scores are shown where gold has its answers.

    Examples
    --------
    fastcausal task check careful.jsonl --dir box/starting_kit
    fastcausal task check box/starting_kit/baseline.zip --dir box
    """
    from fastcausal._version import __version__
    from fastcausal.errors import InputError
    from fastcausal.shared_task.check import check as judged
    from fastcausal.shared_task.program import lines
    from fastcausal.shared_task.record import SharedTask, folder_of

    folder = folder_of(dir)
    task = SharedTask.read(folder)
    if task.version != __version__:
        raise InputError(
            f"fastcausal is {__version__}, expected {task.version}, which the task was made with"
        )
    with doing(f"judging {submission}"):
        found = judged(submission, folder)
    if found.refusal:
        raise InputError(found.refusal)
    if json:
        print_json(found.judgment)
    else:
        show(printable("\n".join(["accepted", *lines(found.judgment)])))
