"""Scores of labels, from the confusions of every class."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fastcausal.counts.arithmetic import (
    ScoresByName,
    accuracy,
    matthews,
    mean_defined,
    precision_recall_f1,
)
from fastcausal.counts.formula import Formula
from fastcausal.errors import InputError
from fastcausal.report.numbers import CORRELATION, MEAN_SHARE, SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64, Int64

Label = int | str
MAX_LABELS = 2000  # with more labels, they are not classes
AVERAGED = ("precision", "recall", "f1")


@dataclass(frozen=True)
class ConfusionFormula(Formula):
    """Gold and predicted label of each example, as indices of the labels."""

    labels: tuple[Label, ...]  # The classes
    given: bool  # True if the caller named them; otherwise other examples may add labels
    positive: Label | None  # The class of the group ``positive``, if any
    undefined: float | None  # The value of 0/0; None: NaN

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("gold", "pred")

    @property
    def main_of_one(self) -> str:
        """Flat name of the accuracy: a label is right or wrong."""
        return "overall_accuracy"

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """The label of gold."""
        return (("gold",),)

    @property
    def answers(self) -> tuple[Label, ...]:
        """Possible answers of predictions, in the order of their indices: the classes."""
        return self.labels

    def terms(self, rows: CountRows) -> CountRows:
        """Return three 0/1 terms per label: predicted and right, predicted, gold."""
        gold, pred = (side[:, None] == np.arange(len(self.labels)) for side in rows.T)
        return np.hstack([gold & pred, pred, gold]).astype(np.int64)

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of overall, positive, macro, weighted and of every class."""
        hits, predicted, wanted = np.hsplit(sums, 3)
        undefined = self._zero
        right = hits.sum(axis=1)
        each = zip(right.tolist(), predicted.tolist(), wanted.tolist(), strict=True)
        mcc = [_matthews(*sums, self._unvaried) for sums in each]
        overall = {"accuracy": accuracy(right, wanted.sum(axis=1), undefined), "mcc": np.array(mcc)}
        classes = precision_recall_f1(hits, predicted, wanted, undefined)
        groups = {"overall": overall}
        if self.positive in self.labels:
            k = self.labels.index(self.positive)
            groups["positive"] = {name: classes[name][:, k] for name in AVERAGED}
        means = {"macro": self.weigh_classes(predicted, wanted), "weighted": wanted}
        for group, weights in means.items():
            groups[group] = {
                name: means_defined(classes[name], weights, undefined) for name in AVERAGED
            }
        for k, label in enumerate(self.labels):
            groups[f"class_{label}"] = {name: classes[name][:, k] for name in AVERAGED}
        return groups

    def own_scores(self, rows: CountRows, name: str | None = None) -> Float64:
        """Return 1 for equal labels and 0 for others, unless another score is named."""
        if name not in (None, self.main_of_one):
            return super().own_scores(rows, name)
        return np.where(rows[:, 0] == rows[:, 1], 1.0, 0.0)

    def weigh_classes(self, predicted: Int64, wanted: Int64) -> Int64:
        """Return the weight of each class in the macro mean: 1."""
        return np.ones_like(wanted)

    def scale(self, group: str, score: str) -> Scale:
        """Declare a correlation, and shares; the macro means rest on few units of rare classes."""
        if group == "macro":
            return MEAN_SHARE
        return {"accuracy": SHARE, "mcc": CORRELATION, **dict.fromkeys(AVERAGED, SHARE)}[score]

    @property
    def _zero(self) -> float:
        return math.nan if self.undefined is None else self.undefined

    @property
    def _unvaried(self) -> float:
        """The correlation if the labels of one side do not vary."""
        return self._zero

    def union(self, other: Formula) -> ConfusionFormula:
        """Return the formula with the labels of both."""
        if not isinstance(other, ConfusionFormula) or self.given or other.given:
            return super().union(other)
        if replace(self, labels=other.labels) != other:
            return super().union(other)
        return replace(self, labels=classes_of(self.labels, other.labels))

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Renumber labels for a union."""
        assert isinstance(formula, ConfusionFormula)
        if formula.labels == self.labels:
            return rows
        place = np.array([formula.labels.index(label) for label in self.labels], np.int64)
        return place[rows]


def classes_of(*parts: Iterable[Label]) -> tuple[Label, ...]:
    """Return the different labels of several parts, in ascending order.

    >>> classes_of(["b", "c"], ["a", "b"])
    ('a', 'b', 'c')
    """
    labels = {label for part in parts for label in part}
    if len({type(label) for label in labels}) > 1:
        shown = ", ".join(sorted(map(repr, labels))[:10])
        raise ValueError(f"labels are integers and strings: {shown}")
    if len(labels) > MAX_LABELS:
        raise InputError(f"{len(labels)} different labels, expected at most {MAX_LABELS}")
    return tuple(sorted(labels))


def _matthews(hits: int, predicted: list[int], wanted: list[int], undefined: float) -> float:
    """Return the coefficient; predictions without a label count as a label absent from gold."""
    none = sum(wanted) - sum(predicted)
    return matthews(hits, [*predicted, none], [*wanted, 0], undefined)


def means_defined(values: Float64, weights: Int64, undefined: float) -> Float64:
    """Average each row with its weights; undefined values are left out."""
    each = zip(values.tolist(), weights.tolist(), strict=True)
    return np.array([mean_defined(v, w, undefined) for v, w in each], np.float64)
