"""Confusions of many groups at once: the one count behind scores of labels, frames and chains."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


def confusions(gold: Int64, pred: Int64, groups: Int64, n_groups: int, n_labels: int) -> Int64:
    """Count gold against predicted labels in every group: int64[n_groups, n_labels, n_labels + 1].

    Parameters
    ----------
    gold : int64[n]
        Labels from 0; -1: left out.
    pred : int64[n]
        Likewise; ``n_labels``: names no label.
    groups : int64[n]
        From 0 to ``n_groups`` - 1.
    n_groups, n_labels : int

    Examples
    --------
    >>> confusions(np.array([0, 1, 1]), np.array([0, 0, 2]), np.array([0, 0, 0]), 1, 2).tolist()
    [[[1, 0, 0], [1, 0, 1]]]
    """
    counted = (gold >= 0) & (pred >= 0)
    cells = ((groups * n_labels + gold) * (n_labels + 1) + pred)[counted]
    shape = (n_groups, n_labels, n_labels + 1)
    return np.bincount(cells, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)


def group_scores(
    gold: Int64,
    pred: Int64,
    n_labels: int,
    offsets: Int64,
    members: Int64 | None = None,
    undefined: float | None = None,
) -> tuple[Int64, Float64, Float64]:
    """Return size, macro-F1 and exact match of every group.

    Parameters
    ----------
    gold, pred : int64[n]
        As in `confusions`; what is left out has no part in its group.
    n_labels : int
    offsets : int64[n_groups + 1]
        Group g is ``members[offsets[g]:offsets[g + 1]]``.
    members : int64, optional
        Places in gold and pred; None: in their order.
    undefined : float, optional
        The F1 of a label that a group has neither in gold nor in pred; None leaves it out of the
        mean.

    Returns
    -------
    n : int64[n_groups]
        Members that count.
    f1, exact : float64[n_groups]
        Mean F1 of the labels, and 1 where all members are right; NaN of no members.

    Examples
    --------
    >>> gold, pred = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 0])
    >>> group_scores(gold, pred, 2, np.array([0, 3, 4, 4]))
    (array([3, 1, 0]), array([0.66666667, 1.        ,        nan]), array([ 0.,  1., nan]))
    """
    at = np.arange(offsets[-1]) if members is None else members
    groups = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    counts = confusions(gold[at], pred[at], groups, len(offsets) - 1, n_labels)
    hits = counts.diagonal(axis1=1, axis2=2)
    both = counts.sum(axis=2) + counts.sum(axis=1)[:, :n_labels]
    n = counts.sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        f1 = 2 * hits / both
        if undefined is None:
            mean = np.nansum(f1, axis=1) / (both > 0).sum(axis=1)
        else:
            mean = np.where(both > 0, f1, undefined).mean(axis=1)
        exact = np.where(n > 0, hits.sum(axis=1) == n, np.nan)
    return n, np.where(n > 0, mean, np.nan), exact
