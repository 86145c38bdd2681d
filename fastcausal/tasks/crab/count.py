"""Answers of one system: read once, joined to what was asked, counted by stated policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.errors import InputError, Remedy, Warnings
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.options import AnswerTask, Border, Policy, check_policies
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab.files import (
    KEY,
    Booleans,
    Int64,
    JudgedPairs,
    class_of,
)
from fastcausal.tasks.crab.parse import REASONS, parse_column

OBJECTS = np.dtype(object)  # of columns of pandas with values of several kinds
READ, UNMATCHED = REASONS.index("read"), REASONS.index("unmatched")
LABELS: dict[str, tuple[str, ...]] = {
    "score": ("A", "B", "C", "D"),
    "multiclass": ("A", "B", "C", "D"),
    "binary": ("no", "yes"),
    "mcq": ("A", "B", "C", "D"),
}
"""Labels of the answers of each task."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one system to n pairs or questions.

    Attributes
    ----------
    n_labels : int
        The number of labels of the task.
    codes : int64[n]
        The label of each answer: class A to D, or no and yes; -1 where it was not read.
    values : float64[n]
        Its score, where the task is score; NaN where it was not read.
    reasons : int8[n]
        Its place in `fastcausal.tasks.crab.parse.REASONS`.
    counted : int64[n]
        As ``codes``; where it was not read ``n_labels`` (names no class: policy ``"empty"``), or -1
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
        """Mark the units that count: bool[n]."""
        return self.counted >= 0

    def coverage(self, members: Any = slice(None)) -> dict[str, Any]:
        """Return how many of some answers were read, their share, and why others were not."""
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
    task: AnswerTask,
    *,
    column: str = "prediction",
    border: Border = "up",
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    name: str = "pred",
) -> Answers:
    """Read the answers of one system and join them to what was asked.

    Parameters
    ----------
    source : path, table or list
        What `fastcausal.files.records.read_records` takes, with a column of answers. Joined by
        the key of pairs if there is one, else by an integer ``index`` from 0 (the row in gold),
        else by order. Or a plain list of answers.
    asked : JudgedPairs or int
        The pairs; of questions their number.
    task : {"score", "multiclass", "binary", "mcq"}
    column : str
        The column of the answers.
    border : {"up", "text", "down"}
        The class of the scores 20, 50 and 80.
    unparsed, unmatched : {"error", "empty", "skip"}
        What an answer is that cannot be read, and a pair without one: an error, an answer that
        names no class, or a reason to leave the pair out. Rows of no pair are an error, else they
        are left out with a warning.
    name : str
        What messages call a source other than a file.

    Raises
    ------
    InputError
        Something cannot be read or joined, or a policy forbids it.
    ValueError
        Another task, border or policy.
    """
    check_policies(unparsed, unmatched)
    records = _records(source, column, name)
    values, why = parse_column(records.answers(column), task)
    rows, warnings = _joined(records, asked, unmatched)
    n_labels = len(LABELS[task])
    if not why.any() and (rows >= 0).all():  # READ is 0: nothing to decide
        values = values[rows]
        codes = class_of(values, border) if task == "score" else values.astype(np.int64)
        return Answers(n_labels, codes, values, why[rows], codes, warnings)
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


def _records(source: Any, column: str, name: str) -> Records:
    """Read rows; a plain list or column of answers is the one column."""
    if isinstance(source, Sequence) and not isinstance(source, str):
        if not any(isinstance(row, Mapping) for row in source):
            return read_records([{column: value} for value in source], name)
    elif isinstance(source, np.ndarray) or getattr(source, "dtype", None) == OBJECTS:
        return read_records([{column: value} for value in source.tolist()], name)
    elif _is_column(source):
        return read_records(
            {column: source if isinstance(source, pa.Array) else pa.chunked_array(source)}, name
        )
    return read_records(source, name)


def _is_column(source: Any) -> bool:
    """Tell a column of Arrow, pandas or polars from a table."""
    if isinstance(source, pa.Array):
        return True
    if isinstance(source, pa.Table) or not hasattr(source, "__arrow_c_stream__"):
        return False
    try:
        return not pa.types.is_struct(pa.chunked_array(source).type)
    except pa.ArrowException:  # a frame with values of several kinds
        return False


def _joined(
    records: Records, asked: JudgedPairs | int, unmatched: Policy
) -> tuple[Int64, Warnings]:
    """Return the row of the answer to each pair or question, -1 without one."""
    n = asked if isinstance(asked, int) else len(asked)
    if not isinstance(asked, int) and all(key in records for key in KEY):
        if all(records.table[key].equals(asked.records.table[key]) for key in KEY):
            return asked.rows, {}
        places = _by_key(records, asked)
    elif "index" in records:
        places = _by_index(records, asked, n)
    else:
        if len(records) != n:
            raise InputError(
                f'{records.name} has {len(records)} rows, gold has {n}, and rows have no "index" '
                "to join by"
            )
        return (np.arange(n) if isinstance(asked, int) else asked.rows), {}
    rows = np.full(n, -1)
    known = places >= 0
    rows[places[known]] = np.flatnonzero(known)
    return rows, _differences(records, places, rows, asked, unmatched)


def _by_key(records: Records, asked: JudgedPairs) -> Int64:
    """Return the pair of each row, -1 of no pair."""
    topics = records.texts(KEY[0])
    a, b = (records.integers(column) for column in KEY[1:])
    places = asked.places(topics, a, b)
    _require_once(records, places, lambda k: f"topic {topics[int(k)]}, events {a[k]} and {b[k]}")
    return places


def _by_index(records: Records, asked: JudgedPairs | int, n: int) -> Int64:
    """Return the pair or question of each row, -1 of none."""
    index = records.integers("index")
    if (index < 0).any():
        k = int((index < 0).argmax())
        raise InputError(f'{records.where(k)}: "index" is {index[k]}, expected an integer from 0')
    _require_once(records, index, lambda k: f'"index" {index[k]}')
    place = np.arange(n)
    if not isinstance(asked, int):
        place[asked.rows] = np.arange(n)
    return np.where(index < n, place[np.minimum(index, n - 1)], -1)


def _require_once(records: Records, places: Int64, named: Callable[[Any], str]) -> None:
    """Raise InputError where two rows have one place; -1 may occur again."""
    order = np.argsort(places, kind="stable")
    ascending = places[order]
    again = order[1:][(ascending[1:] == ascending[:-1]) & (ascending[1:] >= 0)]
    if len(again):
        k = int(again.min())
        first = int((places == places[k]).argmax())
        raise InputError(
            f"{records.where(k)}: {named(k)} occurs twice, first in {records.where(first)}"
        )


def _differences(
    records: Records, places: Int64, rows: Int64, asked: JudgedPairs | int, unmatched: Policy
) -> Warnings:
    """Warn of rows of no pair, and of pairs without a row; InputError if the policy forbids it."""
    extra, missing = np.flatnonzero(places < 0), np.flatnonzero(rows < 0)
    if unmatched == "error" and (len(extra) or len(missing)):
        if len(extra):
            first = f"{records.where(int(extra[0]))}: an answer that gold does not ask for"
        else:
            k = int(missing[0])
            name = f"question {k}" if isinstance(asked, int) else asked.where(k)
            first = f"{name}: no answer in {records.name}"
        more = f", {len(missing)} without an answer and {len(extra)} answers too many in all"
        raise InputError(first + more, Remedy("unmatched", ("empty", "skip"), "would allow it"))
    texts = (f"unmatched={unmatched}: ", f" answers of {records.name} are of nothing in gold")
    return {texts: (len(extra),)} if len(extra) else {}


def _require_read(
    records: Records, column: str, reasons: npt.NDArray[np.int8], rows: Int64
) -> None:
    """Raise InputError for the first answer that was not read."""
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
