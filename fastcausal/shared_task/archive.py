"""The archive of a shared task for readers of its paper, in one zip."""

from __future__ import annotations

import csv
import io
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastcausal._version import __version__
from fastcausal.errors import OutputError
from fastcausal.report.escapes import csv_value
from fastcausal.shared_task.board import Board, digest_of
from fastcausal.shared_task.pages import page
from fastcausal.shared_task.record import FILE, SharedTask
from fastcausal.shared_task.zipped import write_zip

PACKAGES = ("numpy", "pyarrow")  # scores may depend on their versions


def archive(target: Path, task: SharedTask, board: Board) -> None:
    """Write the zip of a shared task and its board, complete or not at all."""
    # It has the record, digests of gold and of submissions, the board as page, table and JSON,
    # versions, and a README. Gold and submissions are left out.
    options = " ".join(f"--set {name}={value}" for name, value in task.options.items())
    readme = page(
        "archive",
        title=task.title,
        sha256=task.sha256,
        digest=str(task.digest),
        signature=task.signature,
        version=task.version,
        command=f"--task {task.task} {options}".strip(),
    )
    try:
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as place:
            html, made = Path(place, "leaderboard.html"), Path(place, "archive.zip")
            board.to_html(html)
            files: list[tuple[str, bytes | Path]] = [
                ("README.md", readme.encode()),
                (FILE, f"{task.to_json()}\n".encode()),
                ("leaderboard.html", html),
                ("leaderboard.json", _json(board.to_dict())),
                ("leaderboard.md", board.to_markdown().encode()),
                ("submissions.csv", _submissions(board).encode()),
                ("versions.json", _json(_versions())),
            ]
            write_zip(made, files)
            made.replace(target)
    except OSError as error:
        raise OutputError(f"{target}: {error.strerror or error}") from error


def _json(value: Any) -> bytes:
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n".encode(errors="backslashreplace")


def _submissions(board: Board) -> str:
    """Return the table of all submissions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["submission", "file", "bytes", "sha256", "refused"])
    for name, entry in board.entries.items():
        size, digest = digest_of(entry.path)
        row = (name, entry.path.name, size, digest, entry.refusal)
        writer.writerow([csv_value(cell) for cell in row])
    return text.getvalue()


def _versions() -> dict[str, str]:
    own = {"fastcausal": __version__, "python": sys.version.split()[0]}
    return own | {"platform": platform.platform()} | {name: version(name) for name in PACKAGES}
