"""Answers of yes and no, scored against gold at many thresholds at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastcausal.counts.arithmetic import EQUAL
from fastcausal.counts.labels import ConfusionFormula
from fastcausal.errors import warning_lines
from fastcausal.options import Border, Policy
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import MEAN_SHARE
from fastcausal.report.report import Report
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.count import read_answers
from fastcausal.tasks.crab.files import Int8, reaches, read_pairs
from fastcausal.tasks.crab.pairwise import warnings_of
from fastcausal.tasks.crab.parse import LABELS

THRESHOLDS = range(5, 100, 5)
NO, YES, N_ANSWERS = 0, 1, 3  # the third answer has no class


def parse_thresholds(text: str) -> list[float]:
    """Return the numbers of a text with commas between them, for ``--thresholds``."""
    try:
        return [float(number) for number in text.split(",")] if text.strip() else []
    except ValueError:
        raise ValueError(
            f'--thresholds is "{text}", expected numbers with commas between them'
        ) from None


SweepReport = Report
"""Scores at each threshold; ``report["50"].macro_f1`` is one of them.

Attributes
----------
thresholds : list of dict
    By rising threshold: ``threshold``, ``n_positive`` (gold), ``accuracy``, ``macro_f1``,
    ``f1_yes``, ``f1_no``, and the counts of yes: ``tp``, ``fp``, ``fn``.
best : dict or None
    The row of the threshold with the highest macro-F1, in a tie the lowest threshold; None if
    macro-F1 is never defined.
n_pairs : int
coverage : mapping
    ``n_read``, ``share`` of all pairs, and ``unread``: the number by reason.
"""


def sweep(
    gold: Any,
    pred: Any,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    column: str = "prediction",
    border: Border = "up",
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    pattern: str | None = None,
) -> SweepReport:
    """Score yes and no against gold scores from each threshold on: figure 5 of the paper.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin. All have scores.
    pred : path, table or list
        Answers of a system. See `fastcausal.tasks.crab.count.read_answers`.
    thresholds : sequence of float
        Take gold scores from each of these on as yes; by default 5, 10, ..., 95. They rise.
    column, border, undefined, unparsed, unmatched, pattern
        See `fastcausal.tasks.crab.pairwise.pairwise`.

    Returns
    -------
    SweepReport

    Raises
    ------
    InputError
        A source cannot be read or joined, a pair has no score, or a policy forbids it.
    ValueError
        Thresholds are missing or do not rise, or a rule or policy is unknown.

    References
    ----------
    Romanou et al. (2023), CRAB, figure 5.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = [{"topic_id": 1, "event_order_a": 1, "event_order_b": b, "score": s}
    ...         for b, s in ((2, 90), (3, 55), (4, 10))]
    >>> report = fc.crab.sweep(gold, ["Yes.", "yes", "No"], [20, 60])
    >>> report.best["threshold"], report["60"].macro_f1
    (20, 0.6666666666666666)
    """
    limits = _rising(thresholds)
    choices = Choices("binary", column, border, "class", undefined, unparsed, unmatched, pattern)
    pairs = read_pairs(gold)
    pairs.require_scores()
    answers = read_answers(pred, pairs, choices)
    rows = rows_of(count(pairs.score, answers.counted, limits, border), limits, undefined)
    defined = [row for row in rows if not math.isnan(row["macro_f1"])]
    highest = max((row["macro_f1"] for row in defined), default=math.nan)
    best = next((row for row in defined if row["macro_f1"] >= highest - EQUAL), None)
    coverage = answers.coverage()
    facts = {"n_pairs": len(pairs), "thresholds": rows, "best": best, "coverage": coverage}
    named = ",".join(str(row["threshold"]) for row in rows)
    return SweepReport(
        f"thresholds: {len(pairs)} pairs, {coverage['n_read']} answers read "
        f"({coverage['share']:.1%})" + (f", best at {best['threshold']}" if best else ""),
        choices.signature("crab-sweep", {"thresholds": named, "border": border}),
        {str(row["threshold"]): _scores(row) for row in rows},
        facts=facts,
        warnings=warning_lines(warnings_of(answers, {})),
        keys=("signature", *facts, "warnings"),
        scales=dict.fromkeys(("accuracy", "macro_f1", "f1_yes", "f1_no"), MEAN_SHARE),
        grids=_grids,
    )


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per threshold."""
    columns = [name for name in report.thresholds[0] if name != "threshold"]
    grid = Grid(report.title, columns)
    for row in report.thresholds:
        grid.add(str(row["threshold"]), *(row[name] for name in columns))
    return [grid]


def _rising(thresholds: Sequence[float]) -> Float64:
    limits = np.array(list(thresholds), np.float64)
    if not len(limits):
        raise ValueError("thresholds are empty, expected one or more")
    if not np.isfinite(limits).all() or (np.diff(limits) <= 0).any():
        listed = ", ".join(f"{limit:g}" for limit in limits[:10])
        raise ValueError(f"thresholds are {listed}, expected numbers that rise")
    return limits


def count(
    score: Float64,  # [n]: gold scores
    counted: Int8,  # [n]: 0 no, 1 yes, 2 without a class, -1 left out
    limits: Float64,  # [n_thresholds], in rising order
    border: Border = "up",
) -> Int64:  # [n_thresholds, 2, 3]
    """Count answers by threshold, gold label and answer.

    >>> score, limits = np.array([80.0, 20, 50]), np.array([50.0])
    >>> count(score, np.array([1, 1, 0]), limits).tolist()
    [[[0, 1, 0], [1, 1, 0]]]
    """
    counts = np.empty((len(limits), 2, N_ANSWERS), np.int64)
    is_below = np.array([reaches(limit, border) for limit in limits.tolist()])
    for answer in range(N_ANSWERS):
        ascending = np.sort(score[counted == answer])
        left, right = (ascending.searchsorted(limits, side) for side in ("left", "right"))
        counts[:, NO, answer] = np.where(is_below, left, right)
        counts[:, YES, answer] = len(ascending) - counts[:, NO, answer]
    return counts


def rows_of(counts: Int64, limits: Float64, undefined: float | None) -> list[dict[str, Any]]:
    """Return scores and counts of every threshold."""
    hits = np.stack([counts[:, label, label] for label in (NO, YES)], axis=1)
    predicted, wanted = counts.sum(axis=1)[:, : YES + 1], counts.sum(axis=2)
    formula = ConfusionFormula(LABELS["binary"], False, "yes", undefined)
    groups = formula.groups_of(np.hstack([hits, predicted, wanted]))
    columns: dict[str, list[Any]] = {
        "threshold": [int(t) if t.is_integer() else t for t in limits.tolist()],
        "n_positive": wanted[:, YES].tolist(),
        "accuracy": groups["overall"]["accuracy"].tolist(),
        "macro_f1": groups["macro"]["f1"].tolist(),
        "f1_yes": groups["class_yes"]["f1"].tolist(),
        "f1_no": groups["class_no"]["f1"].tolist(),
        "tp": hits[:, YES].tolist(),
        "fp": (predicted - hits)[:, YES].tolist(),
        "fn": (wanted - hits)[:, YES].tolist(),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _scores(row: Mapping[str, Any]) -> Scores:
    return Scores({name: value for name, value in row.items() if name != "threshold"})
