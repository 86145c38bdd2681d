"""Statistics of ratings: a row per unit has the index of each rating among the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.counts.statistics import Statistics
from fastcausal.options import Level
from fastcausal.tasks.labels.formula import RatingsFormula
from fastcausal.tasks.labels.ratings import Ratings, numbered

CLUSTER = "cluster"  # the column of units with their groups


def signature_of(level: Level) -> str:
    """Return the signature line: all settings that the scores depend on."""
    rules = "missing:drop|kappa:mean-of-pairs|majority:no-ties|0/0:undefined"
    return f"fastcausal|{__version__}|labels|level:{level}|{rules}"


def statistics_of(ratings: Ratings, level: Level, measures: Sequence[str]) -> Statistics:
    """Return statistics of ``measures``; rows have a column per rater, by ascending names."""
    places, different = numbered(ratings.values)
    labels = different.tolist()
    if ratings.names is not None:
        labels = [ratings.names[int(k)] for k in labels]
    numbers = range(ratings.n_raters)
    names = [str(k) for k in (ratings.rater_names or pa.array(numbers)).to_pylist()]
    order = sorted(numbers, key=names.__getitem__)
    rows = np.zeros((ratings.n_units, ratings.n_raters), np.int64)
    rows[ratings.units_of(), np.argsort(order)[ratings.raters_of()]] = places + 1
    raters = tuple(names[k] for k in order)
    formula = RatingsFormula(level, raters, tuple(labels), tuple(measures))
    return Statistics.of_units(formula, signature_of(level), rows, _units(ratings))


def _units(ratings: Ratings) -> pa.Table:
    columns = {}
    if ratings.units is not None:
        columns["id"] = ratings.units.cast(pa.string())
    if ratings.groups is not None:
        columns[CLUSTER] = ratings.group_names.take(pa.array(ratings.groups))
    return pa.table(columns)


def paired(ratings: Ratings) -> Ratings:
    """Keep units with at least two ratings, and sort the ratings of each."""
    # A rater then is a place in the sorted unit, so units with the same ratings have equal rows.
    rated = ~np.isnan(ratings.values)
    units = ratings.units_of()[rated]
    widths = np.bincount(units, minlength=ratings.n_units)
    kept = widths > 1
    order = np.lexsort((ratings.values[rated], units))
    order = order[kept[units[order]]]
    offsets = arrow.offsets(widths[kept])
    return replace(
        ratings,
        values=ratings.values[rated][order],
        offsets=offsets,
        raters=np.arange(len(order)) - np.repeat(offsets[:-1], widths[kept]),
        n_raters=int(widths[kept].max(initial=2)),
        groups=None if ratings.groups is None else ratings.groups[kept],
        units=None if ratings.units is None else ratings.units.filter(pa.array(kept)),
        rater_names=None,
    )
