"""The report on the raters of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report


class RaterReport(Report):
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

    n_pairs: int
    n_ratings: int
    n_raters: int
    ratings_per_pair: Mapping[str, Any]
    n_tied: int
    classes: Mapping[str, Mapping[str, int]]
    experts: Mapping[str, Any] | None
    qualification: Mapping[str, Any] | None
    yes_no: Mapping[str, Any] | None
    pairs: pa.Table

    @property
    def class_subsets(self) -> tuple[Mapping[str, Any], ...]:
        """Number of pairs and alpha of each subset of classes."""
        subsets: tuple[Mapping[str, Any], ...] = self.facts["subsets"]
        return subsets

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table for the terminal: a row per subset of classes, then counts."""
        rows = {
            "classes " + " ".join(map(str, subset["classes"])): (
                subset["n_pairs"],
                subset["alpha"],
            )
            for subset in self.class_subsets
        }
        grid = Grid(self.title, ["n pairs", "alpha"], parts={"": rows})
        for name, numbers in self.classes.items():
            grid.part(f"class by {name}")
            for letter, n in numbers.items():
                grid.add(letter, n)
        grid.part("pairs")
        grid.add("tied", self.n_tied)
        for name in ("min", "max"):
            grid.add(f"{name} ratings", self.ratings_per_pair[name])
        if self.experts is not None:
            grid.add("to experts", self.experts["n"])
        return grid

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return the table of classes, and tables of raters and second answers if requested."""
        grids = [self.to_table(counts)]
        if self.qualification is not None:
            title = "{n_qualified} raters above {line:g}".format(**self.qualification)
            rows = self.qualification["raters"]
            kinds = [kind for kind in next(iter(rows.values())) if kind != "qualified"]
            columns = [name for kind in kinds for name in ("pairs", f"as {kind}")]
            grid = Grid(title, [*columns, "above"], "rater", shares=columns[1::2])
            for name, row in rows.items():
                cells = [cell for kind in kinds for cell in row[kind].values()]
                grid.add(name, *cells, "yes" if row["qualified"] else "no")
            grids.append(grid)
        if self.yes_no is not None:
            grid = Grid(
                f"second answers, {self.yes_no['n']} of them",
                ["share", "alpha"],
                "threshold",
                shares=("share",),
            )
            for row in self.yes_no["thresholds"]:
                grid.add(str(row["threshold"]), row["share"], row["alpha"])
            grids.append(grid)
        return grids


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
        facts=facts,
        tables={"pairs": pairs},
        keys=("signature", *(name for name in facts if name not in absent), "warnings"),
    )
