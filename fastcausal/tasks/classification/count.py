"""Sentence classification: predicted labels against gold labels, in one confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Never

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.counts.confusions import count_pairs
from fastcausal.counts.labels import Label, classes_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy, warning_lines
from fastcausal.files.keys import match, refuse_unknown_ids
from fastcausal.files.texts import RowTexts, same_texts
from fastcausal.files.values import shown
from fastcausal.formats.reading.sources import LabelSource
from fastcausal.options import LabelPolicy, check
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.files import Labels
from fastcausal.tasks.classification.formula import LabelFormula
from fastcausal.tasks.classification.report import ClassificationReport, report_of


class ClassificationScorer:
    """`classify` batch by batch: `update`, `merge` with scorers of other shards, `compute`.

    The state is a confusion matrix of integers, so scores are the same for any split into batches
    and any order of merging. Parameters are as in `classify`. Scorers can be pickled.

    Examples
    --------
    >>> import fastcausal as fc
    >>> scorer, other = fc.ClassificationScorer(), fc.ClassificationScorer()
    >>> scorer.update(gold=[1, 0], pred=[1, 1])
    >>> other.update(gold=[1], pred=[1])
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
        map: Mapping[Label, Label] | str | None = None,
    ) -> None:
        check("unparsed", unparsed, LabelPolicy)
        check("unmatched", unmatched, LabelPolicy)
        if undefined not in (None, 0.0, 1.0):
            raise ValueError(f"undefined is {undefined}, expected None, 0.0 or 1.0")
        self.positive: Label = 1 if positive == 1 else label_format.labels_in([positive])[0]
        self.given: tuple[Label, ...] | None = (
            None if labels is None else _classes(labels, self.positive)
        )
        self.map: dict[str, str] = {} if map is None else label_format.names_in(map)
        self.undefined = undefined
        self.unparsed = unparsed
        self.unmatched = unmatched
        self.reset()

    def reset(self) -> None:
        """Drop every batch."""
        self.labels: tuple[Label, ...] = self.given or ()
        self.confusion: npt.NDArray[np.int64] = np.zeros(
            (len(self.labels), len(self.labels)), np.int64
        )
        self.n_unparsed: int = 0
        self.unmapped: set[str] = {*self.map}  # labels that did not occur
        self.warnings: dict[str, None] = {}  # an ordered set

    @property
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        labels = "found" if self.given is None else ",".join(map(str, self.given))
        zero = "undefined" if self.undefined is None else self.undefined
        changes = ",".join(f"{old}={new}" for old, new in self.map.items())
        return (
            f"fastcausal|{__version__}|classification|labels:{labels}|positive:{self.positive}|"
            f"0/0:{zero}|unparsed:{self.unparsed}|unmatched:{self.unmatched}"
            + (f"|map:{changes}" if changes else "")
        )

    def update(
        self, *positions: Never, gold: LabelSource | Labels, pred: LabelSource | Labels
    ) -> None:
        """Add a batch by keywords; arguments and errors as in `classify`."""
        if positions:
            raise TypeError("update() takes gold= and pred= by keyword alone")
        self.add(self.align(gold, pred))

    def align(self, gold: LabelSource | Labels, pred: LabelSource | Labels) -> LabelPair:
        """Read both sides and bring them to the same examples and one kind of labels."""
        gold, pred = label_format.read(gold, "gold"), label_format.read(pred, "pred")
        warnings: list[str] = []
        whole = gold
        if self.map:
            for side in (gold, pred):
                self.unmapped -= {*side.encoded.dictionary.cast(pa.string()).to_pylist()}
            gold, pred = gold.renamed(self.map), pred.renamed(self.map)
        gold, pred = _joined(gold, pred, self.unmatched, warnings)
        gold, pred, left_out = _drop_gaps(gold, pred, self.unparsed)
        return LabelPair(*self.alike(gold, pred), left_out, tuple(warnings), whole)

    def add(self, batch: LabelPair) -> None:
        """Count aligned examples."""
        labels, counts = count_pairs(*(side.counted for side in (batch.gold, batch.pred)))
        if self.given and not {*labels} <= {*self.given}:
            for side in (batch.gold, batch.pred):
                codes_of(side, self.given)  # raises
        self._add(labels, counts)
        self.n_unparsed += len(batch.left_out or ())
        self.warnings |= dict.fromkeys(batch.warnings)

    def merge(self, other: ClassificationScorer) -> None:
        """Add the counts of another scorer.

        Raises
        ------
        ValueError
            The other scorer has other parameters, or labels of another kind.
        """
        if self.signature != other.signature:
            raise ValueError(f"cannot merge {other.signature} into {self.signature}")
        self._add(other.labels, other.confusion)
        self.n_unparsed += other.n_unparsed
        self.unmapped &= other.unmapped
        self.warnings |= other.warnings

    def compute(self) -> ClassificationReport:
        """Return the scores of all batches so far; without batches every score is 0/0."""
        return self.report()

    @property
    def statistics(self) -> Statistics:
        """Pairs of labels of all batches so far, with their frequency; without units."""
        written = str(self.positive)  # 1 is "1" among labels of text
        positive = written if written in self.labels else self.positive
        formula = LabelFormula(self.labels, self.given is not None, positive, self.undefined)
        pairs, times = np.argwhere(self.confusion), self.confusion[self.confusion > 0]
        return Statistics(formula, self.signature, pairs, times)

    def report(
        self, batch: LabelPair | None = None, system: str | None = None
    ) -> ClassificationReport:
        """Return the result of `compute`, with the units of the only batch."""
        about = replace(self.statistics, warnings={(text,): () for text in self.warnings})
        return report_of(
            about,
            self.confusion.copy(),
            self.n_unparsed,
            partial(replace, about)
            if batch is None
            else partial(_pair_labels, about, batch, system),
        )

    def require_common(self) -> None:
        """Raise InputError if no label of pred occurs in gold, or one in ``map`` on neither side.

        Labels that the caller named may be absent.
        """
        if self.unmapped:
            name = min(self.unmapped)
            raise InputError(f"neither gold nor pred has the label {shown(name)} of map")
        of_gold, of_pred = self._counts()
        if self.given is not None or not of_pred or of_gold.keys() & of_pred.keys():
            return
        sides = (
            f"{side} has {_format_labels(n)}" for side, n in (("gold", of_gold), ("pred", of_pred))
        )
        rename = ",".join(f"{label}=..." for label in [*of_pred][:2])
        all_labels = ",".join(map(str, self.labels[:10]))
        other = Remedy("labels", (all_labels,), "would take them as classes of their own")
        remedy = Remedy("map", (rename,), "would give them names of gold", other)
        raise InputError(f"no label of pred occurs in gold: {', '.join(sides)}", remedy)

    def _counts(self) -> tuple[dict[Label, int], dict[Label, int]]:
        """Return the labels that occur in gold, and those in pred, with their counts."""
        of_gold, of_pred = (
            {label: n for label, n in zip(self.labels, counts.tolist(), strict=True) if n}
            for counts in (self.confusion.sum(axis=1), self.confusion.sum(axis=0))
        )
        return of_gold, of_pred

    def alike(self, gold: Labels, pred: Labels) -> tuple[Labels, Labels]:
        """Return both sides as integers, or both as strings if one has strings."""
        if self.labels:
            wanted = "integers" if isinstance(self.labels[0], int) else "strings"
            known = "the label set"
            return gold.convert_to_kind(wanted, known), pred.convert_to_kind(wanted, known)
        wanted = max(gold.kind, pred.kind)
        return gold.convert_to_kind(wanted, pred.name), pred.convert_to_kind(wanted, gold.name)

    def _add(self, labels: Sequence[Label], counts: npt.NDArray[np.int64]) -> None:
        """Add a matrix over these labels to the matrix over all labels."""
        union = self.given or classes_of(self.labels, labels)
        grown = np.zeros((len(union), len(union)), np.int64)
        for known, matrix in ((self.labels, self.confusion), (labels, counts)):
            at = [union.index(label) for label in known]
            grown[np.ix_(at, at)] += matrix
        self.labels, self.confusion = union, grown


class LabelPair(NamedTuple):
    """Labels of the same examples, of one kind, on both sides."""

    gold: Labels
    pred: Labels
    left_out: Labels | None  # Gold of the examples without a predicted label
    warnings: tuple[str, ...]
    whole: Labels  # Gold as read


def _pair_labels(about: Statistics, batch: LabelPair, system: str | None) -> Statistics:
    """Return the pair of labels of every example, with gold's other columns."""
    formula = about.formula
    assert isinstance(formula, LabelFormula)
    rows = np.stack([codes_of(side, formula.labels) for side in (batch.gold, batch.pred)], axis=1)
    left_out = None
    if batch.left_out is not None:
        wanted = "integers" if pa.types.is_integer(batch.gold.values.type) else "strings"
        labels = batch.left_out.convert_to_kind(wanted, "gold").values
        columns = {"gold": labels, "pred": pa.nulls(len(labels), labels.type)}
        left_out = _units(batch.left_out, columns)
    return replace(
        about,
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=_units(batch.gold, {}),
        system=system,
        gold=digest_of_texts(_ids(batch.whole), _texts(batch.whole)),
        left_out=left_out,
    )


def _units(gold: Labels, counts: dict[str, pa.Array]) -> pa.Table:
    """Return the id of every example, if gold has ids, and its other columns."""
    ids = _ids(gold)
    units = {} if ids is None else {"id": ids}
    if gold.columns is not None:
        units |= dict(zip(gold.columns.column_names, gold.columns.columns, strict=True))
    return pa.table(units | counts)


def _ids(gold: Labels) -> pa.Array | None:
    return None if gold.ids is None else gold.ids.cast(pa.string())


def _texts(labels: Labels) -> pa.Array:
    return labels.convert_to_kind(labels.kind, labels.name).values.cast(pa.string())


def _classes(labels: Sequence[Label], positive: Label) -> tuple[Label, ...]:
    """Return the given labels, checked."""
    try:
        given = tuple(label_format.labels_in(labels))
    except InputError:  # of several kinds
        given = tuple(labels)
    kinds = {type(label) for label in given}
    if not given or kinds not in ({int}, {str}) or len(set(given)) < len(given):
        raise ValueError(f"labels are {_listed(given)}, expected different integers or strings")
    if positive != 1 and str(positive) not in map(str, given):
        raise ValueError(f"the positive label is {shown(positive)}, expected {_listed(given)}")
    return given


def codes_of(side: Labels, labels: Sequence[Label]) -> npt.NDArray[np.int64]:
    """Return the index of each label among the classes: int64[n]."""
    place = pc.index_in(side.encoded.dictionary, pa.array(labels, side.values.type))
    known = arrow.values_of(place, -1).astype(np.int64)
    codes: npt.NDArray[np.int64] = known[arrow.values_of(side.encoded.indices)]
    if place.null_count:
        row = int(np.argmin(codes))
        raise InputError(
            f"{side.locate(row)}: label {shown(side.values[row].as_py())}, "
            f"expected one of {_listed(labels)}"
        )
    return codes


def _listed(labels: Sequence[Any]) -> str:
    return ", ".join(map(shown, labels[:10])) + (", ..." if len(labels) > 10 else "")


def _format_labels(counts: Mapping[Label, int]) -> str:
    """Format labels with their counts, ten at most."""
    parts = [f"{shown(label)} ({n})" for label, n in [*counts.items()][:10]]
    return ", ".join(parts) + (", ..." if len(counts) > 10 else "")


def _joined(
    gold: Labels, pred: Labels, unmatched: LabelPolicy, warnings: list[str]
) -> tuple[Labels, Labels]:
    """Return the common examples, in gold's order."""
    named = all(side.ids is not None and pa.types.is_string(side.ids.type) for side in (gold, pred))
    if gold.ids is not None and pred.ids is None and pred.columns is not None:
        known = () if gold.columns is None else gold.columns.column_names
        refuse_unknown_ids(pred.columns, known, pred.name)
    a = _keys(gold, named)
    in_order = gold.ids is None and pred.ids is None and len(gold) == len(pred)
    b = a if in_order else _keys(pred, named)
    remedy = Remedy("unmatched", ("skip",), "would leave them out")
    both = match(a, b, unmatched, remedy=remedy)
    known, given = (RowTexts(side.texts, side.locate) for side in (gold, pred))
    both = same_texts(both, known, given, unmatched, remedy)
    if both.gold is both.pred:
        return gold, pred
    warnings += warning_lines(both.warnings)
    return gold.take(numbers(both.gold)), pred.take(numbers(both.pred))


def _keys(side: Labels, named: bool) -> pa.Array:
    if side.ids is not None and pa.types.is_string(side.ids.type) == named:
        return side.ids
    return numbers(np.arange(len(side)))


def _drop_gaps(
    gold: Labels, pred: Labels, unparsed: LabelPolicy
) -> tuple[Labels, Labels, Labels | None]:
    """Leave out the examples without a predicted label, if the policy allows it."""
    if gold.values.null_count:
        row = pc.index(pc.is_null(gold.values), True).as_py()
        raise InputError(f"{gold.locate(row)}: no label")
    count = pred.values.null_count
    if not count:
        return gold, pred, None
    missing = pc.is_null(pred.values)
    if unparsed == "error":
        first = pred.locate(pc.index(missing, True).as_py())
        remedy = Remedy("unparsed", ("skip",), "would leave them out")
        raise InputError(f"{first}: no label, nor have {count - 1} more", remedy)
    rows = pc.indices_nonzero(pc.invert(missing))
    return gold.take(rows), pred.take(rows), gold.take(pc.indices_nonzero(missing))
