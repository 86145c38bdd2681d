"""Raters one by one: their accuracy, and their second answers compared with their scores.

Romanou et al. (2023), CRAB, section 3.3: workers passed more than 80% of a qualification test, and
were also asked if the effect would have happened without the cause.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError
from fastcausal.files.records import Records
from fastcausal.files.values import shown
from fastcausal.options import Border
from fastcausal.significance.sums import Float64
from fastcausal.tasks.classification.choices.reader import MISSING, READ
from fastcausal.tasks.crab.files import CLASSES, Int64, JudgedPairs, reaches
from fastcausal.tasks.crab.parse import parse_column
from fastcausal.tasks.crab.sweep import THRESHOLDS
from fastcausal.tasks.labels.coefficients import alphas_of, disagreements
from fastcausal.tasks.labels.ratings import Ratings


def qualified(
    rated: Int64,  # [n]: the class number of each rating
    raters: Int64,  # [n]
    names: Sequence[str],
    # Class numbers [n] to compare ratings with, 0 if unknown; the last ones face the line
    against: dict[str, Int64],
    line: float,
) -> dict[str, Any]:
    """Compute each rater's accuracy against classes, and count the raters above the line.

    >>> found = qualified(np.array([1, 2, 2]), np.array([0, 0, 1]), ["x", "y"],
    ...                   {"majority": np.array([1, 4, 2])}, 0.8)
    >>> found["n_qualified"], found["raters"]["x"]["majority"]
    (1, {'n': 2, 'accuracy': 0.5})
    """
    n = len(names)
    rows: dict[str, dict[str, Any]] = {name: {} for name in names}
    accuracy = np.full(n, np.nan)
    for kind, classes in against.items():
        known = classes > 0
        asked = np.bincount(raters[known], minlength=n)
        right = np.bincount(raters[known & (rated == classes)], minlength=n)
        accuracy = np.array([r / k if k else math.nan for r, k in zip(right, asked, strict=True)])
        for row, k, share in zip(rows.values(), asked.tolist(), accuracy.tolist(), strict=True):
            row[kind] = {"n": k, "accuracy": share}
    passed = accuracy > line
    for row, is_qualified in zip(rows.values(), passed.tolist(), strict=True):
        row["qualified"] = is_qualified
    return {"line": line, "n_qualified": int(passed.sum()), "raters": rows}


def check_line(line: object) -> None:
    """Raise ValueError for a line of qualification outside of 0 to 1."""
    if not (isinstance(line, Real) and 0 <= float(line) <= 1):
        raise ValueError(f"qualify is {line}, expected a number from 0 to 1")


def classes_in(gold: JudgedPairs, keys: dict[str, Any], border: Border) -> Int64:
    """Return gold's class number of each rated pair, 0 if the pair is not in gold: int64[n]."""
    parts = [pa.array(part).cast(pa.string()).to_pylist() for part in keys.values()]
    known = dict(zip(gold.ids().to_pylist(), gold.classes(border).tolist(), strict=True))
    ids = ("/".join(key) for key in zip(*parts, strict=True))
    return np.array([len(CLASSES) - known.get(key, len(CLASSES)) for key in ids], np.int64)


def second_answers(records: Records, column: str) -> Float64:  # [n]
    """Return second answers: 1 for yes, 0 for no, NaN if missing."""
    answers = arrow.joined(records.answers(column))
    values, reasons = parse_column(answers, "binary")
    odd = (reasons != READ) & (reasons != MISSING)
    if odd.any():
        row = int(odd.argmax())
        got = shown(answers[row].as_py())
        raise InputError(f'{records.locate(row)}: "{column}" is {got}, expected yes or no')
    return values


def consistency(
    scores: Float64,  # [n]
    happens: Float64,  # [n]: 1 if the effect happens without the cause, NaN if unknown
    border: Border,
) -> dict[str, Any]:
    """Compare scores with second answers, at each threshold.

    >>> scores, happens = np.array([90.0, 10, 40, 60]), np.array([0.0, 1, 1, np.nan])
    >>> found = consistency(scores, happens, "up")
    >>> found["n"], found["thresholds"][9]
    (3, {'threshold': 50, 'share': 1.0, 'alpha': 1.0})
    """
    # Yes (the effect would have happened without the cause) fits a score below the threshold; no
    # fits a score that reaches it. Alpha is Krippendorff's nominal alpha of the two answers.
    both = ~np.isnan(happens)
    scores, causes = scores[both], 1.0 - happens[both]
    n = len(scores)
    rows = []
    for threshold in THRESHOLDS:
        at = scores >= threshold if reaches(threshold, border) else scores > threshold
        pairs = np.column_stack([at, causes]).ravel()
        ratings = Ratings(pairs, np.arange(0, 2 * n + 1, 2), None, 2)
        alpha = alphas_of(disagreements(ratings, "nominal", np.ones((1, n), np.int64)))
        share = float((at == causes).sum()) / n if n else math.nan
        rows.append({"threshold": threshold, "share": share, "alpha": float(alpha[0])})
    return {"n": n, "thresholds": rows}
