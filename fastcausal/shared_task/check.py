"""A submission judged on this machine, exactly as on the organiser's."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from fastcausal.shared_task.program import Judged, judged

SITE = Path(__file__).parents[2]  # holds fastcausal


def check(submission: Path, folder: Path, out: Path | None = None) -> Judged:
    """Judge a submission in a separate process, as the scoring program does.

    Parameters
    ----------
    submission : Path
        A file, a folder or a zip.
    folder : Path
        The record of the task, beside gold with or without answers.
    out : Path, optional
        A folder for the judgment and counts.
    """
    if out is not None:
        return judged(SITE, folder, submission, out, ("-P",))
    with TemporaryDirectory() as place:
        return check(submission, folder, Path(place))
