"""The promise of a kernel to look at order and overlap alone, tried on a sample of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.engine import _native

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Count = Callable[[Int32, Int32, int, Int64, Int64], None]

N_ROLES, N_TRIED, SHORT, STRETCH = 3, 400, 7, 40
PARAMS = np.array([N_ROLES, 0, 0, 1])


def check_ordinal(count: Count, name: str, n_fields: int, n_overall: int) -> None:
    """Raise ValueError where pairs of one pattern count differently."""
    rng = np.random.default_rng(0)
    first: dict[Any, tuple[list[int], str]] = {}
    for k in range(N_TRIED):
        gold, pred = (_relation(rng, several=k % 4 == 0) for _ in range(2))
        # The same order of bounds, however many tokens lie between them.
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
    """Draw rows with at most one span a role, or perhaps more, within a few tokens."""
    roles = rng.integers(0, N_ROLES, 4) if several else np.flatnonzero(rng.random(N_ROLES) < 0.75)
    start = rng.integers(0, SHORT, len(roles))
    stop = rng.integers(start + 1, SHORT + 1)
    rows = np.stack([roles, start, stop], axis=1).astype(np.int32)
    return rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1]))]


def _moved(rows: Int32, places: Int32) -> Int32:
    moved = rows.copy()
    moved[:, 1:] = places[rows[:, 1:]]
    return moved
