"""Tests of a kernel's promises on a sample of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fastcausal.engine import _native

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Count = Callable[[Int32, Int32, int, Int64, Int64], None]

N_ROLES, N_TRIED, SHORT, STRETCH = 3, 400, 7, 40
PARAMS = np.array([N_ROLES, 0, 0, 1])


class Tried(NamedTuple):
    """Counts of a sample of pairs, paired and unmatched: int64[n, n_fields] each."""

    shown: list[str]
    paired: Int64
    alone: Int64


def tried(count: Count, n_fields: int, n_overall: int) -> Tried | None:
    """Count a sample of pairs; return None if the function raises an exception."""

    def counted(gold: Int32, pred: Int32) -> Int64:
        counts = np.zeros(N_ROLES * n_fields + n_overall, np.int64)
        count(gold, pred, SHORT, PARAMS, counts)
        return counts

    shown, paired, alone = [], [], []
    kept: dict[tuple[int, bytes], Int64] = {}  # counts of unmatched relations
    try:
        for gold, pred in _sample():
            shown.append(f"gold {gold.tolist()}, pred {pred.tolist()}")
            paired.append(counted(gold, pred))
            for side, rows in enumerate((gold, pred)):
                key = side, rows.tobytes()
                if key not in kept:
                    kept[key] = counted(*((rows, rows[:0]) if side == 0 else (rows[:0], rows)))
            alone.append(kept[0, gold.tobytes()] + kept[1, pred.tobytes()])
    except Exception:  # in a user's code; scoring reports it
        return None
    return Tried(shown, np.array(paired), np.array(alone))


def _sample() -> Iterator[tuple[Int32, Int32]]:
    """Yield all pairs of two spans in three tokens, then random pairs, some of several spans."""
    spans = [
        np.array([[role, start, stop]], np.int32)
        for role, start, stop in product((0, 1), range(3), range(1, 4))
        if start < stop
    ]
    yield from product(spans, spans)
    rng = np.random.default_rng(0)
    for k in range(N_TRIED // 4):
        gold, pred = (_relation(rng, several=k % 4 == 0) for _ in range(2))
        yield gold, pred
        if len(gold) and len(pred):
            yield gold[:1], pred[-1:]


def check_ordinal(count: Count, name: str, n_fields: int, n_overall: int) -> None:
    """Raise ValueError if two pairs of one pattern have different counts."""
    rng = np.random.default_rng(0)
    first: dict[Any, tuple[list[int], str]] = {}
    for k in range(N_TRIED):
        gold, pred = (_relation(rng, several=k % 4 == 0) for _ in range(2))
        # The same order of bounds, with other distances between them.
        places = np.cumsum(rng.integers(1, STRETCH, SHORT + 1)).astype(np.int32)
        own = (gold.tobytes(), pred.tobytes())
        moved = _moved(gold, places), _moved(pred, places)
        for pair, length in (((gold, pred), SHORT), (moved, int(places[-1]))):
            counts = np.zeros(N_ROLES * n_fields + n_overall, np.int64)
            count(*pair, length, PARAMS, counts)
            shown = f"gold {pair[0].tolist()}, pred {pair[1].tolist()}"
            pattern = _native.pattern(*pair)
            key = own if pattern < 0 else pattern
            before, where = first.setdefault(key, (counts.tolist(), shown))
            if before != counts.tolist():
                raise ValueError(
                    f"{name} is not ordinal: it counts {before} for {where}, but "
                    f"{counts.tolist()} for {shown}, whose spans meet in the same order"
                )


def _relation(rng: np.random.Generator, several: bool) -> Int32:
    """Draw rows within a few tokens: at most one span per role, or ``several``."""
    roles = rng.integers(0, N_ROLES, 4) if several else np.flatnonzero(rng.random(N_ROLES) < 0.75)
    start = rng.integers(0, SHORT, len(roles))
    stop = rng.integers(start + 1, SHORT + 1)
    rows = np.stack([roles, start, stop], axis=1).astype(np.int32)
    return rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1]))]


def _moved(rows: Int32, places: Int32) -> Int32:
    moved = rows.copy()
    moved[:, 1:] = places[rows[:, 1:]]
    return moved
