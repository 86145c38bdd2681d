"""Confusions of many groups at once: the count behind scores of labels, frames and chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import _confusions
from fastcausal.arrays.arrow import values_of
from fastcausal.arrays.distinct import number_texts
from fastcausal.counts.labels import MAX_LABELS, classes_of

Int64 = npt.NDArray[np.int64]
AnyInt = npt.NDArray[Any]
Float64 = npt.NDArray[np.float64]


def confusions(
    gold: Int64,  # int64[n]: Labels from 0; -1: left out
    pred: Int64,  # int64[n]: Likewise; ``n_labels``: not a label
    groups: Int64,  # int64[n]: From 0 to ``n_groups`` - 1
    n_groups: int,
    n_labels: int,
) -> Int64:
    """Count gold against predicted labels: int64[n_groups, n_labels, n_labels + 1]."""
    gold, pred, groups = _alike(gold, pred, groups)
    counts = np.zeros((n_groups, n_labels, n_labels + 1), np.int64)
    _require_known(_confusions.count_confusions(gold, pred, groups, counts, n_groups, n_labels))
    return counts


def count_pairs(gold: pa.Array, pred: pa.Array) -> tuple[list[Any], Int64]:
    """Count the pairs of labels of two columns: the labels that occur, and int64[k, k].

    >>> count_pairs(pa.array([7, 9, 9]), pa.array([7, 7, 9]))
    ([7, 9], array([[1, 0],
           [1, 1]]))
    """
    # The columns are int64, or both text in dictionaries without repetition; no value is null.
    # Integers of a small range are their own numbers, so one pass counts them.
    of_pred: Any = slice(None)  # the place of each number of pred; those of gold are their own
    if pa.types.is_integer(gold.type):
        a, b, labels = _number_both(values_of(gold), values_of(pred))
        width = len(labels)
    else:
        (_, of_pred), names = number_texts([gold.dictionary, pred.dictionary])
        a, b, labels = values_of(gold.indices), values_of(pred.indices), names.to_pylist()
        width = len(of_pred)
    k = len(labels)
    if k > MAX_LABELS:
        classes_of(labels)  # raises
    counts = np.zeros((k, k), np.int64)
    counts[:, of_pred] = np.bincount(a * width + b, minlength=k * width).reshape(k, width)
    seen = np.flatnonzero(counts.any(axis=0) | counts.any(axis=1))
    return [labels[place] for place in seen.tolist()], counts[np.ix_(seen, seen)]


def _number_both(a: AnyInt, b: AnyInt) -> tuple[AnyInt, AnyInt, Sequence[Any]]:
    """Return both columns as places in one sequence of labels, which may have more of them."""
    if not len(a):
        return a, b, []
    least, most = int(min(a.min(), b.min())), int(max(a.max(), b.max()))
    if most - least < MAX_LABELS:
        shifted = (a - least, b - least) if least else (a, b)
        return *shifted, range(least, most + 1)
    labels, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    return places[: len(a)], places[len(a) :], labels.tolist()


def group_scores(
    gold: Int64,  # int64[n]: As in `confusions`; left-out places do not belong to their group
    pred: Int64,
    n_labels: int,
    offsets: Int64,  # int64[n_groups + 1]: Group g is ``members[offsets[g]:offsets[g + 1]]``
    members: Int64 | None = None,  # Places in gold and pred; None: in their order
    # The F1 of a label absent from a group in gold and pred; None leaves it out of the mean
    undefined: float | None = None,
) -> tuple[Int64, Float64, Float64]:
    """Return size, macro-F1 and exact match of every group."""
    # Returns n, int64[n_groups]: number of members; f1, exact, float64[n_groups]: mean F1 of the
    # labels, and 1 if all members are right; NaN without members.
    gold, pred = _alike(gold, pred)
    offsets = np.ascontiguousarray(offsets, np.int64)
    if members is not None:
        members = np.ascontiguousarray(members, np.int64)
    _require_inside(offsets, members, len(gold))
    n = np.empty(len(offsets) - 1, np.int64)
    f1, exact = np.empty(len(n)), np.empty(len(n))
    zero = np.nan if undefined is None else undefined
    _require_known(
        _confusions.group_scores(gold, pred, n_labels, zero, offsets, members, n, f1, exact)
    )
    return n, f1, exact


def keyed_scores(
    gold: Int64,  # As in `group_scores`
    pred: Int64,
    n_labels: int,
    keys: Int64,  # int64[n]: The group of each member, from 0 to ``n_groups`` - 1
    n_groups: int,
    undefined: float | None = None,
) -> tuple[Int64, Float64, Float64]:
    """Compute `group_scores` for groups with members in any order.

    >>> keyed_scores(np.array([0, 1]), np.array([0, 0]), 2, np.array([1, 0]), 2)
    (array([1, 1]), array([0., 1.]), array([0., 1.]))
    """
    gold, pred, keys = _alike(gold, pred, keys)
    _require_keys(keys, n_groups)
    most = np.bincount(keys).max() if len(keys) else 0
    if n_labels > _confusions.PACKED_LABELS or most > _confusions.PACKED_MEMBERS:
        return group_scores(gold, pred, n_labels, *members_of(keys, n_groups), undefined)
    n, f1, exact = np.empty(n_groups, np.int64), np.empty(n_groups), np.empty(n_groups)
    zero = np.nan if undefined is None else undefined
    _require_known(_confusions.keyed_scores(gold, pred, keys, n_labels, zero, n, f1, exact))
    return n, f1, exact


def members_of(
    groups: Int64,  # int64[n]: From 0 to ``n_groups`` - 1
    n_groups: int,
) -> tuple[Int64, Int64]:
    """Return the offsets and the members of groups for `group_scores`."""
    [groups] = _alike(groups)
    _require_keys(groups, n_groups)
    offsets, members = np.empty(n_groups + 1, np.int64), np.empty(len(groups), np.int64)
    _confusions.places_by_key(groups, offsets, members)
    return offsets, members


def _alike(*columns: Int64) -> list[Int64]:
    """Return contiguous int64 arrays; raise ValueError if their lengths differ."""
    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"columns have {', '.join(str(len(c)) for c in columns)} values")
    return [np.ascontiguousarray(column, np.int64) for column in columns]


def _require_keys(keys: Int64, n_groups: int) -> None:
    if len(keys) and not (keys.min() >= 0 and keys.max() < n_groups):
        raise ValueError(f"groups reach from {keys.min()} to {keys.max()}, of {n_groups}")


def _require_inside(offsets: Int64, members: Int64 | None, n: int) -> None:
    end = n if members is None else len(members)
    inside = len(offsets) and offsets[0] >= 0 and offsets[-1] <= end
    if not inside or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"offsets do not ascend from 0 to {end} at most")
    if members is not None and len(members) and not (members.min() >= 0 and members.max() < n):
        raise ValueError(f"members reach from {members.min()} to {members.max()}, of {n}")


def _require_known(wrong: int) -> None:
    if wrong >= 0:
        raise ValueError(f"place {wrong} has a label or group outside of their numbers")
