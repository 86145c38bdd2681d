"""Tables of scores and of judgments, joined by system and item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.counts.arithmetic import tied
from fastcausal.errors import InputError, Remedy
from fastcausal.files.keys import encode, order_by_number, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.options import LabelPolicy, Level
from fastcausal.report.numbers import FRACTION, Range
from fastcausal.significance.sums import sums_of
from fastcausal.tasks.labels.ratings import Float64, Int64, Ratings
from fastcausal.tasks.labels.votes import Votes
from fastcausal.tasks.meta.kinds import (
    column_of,
    finite,
    is_binary,
    judges_in,
    labels_of,
    number_classes,
)
from fastcausal.tasks.meta.wide import add_items, judgments_of

KEYS = ("system", "item", "rater")
ALL = "all"  # the system of tables without names


@dataclass(frozen=True)
class JudgedScores:
    """Rows with scores of metrics and labels of raters, in order of item and system."""

    # Ascending
    item_names: list[str]
    system_names: list[str]
    raters: list[str]
    # int64[n]: Indices of each row's names
    items: Int64
    systems: Int64
    scores: dict[str, Float64]  # By metric; NaN if missing
    votes: Float64  # float64[n_raters, n]: NaN if a rater gave no label
    # All rows of the judgments: ``unit``, ``system``, ``item``, ``rater`` and ``label``
    judgments: pa.Table
    level: Level  # Level of measurement of the labels
    # Names of nominal labels, ascending; scores and votes are then their indices
    classes: tuple[str, ...] | None = None
    # string[n], optional: Values of the requested column, null if missing
    by: pa.Array | None = None
    # int64[n], optional: Indices of the values of the requested column
    clusters: Int64 | None = None
    # What varies by chance with all its rows: ``item``, or the column of clusters
    unit: str = "item"

    @cached_property
    def labels(self) -> Float64:
        """Human value of each row, the mean of its labels; NaN if unjudged."""
        return mean_labels(self.votes)

    @property
    def n_systems(self) -> int:
        """Number of systems with rows."""
        return len(np.unique(self.systems))

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest label."""
        return float(np.nanmin(self.votes)), float(np.nanmax(self.votes))

    @property
    def range(self) -> Range:
        """Range of a human value, or of the share of a class: 0 to 1, or that of the labels."""
        return FRACTION if self.is_binary or self.classes is not None else self.bounds

    @property
    def outside(self) -> list[str]:
        """Names of the metrics with scores outside the labels' range."""
        low, high = self.bounds
        return [n for n, s in self.scores.items() if (s < low).any() or (s > high).any()]

    def rescaled(self, names: Sequence[str]) -> JudgedScores:
        """Map the range of these metrics to the range of the labels; a constant metric stays."""
        low, high = self.bounds
        scores = dict(self.scores)
        for name in names:
            least, most = np.nanmin(scores[name]), np.nanmax(scores[name])
            if least < most:
                shares = (scores[name] - least) / (most - least)
                scores[name] = np.clip(low + shares * (high - low), low, high)
        return replace(self, scores=scores)

    @property
    def is_binary(self) -> bool:
        """True if all labels are 0 or 1."""
        return self.classes is None and is_binary(self.votes)

    @property
    def units(self) -> Int64:
        """Unit of each row: its cluster, or its item."""
        return self.items if self.clusters is None else self.clusters

    @cached_property
    def majority(self) -> Float64:
        """Label with the most votes of each row; NaN for a tie, and if unjudged."""
        return majority_of(self.votes)

    def take(self, rows: npt.NDArray[np.bool_]) -> JudgedScores:
        """Keep the rows of a mask."""
        return replace(
            self,
            items=self.items[rows],
            systems=self.systems[rows],
            scores={name: values[rows] for name, values in self.scores.items()},
            votes=self.votes[:, rows],
            by=None if self.by is None else self.by.filter(arrow.numbers(rows)),
            clusters=None if self.clusters is None else self.clusters[rows],
        )


def majority_of(votes: Float64) -> Float64:
    """Return the label that most raters give to each row, NaN for a tie and without a label.

    >>> majority_of(np.array([[0, 2, np.nan], [0, 1, np.nan], [1, np.nan, np.nan]]))
    array([ 0., nan, nan])
    """
    n_raters, n = votes.shape
    ratings = Ratings(votes.T.ravel(), np.arange(n + 1) * n_raters, None, n_raters)
    return Votes.count(ratings).labels(first_of_ties=False)


def mean_labels(votes: Float64) -> Float64:  # votes: [n_raters, n]
    """Return the mean over raters of each row, NaN without a label."""
    # Means equal up to rounding are made equal.
    given = ~np.isnan(votes)
    n = given.sum(axis=0)
    sums = sums_of(np.where(given, votes, 0.0), np.ones((1, len(votes)), np.int64))[0]
    means = np.divide(sums, n, out=np.full(votes.shape[1], np.nan), where=n > 0)
    return means if n.max(initial=0) < 2 else tied(means, votes[given].min())


def read_judged(
    scores: Any,
    human: Any,
    label: str = "label",
    metrics: Sequence[str] | None = None,
    level: Level | None = None,
    raters: Sequence[str] | None = None,
    by: str | None = None,
    cluster: str | None = None,
    unmatched: LabelPolicy = "error",
) -> JudgedScores:
    """Read and join the tables of `fastcausal.meta`, which describes arguments and errors."""
    of_scores, of_human = open_tables(scores, human, label, raters)
    labels, level = labels_of(of_human, label, level)
    names = _metrics(of_scores, metrics, {*KEYS, by, cluster, *(raters or ())}, labels, level)
    values, columns, classes = _values(of_scores, names, labels, level)
    keys, human_keys, item_names, system_names = _keys(of_scores, of_human)
    order = np.argsort(keys, kind="stable")
    require_unique(keys, of_scores.locate, partial(_key, of_scores))
    keys = keys[order]
    rater_of, rater_names = _raters(of_human)
    of_raters = human_keys * max(len(rater_names), 1) + rater_of
    require_unique(of_raters, of_human.locate, partial(_key, of_human))
    place = np.minimum(np.searchsorted(keys, human_keys), len(keys) - 1)
    matched = keys[place] == human_keys
    _apply(of_scores, of_human, columns, matched | np.isnan(values), unmatched)
    votes = np.full((len(rater_names), len(keys)), np.nan)
    votes[rater_of[matched], place[matched]] = values[matched]
    if np.isnan(votes).all():
        raise InputError(f"no row of {of_scores.name} has a label in {of_human.name}")
    items, systems = np.divmod(keys, len(system_names))
    return JudgedScores(
        item_names,
        system_names,
        rater_names,
        items,
        systems,
        {name: column[order] for name, column in columns.items()},
        votes,
        _judgments(human_keys, len(system_names), rater_of, values),
        level,
        classes,
        None if by is None else _cells(of_scores, by).take(arrow.numbers(order)),
        None if cluster is None else _clusters(of_scores, cluster)[order],
        cluster or "item",
    )


def open_tables(
    scores: Any, human: Any, label: str, raters: Sequence[str] | None
) -> tuple[Records, Records]:
    """Return scores and judgments, of two tables or of a wide one."""
    of_scores = read_records(scores, "scores")
    if raters is None:
        if human is None:
            raise ValueError("human is missing, expected judgments, or raters in one wide table")
        return of_scores, read_records(human, "human")
    if human is not None:
        raise ValueError("raters are columns of one wide table, expected no table of judgments")
    of_scores = add_items(of_scores)
    return of_scores, judgments_of(of_scores, raters, label)


def _values(
    scores: Records, names: Sequence[str], labels: pa.Array, level: Level
) -> tuple[Float64, dict[str, Float64], tuple[str, ...] | None]:
    """Return labels, scores by metric, and the names of classes if both are indices of these."""
    if not _is_classes(labels, level):
        columns = {name: _numbers(scores, name) for name in names}
        return arrow.values_of(labels, np.nan), columns, None
    judges = [column_of(scores, name, labels.type) for name in names]
    (values, *codes), classes = number_classes([labels, *judges])
    return values, dict(zip(names, codes, strict=True)), classes


def _is_classes(labels: pa.Array, level: Level) -> bool:
    """Return True for words, and for nominal numbers that are not just 0 and 1."""
    if pa.types.is_string(labels.type):
        return True
    return level == "nominal" and not is_binary(arrow.values_of(labels, np.nan))


def _judgments(keys: Int64, n_systems: int, raters: Int64, values: Float64) -> pa.Table:
    """Return a row per judgment, from indices of systems, items and raters."""
    items, systems = np.divmod(keys, n_systems)
    columns = {"unit": keys, "system": systems, "item": items, "rater": raters}
    labels = arrow.numbers(values, ~np.isnan(values))
    return pa.table({name: arrow.numbers(v) for name, v in columns.items()} | {"label": labels})


def _metrics(
    scores: Records,
    metrics: Sequence[str] | None,
    other: set[str | None],
    labels: pa.Array,
    level: Level,
) -> list[str]:
    """Return the columns of metrics or judges, ascending: the requested ones, or all."""
    if metrics is not None:
        metrics = [metrics] if isinstance(metrics, str) else metrics
        if again := {name for name in metrics if list(metrics).count(name) > 1}:
            raise ValueError(f'metric "{min(again)}" is given twice')
        if not metrics:
            raise ValueError("metrics is empty, expected a column of scores")
        return sorted(metrics)
    if _is_classes(labels, level):
        return judges_in(scores, labels, other)
    names = [n for n in scores.names if n not in other and _is_metric(scores, n)]
    if not names:
        raise InputError(f"{scores.name}: no column of numbers beside system and item")
    return sorted(names)


def _is_metric(scores: Records, name: str) -> bool:
    """Return True for a column with numbers; a column without values has none."""
    if not scores.has(name):
        return False
    column = scores.column(name)
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    if scores.typed:
        return any(kind(column.type) for kind in kinds)
    try:
        scores.numbers(name)
    except InputError:
        return False
    return True


def _numbers(records: Records, name: str) -> Float64:
    """Return a column of numbers, with booleans as 0 and 1; NaN if missing."""
    if name in records and pa.types.is_boolean(records.column(name).type):
        cells = records.column(name).cast(pa.int8()).cast(pa.float64())
        return arrow.values_of(cells, np.nan)
    values = records.numbers(name)
    return finite(arrow.numbers(values, ~np.isnan(values)), records, name)


def _clusters(records: Records, name: str) -> Int64:
    """Number the values of a column without gaps, ascending: in any order of rows alike."""
    places, _ = encode(_cells(records, name), order_by_number)
    if (missing := places < 0).any():
        raise InputError(f'{records.locate(int(np.argmax(missing)))}: "{name}" is missing')
    return places


def _cells(records: Records, name: str) -> pa.Array:
    """Return a column as text."""
    column = records.column(name)
    if pa.types.is_floating(column.type) or pa.types.is_boolean(column.type):
        return column.cast(pa.string())
    return records.texts(name)


def _keys(scores: Records, human: Records) -> tuple[Int64, Int64, list[str], list[str]]:
    """Return numbers of item and system for the rows of both, and the names of both."""
    sides = (scores, human)
    items, item_names = _encoded([side.keys("item") for side in sides])
    systems, system_names = _encoded(_systems(*sides))
    keys = items * len(system_names) + systems
    return keys[: len(scores)], keys[len(scores) :], item_names, system_names


def _encoded(columns: list[pa.Array]) -> tuple[Int64, list[str]]:
    """Return the index of each name of the columns among the distinct names, and these."""
    places, names = encode(pa.concat_arrays(columns), order_by_number)
    return places, names.to_pylist()


def _systems(scores: Records, human: Records) -> list[pa.Array]:
    """Return the systems of both; a side without names takes the single system of the other."""
    sides = (scores, human)
    named = [side.keys("system") if side.has("system") else None for side in sides]
    names = {name for column in named if column is not None for name in column.unique().to_pylist()}
    for side, column in zip(sides, named, strict=True):
        if column is None and len(names) > 1:
            raise InputError(f'{side.name}: no column "system", expected one: {len(names)} systems')
    single = names.pop() if len(names) == 1 else ALL
    return [
        arrow.strings([single] * len(side)) if column is None else column
        for side, column in zip(sides, named, strict=True)
    ]


def _raters(human: Records) -> tuple[Int64, list[str]]:
    if not human.has("rater"):
        return np.zeros(len(human), np.int64), ["rater"]
    return _encoded([human.keys("rater")])


def _locate(records: Records, row: int) -> str:
    """Name the place of a row, and its key."""
    return f"{records.locate(row)}: {_key(records, row)}"


def _key(records: Records, row: int) -> str:
    """Name the system, item and rater of a row."""
    values = records.table.slice(row, 1).to_pylist()[0]
    return ", ".join(f'{key} "{values[key]}"' for key in KEYS if values.get(key) is not None)


def _apply(
    scores: Records,
    human: Records,
    columns: dict[str, Float64],
    matched: npt.NDArray[np.bool_],
    unmatched: LabelPolicy,
) -> None:
    """Raise InputError for labels without score and for missing scores, unless they are skipped."""
    if unmatched == "skip":
        return
    remedy = Remedy("unmatched", ("skip",), "leaves such rows out")
    if not matched.all():
        row, n = int(np.argmin(matched)), int((~matched).sum())
        raise InputError(f"{_locate(human, row)}: label without score ({n} of them)", remedy)
    for name, values in columns.items():
        if (missing := np.isnan(values)).any():
            row, n = int(np.argmax(missing)), int(missing.sum())
            raise InputError(f'{_locate(scores, row)}: "{name}" is missing ({n} of them)', remedy)
