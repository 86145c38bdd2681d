"""The graph of causes: pairs whose score reaches a threshold are edges from cause to effect."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np

from fastcausal.errors import InputError
from fastcausal.files.records import Records
from fastcausal.significance.sums import EXACT, Int64
from fastcausal.tasks.crab.files import KEY


@dataclass(frozen=True)
class Graph:
    """Numbers of a graph of events."""

    n_edges: int
    # Number of events with effects and no cause, and of events with causes and no effect
    n_sources: int
    n_sinks: int
    n_effects: int  # Number of events with a cause
    most_causes: int  # The largest number of causes of an event
    # The number of paths of 1, 2, ... edges up to the longest path. A path starts and ends at
    # any event.
    paths: tuple[int, ...]

    @classmethod
    def count(cls, causes: Int64, effects: Int64, n_events: int) -> Graph:
        """Count the graph of edges from causes to effects, int64[n_edges] each, without a cycle."""
        n_effects_of = np.bincount(causes, minlength=n_events)
        n_causes_of = np.bincount(effects, minlength=n_events)
        return cls(
            len(causes),
            int(((n_effects_of > 0) & (n_causes_of == 0)).sum()),
            int(((n_causes_of > 0) & (n_effects_of == 0)).sum()),
            int((n_causes_of > 0).sum()),
            int(n_causes_of.max(initial=0)),
            paths_of(causes, effects, n_events),
        )


def paths_of(
    causes: Int64,  # [n_edges]
    effects: Int64,  # [n_edges]
    n_events: int,
) -> tuple[int, ...]:
    """Count the paths of 1, 2, ... edges of a graph without a cycle."""
    # No path is listed: the number of paths of k edges that end at an event is the sum of the
    # numbers of paths of k - 1 edges that end at its causes.
    extended: Any = np.ones(len(causes))  # paths that an edge extends: at first just its cause
    totals = []
    while len(causes):
        ending = _sums(effects, extended, n_events)
        totals.append(int(ending.sum()))
        extended = ending.take(causes)
        follows = np.flatnonzero(extended)  # faster than a mask
        causes, effects, extended = (each.take(follows) for each in (causes, effects, extended))
    return tuple(totals)


def _sums(places: Int64, values: Any, n: int) -> Any:
    """Add values by place: in float64 while sums are exact, else in integers of any size."""
    if values.dtype != object:
        if int(values.max()) * len(values) < EXACT:
            return np.bincount(places, values, n)
        values = values.astype(np.int64).astype(object)
    sums = np.zeros(n, object)
    np.add.at(sums, places, values)
    return sums


def require_acyclic(records: Records) -> None:
    """Raise InputError for events that cause each other in a circle, and name them."""
    # There is a circle only if the first event of some pair is not before the second one.
    a, b = (records.integers(column) for column in KEY[1:])
    if (a < b).all():
        return
    topics = records.texts(KEY[0]).to_pylist()
    causes: dict[tuple[str | None, int], list[tuple[str | None, int]]] = {}
    for topic, cause, effect in zip(topics, a.tolist(), b.tolist(), strict=True):
        causes.setdefault((topic, effect), []).append((topic, cause))
    try:
        TopologicalSorter(causes).prepare()
    except CycleError as error:
        cycle = error.args[1]  # each event is a cause of the next one
        path = " -> ".join(str(event) for _, event in cycle)
        raise InputError(
            f"{records.name}: topic {cycle[0][0]}: events cause each other in a cycle, {path}, "
            "expected causes before effects"
        ) from None
