"""Answers of one system: read once, joined with pairs or questions, counted by stated policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Remedy, Warnings
from fastcausal.files.keys import match, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.formats.logs.answers import answers_of
from fastcausal.options import Policy
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.files import (
    KEY,
    Booleans,
    Int64,
    JudgedPairs,
    class_of,
    ids_of,
)
from fastcausal.tasks.crab.parse import LABELS, REASONS, parse_column

READ, UNMATCHED = REASONS.index("read"), REASONS.index("unmatched")
LABEL_OF_CLASS = {"three": (0, 1, 1, 2), "binary": (1, 1, 0, 0)}
"""Of tasks with other labels than the classes: the label of each class, as an index."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one system to n pairs or questions.

    Attributes
    ----------
    n_labels : int
        The number of labels of the task.
    codes : int64[n]
        The label of each answer, an index of `fastcausal.tasks.crab.parse.LABELS`; -1 if
        unreadable.
    values : float64[n]
        Its score for task score; NaN if unreadable.
    reasons : int8[n]
        Index in `fastcausal.tasks.crab.parse.REASONS`.
    counted : int64[n]
        As ``codes``; for an unreadable answer ``n_labels`` (no class: policy ``"empty"``), or -1
        (left out: ``"skip"``).
    warnings : mapping
    """

    n_labels: int
    codes: Int64
    values: Float64
    reasons: npt.NDArray[np.int8]
    counted: Int64
    warnings: Warnings

    @property
    def scored(self) -> Booleans:
        """Return a mask of counted units: bool[n]."""
        return self.counted >= 0

    def coverage(self, members: Any = slice(None)) -> dict[str, Any]:
        """Return the number and share of answers read, and the reasons for the others."""
        return coverage_of(self.reasons[members])


def coverage_of(reasons: npt.NDArray[Any]) -> dict[str, Any]:
    """Count reasons: ``n_read``, ``share`` of all, and ``unread`` by reason.

    Examples
    --------
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
        Any source of `fastcausal.files.records.read_records` with a column of answers. Joined by
        the key of pairs if present, else by an integer ``index`` from 0 (the row in gold), else by
        ``id`` (``topic/a/b`` of a pair, the row of a question), else by order. Or a plain list of
        answers, or the results of a batch: see `fastcausal.formats.logs.answers`.
    asked : JudgedPairs or int
        The pairs; of questions their number.
    choices : Choices
        Rows of no pair are an error, or else left out with a warning, as ``unmatched`` wants.
    name : str
        The name for messages of a source that is not a file.

    Raises
    ------
    InputError
        Something cannot be read or joined, or a policy forbids it.
    """
    task, column, border = choices.task, choices.column, choices.border
    unparsed, unmatched = choices.unparsed, choices.unmatched
    records = read_records(source, name, column=column, encoded=True)
    if column not in records:
        records = answers_of(records, column)
    values, why = parse_column(records.answers(column), task, choices.pattern)
    rows, warnings = _joined(records, asked, unmatched)
    n_labels = len(LABELS[task])
    in_order = np.array_equal(rows, np.arange(len(values)))
    if not why.any() and (in_order or (rows >= 0).all()):  # READ is 0: nothing to decide
        if not in_order:
            values, why = values[rows], why[rows]
        codes = class_of(values, border) if task == "score" else values.astype(np.int64)
        return Answers(n_labels, codes, values, why, codes, warnings)
    if unparsed == "error":
        _require_read(records, column, why, rows)
    present = rows >= 0
    reasons = np.where(present, why[rows], UNMATCHED).astype(np.int8)
    values = np.where(reasons == READ, values[rows], np.nan)
    codes = class_of(values, border) if task == "score" else _codes(values)
    state = {"error": -1, "empty": n_labels, "skip": -1}
    unread = np.where(present, state[unparsed], state[unmatched])
    counted = np.where(reasons == READ, codes, unread)
    return Answers(n_labels, codes, values, reasons, counted, warnings)


def _codes(values: Float64) -> Int64:
    return np.where(np.isnan(values), -1, values).astype(np.int64)


def _joined(
    records: Records, asked: JudgedPairs | int, unmatched: Policy
) -> tuple[Int64, Warnings]:
    """Return the row of the answer to each pair or question, -1 if missing."""
    n = asked if isinstance(asked, int) else len(asked)
    rows = np.arange(n) if isinstance(asked, int) else asked.rows
    if not isinstance(asked, int) and all(key in records for key in KEY):
        if all(records.table[key].equals(asked.records.table[key]) for key in KEY):
            return rows, {}
        topics = records.texts(KEY[0])
        keys = ids_of(topics, *(records.integers(column) for column in KEY[1:]))
        known = asked.ids()
    elif "index" in records:
        keys, known = _indices(records), arrow.numbers(rows)
    elif "id" in records:
        keys = records.keys("id")
        known = arrow.numbers(rows).cast(pa.string()) if isinstance(asked, int) else asked.ids()
    elif len(records) != n:
        raise InputError(
            f'{records.name} has {len(records)} rows, gold has {n}, and rows have no "id" and '
            'no "index" to join by'
        )
    else:
        return rows, {}
    noun = "question" if isinstance(asked, int) else "pair"
    noun = "index" if pa.types.is_integer(keys.type) else noun
    require_unique(keys, records.where, lambda row: f'{noun} "{keys[row]}"')
    return _matched(records, asked, keys, known, unmatched)


def _indices(records: Records) -> pa.Array:
    """Return the rows of gold that a column ``index`` names."""
    index = records.integers("index")
    if (index < 0).any():
        k = int((index < 0).argmax())
        raise InputError(f'{records.where(k)}: "index" is {index[k]}, expected an integer from 0')
    return arrow.numbers(index)


def _matched(
    records: Records, asked: JudgedPairs | int, keys: pa.Array, known: pa.Array, unmatched: Policy
) -> tuple[Int64, Warnings]:
    """Join answers to pairs or questions; warn of answers to neither."""
    noun = "questions" if isinstance(asked, int) else "pairs"
    lacks = f"{noun} of gold have no answer", f"answers of {records.name} are of nothing in gold"
    name = "question {}".format if isinstance(asked, int) else asked.where
    both = match(known, keys, unmatched, lacks, where=(name, records.where))
    rows = np.full(len(known), -1)
    rows[both.gold] = both.pred
    has_extra = any(counts[1] for counts in both.warnings.values())
    return rows, both.warnings if has_extra else {}


def _require_read(
    records: Records, column: str, reasons: npt.NDArray[np.int8], rows: Int64
) -> None:
    """Raise InputError for the first unreadable answer."""
    asked = rows[rows >= 0]
    unread = asked[reasons[asked] != READ]
    if len(unread):
        k = int(unread.min())
        got = shown(records.answers(column)[k].as_py())
        reason = REASONS[reasons[k]].replace("_", " ")
        more = f", nor can {len(unread) - 1} more be read" if len(unread) > 1 else ""
        raise InputError(
            f'{records.where(k)}: "{column}" is {reason}: {got}{more}',
            Remedy("unparsed", ("empty", "skip"), "would allow it"),
        )
