"""A confusion matrix and every score of it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.report import Number, Scores, Shown, number_text, plain_scores, scores_table
from fastcausal.scores import accuracy, matthews, mean_defined, precision_recall_f1
from fastcausal.statistics import Statistics
from fastcausal.tables import Grid

Label = int | str
AVERAGED = ("precision", "recall", "f1")
MOST_SHOWN = 5  # classes whose confusions still fit into a table


@dataclass(frozen=True, eq=False)
class ClassificationReport(Shown):
    """Scores of one classifier.

    ``report["overall"].accuracy``, ``report["positive"].f1``, ``report["macro"].f1``,
    ``report["weighted"].f1``; ``report.classes[0].recall`` is of one class.

    Attributes
    ----------
    signature : str
        One line that says everything the numbers depend on.
    labels : tuple of int or str
        The classes, in the order of the matrix.
    confusion : int64[n_labels, n_labels]
        Examples by gold label (row) and predicted label (column).
    positive : int, str or None
        The positive label, None where it is no class.
    undefined : float or None
        What 0/0 is; None: NaN in Python, null in JSON.
    warnings : tuple of str
    n_unparsed : int
        Examples left out because their prediction has no label.
    """

    signature: str
    labels: tuple[Label, ...]
    confusion: npt.NDArray[np.int64]
    positive: Label | None
    undefined: float | None
    warnings: tuple[str, ...] = ()
    n_unparsed: int = 0
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False)

    def __getitem__(self, group: str) -> Scores:
        return self.scores[group]

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.confusion.sum())

    @cached_property
    def classes(self) -> Mapping[Label, Scores]:
        """Precision, recall, F1, support and counts of every class."""
        return {
            label: Scores(
                precision_recall_f1(tp, p, w, self._undefined)
                | {"support": w, "tp": tp, "fp": p - tp, "fn": w - tp}
            )
            for label, tp, p, w in zip(self.labels, *self._sums, strict=True)
        }

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """Groups of scores: overall, positive (where it is a class), macro and weighted.

        A class whose score is undefined has no part in the mean of that score.
        """
        hits, predicted, wanted = self._sums
        overall = {
            "accuracy": accuracy(sum(hits), self.n_examples, self._undefined),
            "mcc": matthews(sum(hits), predicted, wanted, self._undefined),
        }
        found = {"overall": Scores(overall)}
        if self.positive is not None:
            found["positive"] = self.classes[self.positive]
        for name, weights in (("macro", [1] * len(wanted)), ("weighted", wanted)):
            values = {score: [c[score] for c in self.classes.values()] for score in AVERAGED}
            found[name] = Scores(
                {s: mean_defined(v, weights, self._undefined) for s, v in values.items()}
            )
        return found

    @property
    def _sums(self) -> tuple[list[int], list[int], list[int]]:
        """Of every class: right predictions, all predictions, all of gold."""
        matrix = self.confusion
        return tuple(
            s.tolist() for s in (matrix.diagonal(), matrix.sum(axis=0), matrix.sum(axis=1))
        )

    @property
    def _undefined(self) -> float:
        return math.nan if self.undefined is None else self.undefined

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined score is None."""
        classes = plain_scores({str(k): self.classes[label] for k, label in enumerate(self.labels)})
        return {
            "signature": self.signature,
            "n_examples": self.n_examples,
            "n_unparsed": self.n_unparsed,
            "labels": list(self.labels),
            "positive": self.positive,
            "scores": plain_scores(self.scores),
            "classes": [
                {"label": label, **scores}
                for label, scores in zip(self.labels, classes.values(), strict=True)
            ],
            "confusion": self.confusion.tolist(),
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_flat(self, prefix: str = "") -> dict[str, Number]:
        """Numbers under flat names for loggers: ``{"val/positive_f1": ...}`` for ``"val/"``."""
        groups = {**self.scores, **{f"class_{label}": s for label, s in self.classes.items()}}
        return {
            f"{prefix}{g}_{name}": v for g, scores in groups.items() for name, v in scores.items()
        }

    def to_table(self) -> Grid:
        """A table for the terminal; the confusions of few classes stand beside their scores."""
        rows = {
            f"{label} (positive)" if label == self.positive else str(label): dict(scores)
            for label, scores in self.classes.items()
        }
        if len(rows) <= MOST_SHOWN:
            for row, counts in zip(rows.values(), self.confusion.tolist(), strict=True):
                row |= {f"as {label}": n for label, n in zip(self.labels, counts, strict=True)}
        means = {name: self.scores[name] for name in ("macro", "weighted")}
        table = scores_table(
            f"classification of {self.n_examples} examples",
            {"": {name: Scores(row) for name, row in rows.items()} | means},
        )
        table.part("all classes")
        for name, value in self.scores["overall"].items():
            table.add(name, number_text(value))
        return table
