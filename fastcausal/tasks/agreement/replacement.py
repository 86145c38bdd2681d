"""May an annotator, such as a model, stand in for another? Spans and relations, by document."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastcausal.arrays.strata import DOCUMENT
from fastcausal.counts.arithmetic import ratio
from fastcausal.counts.means import mean_of_pairs
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, counted
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Float64
from fastcausal.tasks.agreement.depths import OVERALL, RELATIONS, SAME
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.meta.alt_test import MIN_ROWS, compare_distances

EPSILON = 0.2  # allowed advantage of an annotator, as of experts
DEPTHS = {"spans": OVERALL, "relations": RELATIONS}


def judge_replacement(
    statistics: Statistics, name: str, annotators: tuple[str, ...], warnings: dict[str, None]
) -> dict[str, Any]:
    """Leave out each other annotator, and test if ``name`` is as close to the rest."""
    # Calderon, Reichart and Dror (2025) compare with the rest example by example; here closeness is
    # the mean F1 with each of the rest that both have examples in common with, by document if
    # there are any. A unit in which neither of two marked anything is an F1 of 1.
    formula = statistics.formula
    assert isinstance(formula, RatioFormula)
    if name not in annotators:
        raise InputError(f'replace is "{name}", expected an annotator: {", ".join(annotators)}')
    others = sorted({*annotators} - {name})
    if len(others) < 2:
        raise InputError(f'replace: 1 annotator beside "{name}", expected at least two')
    column = DOCUMENT if DOCUMENT in statistics._table().column_names else None
    codes, unit = statistics.clusters(column), "document" if column else "example"
    shape = (len(formula.annotators), 2, len(formula.roles))
    sums = np.zeros((int(codes.max(initial=-1)) + 1, *shape))
    np.add.at(sums, codes, statistics.rows_of_units().reshape(-1, *shape))
    top, bottom = sums[:, :, 0], sums[:, :, 1]
    known = bottom[:, :, formula.roles.index(SAME)] > 0
    pair_of = {frozenset(pair): k for k, pair in enumerate(formula.annotators)}

    def distances(group: str, other: str) -> Float64:
        at = formula.roles.index(group)
        values = np.where(known, ratio(top[:, :, at], bottom[:, :, at], 1.0), np.nan)
        rest = [third for third in others if third != other]
        both = [values[:, [pair_of[frozenset((a, b))] for b in rest]] for a in (name, other)]
        unknown = np.isnan(both[0]) | np.isnan(both[1])
        means = [mean_of_pairs(np.where(unknown, np.nan, each).T) for each in both]
        table = 1 - np.column_stack(means)
        return table[~np.isnan(table[:, 0])]

    found: dict[str, Any] = {
        "annotator": name,
        "unit": unit,
        "n_units": len(sums),
        "epsilon": EPSILON,
    }
    for depth, group in DEPTHS.items():
        each = [distances(group, other) for other in others]
        enough = [rows for rows in each if len(rows) >= MIN_ROWS]
        if len(enough) < len(each):
            left_out = counted(len(each) - len(enough), "annotator")
            expected = f"expected {MIN_ROWS} {unit}s in common with {name} and another"
            warnings[f"replace leaves out {left_out}, {expected}"] = None
        test = compare_distances(enough, EPSILON)
        found[depth] = Scores({
            "winning_rate": test.winning_rate, "advantage": test.advantage,
            "n_annotators": test.n_raters,
        })  # fmt: skip
    return found
