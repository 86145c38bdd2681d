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
    """Numbers of a graph of events.

    Attributes
    ----------
    n_edges : int
    n_sources, n_sinks : int
        Events that cause others and have no cause; events that have causes and cause nothing.
    n_effects : int
        Events with a cause.
    most_causes : int
        The most causes of an event.
    paths : tuple of int
        The number of paths of 1, 2, ... edges up to the longest. A path starts and ends at any
        event.
    """

    n_edges: int
    n_sources: int
    n_sinks: int
    n_effects: int
    most_causes: int
    paths: tuple[int, ...]

    @classmethod
    def of(cls, causes: Int64, effects: Int64, n_events: int) -> Graph:
        """Count a graph of edges without a cycle, int64[n_edges] each, from 0 to n_events."""
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


def paths_of(causes: Int64, effects: Int64, n_events: int) -> tuple[int, ...]:
    """Count the paths of 1, 2, ... edges of a graph without a cycle.

    The paths of k edges that end at an event are those of k - 1 edges that end at its causes, so
    no path is listed.

    Examples
    --------
    >>> paths_of(np.array([0, 1, 0]), np.array([1, 2, 2]), 3)
    (3, 1)
    """
    extended: Any = np.ones(len(causes))  # paths that each edge adds to: at first its cause
    totals = []
    while len(causes):
        ending = _sums(effects, extended, n_events)
        totals.append(int(ending.sum()))
        extended = ending.take(causes)
        follows = np.flatnonzero(extended)  # faster than a mask
        causes, effects, extended = (each.take(follows) for each in (causes, effects, extended))
    return tuple(totals)


def _sums(places: Int64, values: Any, n: int) -> Any:
    """Add values by place: float64 as long as these are exact, then integers of any size."""
    if values.dtype != object:
        if int(values.max()) * len(values) < EXACT:
            return np.bincount(places, values, n)
        values = values.astype(np.int64).astype(object)
    sums = np.zeros(n, object)
    np.add.at(sums, places, values)
    return sums


def require_acyclic(records: Records) -> None:
    """Raise InputError for events that cause each other in a circle, and name them.

    Without a pair whose first event is not before the second one there is no cycle.
    """
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
