"""Threshold: a metric predicts 1 from this score on; fitted to labels, tested on other items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fastcausal.counts.labels import ConfusionFormula
from fastcausal.significance.sums import Int64
from fastcausal.tasks.labels.coefficients import kappa
from fastcausal.tasks.labels.ratings import Float64

MAX_FOLDS = 1000  # each is a fit to all rows
BINARY = ConfusionFormula((0, 1), True, 1, None)
HELD_OUT = {
    "accuracy": "overall_accuracy",
    "precision": "positive_precision",
    "recall": "positive_recall",
    "f1": "positive_f1",
    "mcc": "overall_mcc",
}


@dataclass(frozen=True)
class Threshold:
    """A threshold, with the accuracy of thresholds from other items."""

    value: float  # The smallest score, used as threshold for 1, with the best accuracy
    accuracy: float  # Accuracy on the rows of the fit: too high for other rows
    # Accuracy, precision, recall, F1, MCC and kappa with each fold predicted by the others
    held_out: Mapping[str, float]
    # float64[n]: These predictions, 0 or 1; NaN if no other fold has a labelled row
    predictions: Float64 = field(repr=False, compare=False)


def fitted(
    scores: Float64,  # [n]
    labels: Int64,  # [n]: 0 or 1; -1 if missing
) -> tuple[float, float]:
    """Return the smallest threshold with the best accuracy, and that accuracy; else NaN."""
    labelled = labels >= 0
    if not labelled.any():
        return math.nan, math.nan
    values, place = np.unique(scores[labelled], return_inverse=True)
    zeros, ones = (np.bincount(place[labels[labelled] == k], minlength=len(values)) for k in (0, 1))
    right = np.cumsum(zeros) - zeros + ones.sum() - np.cumsum(ones) + ones
    best = int(np.argmax(right))
    return float(values[best]), float(right[best] / labelled.sum())


def threshold(
    scores: Float64,  # [n]
    labels: Int64,  # [n], as in `fitted`; a row without label is predicted too
    # [n]: the place of each row's item among all items; its fold is this modulo folds
    items: Int64,
    folds: int,
) -> Threshold:
    """Fit a threshold to all rows, and to all folds but each."""
    predictions = np.full(len(scores), math.nan)
    for fold in range(min(folds, int(items.max(initial=-1)) + 1)):
        mine = items % folds == fold
        value, _ = fitted(scores[~mine], labels[~mine])
        if not math.isnan(value):
            predictions[mine] = scores[mine] >= value
    both = (labels >= 0) & ~np.isnan(predictions)
    held_out = agreement(labels[both], predictions[both].astype(np.int64))
    return Threshold(*fitted(scores, labels), held_out, predictions)


def agreement(labels: Int64, predictions: Int64) -> dict[str, float]:
    """Compare predicted labels 0 and 1 with true ones; undefined scores are NaN."""
    rows = np.column_stack([labels, predictions])
    scores = BINARY.scores(rows, np.ones((1, len(rows)), np.int64))
    values = {name: float(scores[full][0]) for name, full in HELD_OUT.items()}
    return values | {"kappa": kappa(labels, predictions, 2, None)}
