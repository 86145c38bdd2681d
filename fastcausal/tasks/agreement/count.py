"""Statistics of agreement: a row per example, with the sums of every pair of annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.files.keys import places_of
from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import MeasureSums

if TYPE_CHECKING:
    from fastcausal.tasks.agreement.depths import DepthSums


@dataclass(frozen=True)
class AllExamples:
    """All examples of some annotators, by id, or by position if an annotator has no ids."""

    n: int  # Number of examples
    ids: pa.Array | None  # Ids of the examples; None if an annotator has none
    # The index of each example of an annotator among all; empty if all annotators have the
    # same examples in the same order
    places: Mapping[str, Int64]

    @classmethod
    def collect(cls, annotators: Mapping[str, Relations]) -> AllExamples:
        """Collect the examples."""
        ids = {name: r.ids for name, r in annotators.items() if r.ids is not None}
        if len(ids) < len(annotators):
            sizes = {len(relations) for relations in annotators.values()}
            if len(sizes) > 1:
                raise InputError(f"annotators have {sorted(sizes)} examples, expected as many each")
            return cls(sizes.pop(), None, {})
        first, *rest = ids.values()
        if all(column.equals(first) for column in rest):
            return cls(len(first), arrow.joined(first), {})
        chunks = [chunk for column in ids.values() for chunk in column.chunks]
        names = pc.unique(pa.chunked_array(chunks, pa.string()))
        places = {name: places_of(column, names) for name, column in ids.items()}
        return cls(len(names), names, places)

    def __len__(self) -> int:
        return self.n

    def places_of(self, annotator: str, rows: Int64 | None) -> Int64:
        """Return the places of an annotator's examples in ``rows``; of all examples if None."""
        places = self.places.get(annotator)
        if places is None:
            return np.arange(self.n) if rows is None else rows
        return places if rows is None else places[rows]

    def rows_of(self, annotator: str) -> Int64 | None:
        """Return each example's row in an annotator's table, -1 if missing; None if in order."""
        if annotator not in self.places:
            return None
        rows = np.full(self.n, -1)
        rows[self.places[annotator]] = np.arange(len(self.places[annotator]))
        return rows

    def ascending(self) -> Int64:
        """Return the places in ascending order of ids, or of positions."""
        if self.ids is None:
            return np.arange(self.n)
        return arrow.values_of(pc.array_sort_indices(self.ids)).astype(np.int64)

    def shared(self, places: Sequence[Int64]) -> Int64:
        """Return the examples of any of these places, in ascending order."""
        found = np.zeros(self.n, bool)
        for at in places:
            found[at] = True
        order = self.ascending()
        return order[found[order]]


def n_counted(examples: AllExamples, pairs: Sequence[MeasureSums], places: Sequence[Int64]) -> int:
    """Return the number of examples counted for at least one pair of annotators."""
    counted = np.zeros(len(examples), bool)
    for pair, at in zip(pairs, places, strict=True):
        counted[at[pair.counted()]] = True
    return int(np.count_nonzero(counted))


def statistics_of(
    formula: RatioFormula,
    signature: str,
    examples: AllExamples,
    pairs: Sequence[MeasureSums | DepthSums],
    # [n_examples of a pair] each: the index of a pair's examples among all
    places: Sequence[Int64],
) -> Statistics:
    """Return statistics: a row per example, and columns for the sums of each pair of annotators."""
    # A pair has the sums 0/0 for an example that one of the two did not annotate. Examples are in
    # ascending order, so that resamples do not depend on the order of examples or annotators.
    first = np.full(len(examples), -1)  # an example's first row in the joined tables of all pairs
    stop = sum(map(len, places))
    for at in reversed(places):
        stop -= len(at)
        first[at] = np.arange(stop, stop + len(at))
    order = examples.shared(places)
    rank = np.empty(len(examples), np.int64)
    rank[order] = np.arange(len(order))
    width = len(formula.fields) // len(pairs)
    rows = np.zeros((len(order), len(formula.fields)))
    for k, (pair, at) in enumerate(zip(pairs, places, strict=True)):
        rows[rank[at], k * width : (k + 1) * width] = pair.rows().reshape(len(at), width)
    units = _units(pairs).take(first[order])
    return Statistics.of_units(formula, signature, rows, units)


def scores_of(formula: RatioFormula, sums: Float64) -> dict[str, Scores]:
    """Compute the scores of every group from sums in the order of the formula's fields."""
    return {
        group: Scores({name: float(values[0]) for name, values in scores.items()})
        for group, scores in formula.groups_of(sums.reshape(1, -1)).items()
    }


def _units(pairs: Sequence[MeasureSums | DepthSums]) -> pa.Table:
    """Return the tables of examples of all pairs as one, with the columns that all of them have."""
    names = [
        name
        for name in pairs[0].examples.column_names
        if all(name in pair.examples.column_names for pair in pairs)
    ]
    examples = [pair.examples.select(names) for pair in pairs]
    return pa.concat_tables(examples, promote_options="default")
