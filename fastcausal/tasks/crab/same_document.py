"""Choices of causes in the effect's own document, among wrong answers and by chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined
from fastcausal.counts.arithmetic import ratio
from fastcausal.tasks.crab.files import CLASSES, Booleans, Int64

RIGHT, NEAR = "right", "same_document"
"""Columns of questions: the right letters, and those in the effect's article."""

Counts = Mapping[str, Mapping[str, Any]]


def same_document(
    questions: pa.Table,  # columns `RIGHT` and `NEAR`: the letters of a question as one text
    chosen: Int64,  # [n]: the letter of an answer; -1 or 4 if unreadable
    is_cross: Booleans,  # [n]: effect and gold candidate are in two articles
) -> Counts:
    """Count choices of a candidate in the effect's article."""
    # Parts are wrong answers, wrong answers to questions across documents, and all answers to
    # these. The chance of a wrong answer is the mean share of candidates in the effect's article
    # among the wrong candidates of a question.
    right, near = (_marked(joined(questions[name])) for name in (RIGHT, NEAR))
    was_read = (chosen >= 0) & (chosen < len(CLASSES))
    at = np.arange(len(chosen)), np.where(was_read, chosen, 0)
    is_wrong, is_near = was_read & ~right[at], near[at]
    chances = (near & ~right).sum(axis=1) / np.maximum((~right).sum(axis=1), 1)

    def counts(members: Booleans) -> dict[str, Any]:
        n, n_near = int(members.sum()), int((members & is_near).sum())
        return {"n": n, "n_same_document": n_near, "share": ratio(n_near, n, math.nan)}

    def count_with_chance(members: Booleans) -> dict[str, Any]:
        mean = ratio(math.fsum(chances[members].tolist()), int(members.sum()), math.nan)
        return counts(members) | {"chance": mean}

    return {
        "wrong": count_with_chance(is_wrong),
        "cross_document_wrong": count_with_chance(is_wrong & is_cross),
        "cross_document": counts(was_read & is_cross),
    }


def _marked(letters: pa.Array) -> Booleans:
    """Return a mask of the letters in texts: bool[n, 4]."""
    return np.stack([np.asarray(pc.match_substring(letters, c)) for c in CLASSES], axis=1)
