"""Answers of one system: read, joined with pairs or questions, and counted by the policies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Remedy, Warnings
from fastcausal.files.keys import match, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.formats.logs.answers import answers_of
from fastcausal.options import CrabTask, Policy
from fastcausal.significance.sums import Float64
from fastcausal.tasks.classification.choices.reader import MISSING
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.files import (
    KEY,
    Booleans,
    Int8,
    Int64,
    JudgedPairs,
    class_of,
    ids_of,
)
from fastcausal.tasks.crab.formula import GRADED
from fastcausal.tasks.crab.parse import LABELS, REASONS, Reasons, parse_column

READ, UNMATCHED = REASONS.index("read"), REASONS.index("unmatched")
LABEL_OF_CLASS = {"three": (0, 1, 1, 2), "binary": (1, 1, 0, 0)}
"""Of tasks with other labels than the classes: the label of each class, as an index."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one system to n pairs or questions."""

    n_labels: int  # The number of labels of the task
    # int8[n]: The label of each answer, an index of `fastcausal.tasks.crab.parse.LABELS`; -1
    # if unreadable
    codes: Int8
    # float64[n] or None: The score of each answer, NaN if unreadable; None for a task of
    # labels
    values: Float64 | None
    reasons: Reasons  # int8[n]: Index in `fastcausal.tasks.crab.parse.REASONS`
    # int8[n]: As ``codes``, but a missing or unreadable answer is ``n_labels`` under the
    # policy ``"empty"`` (an answer without a class), -1 under ``"skip"`` (left out)
    counted: Int8
    warnings: Warnings

    @property
    def scored(self) -> Booleans:
        """Return a mask of counted units: bool[n]."""
        return self.counted >= 0

    def coverage(self, members: Any = slice(None)) -> dict[str, Any]:
        """Return the number and share of answers read, and the number of others by reason."""
        return coverage_of(self.reasons[members])


def coverage_of(reasons: npt.NDArray[Any]) -> dict[str, Any]:
    """Count the reasons, and compute the share of answers without one.

    >>> coverage_of(np.array([0, 0, 0, 2], np.int8))["unread"]
    {'missing': 0, 'unreadable': 1, 'out_of_range': 0, 'unmatched': 0}
    """
    counts = [int(np.count_nonzero(reasons == k)) for k in range(len(REASONS))]
    share = counts[READ] / len(reasons) if len(reasons) else float("nan")
    unread = {reason: n for reason, n in zip(REASONS, counts, strict=True) if reason != "read"}
    return {"n_read": counts[READ], "share": share, "unread": unread}


def read_answers(
    source: Any,
    asked: JudgedPairs | int,
    choices: Choices,
    name: str = "pred",
) -> Answers:
    """Read the answers of one system and join them with the pairs or questions.

    Parameters
    ----------
    source : path, table or list
        Any source of `fastcausal.files.records.read_records` with a column of answers; a plain list
        of answers; or the results of a batch, see `fastcausal.formats.logs.answers`. Rows are
        joined by the key of pairs if present, else by an integer ``index`` from 0 (the row in
        gold), else by ``id`` (``topic/a/b`` of a pair, the row of a question), else by order.
    asked : JudgedPairs or int
        The pairs, or the number of questions.
    choices : Choices
        Its ``unmatched`` also holds for answers without a pair or question: an error, or left out
        with a warning.
    name : str
        The name for messages of a source that is not a file.
    """
    records = read_records(source, name, column=choices.column, encoded=True)
    if choices.column not in records:
        records = answers_of(records, choices.column)
    values, why, codes = _read(records.answers(choices.column), choices)
    rows, warnings = _joined(records, asked, choices.unmatched)
    n_labels = len(LABELS[choices.task])
    if not why.any() and (rows is None or (rows >= 0).all()):  # READ is 0: no policy is needed
        if rows is not None:
            values, why, codes = None if values is None else values[rows], why[rows], codes[rows]
        return Answers(n_labels, codes, values, why, codes, warnings)
    rows = np.arange(len(why)) if rows is None else rows
    if choices.unparsed == "error":
        _require_read(records, choices, why, rows)
    present = rows >= 0
    reasons = np.where(present, why[rows], np.int8(UNMATCHED))
    is_read = reasons == READ
    codes = np.where(is_read, codes[rows], np.int8(-1))
    if values is not None:
        values = np.where(is_read, values[rows], np.nan)
    state = {"error": -1, "empty": n_labels, "skip": -1}
    unread = np.where(present, state[choices.unparsed], state[choices.unmatched])
    counted = np.where(is_read, codes, unread.astype(np.int8))
    return Answers(n_labels, codes, values, reasons, counted, warnings)


def _read(column: pa.ChunkedArray, choices: Choices) -> tuple[Float64 | None, Reasons, Int8]:
    """Return scores (None for a task of labels), reasons and labels of answers."""
    values, *others = zip(*(_read_chunk(chunk, choices) for chunk in column.chunks), strict=True)
    why, codes = map(np.concatenate, others)
    return None if values[0] is None else np.concatenate(values), why, codes


def _read_chunk(column: pa.Array, choices: Choices) -> tuple[Float64 | None, Reasons, Int8]:
    """Read answers in one array, each text of a dictionary once."""
    if pa.types.is_dictionary(column.type):
        values, why, codes = _read_chunk(column.dictionary, choices)
        return (
            None if values is None else _take_values(values, column, np.nan),
            _take_values(why, column, MISSING),
            _take_values(codes, column, -1),
        )
    values, why = parse_column(column, choices.task, choices.pattern)
    if choices.task == "score":
        return values, why, class_of(values, choices.border)
    return None, why, np.where(np.isnan(values), -1, values).astype(np.int8)


def _take_values(
    values: npt.NDArray[Any], column: pa.DictionaryArray, null: float
) -> npt.NDArray[Any]:
    """Return the value of each row's text, ``null`` for a null row."""
    return arrow.values_of(arrow.numbers(values).take(column.indices), null)


def _joined(
    records: Records, asked: JudgedPairs | int, unmatched: Policy
) -> tuple[Int64 | None, Warnings]:
    """Return the row of each answer, -1 if missing, and warnings; None for rows in order."""
    n = asked if isinstance(asked, int) else len(asked)
    in_source = None if isinstance(asked, int) else asked.order
    if not isinstance(asked, int) and all(key in records for key in KEY):
        if all(records.table[key].equals(asked.records.table[key]) for key in KEY):
            return in_source, {}
        topics = records.texts(KEY[0])
        keys = ids_of(topics, *(records.integers(column) for column in KEY[1:]))
        known = asked.ids()
    elif "index" in records:
        keys = _indices(records)
        known = arrow.numbers(np.arange(n) if in_source is None else in_source)
    elif "id" in records:
        keys = records.keys("id")
        numbers = arrow.numbers(np.arange(n))
        known = numbers.cast(pa.string()) if isinstance(asked, int) else asked.ids()
    elif len(records) != n:
        raise InputError(
            f'{records.name} has {len(records)} rows, gold has {n}, and rows have no "id" and '
            'no "index" to join by'
        )
    else:
        return in_source, {}
    noun = "question" if isinstance(asked, int) else "pair"
    noun = "index" if pa.types.is_integer(keys.type) else noun
    require_unique(keys, records.locate, lambda row: f'{noun} "{keys[row]}"')
    return _matched(records, asked, keys, known, unmatched)


def _indices(records: Records) -> pa.Array:
    """Return the rows of gold in a column ``index``."""
    index = records.integers("index")
    if (index < 0).any():
        k = int((index < 0).argmax())
        raise InputError(f'{records.locate(k)}: "index" is {index[k]}, expected an integer from 0')
    return arrow.numbers(index)


def _matched(
    records: Records, asked: JudgedPairs | int, keys: pa.Array, known: pa.Array, unmatched: Policy
) -> tuple[Int64, Warnings]:
    """Join answers to pairs or questions; warn of answers to no pair or question of gold."""
    noun = "questions" if isinstance(asked, int) else "pairs"
    lacks = f"{noun} of gold have no answer", f"answers of {records.name} are of nothing in gold"
    name = "question {}".format if isinstance(asked, int) else asked.locate
    both = match(known, keys, unmatched, lacks, where=(name, records.locate))
    rows = np.full(len(known), -1)
    rows[both.gold] = both.pred
    has_extra = any(counts[1] for counts in both.warnings.values())
    return rows, both.warnings if has_extra else {}


def _require_read(records: Records, choices: Choices, reasons: Reasons, rows: Int64) -> None:
    """Raise InputError for the first unreadable answer; name a task that reads more answers."""
    asked = rows[rows >= 0]
    unread = asked[reasons[asked] != READ]
    if len(unread):
        k = int(unread.min())
        column = records.answers(choices.column)
        got = shown(column[k].as_py())
        reason = REASONS[reasons[k]].replace("_", " ")
        more = f", nor can {len(unread) - 1} more be read" if len(unread) > 1 else ""
        raise InputError(
            f'{records.locate(k)}: "{choices.column}" is {reason}: {got}{more}',
            Remedy(
                "unparsed", ("empty", "skip"), "would allow it", _task_that_reads(column, choices)
            ),
        )


def _task_that_reads(column: pa.ChunkedArray, choices: Choices) -> Remedy | None:
    """Return the task of pairs that reads most answers; None if it is the chosen one."""
    if choices.task not in GRADED:
        return None
    n_read = {
        task: sum(
            int(np.count_nonzero(_read_chunk(chunk, replace(choices, task=task))[1] == READ))
            for chunk in column.chunks
        )
        for task in (choices.task, *get_args(CrabTask))
    }
    best = max(n_read, key=lambda task: n_read[task])
    if best == choices.task:
        return None
    return Remedy("task", (best,), f"reads {n_read[best]} of {len(column)} answers")
