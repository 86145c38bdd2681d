"""Statistics of agreement: a row per example, with the sums of every pair of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.counts.statistics import Statistics
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import MeasureSums


def statistics_of(
    formula: RatioFormula, signature: str, pairs: Sequence[MeasureSums]
) -> Statistics:
    """Bring the sums of every pair of annotators to the same examples, by id or position.

    An example is 0/0 for pairs that did not both annotate it. Examples are in ascending order, so
    that resamples do not depend on the order of examples or annotators.
    """
    keys = [keys_of(pair.examples) for pair in pairs]
    place = {key: k for k, key in enumerate(sorted({key for part in keys for key in part}))}
    places = [np.array([place[key] for key in part], np.int64) for part in keys]
    rows = np.zeros((len(place), len(pairs), 2, *pairs[0].top.shape[1:]))
    for k, (pair, at) in enumerate(zip(pairs, places, strict=True)):
        rows[at, k, 0], rows[at, k, 1] = pair.top, pair.bottom
    return Statistics.of_units(
        formula, signature, rows.reshape(len(place), len(formula.fields)), _units(pairs, places)
    )


def keys_of(examples: pa.Table) -> Sequence[Any]:
    """Return the ids of examples, or their positions."""
    named = "id" in examples.column_names
    return examples["id"].to_pylist() if named else range(len(examples))


def counted_keys(sums: MeasureSums) -> set[Any]:
    """Return the ids, or positions, of counted examples."""
    keys = keys_of(sums.examples)
    return {keys[k] for k in sums.counted().tolist()}


def scores_of(formula: RatioFormula, sums: Float64) -> dict[str, Scores]:
    """Compute the scores of every group from sums in the order of the formula's fields."""
    return {
        group: Scores({name: float(values[0]) for name, values in scores.items()})
        for group, scores in formula.groups_of(sums.reshape(1, -1)).items()
    }


def _units(pairs: Sequence[MeasureSums], places: Sequence[Int64]) -> pa.Table:
    """Return the columns that the examples of every pair have."""
    names = [
        name
        for name in pairs[0].examples.column_names
        if all(name in pair.examples.column_names for pair in pairs)
    ]
    examples = [pair.examples.select(names) for pair in pairs]
    _, first = np.unique(np.concatenate(places), return_index=True)
    return pa.concat_tables(examples, promote_options="default").take(first)
