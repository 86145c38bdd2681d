"""One verdict and one reason by each rater for each item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.arrow import values_of
from fastcausal.options import UnsurePolicy
from fastcausal.tasks.answers.files import (
    INVALID,
    MISSING,
    UNSURE,
    VALID,
    Int8,
    Int64,
    ItemVerdicts,
)
from fastcausal.tasks.answers.reasons import KINDS, NONE, SIDES


class Voted(NamedTuple):
    """Verdicts by item and rater."""

    raters: tuple[str, ...]  # Names of raters, ascending
    # int8[n, n_raters]: The majority of the rater's verdicts: 1 valid, 0 invalid (also in a
    # tie), -1 missing
    verdicts: Int8
    unsure: npt.NDArray[np.bool_]  # bool[n, n_raters]: True if the rater was unsure
    # int8[n, n_raters, 2]: The most frequent side and kind of invalid verdicts; -1 for none,
    # or in a tie
    reasons: Int8


def voted(
    parts: Sequence[ItemVerdicts],  # The verdicts of each file
    rows: Sequence[Int64],  # Of each file [n_items]: the row of each item, -1 if missing
    n_items: int,
    unsure: UnsurePolicy,
) -> Voted:
    """Return one verdict of each rater for each item, from the verdicts of all files."""
    raters = sorted({name for part in parts for name in part.rater.unique().to_pylist()})
    shape = (n_items, len(raters))
    n_cells = n_items * len(raters)
    votes = np.zeros((3, n_cells), np.int64)
    cells = []
    for part, own in zip(parts, rows, strict=True):
        item = np.flatnonzero(own >= 0)
        item_of = np.empty(len(item), np.int64)
        item_of[own[item]] = item
        place_of = np.array([raters.index(name) for name in part.rater.dictionary.to_pylist()])
        cell = item_of[part.item] * len(raters)
        cell += place_of[values_of(part.rater.indices)] if len(raters) > 1 else 0
        cells.append(cell)
        for code in (INVALID, VALID, UNSURE):
            votes[code] += np.bincount(cell[part.valid == code], minlength=n_cells)
    against = votes[INVALID] + (votes[UNSURE] if unsure == "invalid" else 0)
    said = np.where(votes[VALID] + against > 0, INVALID, MISSING)
    verdicts = np.where(votes[VALID] > against, VALID, said).astype(np.int8)
    reasons = np.full((n_cells, 2), NONE, np.int8)
    for column, names in enumerate((SIDES, KINDS)):
        if any((part.reasons[:, column] != NONE).any() for part in parts):
            given = _find_majority(parts, cells, column, len(names), n_cells)
            reasons[:, column] = np.where(verdicts == INVALID, given, NONE)
    return Voted(
        tuple(raters),
        verdicts.reshape(shape),
        (votes[UNSURE] > 0).reshape(shape),
        reasons.reshape(*shape, 2),
    )


def _find_majority(
    parts: Sequence[ItemVerdicts], cells: Sequence[Int64], column: int, n_names: int, n_cells: int
) -> Int64:
    """Return the most frequent side or kind of each cell; -1 for none, or in a tie."""
    sums = np.zeros((n_names, n_cells), np.int64)
    for part, cell in zip(parts, cells, strict=True):
        for code in range(n_names):
            given = cell[part.reasons[:, column] == code]
            if len(given):
                sums[code] += np.bincount(given, minlength=n_cells)
    most = sums.max(axis=0)
    clear = (most > 0) & ((sums == most).sum(axis=0) == 1)
    return np.where(clear, sums.argmax(axis=0), NONE)
