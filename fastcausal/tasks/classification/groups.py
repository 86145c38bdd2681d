"""Scores of many small groups of labels, such as the pairs of each event, in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers, values_of
from fastcausal.counts.confusions import Float64, Int64, group_scores, keyed_scores
from fastcausal.counts.labels import MAX_LABELS, Label, classes_of
from fastcausal.errors import InputError
from fastcausal.formats.reading.sources import LabelSource
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.count import ClassificationScorer, codes_of
from fastcausal.tasks.classification.files import Labels

DENSE = 4  # group numbers per example up to which no look-up is needed
FIRST = 1000  # groups whose order is checked before the order of all groups


def classify_groups(
    gold: LabelSource,
    pred: LabelSource,
    groups: LabelSource,
    labels: Sequence[Label] | None = None,
    undefined: float | None = None,
) -> pa.Table:
    """Score the labels of every group: macro-F1 and exact match.

    Parameters
    ----------
    gold, pred : list, array or column
        Labels, integers or strings, of the same examples in the same order.
    groups : list, array or column
        The group of each example: integers or strings, in any order.
    labels : sequence of int or str, optional
        The classes; any other label is an error. None takes the labels of gold and pred.
    undefined : {None, 0.0, 1.0}
        The F1 of a class absent from a group in gold and pred. None leaves it out of the mean, as
        scikit-learn does without ``labels``; 0.0 with ``labels`` is its ``zero_division``.

    Returns
    -------
    pyarrow.Table
        A row per group, in ascending order: ``group`` (int64 or string), ``size`` int64,
        ``macro_f1`` float64, ``exact_match`` float64 (1 if every label is right, else 0).

    Raises
    ------
    InputError
        A source cannot be read, has nulls, another length, or an unknown label.
    ValueError
        ``labels`` or ``undefined`` is invalid.

    Examples
    --------
    >>> import fastcausal as fc
    >>> table = fc.classify_groups(list("AABD"), list("ABBD"), [7, 7, 7, 3])
    >>> table.to_pylist()[1]
    {'group': 7, 'size': 3, 'macro_f1': 0.6666666666666666, 'exact_match': 0.0}
    """
    scorer = ClassificationScorer(labels=labels, undefined=undefined)
    sides = [label_format.read(gold, "gold"), label_format.read(pred, "pred")]
    group = label_format.read(groups, "groups")
    for side in (*sides, group):
        _require_complete(side, len(group))
    of_gold, of_pred = (side.kind for side in sides)
    if labels is None and of_gold != of_pred:
        raise InputError(f"labels of gold are {of_gold}, and those of pred are {of_pred}")
    n_labels, codes = _codes(scorer, *scorer.alike(*sides))
    names, (n, f1, exact) = _scored(group.values, *codes, n_labels, undefined)
    columns = {"size": n, "macro_f1": f1, "exact_match": exact}
    return pa.table({"group": names} | {name: numbers(each) for name, each in columns.items()})


def _require_complete(side: Labels, n: int) -> None:
    if len(side) != n:
        raise InputError(f"{side.name} has {len(side)} values, groups has {n}")
    if side.values.null_count:
        row = pc.index(pc.is_null(side.values), True).as_py()
        raise InputError(f"{side.locate(row)}: null, expected a value")


def _codes(
    scorer: ClassificationScorer, gold: Labels, pred: Labels
) -> tuple[int, tuple[Int64, Int64]]:
    """Return the number of labels and the indices of both sides."""
    if scorer.given is None and scorer.undefined is None and pa.types.is_integer(gold.values.type):
        # Unused labels change nothing, so small numbers serve as their own indices.
        values = values_of(gold.values), values_of(pred.values)
        most = max(int(side.view(np.uint64).max(initial=0)) for side in values)  # -1 becomes huge
        if most < MAX_LABELS:
            return 1 + most, values
    labels = scorer.given or classes_of(
        gold.values.unique().to_pylist(), pred.values.unique().to_pylist()
    )
    return len(labels), (codes_of(gold, labels), codes_of(pred, labels))


def _scored(
    groups: pa.Array, gold: Int64, pred: Int64, n_labels: int, undefined: float | None
) -> tuple[pa.Array, tuple[Int64, Float64, Float64]]:
    """Return the distinct groups, ascending, and their scores."""
    if pa.types.is_integer(groups.type):
        values = values_of(groups)
        if _ascends(values[:FIRST]):  # rejects most unordered input early
            starts = np.flatnonzero(values[1:] != values[:-1]) + 1
            offsets = np.concatenate([[0], starts, [len(values)]])[len(values) == 0 :]
            names = values[offsets[:-1]]
            if _ascends(names):
                scores = group_scores(gold, pred, n_labels, offsets, None, undefined)
                return numbers(names), scores
        least, most = int(values.min()), int(values.max())
        if most - least < DENSE * len(values):
            n, f1, exact = keyed_scores(
                gold, pred, n_labels, values - least, most - least + 1, undefined
            )
            present = np.flatnonzero(n)
            return numbers(present + least), (n[present], f1[present], exact[present])
    encoded = groups.dictionary_encode()
    order = values_of(pc.array_sort_indices(encoded.dictionary)).astype(np.int64)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    keys = place[values_of(encoded.indices)]
    scores = keyed_scores(gold, pred, n_labels, keys, len(order), undefined)
    return encoded.dictionary.take(numbers(order)), scores


def _ascends(values: Int64) -> bool:
    return bool((values[1:] >= values[:-1]).all())
