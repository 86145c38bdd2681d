"""Answers on which two readings differ, and the effect on accuracy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal._version import __version__
from fastcausal.errors import warning_lines
from fastcausal.options import AnswerReading, check
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables
from fastcausal.tasks.classification.choices.count import joined
from fastcausal.tasks.classification.choices.protocols import choosing
from fastcausal.tasks.classification.choices.readings import READINGS

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ANSWERS = 20  # answers in a printed table


def explain_readings(
    gold: Any,
    pred: Any,
    start: AnswerReading,
    end: AnswerReading,
    *,
    column: str | None = None,
) -> Report:
    """List the answers on which two readings differ."""
    # gold, pred, column: as `fastcausal.tasks.classification.choices.count.choices`; a question
    # without an answer is wrong under both.
    # start, end: two readings of one kind of answers.
    both = (start, end)
    for reading in both:
        check("reading", reading, AnswerReading)
    if start == end:
        raise ValueError(f"both readings are {start}, expected two")
    kinds = [kind for kind in READINGS[start].kinds if kind in READINGS[end].kinds]
    if not kinds:
        raise ValueError(f"{start} and {end} read different kinds of answers, expected one kind")
    chosen = joined(gold, pred, choosing(None, answers=kinds[0], read=start), column)
    labels, right = chosen.questions.labels, chosen.questions.codes
    codes = {reading: chosen.codes(reading) for reading in both}
    differ = np.flatnonzero(codes[start] != codes[end]).tolist()
    ids, options = chosen.questions.ids, (*labels, None, None)
    answers = [
        {
            "id": str(row) if ids is None else ids[row].as_py(),
            "answer": chosen.value(row),
            "gold": labels[right[row]],
            **{reading: options[codes[reading][row]] for reading in both},
        }
        for row in differ
    ]
    n = len(right)
    return Report(
        f"from {start} to {end}: {len(differ)} of {n} answers are read differently",
        f"fastcausal|{__version__}|choices-explain|{start}:to:{end}|answers:{kinds[0]}",
        {reading: _scores(codes[reading], right, len(labels)) for reading in both},
        facts={"n": n, "n_differing": len(differ), "answers": answers},
        warnings=warning_lines(chosen.warnings),
        tables=Tables(differing=partial(_table, answers)),
        keys=("signature", "n", "n_differing", "scores", "answers", "warnings"),
        grids=_grids,
    )


def _scores(codes: Any, right: Any, n_labels: int) -> Scores:
    hits, n = int((codes == right).sum()), len(right)
    read = int((codes < n_labels).sum())
    return Scores({"accuracy": hits / n if n else float("nan"), "n_right": hits, "n_read": read})


def _table(answers: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(answers)


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per number, with a column per reading; then a row per answer."""
    first, last = report.scores
    columns = [first, last, "gold"]
    grid = Grid(report.title, columns, shares=columns, share_rows=("accuracy",))
    for name in ("accuracy", "n_read", "n_right"):
        grid.add(name, *(scores[name] for scores in report.scores.values()), "")
    grid.part("answers")
    for row in report.answers[:MAX_ANSWERS]:
        options = (row[name] or "-" for name in columns)
        grid.add(f"{row['id']}: {row['answer']!r:.60}", *options)
    if (more := report.n_differing - MAX_ANSWERS) > 0:
        grid.add(f"... and {more} more", "", "", "")
    return [grid]
