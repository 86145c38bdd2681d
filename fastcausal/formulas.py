"""Formulas of whole evaluations: from rows of counts, and how often each is in, to every score.

A formula is a frozen dataclass of plain values, so equal ones compare equal and a file can name it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from fastcausal.scores import (
    Counts,
    Float64,
    ScoresByName,
    accuracy,
    exact_sums,
    matthews,
    mean_defined,
    precision_recall_f1,
    ratio,
    scores_of,
    weighted_sums,
)

Int64 = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]
Label = int | str

MULTI = "multi_relation"
AVERAGED = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Formula(ABC):
    """The way from weighted rows to scores; a subclass per kind of evaluation."""

    job: ClassVar[str]
    dtype: ClassVar[type[np.generic]] = np.int64  # of rows

    @property
    @abstractmethod
    def fields(self) -> tuple[str, ...]:
        """Names of the columns of rows."""

    @abstractmethod
    def groups(self, rows: Rows, weights: Int64) -> dict[str, ScoresByName]:
        """Compute the scores of every group, a float64[n_draws] each.

        Parameters
        ----------
        rows : int64 or float64[n_rows, n_fields]
        weights : int64[n_draws, n_rows]
            How often each row is in a draw.
        """

    def scores(self, rows: Rows, weights: Int64) -> dict[str, Float64]:
        """Compute every score under its flat name, such as ``overall_f1``."""
        return flat(self.groups(rows, weights))

    def union(self, other: Formula) -> Self:
        """Return the formula of the rows of both; ValueError where they count other things."""
        if self != other:
            raise ValueError("statistics that count other things do not add")
        return self

    def convert(self, rows: Rows, formula: Formula) -> Rows:
        """Return rows of this formula as those of a union with it."""
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"job": self.job, **asdict(self)}


def flat(groups: Mapping[str, ScoresByName]) -> dict[str, Float64]:
    """Name the scores of groups as loggers and files do."""
    return {f"{g}_{name}": v for g, scores in groups.items() for name, v in scores.items()}


@dataclass(frozen=True)
class RelationFormula(Formula):
    """Counts of pairs of relations, over all examples and over those of several gold relations.

    Attributes
    ----------
    kernel : str
    role_fields, overall_fields : tuple of str
        What the kernel counts for each role, and once for all roles together.
    roles : tuple of str
    undefined : float or None
        The value of 0/0; None: NaN.

    Examples
    --------
    >>> formula = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None)
    >>> formula.fields
    ('cause_tp', 'cause_fp', 'cause_fn', 'multi_relation')
    >>> formula.scores(np.array([[1, 0, 0, 0], [0, 1, 3, 1]]), np.array([[1, 1]]))["cause_recall"]
    array([0.25])
    """

    job = "extraction"

    kernel: str
    role_fields: tuple[str, ...]
    overall_fields: tuple[str, ...]
    roles: tuple[str, ...]
    undefined: float | None

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: the counts, and 1 for examples of several gold relations."""
        of_roles = [f"{role}_{name}" for role in self.roles for name in self.role_fields]
        return (*of_roles, *(f"overall_{name}" for name in self.overall_fields), MULTI)

    def groups(self, rows: Rows, weights: Int64) -> dict[str, ScoresByName]:
        """Compute the scores of overall and every role, of all and of `MULTI` examples."""
        several = rows[:, -1] > 0
        of_several = weighted_sums(rows[several, :-1], weights[:, several])
        of_others = weighted_sums(rows[~several, :-1], weights[:, ~several])
        return {
            f"{subset}{group}": self.scores_of(self.counts_of(sums.T, group))
            for subset, sums in (("", of_others + of_several), (f"{MULTI}_", of_several))
            for group in ("overall", *self.roles)
        }

    def scores_of(self, counts: Counts) -> ScoresByName:
        """Compute the scores of one group from its counts by field name."""
        return scores_of(self.kernel, counts, self.undefined)

    def figures(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return scores and counts of a group; the score where both have one name (em, osb, to)."""
        counts = self.counts_of(sums, group)
        scores = self.scores_of(counts)
        return scores | counts | scores

    def counts_of(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return the counts of ``overall`` or a role by field name.

        Parameters
        ----------
        sums : int64[n_counts, ...]
            In the order of `fields`, without the last.
        group : str

        Examples
        --------
        >>> formula = RelationFormula("k", ("tp",), ("em",), ("cause", "effect"), None)
        >>> formula.counts_of(np.array([3, 4, 1]), "overall")
        {'tp': 7, 'em': 1}
        """
        names, n = self.role_fields, len(self.role_fields)
        if group != "overall":
            k = n * self.roles.index(group)
            return _by_name(names, sums[k : k + n])
        total = n * len(self.roles)
        by_role = sums[:total].reshape(-1, n, *sums.shape[1:]).sum(axis=0)
        return _by_name(names, by_role) | _by_name(self.overall_fields, sums[total:])


def _by_name(names: Sequence[str], sums: Int64) -> dict[str, Any]:
    # Of one sum, Python's integers: they are what reports hold.
    return dict(zip(names, sums.tolist() if sums.ndim == 1 else sums, strict=False))


@dataclass(frozen=True)
class ConfusionFormula(Formula):
    """Gold and predicted label of each example, as places among the labels.

    Attributes
    ----------
    labels : tuple of int or str
        The classes.
    given : bool
        Whether the caller named them; else other examples may add to them.
    positive : int, str or None
        The class of the group ``positive``, where it is one.
    undefined : float or None
        The value of 0/0; None: NaN.

    Examples
    --------
    >>> formula = ConfusionFormula((0, 1), False, 1, None)
    >>> formula.scores(np.array([[0, 0], [1, 0], [1, 1]]), np.array([[1, 1, 1]]))["positive_recall"]
    array([0.5])
    """

    job = "classification"

    labels: tuple[Label, ...]
    given: bool
    positive: Label | None
    undefined: float | None

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("gold", "pred")

    def groups(self, rows: Rows, weights: Int64) -> dict[str, ScoresByName]:
        """Compute the scores of overall, positive, macro, weighted and of every class."""
        k, hit = len(self.labels), rows[:, 0] == rows[:, 1]
        return self.groups_of(
            sum_by(weights[:, hit], rows[hit, 0], k),
            sum_by(weights, rows[:, 1], k),
            sum_by(weights, rows[:, 0], k),
        )

    def groups_of(self, hits: Int64, predicted: Int64, wanted: Int64) -> dict[str, ScoresByName]:
        """Compute the same from the examples of every class: int64[n_draws, n_labels] each."""
        undefined = math.nan if self.undefined is None else self.undefined
        right = hits.sum(axis=1)
        each = zip(right.tolist(), predicted.tolist(), wanted.tolist(), strict=True)
        mcc = [matthews(*sums, undefined) for sums in each]
        overall = {"accuracy": accuracy(right, wanted.sum(axis=1), undefined), "mcc": np.array(mcc)}
        classes = precision_recall_f1(hits, predicted, wanted, undefined)
        groups = {"overall": overall}
        if self.positive in self.labels:
            k = self.labels.index(self.positive)
            groups["positive"] = {name: classes[name][:, k] for name in AVERAGED}
        for group, weights in (("macro", np.ones_like(wanted)), ("weighted", wanted)):
            groups[group] = {
                name: _means_defined(classes[name], weights, undefined) for name in AVERAGED
            }
        for k, label in enumerate(self.labels):
            groups[f"class_{label}"] = {name: classes[name][:, k] for name in AVERAGED}
        return groups

    def union(self, other: Formula) -> ConfusionFormula:
        """Return the formula of the labels of both."""
        if not isinstance(other, ConfusionFormula) or self.given or other.given:
            return super().union(other)
        labels = {*self.labels, *other.labels}
        if len({type(label) for label in labels}) > 1:
            raise ValueError("labels are integers on one side and strings on the other")
        mine = (self.positive, self.undefined)
        if mine != (other.positive, other.undefined):
            return super().union(other)
        return ConfusionFormula(tuple(sorted(labels)), False, *mine)

    def convert(self, rows: Rows, formula: Formula) -> Rows:
        """Number labels as a union does."""
        assert isinstance(formula, ConfusionFormula)
        if formula.labels == self.labels:
            return rows
        place = np.array([formula.labels.index(label) for label in self.labels], np.int64)
        return place[rows]


def _means_defined(values: Float64, weights: Int64, undefined: float) -> Float64:
    each = zip(values.tolist(), weights.tolist(), strict=True)
    return np.array([mean_defined(v, w, undefined) for v, w in each], np.float64)


@dataclass(frozen=True)
class MeanFormula(Formula):
    """Means of measures over all units and over subsets of them; NaN of none.

    Attributes
    ----------
    measures : tuple of str
    subsets : tuple of str
        Columns that are 1 where a unit belongs to the subset.

    Examples
    --------
    >>> formula = MeanFormula(("f1",), ("why",))
    >>> formula.scores(np.array([[0.5, 1], [1.0, 0]]), np.array([[1, 1], [0, 2]]))
    {'overall_f1': array([0.75, 1.  ]), 'why_f1': array([0.5, nan])}
    """

    job = "answers"
    dtype = np.float64

    measures: tuple[str, ...]
    subsets: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.measures + self.subsets

    def groups(self, rows: Rows, weights: Int64) -> dict[str, ScoresByName]:
        """Compute the means over all units and over every subset."""
        n = len(self.measures)
        means_of = {}
        for k, subset in enumerate(("overall", *self.subsets)):
            kept = rows[:, n + k - 1] > 0 if k else np.ones(len(rows), bool)
            sums = exact_sums(rows[kept, :n], weights[:, kept])
            times = weights[:, kept].sum(axis=1)
            means = ratio(sums, np.broadcast_to(times[:, None], sums.shape), math.nan)
            means_of[subset] = dict(zip(self.measures, means.T, strict=True))
        return means_of


@dataclass(frozen=True)
class RatioFormula(Formula):
    """Means over pairs of annotators of ratios of sums.

    Attributes
    ----------
    annotators : tuple of (str, str)
        The pairs.
    measures : tuple of str
    roles : tuple of str
        The groups: roles, and the total.
    """

    job = "agreement"
    dtype = np.float64

    annotators: tuple[tuple[str, str], ...]
    roles: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: numerator and denominator of each pair, group and measure."""
        return tuple(
            f"{a}_{b}_{part}_{role}_{measure}"
            for a, b in self.annotators
            for part in ("top", "bottom")
            for role in self.roles
            for measure in self.measures
        )

    def groups(self, rows: Rows, weights: Int64) -> dict[str, ScoresByName]:
        """Compute the mean over the pairs of annotators where defined, of every measure."""
        return self.groups_of(exact_sums(rows, weights))

    def groups_of(self, sums: Float64) -> dict[str, ScoresByName]:
        """Compute the same from sums of rows: float64[n_draws, n_fields]."""
        sums = sums.reshape(-1, len(self.annotators), 2, len(self.roles), len(self.measures))
        means = mean_of_pairs(ratio(sums[:, :, 0], sums[:, :, 1], math.nan).swapaxes(0, 1))
        return {
            role: {name: means[:, g, m] for m, name in enumerate(self.measures)}
            for g, role in enumerate(self.roles)
        }


def mean_of_pairs(values: Float64) -> Float64:
    """Average over the first axis where defined; no order along it changes a bit."""
    defined = ~np.isnan(values)
    ordered = np.sort(np.where(defined, values, 0.0), axis=0)
    mean: Float64 = ratio(ordered.sum(axis=0), defined.sum(axis=0).astype(np.float64), math.nan)
    return mean


def sum_by(weights: Int64, group: Int64, n_groups: int) -> Int64:
    """Add up the columns of each group: int64[n_draws, n_groups].

    Examples
    --------
    >>> sum_by(np.array([[1, 2, 3]]), np.array([1, 0, 1]), 2)
    array([[2, 4]])
    """
    sums = np.zeros((len(weights), n_groups), np.int64)
    order = np.argsort(group, kind="stable")
    present, first = np.unique(group[order], return_index=True)
    if len(first):
        sums[:, present] = np.add.reduceat(weights[:, order], first, axis=1)
    return sums


KINDS: tuple[type[Formula], ...] = (RelationFormula, ConfusionFormula, MeanFormula, RatioFormula)


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula that `Formula.to_dict` described.

    Raises
    ------
    ValueError, TypeError, KeyError
        It describes none.
    """
    kind = {kind.job: kind for kind in KINDS}[values["job"]]
    return kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
