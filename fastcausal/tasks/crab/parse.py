"""Models' answers to pairs and questions, read as a score, a letter, yes or no.

The answer is the content of the last closed tag ``<Answer>...</Answer>``, in upper or lower case; a
closing tag closes the last open one. If tags are open and none is closed, the text is unreadable;
without a tag the whole text is the answer. Blanks around an answer are ignored. A word has ASCII
letters, digits, ``_`` and the characters U+00C0 to U+1FFF.

score
    A decimal number; ``%`` or ``/100`` may follow, then a full stop.
multiclass, mcq
    A letter A to D in either case: alone, in ``[]`` or ``()``, or followed by the mark ``.``, ``:``
    or ``)``. After brackets or a mark, any text may follow, unless it names another letter: in
    brackets, or as a word of its own with a mark and then a blank or the end.
three
    As multiclass, a letter A to C.
binary
    The first word: yes, no, true, false, 1 or 0 (1 and 0 not within a number); unless ``/`` or
    "or" follows, possibly after quotes, brackets and asterisks.

Other texts are read as everyday words (`fastcausal.tasks.classification.choices.words`)
if they name only one value.

Numbers and booleans are read if they fit the task: numbers as scores; 1 and true as yes, 0 and
false as no. Null, NaN and blank text are missing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.options import AnswerTask, check
from fastcausal.significance.sums import Float64
from fastcausal.tasks.classification.choices.reader import (
    MISSING,
    OUT_OF_RANGE,
    READ,
    UNREADABLE,
    read_text,
)
from fastcausal.tasks.classification.choices.words import match_pattern, pattern_of

REASONS = ("read", "missing", "unreadable", "out_of_range", "unmatched")
LABELS: dict[str, tuple[str, ...]] = {
    "score": ("A", "B", "C", "D"),
    "multiclass": ("A", "B", "C", "D"),
    "three": ("high", "medium_or_low", "none"),
    "binary": ("no", "yes"),
    "mcq": ("A", "B", "C", "D"),
}
"""Labels of the answers of each task; a letter stands for the label at its place."""
Reasons = npt.NDArray[np.int8]

_KINDS: dict[AnswerTask, str] = {
    "score": "score", "multiclass": "letter", "three": "letter", "mcq": "letter", "binary": "binary"
}  # fmt: skip


def parse_answer(answer: Any, task: AnswerTask) -> float | str | None:
    """Read one answer; return None if it is unreadable.

    Parameters
    ----------
    answer : str, number, bool or None
    task : {"score", "multiclass", "three", "mcq", "binary"}

    Returns
    -------
    float or str or None
        A score from 0 to 100, or a label of ``LABELS``: a letter from A to D; "high",
        "medium_or_low" or "none"; "yes" or "no".

    Raises
    ------
    ValueError
        The task is unknown.

    Examples
    --------
    >>> parse_answer("The flood came first. <Answer>85/100</Answer>", "score")
    85.0
    >>> parse_answer("[B] Medium: it helped.", "multiclass"), parse_answer("A or B", "mcq")
    ('B', None)
    >>> parse_answer("Yes, it did.", "binary"), parse_answer("yes/no", "binary")
    ('yes', None)
    >>> parse_answer("(B)", "three"), parse_answer("(D)", "three")
    ('medium_or_low', None)
    """
    check("task", task, AnswerTask)
    value, reason = _read(answer, task)
    if reason != READ:
        return None
    return value if task == "score" else LABELS[task][int(value)]


def parse_column(
    column: pa.Array,  # texts, numbers or booleans; others are unreadable
    task: AnswerTask,
    pattern: str | None = None,  # its one group holds the answer
) -> tuple[Float64, Reasons]:  # [n] scores or indices of `LABELS`; [n] of `REASONS`
    """Read a column of answers, each as `parse_answer` does."""
    # Text without a match of the pattern, or with matches that differ, is unreadable.
    check("task", task, AnswerTask)
    if pattern is not None:
        return _match_pattern(column, task, pattern_of(pattern))
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values, reasons = _texts(column, task)
    elif pa.types.is_dictionary(kind):
        values, reasons = parse_column(column.dictionary, task)
        of_row, why = (arrow.numbers(each).take(column.indices) for each in (values, reasons))
        return arrow.values_of(of_row, np.nan), arrow.values_of(why, MISSING)
    elif str(kind) == "string_view":
        return parse_column(column.cast(pa.large_string()), task)
    elif pa.types.is_boolean(kind) or pa.types.is_null(kind):
        values, reasons = _numbers(column, task, is_number=False)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values, reasons = _numbers(column, task, is_number=True)
    else:
        values, reasons = np.full(len(column), np.nan), np.full(len(column), UNREADABLE, np.int8)
    missing = ~arrow.is_valid(column)
    values[missing], reasons[missing] = np.nan, MISSING
    return values, reasons


def _match_pattern(
    column: pa.Array, task: AnswerTask, pattern: re.Pattern[str]
) -> tuple[Float64, Reasons]:
    texts = ["" if value is None else str(value) for value in column.to_pylist()]
    found = [match_pattern(text, pattern) if text.strip() else None for text in texts]
    values, reasons = parse_column(pa.array(found, pa.string()), task)
    reasons[[text == "" for text in found]] = UNREADABLE
    return values, reasons


def _texts(column: pa.Array, task: AnswerTask) -> tuple[Float64, Reasons]:
    values, reasons = np.empty(len(column)), np.full(len(column), READ, np.int8)
    kind = _KINDS[task]
    is_letter = kind == "letter"
    if is_letter and (codes := single_letters(column)) is not None:
        values[:] = codes
    else:
        data, places = arrow.texts_of(column)
        parts = pairwise(places.tolist())
        texts = [str(memoryview(data)[start:stop], "utf-8", "replace") for start, stop in parts]
        known = {text: read_text(text, kind) for text in {*texts}}
        values[:] = [known[text][0] for text in texts]
        reasons[:] = [known[text][1] for text in texts]
    if is_letter and (beyond := values >= len(LABELS[task])).any():
        values[beyond], reasons[beyond] = np.nan, UNREADABLE
    return values, reasons


def single_letters(column: pa.Array) -> npt.NDArray[np.uint8] | None:
    """Return 0 to 3 for the letters A to D; None if any text is not just one of these."""
    data, places = arrow.texts_of(column)
    start, stop = int(places[0]), int(places[-1])
    if stop - start != len(column) or (places[1:] - places[:-1] != 1).any():
        return None
    codes = np.frombuffer(data, np.uint8)[start:stop] - np.uint8(ord("A"))
    return codes if (codes <= ord("D") - ord("A")).all() else None


def _numbers(column: pa.Array, task: AnswerTask, *, is_number: bool) -> tuple[Float64, Reasons]:
    """Read numbers, or booleans as 1 and 0."""
    numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    fits = np.full(len(column), False)
    if task == "binary":
        fits = (numbers == 0) | (numbers == 1)
    elif task == "score" and is_number:
        fits = (numbers >= 0) & (numbers <= 100)
    unread = OUT_OF_RANGE if task == "score" and is_number else UNREADABLE
    reasons = np.where(fits, READ, np.where(np.isnan(numbers), MISSING, unread))
    return np.where(fits, numbers, np.nan), reasons.astype(np.int8)


def _read(answer: Any, task: AnswerTask) -> tuple[float, int]:
    if isinstance(answer, str):
        value, reason = read_text(answer, _KINDS[task])
        is_beyond = task != "score" and value >= len(LABELS[task])
        return (float("nan"), UNREADABLE) if is_beyond else (value, reason)
    try:
        values, reasons = parse_column(pa.array([answer]), task)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):  # Arrow has no such value
        return float("nan"), UNREADABLE
    return float(values[0]), int(reasons[0])
