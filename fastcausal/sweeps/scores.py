"""Scores of all runs of a sweep, from their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.sums import Int64
from fastcausal.tasks.relations.formula import MULTI, GroupedFormula


class Sums(NamedTuple):
    """The counts of a run, summed over all examples and over subsets."""

    formula: GroupedFormula
    subsets: Mapping[str, Int64]  # ``all`` has all examples


def sums_of(statistics: Statistics, by: By = None) -> Sums:
    """Sum the counts of a run: over all examples, over examples of several relations, by columns.

    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> statistics = fc.score(sample.GOLD, sample.SYSTEMS["careful"]).statistics
    >>> list(sums_of(statistics, "corpus").subsets)
    ['all', 'multi_relation', 'corpus=sample']
    """
    formula = statistics.formula
    assert isinstance(formula, GroupedFormula)
    terms = formula.terms(statistics.rows)
    whole, several = np.hsplit(terms.sum(axis=0), 2)
    subsets = {"all": whole, MULTI: several}
    for name, rows in statistics.subsets(by).items():
        subsets[name] = np.hsplit(formula.terms(rows).sum(axis=0), 2)[0]
    return Sums(formula, subsets)


def scores_of_runs(runs: Mapping[str, Sums]) -> pa.Table:
    """Return a row per run, subset and group: scores, null if undefined, and counts."""
    if not runs:
        return pa.table({name: pa.array([], pa.string()) for name in ("run", "subset", "group")})
    formula = next(iter(runs.values())).formula
    groups = formula.groups
    subsets = [(run, subset) for run, sums in runs.items() for subset in sums.subsets]
    sums = np.stack([runs[run].subsets[subset] for run, subset in subsets], axis=1)
    figures = formula.figures(sums, groups)
    columns = {
        "run": [run for run, _ in subsets for _ in groups],
        "subset": [subset for _, subset in subsets for _ in groups],
        "group": groups * len(subsets),
    }
    names = dict.fromkeys(name for of_group in figures for name in of_group)
    return pa.table(columns | {name: _join_groups(figures, name) for name in names})


def _join_groups(figures: Sequence[Mapping[str, Any]], name: str) -> pa.Array:
    """Return a score or count of all groups, group by group; null if a group lacks it."""
    present = [name in of_group for of_group in figures]
    known = np.asarray(figures[present.index(True)][name])
    columns = [np.asarray(f.get(name, np.zeros_like(known))) for f in figures]
    missing = np.broadcast_to(~np.array(present), (len(known), len(figures))).ravel()
    values = np.stack(columns, axis=1).ravel()
    return pa.array(values, mask=missing | np.isnan(values))
