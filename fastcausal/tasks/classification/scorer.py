"""Sentence classification: predicted labels against gold labels, in one confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal._version import __version__
from fastcausal.errors import InputError, Remedy
from fastcausal.formats.io.sources import LabelSource
from fastcausal.formats.io.values import shown
from fastcausal.formulas import ConfusionFormula, Label
from fastcausal.options import LabelPolicy, check
from fastcausal.statistics import Statistics
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.files import Labels
from fastcausal.tasks.classification.report import ClassificationReport

MOST_LABELS = 2000  # more are no classes


def classify(
    gold: LabelSource,
    pred: LabelSource,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label = 1,
    undefined: float | None = None,
    unparsed: LabelPolicy = "error",
    unmatched: LabelPolicy = "error",
) -> ClassificationReport:
    """Score predicted sentence labels against gold labels.

    Parameters
    ----------
    gold, pred : path, list, array, column or table
        Anything `fastcausal.tasks.classification.files.read` takes. Joined by name where both
        sides have names, else by position.
    labels : sequence of int or str, optional
        The classes; any other label is an error. None takes those that gold and pred have.
    positive : int or str
        The class of ``report["positive"]``.
    undefined : {None, 0.0, 1.0}
        What 0/0 is. None leaves it undefined: NaN in Python, null in JSON.
    unparsed : {"error", "skip"}
        What a null label of pred is: an error, or a reason to leave the example out.
    unmatched : {"error", "skip"}
        What an example is that only one side has.

    Returns
    -------
    ClassificationReport

    Raises
    ------
    InputError
        Something cannot be read, has an unknown label, or does not fit together.
    ValueError
        An unknown policy, or labels that are no classes.

    Examples
    --------
    >>> import fastcausal as fc
    >>> report = fc.classify(gold=[1, 1, 0, 0], pred=[1, 0, 0, 0])
    >>> report["overall"].accuracy, report["positive"].recall, report.classes[0].fp
    (0.75, 0.5, 1)
    """
    scorer = ClassificationScorer(
        labels=labels,
        positive=positive,
        undefined=undefined,
        unparsed=unparsed,
        unmatched=unmatched,
    )
    batch = scorer.align(gold, pred)
    scorer.add(batch)
    return scorer.report(batch)


class ClassificationScorer:
    """`classify` batch by batch: `update`, `merge` with scorers of other shards, `compute`.

    The state is a confusion matrix of integers, so any split into batches and any order of merging
    gives the same numbers. Parameters are those of `classify`. Scorers can be pickled.

    Examples
    --------
    >>> import fastcausal as fc
    >>> scorer, other = fc.ClassificationScorer(), fc.ClassificationScorer()
    >>> scorer.update([1, 0], [1, 1])
    >>> other.update([1], [1])
    >>> scorer.merge(other)
    >>> scorer.compute().confusion.tolist()
    [[0, 1], [0, 2]]
    """

    def __init__(
        self,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label = 1,
        undefined: float | None = None,
        unparsed: LabelPolicy = "error",
        unmatched: LabelPolicy = "error",
    ) -> None:
        check("unparsed", unparsed, LabelPolicy)
        check("unmatched", unmatched, LabelPolicy)
        if undefined not in (None, 0.0, 1.0):
            raise ValueError(f"undefined is {undefined}, expected None, 0.0 or 1.0")
        self.given: tuple[Label, ...] | None = (
            None if labels is None else _classes(labels, positive)
        )
        self.positive = positive
        self.undefined = undefined
        self.unparsed = unparsed
        self.unmatched = unmatched
        self.reset()

    def reset(self) -> None:
        """Forget every batch."""
        self.labels: tuple[Label, ...] = self.given or ()
        self.confusion: npt.NDArray[np.int64] = np.zeros(
            (len(self.labels), len(self.labels)), np.int64
        )
        self.n_unparsed: int = 0
        self.warnings: dict[str, None] = {}  # an ordered set

    @property
    def signature(self) -> str:
        """One line that says everything the scores depend on."""
        labels = "found" if self.given is None else ",".join(map(str, self.given))
        zero = "undefined" if self.undefined is None else self.undefined
        return (
            f"fastcausal|{__version__}|classification|labels:{labels}|positive:{self.positive}|"
            f"0/0:{zero}|unparsed:{self.unparsed}|unmatched:{self.unmatched}"
        )

    def update(self, gold: LabelSource | Labels, pred: LabelSource | Labels) -> None:
        """Add a batch; arguments and errors as in `classify`."""
        self.add(self.align(gold, pred))

    def align(self, gold: LabelSource | Labels, pred: LabelSource | Labels) -> Batch:
        """Read both sides and bring them to the same examples and one kind of labels."""
        gold, pred = label_format.read(gold, "gold"), label_format.read(pred, "pred")
        warnings: list[str] = []
        gold, pred = _joined(gold, pred, self.unmatched, warnings)
        n_joined = len(gold)
        gold, pred = _without_gaps(gold, pred, self.unparsed)
        return Batch(*self._alike(gold, pred), n_joined, tuple(warnings))

    def add(self, batch: Batch) -> None:
        """Count aligned examples."""
        gold, pred = batch.gold, batch.pred
        labels = self.given or _union(
            self.labels, gold.values.unique().to_pylist(), pred.values.unique().to_pylist()
        )
        k = len(labels)
        cells = _codes(gold, labels) * k + _codes(pred, labels)
        counts = np.bincount(cells, minlength=k * k).reshape(k, k)
        self._add(labels, counts)
        self.n_unparsed += batch.n_joined - len(gold)
        self.warnings |= dict.fromkeys(batch.warnings)

    def merge(self, other: ClassificationScorer) -> None:
        """Add what another scorer has counted.

        Raises
        ------
        ValueError
            The other scorer has other parameters, or labels of another kind.
        """
        if self.signature != other.signature:
            raise ValueError(f"cannot merge {other.signature} into {self.signature}")
        self._add(other.labels, other.confusion)
        self.n_unparsed += other.n_unparsed
        self.warnings |= other.warnings

    def compute(self) -> ClassificationReport:
        """The scores of all batches so far; of none, every score is 0/0."""
        return self.report()

    @property
    def statistics(self) -> Statistics:
        """The pairs of labels of all batches so far, with how often each occurs; no units."""
        return _of_sums(self._formula(), self.signature, self.confusion)

    def _formula(self) -> ConfusionFormula:
        return ConfusionFormula(self.labels, self.given is not None, self.positive, self.undefined)

    def report(self, batch: Batch | None = None) -> ClassificationReport:
        """`compute`, with the units of the one batch that was added."""
        known = self.positive in self.labels
        missing = [] if known or self.positive == 1 else [f"no label {shown(self.positive)}"]
        return ClassificationReport(
            signature=self.signature,
            labels=self.labels,
            confusion=self.confusion.copy(),
            positive=self.positive if known else None,
            undefined=self.undefined,
            warnings=(*self.warnings, *self._unparsed_share(), *missing),
            n_unparsed=self.n_unparsed,
            _statistics=(
                partial(_of_sums, self._formula(), self.signature, self.confusion)
                if batch is None
                else partial(_of_units, self._formula(), self.signature, batch)
            ),
        )

    def _unparsed_share(self) -> list[str]:
        if not self.n_unparsed:
            return []
        n = self.n_unparsed + int(self.confusion.sum())
        share = f"{self.n_unparsed} of {n} predicted examples have no label"
        return [f"unparsed=skip: {share} ({self.n_unparsed / n:.1%}) and are left out"]

    def _alike(self, gold: Labels, pred: Labels) -> tuple[Labels, Labels]:
        """Both sides as integers or both as strings; what knows its type decides."""
        if self.labels:
            wanted = "integers" if isinstance(self.labels[0], int) else "strings"
            known = "the label set"
            return gold.as_kind(wanted, known), pred.as_kind(wanted, known)
        typed = [side.kind for side in (gold, pred) if side.typed]
        wanted = typed[0] if typed else max(gold.kind, pred.kind)  # strings, if one has strings
        return gold.as_kind(wanted, pred.name), pred.as_kind(wanted, gold.name)

    def _add(self, labels: Sequence[Label], counts: npt.NDArray[np.int64]) -> None:
        """Add a matrix over some labels to the matrix over all."""
        union = self.given or _union(self.labels, labels)
        grown = np.zeros((len(union), len(union)), np.int64)
        for known, matrix in ((self.labels, self.confusion), (labels, counts)):
            at = [union.index(label) for label in known]
            grown[np.ix_(at, at)] += matrix
        self.labels, self.confusion = union, grown


class Batch(NamedTuple):
    """Labels of the same examples, of one kind, on both sides.

    Attributes
    ----------
    gold, pred : Labels
    n_joined : int
        Examples before those without a predicted label were left out.
    warnings : tuple of str
    """

    gold: Labels
    pred: Labels
    n_joined: int
    warnings: tuple[str, ...]


def _of_sums(
    formula: ConfusionFormula, signature: str, confusion: npt.NDArray[np.int64]
) -> Statistics:
    """The pairs of labels that occur, with how often."""
    return Statistics(formula, signature, np.argwhere(confusion), confusion[confusion > 0])


def _of_units(formula: ConfusionFormula, signature: str, batch: Batch) -> Statistics:
    """The pair of labels of every example, and its id where gold has ids."""
    codes = [_codes(side, formula.labels) for side in (batch.gold, batch.pred)]
    units = pa.table({} if batch.gold.ids is None else {"id": batch.gold.ids})
    return Statistics.of_units(formula, signature, np.stack(codes, axis=1), units)


def _classes(labels: Sequence[Label], positive: Label) -> tuple[Label, ...]:
    """Given labels, checked."""
    given = tuple(int(label) if isinstance(label, bool) else label for label in labels)
    kinds = {type(label) for label in given}
    if not given or kinds not in ({int}, {str}) or len(set(given)) < len(given):
        raise ValueError(f"labels are {_listed(given)}, expected different integers or strings")
    if positive != 1 and positive not in given:
        raise ValueError(f"the positive label is {shown(positive)}, expected {_listed(given)}")
    return given


def _union(*parts: Sequence[Label]) -> tuple[Label, ...]:
    found = {label for part in parts for label in part}
    if len({type(label) for label in found}) > 1:
        raise ValueError(f"labels are integers and strings: {_listed(list(found))}")
    if len(found) > MOST_LABELS:
        raise InputError(f"{len(found)} different labels, expected at most {MOST_LABELS}")
    return tuple(sorted(found))


def _codes(side: Labels, labels: Sequence[Label]) -> npt.NDArray[np.int64]:
    """The number of each label among the classes: int64[n]."""
    codes = pc.index_in(side.values, pa.array(labels, side.values.type))
    if codes.null_count:
        row = pc.index(pc.is_null(codes), True).as_py()
        raise InputError(
            f"{side.where(row)}: label {shown(side.values[row].as_py())}, "
            f"expected one of {_listed(labels)}"
        )
    return np.asarray(codes, np.int64)


def _listed(labels: Sequence[Any]) -> str:
    return ", ".join(map(shown, labels[:10])) + (", ..." if len(labels) > 10 else "")


def _joined(
    gold: Labels, pred: Labels, unmatched: LabelPolicy, warnings: list[str]
) -> tuple[Labels, Labels]:
    """The examples that both sides have, in gold's order."""
    named = all(side.ids is not None and pa.types.is_string(side.ids.type) for side in (gold, pred))
    a, b = (_keys(side, named) for side in (gold, pred))
    if a.equals(b):
        return gold, pred
    at = pc.index_in(a, b)
    extra = b.filter(pc.invert(pc.is_in(b, a)))
    if at.null_count or len(extra):
        missing = a.filter(pc.is_null(at))
        found = f"{len(missing)} examples of gold have no prediction{_some(missing)}, "
        found += f"{len(extra)} of pred are not in gold{_some(extra)}"
        if unmatched == "error":
            raise InputError(found, Remedy("unmatched", ("skip",), "would leave them out"))
        warnings.append(f"unmatched=skip: {found}")
    kept = pc.is_valid(at)
    return gold.take(pc.indices_nonzero(kept)), pred.take(at.filter(kept))


def _keys(side: Labels, named: bool) -> pa.Array:
    if side.ids is not None and pa.types.is_string(side.ids.type) == named:
        return side.ids
    return pa.array(np.arange(len(side)))


def _some(keys: pa.Array) -> str:
    return f" ({_listed(keys[:3].to_pylist())}{', ...' if len(keys) > 3 else ''})" if keys else ""


def _without_gaps(gold: Labels, pred: Labels, unparsed: LabelPolicy) -> tuple[Labels, Labels]:
    """Leave out the examples without a predicted label, if the policy allows it."""
    if gold.values.null_count:
        row = pc.index(pc.is_null(gold.values), True).as_py()
        raise InputError(f"{gold.where(row)}: no label")
    count = pred.values.null_count
    if not count:
        return gold, pred
    missing = pc.is_null(pred.values)
    if unparsed == "error":
        first = pred.where(pc.index(missing, True).as_py())
        remedy = Remedy("unparsed", ("skip",), "would leave them out")
        raise InputError(f"{first}: no label, nor have {count - 1} more", remedy)
    rows = pc.indices_nonzero(pc.invert(missing))
    return gold.take(rows), pred.take(rows)
