"""Exact match and F1 of answers: of one answer in Python, of many in native code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import numbers, offsets, texts_of
from fastcausal.arrays.letters import letters_of_words
from fastcausal.tasks.qa import _native
from fastcausal.tasks.qa.questions import Int64, plain_texts
from fastcausal.tasks.words import f1, words

AnswerMark = tuple[bool, float]
"""Exact match and F1 of one answer."""


def mark(gold: Sequence[str], pred: str) -> AnswerMark:
    """Return the exact match and the best F1 of an answer with one of the gold answers."""
    answered = words(pred)
    wanted = [words(answer) for answer in set(gold)]
    if answered in wanted:
        return True, 1.0 if answered else 0.0
    return False, max(f1(answer, answered) for answer in wanted)


def fill_marks(
    marks: npt.NDArray[np.float64],
    gold: pa.Array,
    lists: Int64,
    questions: Int64,
    answers: pa.Array,
    rows: Int64,
) -> None:
    """Mark each answer in the first two columns: float64[n, 2 or more]; 0 for row -1, no answer."""
    known = np.empty(len(marks), np.int8)
    wanted, said = (texts_of(texts.cast(pa.large_string())) for texts in (gold, answers))
    letters, n_threads = letters_of_words(wanted, said), os.cpu_count() or 1
    sides = ((*wanted, None), lists, questions, (*said, None), rows)
    _native.mark(*sides, letters, marks, known, n_threads)
    odd = np.flatnonzero(known == 0)  # native code cannot lower a letter of these rows
    first, sizes = lists[questions[odd]], np.diff(lists)[questions[odd]]
    places = offsets(sizes)
    among = np.repeat(first - places[:-1], sizes) + np.arange(places[-1])
    plain = iter(plain_texts(gold.take(numbers(among))))
    texts = zip(sizes.tolist(), plain_texts(answers.take(numbers(rows[odd]))), strict=True)
    for row, (n, answer) in zip(odd.tolist(), texts, strict=True):
        marks[row, :2] = mark([*islice(plain, n)], answer)
