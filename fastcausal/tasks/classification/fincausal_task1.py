"""FinCausal 2020, task 1: is a text causal? Labels 0 and 1, weighted as its program weighs them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastcausal._version import __version__
from fastcausal.arrays.arrow import numbers
from fastcausal.arrays.strata import By
from fastcausal.counts.arithmetic import ScoresByName, precision_recall_f1
from fastcausal.counts.files import system_of
from fastcausal.counts.labels import AVERAGED, means_defined
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Problems
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.values import shown
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.count import ClassificationScorer
from fastcausal.tasks.classification.files import Labels
from fastcausal.tasks.classification.formula import LabelFormula
from fastcausal.tasks.classification.report import ClassificationReport, present

COUNTED = (0, 1)
WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*")


@dataclass(frozen=True)
class TaskOneFormula(LabelFormula):
    """Means over only the classes 0 and 1."""

    # Other labels count in neither.

    job = "fincausal-task1"

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of all groups."""
        groups = super().groups_of(sums)
        counted = [k for k, label in enumerate(self.labels) if label in COUNTED]
        hits, predicted, wanted = (part[:, counted] for part in np.hsplit(sums, 3))
        classes = precision_recall_f1(hits, predicted, wanted, 0.0)
        for group, weights in (("macro", np.ones_like(wanted)), ("weighted", wanted)):
            groups[group] = {name: means_defined(classes[name], weights, 0.0) for name in AVERAGED}
        return groups


class TaskOneScorer(ClassificationScorer):
    """A scorer that has both classes, even if they do not occur."""

    def __init__(self) -> None:
        super().__init__(undefined=0.0)

    def reset(self) -> None:
        """Drop every batch."""
        super().reset()
        self.labels, self.confusion = COUNTED, np.zeros((2, 2), np.int64)

    @property
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        return f"fastcausal|{__version__}|fincausal-task1|labels:0,1|positive:1|0/0:0.0|rows:place"

    @property
    def statistics(self) -> Statistics:
        """Pairs of labels of all batches so far, with their frequency; without units."""
        formula = TaskOneFormula(self.labels, False, self.positive, self.undefined)
        return replace(super().statistics, formula=formula)


def task1(
    gold: Any,
    pred: Any,
    *,
    protocol: str | None = None,
    by: By = None,  # Columns of gold; each of their values becomes a subset
    # A ``.parquet`` or ``.arrow`` file for the pair of labels of every row
    per_example: str | os.PathLike[str] | None = None,
) -> ClassificationReport:
    """Score labels of texts, row by row.

    >>> report = task1([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    >>> round(report["weighted"].f1, 6), report["positive"].f1
    (0.711111, 0.0)
    """
    # gold, pred: a file of ``Index; Text; Gold``: the label follows the last ``;``, and the first
    # line is dropped. Or any source of `fastcausal.tasks.classification.files.read`.
    # InputError if a source cannot be read, is empty, or differs from the other in its number of
    # rows, or if a label is not a whole number. The published program ends in these cases.
    sides = read_labels(gold, "gold"), read_labels(pred, "pred")
    names, sizes = [side.name for side in sides], [len(side) for side in sides]
    if sizes[0] != sizes[1] or not sizes[0]:
        expected = f"{sizes[0]} as in {names[0]}" if sizes[0] else "one or more"
        raise InputError(
            f"{names[1]}: {sizes[1]} rows, expected {expected}: "
            "the program of fincausal-task1 ends here"
        )
    scorer = TaskOneScorer()
    batch = scorer.align(*(replace(side, ids=None) for side in sides))
    scorer.add(batch)
    report = scorer.report(batch, system_of(pred))
    if per_example is not None:
        report.statistics.write(per_example)
    return report if by is None else present(report.statistics, by)


def read_gold(gold: Any, **options: Any) -> tuple[Labels, Labels]:
    """Read gold for many runs; return it as gold and as predictions."""
    labels = read_labels(gold, "gold")
    return labels, labels


def public(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return as many rows as gold has with 0 and 1 in turn, and always 0.

    >>> public([1, 1])
    ([{'label': 0}, {'label': 1}], [{'label': 0}, {'label': 0}])
    """
    n = len(read_labels(gold, "gold"))
    return [{"label": k % 2} for k in range(n)], [{"label": 0} for _ in range(n)]


def read_labels(source: Any, name: str = "labels") -> Labels:
    r"""Read labels.

    >>> file = Source("x.csv", b"Index; Text; Gold\n1.1; a; b; 0\n1.2; c; 1\n")
    >>> read_labels(file).values.to_pylist()
    [0, 1]
    """
    if not isinstance(source, str | os.PathLike | Source):
        return label_format.read(source, name)
    file = Source.open(source)
    second = file.data[:100_000].split(b"\n", 2)[1:2]
    if binary.sniff(file.data) is not None or file.is_json or b";" not in b"".join(second):
        return label_format.read(file, name)
    lines = re.split("\r\n|\r|\n", file.text)
    lines = lines[:-1] if lines[-1] == "" else lines
    problems = Problems()
    values = []
    for number, line in enumerate(lines[1:], file.first + 1):
        label = line.rpartition(";")[2]
        if WHOLE.fullmatch(label):
            values.append(int(label))
        else:
            problems.add(f"{file.name}:{number}: label {shown(label)}, expected a whole number")
    problems.raise_if_any()
    return Labels(file.name, numbers(np.array(values, np.int64)), lines=range(2, len(values) + 2))
