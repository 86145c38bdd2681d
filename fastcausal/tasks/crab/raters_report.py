"""The report on the raters of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report

RaterReport = Report
"""Agreement of raters on classes of scores.

Attributes
----------
n_pairs, n_ratings, n_raters : int
    Sizes of the table.
ratings_per_pair : mapping
    ``mean``, ``min`` and ``max`` number of ratings of a pair.
n_tied : int
    Pairs with several most frequent classes.
class_subsets : tuple of mapping
    For each subset of classes in Table 9 its ``classes``, ``n_pairs`` and ``alpha``.
classes : mapping of str to mapping
    Numbers of pairs by class A to D, for the ``majority`` and for the class of the ``mean``.
experts : mapping or None
    Number ``n`` of pairs for experts, and their ``share``.
pairs : pyarrow.Table
    A row per pair: its key, the number of ratings, ``mean``, the sample ``variance``,
    ``majority`` and the ``class`` of the mean as letters, and ``expert``.
qualification : mapping or None
    The ``line``, the number ``n_qualified`` of raters above it, and for each of ``raters`` its
    accuracy against the ``majority`` and, if known, ``gold``.
yes_no : mapping or None
    Second answers compared with scores, by `fastcausal.tasks.crab.humans.consistency`.
"""


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per subset of classes, then counts; tables of raters and second answers."""
    rows = {
        "classes " + " ".join(map(str, subset["classes"])): (subset["n_pairs"], subset["alpha"])
        for subset in report.class_subsets
    }
    grid = Grid(report.title, ["n pairs", "alpha"], parts={"": rows})
    for name, numbers in report.facts["classes"].items():
        grid.part(f"class by {name}")
        for letter, n in numbers.items():
            grid.add(letter, n)
    grid.part("pairs")
    grid.add("tied", report.n_tied)
    for name in ("min", "max"):
        grid.add(f"{name} ratings", report.ratings_per_pair[name])
    if report.experts is not None:
        grid.add("to experts", report.experts["n"])
    grids = [grid]
    if report.qualification is not None:
        grids.append(_qualification_grid(report.qualification))
    if report.yes_no is not None:
        title = f"second answers, {report.yes_no['n']} of them"
        grid = Grid(title, ["share", "alpha"], "threshold", shares=("share",))
        for row in report.yes_no["thresholds"]:
            grid.add(str(row["threshold"]), row["share"], row["alpha"])
        grids.append(grid)
    return grids


def _qualification_grid(qualification: Mapping[str, Any]) -> Grid:
    """Make a row per rater with its accuracies."""
    title = "{n_qualified} raters above {line:g}".format(**qualification)
    rows = qualification["raters"]
    sides = [side for side in next(iter(rows.values())) if side != "qualified"]
    columns = [name for side in sides for name in ("pairs", f"as {side}")]
    grid = Grid(title, [*columns, "above"], "rater", shares=columns[1::2])
    for name, row in rows.items():
        cells = [cell for side in sides for cell in row[side].values()]
        grid.add(name, *cells, "yes" if row["qualified"] else "no")
    return grid


def report_of(signature: str, facts: Mapping[str, Any], pairs: pa.Table) -> RaterReport:
    """Make the report; ``facts`` has its attributes by name, and ``subsets``."""
    asked = ("experts", "qualification", "yes_no")
    absent = [name for name in asked if facts[name] is None]
    return RaterReport(
        "{n_ratings} ratings of {n_pairs} pairs by {n_raters} raters".format(**facts),
        signature,
        {
            "_".join(map(str, ("classes", *subset["classes"]))): Scores(
                {name: subset[name] for name in ("n_pairs", "alpha")}
            )
            for subset in facts["subsets"]
        },
        facts={**facts, "class_subsets": facts["subsets"]},
        tables={"pairs": pairs},
        keys=("signature", *(name for name in facts if name not in absent), "warnings"),
        grids=_grids,
    )
