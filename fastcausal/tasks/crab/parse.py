"""Answers of models to pairs and questions, read as a score, a letter, yes or no.

Of a text, what stands in the last closed ``<Answer>...</Answer>`` counts (ASCII letters in any
case), and without an opened tag the whole text; blanks around it never do. Then:

score       a number, perhaps with ``%`` or ``/100``, perhaps with a full stop
multiclass  a letter A to D: alone, in brackets, or marked by ``.``, ``:`` or ``)``; text may
mcq         follow brackets and marks, unless it holds another letter in brackets or, as a word of
            its own, with a mark and then a blank or the end
binary      the first word, perhaps in quotes, brackets or asterisks: yes, no, true, false, 1, 0;
            unless ``/`` or "or" follows
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.options import AnswerTask, check

REASONS = ("read", "missing", "unreadable", "out_of_range", "unmatched")
READ, MISSING, UNREADABLE, OUT_OF_RANGE = range(4)

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(?:%|/\s*100)?\s*\.?"
)
_LETTER = re.compile(r"([A-D])(?:([.:)])|$)|\[([A-D])\]|\(([A-D])\)", re.IGNORECASE | re.ASCII)
_MARKED = re.compile(
    r"(?<![A-Za-z0-9_.\u00c0-\u1fff])([A-D])[.:)](?=\s|$)|\[([A-D])\]|\(([A-D])\)", re.IGNORECASE
)
_WORD = re.compile(
    r"[\s\"'*_`(\[]*(yes|no|true|false|1|0)(?![A-Za-z0-9_\u00c0-\u1fff]|\.[0-9])"
    r"(?![\s\"'*_`)\]]*(?:/|or(?![A-Za-z0-9_\u00c0-\u1fff])))",
    re.IGNORECASE | re.ASCII,
)


def parse_answer(answer: Any, task: AnswerTask) -> float | str | None:
    """Read one answer; None where it cannot be read.

    Parameters
    ----------
    answer : str, number, bool or None
    task : {"score", "multiclass", "mcq", "binary"}

    Returns
    -------
    float or str or None
        A score from 0 to 100; a letter from A to D; "yes" or "no".

    Examples
    --------
    >>> parse_answer("The flood came first. <Answer>85/100</Answer>", "score")
    85.0
    >>> parse_answer("[B] Medium: it helped.", "multiclass"), parse_answer("A or B", "mcq")
    ('B', None)
    >>> parse_answer("Yes, it did.", "binary"), parse_answer("yes/no", "binary")
    ('yes', None)
    """
    check("task", task, AnswerTask)
    value, reason = _read(answer, task)
    if reason != READ:
        return None
    if task == "score":
        return value
    return ("no", "yes")[int(value)] if task == "binary" else "ABCD"[int(value)]


def parse_column(
    column: pa.Array, task: AnswerTask
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int8]]:
    """Read a column of answers.

    Returns
    -------
    values : float64[n]
        Scores; 0 to 3 for A to D; 1 for yes, 0 for no. NaN where an answer cannot be read.
    reasons : int8[n]
        Why not, as an index of ``REASONS``; 0 is read.

    Examples
    --------
    >>> parse_column(pa.array(["80%", " ", "high", "140", None]), "score")
    (array([80., nan, nan, nan, nan]), array([0, 1, 2, 3, 1], dtype=int8))
    """
    check("task", task, AnswerTask)
    pairs = [_read(answer, task) for answer in column.to_pylist()]
    values = np.array([value for value, _ in pairs], np.float64)
    return values, np.array([reason for _, reason in pairs], np.int8)


def _read(answer: Any, task: AnswerTask) -> tuple[float, int]:
    if isinstance(answer, np.generic):
        answer = answer.item()
    if answer is None or (isinstance(answer, float) and math.isnan(answer)):
        return math.nan, MISSING
    if isinstance(answer, str):
        return _read_text(answer, task)
    if isinstance(answer, bool | int | float):
        return _read_number(answer, task)
    return math.nan, UNREADABLE


def _read_number(answer: float, task: AnswerTask) -> tuple[float, int]:
    if task == "binary" and answer in (0, 1):
        return float(answer), READ
    if task == "score" and not isinstance(answer, bool):
        return (float(answer), READ) if 0 <= answer <= 100 else (math.nan, OUT_OF_RANGE)
    return math.nan, UNREADABLE


def _read_text(answer: str, task: AnswerTask) -> tuple[float, int]:
    if not answer.strip():
        return math.nan, MISSING
    text = _counted(answer)
    if text is None:
        return math.nan, UNREADABLE
    if task == "score":
        match = _NUMBER.fullmatch(text)
        return _read_number(float(match[1]), task) if match else (math.nan, UNREADABLE)
    if task == "binary":
        match = _WORD.match(text)
        if match is None:
            return math.nan, UNREADABLE
        return float(match[1].lower() in ("yes", "true", "1")), READ
    return _read_letter(text)


def _counted(answer: str) -> str | None:
    """Return the text that counts; None where a tag is opened and none is closed."""
    text, opened = None, None
    for tag in _TAG.finditer(answer):
        if not tag[1]:
            opened = tag.end()
        elif opened is not None:
            text, opened = answer[opened : tag.start()].strip(), None
    return answer.strip() if text is None and opened is None else text


def _read_letter(text: str) -> tuple[float, int]:
    match = _LETTER.match(text)
    if match is None:
        return math.nan, UNREADABLE
    letter = (match[1] or match[3] or match[4]).upper()
    rest = _MARKED.finditer(text, match.end())
    if any((more[1] or more[2] or more[3]).upper() != letter for more in rest):
        return math.nan, UNREADABLE
    return float("ABCD".index(letter)), READ
