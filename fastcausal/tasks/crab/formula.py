"""Scores of labels, of numbers given beside labels, and means over frames and chains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio, spearman
from fastcausal.counts.labels import ConfusionFormula, Label
from fastcausal.counts.means import MeanFormula
from fastcausal.counts.rules import UnitColumn
from fastcausal.report.numbers import CORRELATION, FRACTION, Scale
from fastcausal.significance.sums import CountRows, Float64, Int64, sums_of
from fastcausal.significance.units import OneScore
from fastcausal.tasks.crab.parse import REASONS
from fastcausal.tasks.crab.same_document import NEAR, RIGHT

UNANSWERED = "unanswered"
REASON = "answer"  # the column of units: was the answer read, and if not, the reason
IN_DOCUMENT = "in_document"
NO_NUMBER = -1.0  # a missing number in rows
SCORES = ("gold_score", "pred_score")
GRADED = ("score", "multiclass", "three")  # tasks whose labels are grades
DIRECTION = "direction"
DIRECTIONS = ("too_strong", "too_weak", "mean_difference")
SCALES = {
    **dict.fromkeys(DIRECTIONS[:2], Scale("share", "lower", FRACTION)),
    DIRECTIONS[2]: Scale("points", "none"),
    "mae": Scale("points", "lower"),
    "spearman": CORRELATION,
    "bias": Scale("points", "none"),
}


@dataclass(frozen=True)
class JudgedFormula(ConfusionFormula):
    """Scores from rows of gold label and answer; an answer without a label has the last index."""

    job = "crab-judgments"

    task: str  # The name of the task

    @property
    def answers(self) -> tuple[Label, ...]:
        """The labels, and the answer without a label."""
        return (*self.labels, UNANSWERED)

    @property
    def unit_columns(self) -> dict[str, UnitColumn]:
        """The reasons of answers, the documents of pairs, and the letters of questions."""
        columns = {REASON: UnitColumn("string", REASONS)}
        in_document = {IN_DOCUMENT: UnitColumn("bool", required=False)}
        if self.task != "mcq":
            return columns | in_document
        letters = UnitColumn("string")
        return columns | in_document | {RIGHT: letters, NEAR: letters._replace(required=False)}

    @property
    def is_graded(self) -> bool:
        """True if labels go from the strongest to the weakest, so that errors have a direction."""
        return self.task in GRADED

    @property
    def labels_alone(self) -> JudgedFormula:
        """The formula without numbers beside the labels."""
        return JudgedFormula(self.labels, self.given, self.positive, self.undefined, self.task)

    def terms(self, rows: CountRows) -> CountRows:
        """Return the terms of labels; if labels are graded, also a term for each confusion."""
        terms = super().terms(rows)
        if not self.is_graded:
            return terms
        k = len(self.labels)
        is_gold, is_answer = (side[:, None] == np.arange(k) for side in rows.T)
        confusions = is_gold[:, :, None] & is_answer[:, None, :]
        return np.hstack([terms, confusions.reshape(len(rows), k * k).astype(np.int64)])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of labels, and the direction of errors, overall and by gold label."""
        k = len(self.labels)
        groups = super().groups_of(sums[:, : 3 * k])
        if not self.is_graded:
            return groups
        confusions = sums[:, 3 * k :].reshape(-1, k, k)
        overall = {"overall": groups.pop("overall"), DIRECTION: _direction(confusions)}
        of_labels = {
            f"{DIRECTION}_{label}": _direction(confusions[:, [place]], place)
            for place, label in enumerate(self.labels)
        }
        return overall | groups | of_labels

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares of errors by direction, and the mean difference, which counts labels."""
        return SCALES.get(score) or super().scale(group, score)

    @property
    def _unvaried(self) -> float:
        return math.nan  # ``undefined``, the value of 0/0, only holds for shares of counts


@dataclass(frozen=True)
class ScoredFormula(JudgedFormula):
    """Scores of labels, and of numbers in gold and answers; `NO_NUMBER` if missing."""

    job = "crab-scores"
    dtype: ClassVar[type[np.generic]] = np.float64
    adds = False  # ranks depend on all numbers

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return (*super().fields, *SCORES)

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value; scores are from 0 to 100, or `NO_NUMBER`."""
        return (NO_NUMBER, 100) if field in SCORES else super().limits(field)

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """The label and the number of gold."""
        return (*super().gold_fields, SCORES[:1])

    def terms(self, rows: CountRows) -> CountRows:
        """Return additive terms of labels and of numbers."""
        # Terms of numbers are answer minus gold, its absolute value, and 1 if both numbers exist.
        both, excess = _excesses(rows)
        return np.column_stack([super().terms(rows[:, :2]), excess, np.abs(excess), both])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of labels, mean distance and bias; no correlation of ranks."""
        counts, numbers = sums[:, :-3].astype(np.int64), sums[:, -3:]
        return self._add_numbers(
            super().groups_of(counts), mae=_mean(numbers[:, 1:]), bias=_mean(numbers[:, [0, 2]])
        )

    def scores(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute every score of rows, under each int64[n_draws, n_rows] of weights."""
        counts = sums_of(super().terms(rows[:, :2]), weights)
        return self.flat(
            self._add_numbers(super().groups_of(counts), **self.numbers(rows, weights))
        )

    def numbers(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute only the mean distance, the correlation of ranks and the bias."""
        both, excess = _excesses(rows)
        sums = sums_of(np.column_stack([excess, np.abs(excess), both]), weights)
        return {
            "mae": _mean(sums[:, 1:]),
            "spearman": self._spearman(rows, weights),
            "bias": _mean(sums[:, [0, 2]]),
        }

    def only(self, name: str) -> OneScore:
        """Return the formula of one score; a correlation of ranks has no terms."""
        self._require(name)

        def scaled(terms: CountRows) -> Scale:
            return self.scale_of(name, terms)

        if name == "score_spearman":
            return _Spearman(name, _refuse, _refuse, scaled, self)
        if name == "score_mae":
            return OneScore(name, lambda rows: self.terms(rows)[:, -2:], _mean, scaled)
        if name == "score_bias":
            return OneScore(name, lambda rows: self.terms(rows)[:, [-3, -1]], _mean, scaled)
        labels = self.labels_alone
        return OneScore(
            name,
            lambda rows: labels.terms(rows[:, :2]),
            lambda sums: labels.scores_of(sums)[name],
            scaled,
        )

    def names(self) -> dict[str, list[str]]:
        """Return the names of the scores of every group."""
        names = super().names()
        return names | {"score": ["mae", "spearman", "bias"]}

    def _add_numbers(
        self, groups: dict[str, ScoresByName], **numbers: Float64
    ) -> dict[str, ScoresByName]:
        overall = {"overall": groups.pop("overall")}
        return {**overall, "score": numbers, **groups}

    def _spearman(self, rows: CountRows, weights: Int64) -> Float64:
        both, _ = _excesses(rows)
        x, y = rows[both][:, 2:].T
        return spearman(x, y, weights[:, both])


@dataclass(frozen=True)
class FrameFormula(MeanFormula):
    """Means over causal frames; types are subsets, and measures of a frame may be missing."""

    job = "crab-frames"
    gaps = True

    @property
    def unit_columns(self) -> dict[str, UnitColumn]:
        """The types of frames and their numbers of pairs."""
        number = UnitColumn("int64")
        return {
            "type": UnitColumn("string", self.subsets),
            "n_pairs": number,
            "n_in_document": number._replace(nulls=True),
            "n_scored_pairs": number,
        }


@dataclass(frozen=True)
class ChainFormula(MeanFormula):
    """Means over causal chains, as `FrameFormula` has them over frames."""

    job = "crab-chains"
    gaps = True

    @property
    def unit_columns(self) -> dict[str, UnitColumn]:
        """The types of chains and their numbers of scored pairs."""
        return {"type": UnitColumn("string", self.subsets), "n_scored_pairs": UnitColumn("int64")}


@dataclass(frozen=True)
class _Spearman(OneScore):
    """The formula of only the correlation of ranks."""

    formula: ScoredFormula

    def scores(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute the correlation under each row of weights."""
        return {self.name: self.formula._spearman(rows, weights)}


def _refuse(rows: CountRows) -> CountRows:
    raise ValueError("score_spearman depends on all pairs, expected a score that adds over them")


def _excesses(rows: CountRows) -> tuple[CountRows, CountRows]:
    """Return a mask of rows with both numbers, and answer minus gold, 0 for other rows."""
    gold, pred = rows[:, 2], rows[:, 3]
    both = (gold != NO_NUMBER) & (pred != NO_NUMBER)
    return both, np.where(both, pred - gold, 0.0)


def _mean(sums: CountRows) -> Float64:
    """Divide sums by the numbers of their values."""
    return np.asarray(ratio(sums[:, 0], sums[:, 1], math.nan))


def _direction(
    confusions: Int64,  # [n_draws, n_gold, n_labels]: numbers of answers
    first: int = 0,  # gold label of row 0
) -> ScoresByName:
    """Compute shares of too strong and too weak answers, and the mean difference from gold."""
    n_gold, n_labels = confusions.shape[1:]
    steps = np.arange(first, first + n_gold)[:, None] - np.arange(n_labels)  # above 0: stronger
    total = confusions.sum(axis=(1, 2))
    sums = [(confusions * part).sum(axis=(1, 2)) for part in (steps > 0, steps < 0, steps)]
    return {
        name: np.asarray(ratio(part, total, math.nan))
        for name, part in zip(DIRECTIONS, sums, strict=True)
    }
