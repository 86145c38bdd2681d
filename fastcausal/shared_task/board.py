"""All submissions of a shared task: ranked, or refused with the reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.files.packed import stem_of
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale
from fastcausal.report.page import Section
from fastcausal.report.report import Report, describe_settings
from fastcausal.shared_task.check import check
from fastcausal.shared_task.program import COUNTS
from fastcausal.shared_task.record import SharedTask
from fastcausal.shared_task.scoring import report_of_gold
from fastcausal.shared_task.submission import files_in, is_visible
from fastcausal.significance.draws import Draws
from fastcausal.sweeps.leaderboard import Leaderboard, leaderboard

Progress = Callable[[int, int | None], None]
DEFAULT = Draws(cluster="auto")


class BoardEntry(NamedTuple):
    """A submission and its judgment."""

    path: Path
    judgment: Mapping[str, Any]  # Empty for a refused submission
    refusal: str  # The reason; empty for an accepted submission
    counts: Statistics | None  # None if scores do not add


Board = Report
"""Submissions of a shared task, best first, and refused submissions."""


def present_board(
    task: SharedTask,
    entries: Mapping[str, BoardEntry],
    ranking: Leaderboard | str,
    scales: Mapping[str, Scale],
) -> Board:
    """Make the report of submissions."""
    judged = {name: each.judgment["scores"] for name, each in entries.items() if each.judgment}
    scores = {
        name: Scores(
            {"rank": rank or math.nan}
            | {column: judged[name].get(column, math.nan) for column in task.scores}
        )
        for name, rank in ranked(task, judged).items()
    }
    refused = {name: each.refusal for name, each in entries.items() if each.refusal}
    ranks = None if isinstance(ranking, str) else ranking
    facts = {
        "score": task.scores[0],
        "n_submissions": len(entries),
        "n_refused": len(refused),
        "gold": task.digest,
        "sha256": task.sha256,
        "ranking": ranking if ranks is None else ranks.to_dict(),
        "refused": refused,
    }
    return Board(
        f"{task.title}: {len(judged)} of {len(entries)} submissions ranked by {task.scores[0]}",
        task.signature,
        scores,
        facts=facts | {"entries": entries, "leaderboard": ranks},
        warnings=() if ranks is None else ranks.warnings,
        legend=(f"no rank intervals: {ranking}",) if ranks is None else ranks.legend,
        keys=("signature", *facts, "scores", "subsets", "warnings", "hints"),
        logged=(),
        scales=scales,
        grids=_grids,
        sections=_sections,
    )


def _grids(board: Report, counts: bool) -> list[Grid]:
    """Make the ranks and scores, and the refused submissions."""
    if board.leaderboard is not None:
        return [board.leaderboard.to_table(), *_refused(board)]
    columns = next(iter(board.scores.values()), Scores({"rank": math.nan}))
    rows = {name: [*values.values()] for name, values in board.scores.items()}
    return [Grid(board.title, [*columns], "submission", parts={"": rows}), *_refused(board)]


def _sections(board: Report) -> Sequence[Section]:
    """Make the sections of its page."""
    if board.leaderboard is None:
        return [Section("", board.to_tables()), describe_settings(board)]
    ranks, about = board.leaderboard.sections()
    refused = _refused(board)
    return [ranks, *([Section("", refused)] if refused else []), about]


def _refused(board: Report) -> list[Grid]:
    """Return the table of refused submissions, if there are any."""
    rows = {name: [reason] for name, reason in board.facts["refused"].items()}
    grid = Grid("refused", ["reason"], "submission", text=True, parts={"": rows})
    return [grid] if rows else []


def board(
    submissions: Path, folder: Path, draws: Draws = DEFAULT, progress: Progress | None = None
) -> Board:
    """Judge and rank all submissions of a folder."""
    task = SharedTask.read(folder)
    if not task.answers:
        raise InputError(f"{folder}: gold without answers, expected the organiser's folder")
    paths = list_submissions(submissions)
    entries = {}
    for k, (name, path) in enumerate(paths.items(), 1):
        entries[name] = _entry(path, folder)
        if progress is not None:
            progress(k, len(paths))
    ranking = _ranking(task, entries, draws)
    gold = str(folder / task.gold)
    scales = {}
    if isinstance(ranking, str):
        scales = report_of_gold(task.task, gold, task.options_in(folder)).flat_scales()
    return present_board(task, entries, ranking, scales)


def list_submissions(submissions: Path) -> dict[str, Path]:
    """Return the submissions in a folder by their names without suffixes, if these differ."""
    if not submissions.is_dir():
        raise InputError(f"{submissions}: not a folder of submissions")
    paths = sorted(path for path in submissions.iterdir() if is_visible(path.name))
    if not paths:
        raise InputError(f"{submissions}: no submissions in it")
    stems = [path.name if path.is_dir() else stem_of(path) for path in paths]
    names = stems if len({*stems}) == len(stems) else [path.name for path in paths]
    return dict(zip(names, paths, strict=True))


def digest_of(path: Path) -> tuple[int, str]:
    """Return the size of a submission and its SHA-256; for a folder, over its files by name."""
    if not path.is_dir():
        data = path.read_bytes()
        return len(data), sha256(data).hexdigest()
    digest, size = sha256(), 0
    for name, file in sorted(files_in(path)):
        data = file.read_bytes()
        size += len(data)
        digest.update(f"{sha256(data).hexdigest()}  {name}\n".encode())
    return size, digest.hexdigest()


def ranked(task: SharedTask, judged: Mapping[str, Mapping[str, float]]) -> dict[str, int | None]:
    """Return ranks, best first; equal scores share a rank, undefined scores have none."""
    first, sign = task.scores[0], 1 if task.lower_is_better else -1
    values = {name: scores.get(first) for name, scores in judged.items()}
    known = {name: sign * value for name, value in values.items() if value is not None}
    ranks = {name: 1 + sum(other < own for other in known.values()) for name, own in known.items()}
    order = sorted(values, key=lambda name: (ranks.get(name, math.inf), name))
    return {name: ranks.get(name) for name in order}


def _entry(path: Path, folder: Path) -> BoardEntry:
    with TemporaryDirectory() as place:
        checked = check(path, folder, Path(place))
        adds = checked.judgment.get("adds")
        counts = Statistics.read(Path(place, COUNTS)) if adds else None
    return BoardEntry(path, checked.judgment, checked.refusal, counts)


def _ranking(
    task: SharedTask, entries: Mapping[str, BoardEntry], draws: Draws
) -> Leaderboard | str:
    """Rank submissions by their counts; return the reason if that is impossible."""
    counted = {name: each.counts for name, each in entries.items() if each.counts is not None}
    if not counted:
        scored = any(each.judgment for each in entries.values())
        return f"scores of {task.protocol} do not add over examples" if scored else "no scores"
    try:
        return leaderboard(
            counted, task.scores, lower_is_better=task.lower_is_better, **draws.arguments()
        )
    except ValueError as error:
        return str(error)
