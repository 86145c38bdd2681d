"""A confusion matrix with all its scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.labels import ConfusionFormula, Label
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, warning_lines
from fastcausal.files.values import shown
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, plain, scores_table
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.classification.formula import LabelFormula

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = (
    "signature", "n_examples", "n_unparsed", "labels", "positive", "scores", "classes", "confusion",
)  # fmt: skip
MOST_SHOWN = 5  # classes whose confusions still fit into a table


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationReport(Report):
    """Scores of one classifier.

    ``report["overall"].accuracy``, ``report["positive"].f1``, ``report["macro"].f1``,
    ``report["weighted"].f1``; ``report.classes[0].recall`` is of one class.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    labels : tuple of int or str
        The classes, in the order of the matrix.
    confusion : int64[n_labels, n_labels]
        Examples by gold label (row) and predicted label (column).
    positive : int, str or None
        The positive label, None if it is not a class.
    undefined : float or None
        The value of 0/0; None: NaN in Python, null in JSON.
    warnings : tuple of str
    n_unparsed : int
        Examples left out because their prediction has no label.
    subsets : mapping of str to mapping
        Groups of scores for the values of a column, if requested.
    """

    signature: str
    labels: tuple[Label, ...]
    confusion: Int64
    positive: Label | None
    undefined: float | None
    warnings: tuple[str, ...] = ()
    n_unparsed: int = 0
    subsets: Mapping[str, Groups] = field(default_factory=dict)
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False)

    @property
    def _keys(self) -> tuple[str, ...]:
        subsets = ("subsets",) if self.subsets else ()
        return (*KEYS, *subsets, "warnings")

    _logged = ()

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.confusion.sum())

    @cached_property
    def classes(self) -> Mapping[Label, Scores]:
        """Precision, recall, F1, support and counts of every class."""
        hits, predicted, wanted = (sums.tolist() for sums in self._sums)
        return {
            label: Scores(
                self._groups[f"class_{label}"]
                | {"support": w, "tp": tp, "fp": p - tp, "fn": w - tp}
            )
            for label, tp, p, w in zip(self.labels, hits, predicted, wanted, strict=True)
        }

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """Groups of scores: overall, positive (if it is a class), macro and weighted.

        A class with an undefined score is left out of the mean of that score.
        """
        groups = {name: Scores(self._groups[name]) for name in ("overall", "macro", "weighted")}
        positive = {} if self.positive is None else {"positive": self.classes[self.positive]}
        return {"overall": groups.pop("overall")} | positive | groups

    @cached_property
    def _groups(self) -> dict[str, dict[str, float]]:
        """Every group of scores, by the formula that resampling takes too."""
        groups = self._formula.groups_of(np.concatenate(self._terms)[None])
        return {g: {n: float(v[0]) for n, v in scores.items()} for g, scores in groups.items()}

    @property
    def _terms(self) -> tuple[Int64, ...]:
        """Sums of the formula's terms."""
        return self._sums

    @property
    def _formula(self) -> ConfusionFormula:
        return LabelFormula(self.labels, False, self.positive, self.undefined)

    @property
    def _sums(self) -> tuple[Int64, Int64, Int64]:
        """Right predictions, all predictions and all of gold: int64[n_labels] each."""
        matrix = self.confusion
        return matrix.diagonal(), matrix.sum(axis=0), matrix.sum(axis=1)

    @cached_property
    def title(self) -> str:
        """Line with the number of examples."""
        return f"classification of {self.n_examples} examples"

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Values in `to_dict` besides scores and classes."""
        names = ("n_examples", "n_unparsed", "labels", "positive", "confusion")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """``classes``, ``confusion`` (a row per pair of labels) and ``per_example``."""
        return Tables(
            classes=self._classes_table,
            confusion=self._confusion_table,
            per_example=self._per_example_table,
        )

    def _classes_table(self) -> pa.Table:
        import pyarrow as pa

        rows = [{"label": label, **scores} for label, scores in self.classes.items()]
        return pa.Table.from_pylist(plain(rows))

    def _per_example_table(self) -> pa.Table:
        if self.statistics.units is None:
            raise InputError(f"{self.title}: a report of counts alone has no per_example")
        return self.statistics.table()

    def _confusion_table(self) -> pa.Table:
        import pyarrow as pa

        gold, pred = np.indices(self.confusion.shape).reshape(2, -1)
        labels = pa.array(self.labels)
        columns = (labels.take(gold), labels.take(pred), self.confusion.ravel())
        return pa.table(dict(zip(("gold", "pred", "n"), columns, strict=True)))

    def _flat_groups(self) -> Iterator[tuple[str, Scores]]:
        yield from super()._flat_groups()
        yield from ((f"class_{label}", scores) for label, scores in self.classes.items())

    def _regrouped(self, groups: Mapping[str, Scores]) -> dict[str, Any]:
        classes = {label: groups[f"class_{label}"] for label in self.labels}
        return super()._regrouped(groups) | {"classes": classes}

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table for the terminal, with the confusions of few classes beside their scores."""
        rows = {
            f"{label} (positive)" if label == self.positive else str(label): dict(scores)
            for label, scores in self.classes.items()
        }
        if counts or len(rows) <= MOST_SHOWN:
            for row, confusions in zip(rows.values(), self.confusion.tolist(), strict=True):
                row |= {f"as {label}": n for label, n in zip(self.labels, confusions, strict=True)}
        means = {name: self.scores[name] for name in ("macro", "weighted")}
        groups = {name: Scores(row) for name, row in rows.items()} | means
        parts = {name: _without_overall(subset) for name, subset in self.subsets.items()}
        table = scores_table(self.title, {"": groups, **parts}, counts)
        table.part("all classes")
        for name, value in self.scores["overall"].items():
            table.add(name, value)
        return table


def _without_overall(groups: Groups) -> Groups:
    """Return the groups with precision, recall and F1."""
    return {name: scores for name, scores in groups.items() if name != "overall"}


def report_of(
    about: Statistics,
    confusion: Int64,
    n_unparsed: int,
    statistics: Callable[[], Statistics],
    subsets: Mapping[str, Int64] | None = None,
) -> ClassificationReport:
    """Make the report of a confusion matrix and of those of subsets, with metadata ``about``."""
    formula = about.formula
    assert isinstance(formula, LabelFormula)
    known = formula.positive in formula.labels
    missing = [] if known or formula.positive == 1 else [f"no label {shown(formula.positive)}"]
    whole = ClassificationReport(
        about.signature,
        formula.labels,
        confusion,
        formula.positive if known else None,
        formula.undefined,
        (*warning_lines(about.warnings), *_unparsed_share(n_unparsed, confusion), *missing),
        n_unparsed,
        _statistics=statistics,
    )
    parts = {
        name: replace(whole, confusion=matrix).scores for name, matrix in (subsets or {}).items()
    }
    return replace(whole, subsets=parts)


def _unparsed_share(n_unparsed: int, confusion: Int64) -> list[str]:
    if not n_unparsed:
        return []
    n = n_unparsed + int(confusion.sum())
    share = f"{n_unparsed} of {n} predicted examples have no label"
    return [f"unparsed=skip: {share} ({n_unparsed / n:.1%}) and are left out"]


def present(statistics: Statistics, by: By = None) -> ClassificationReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, LabelFormula)
    k = len(formula.labels)
    parts = statistics.subsets(by)
    subsets = {
        name: _confusion(rows, np.ones(len(rows), np.int64), k) for name, rows in parts.items()
    }
    confusion = _confusion(statistics.rows, statistics.times, k)
    n_unparsed = 0 if statistics.left_out is None else len(statistics.left_out)
    return report_of(statistics, confusion, n_unparsed, partial(replace, statistics), subsets)


def _confusion(rows: CountRows, times: Any, k: int) -> Int64:
    matrix = np.zeros((k, k), np.int64)
    np.add.at(matrix, (rows[:, 0], rows[:, 1]), times)
    return matrix
