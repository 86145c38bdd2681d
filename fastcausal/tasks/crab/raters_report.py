"""The report on the raters of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report


@dataclass(frozen=True, eq=False, repr=False)
class RaterReport(Report):
    """Agreement of raters on classes of scores.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    n_pairs, n_ratings, n_raters : int
        Sizes of the table.
    n_tied : int
        Pairs with several classes of the most ratings.
    subsets : tuple of mapping
        For each of the classes of Table 9 its ``classes``, ``n_pairs`` and ``alpha``.
    classes : mapping of str to mapping
        Pairs by class A to D: by ``majority``, and by the class of their ``mean``.
    experts : mapping, optional
        Number ``n`` of pairs for experts, and their ``share``.
    pairs : pyarrow.Table
        A row per pair: its key, the number of ratings, ``mean``, ``variance`` (of a sample),
        ``majority`` and ``class`` (of the mean) as letters, and ``expert``.
    qualification : mapping, optional
        The ``line``, the number ``n_qualified`` of raters above it, and for each of ``raters`` its
        accuracy against the ``majority`` and, if known, ``gold``.
    yes_no : mapping, optional
        Second answers against scores, as `fastcausal.tasks.crab.humans.consistency`.
    """

    signature: str
    n_pairs: int
    n_ratings: int
    n_raters: int
    n_tied: int
    subsets: tuple[Mapping[str, Any], ...]  # type: ignore[assignment]  # parts by class alone
    classes: Mapping[str, Mapping[str, int]]
    experts: Mapping[str, Any] | None
    pairs: pa.Table = field(repr=False)
    qualification: Mapping[str, Any] | None = None
    yes_no: Mapping[str, Any] | None = None

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Attributes by name."""
        names = ("n_pairs", "n_ratings", "n_raters", "n_tied", "subsets", "classes")
        asked = ("experts", "qualification", "yes_no")
        more = [name for name in asked if getattr(self, name) is not None]
        return {name: getattr(self, name) for name in (*names, *more)}

    @property
    def _keys(self) -> tuple[str, ...]:
        return ("signature", *self.facts, "warnings")

    @cached_property
    def title(self) -> str:
        """Line with the numbers of pairs and raters."""
        return f"{self.n_ratings} ratings of {self.n_pairs} pairs by {self.n_raters} raters"

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """Alpha and number of pairs by classes: ``classes_1_2`` and so on."""
        return {
            "_".join(map(str, ("classes", *subset["classes"]))): Scores(
                {name: subset[name] for name in ("n_pairs", "alpha")}
            )
            for subset in self.subsets
        }

    def _flat_groups(self) -> Iterator[tuple[str, Scores]]:
        yield from self.scores.items()

    def to_arrow(self) -> pa.Table:
        """Return a row per subset of classes."""
        return Report(self.title, self.signature, self.scores).to_arrow()

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table for the terminal: a row per subset of classes, then counts."""
        rows = {
            "classes " + " ".join(map(str, subset["classes"])): (
                subset["n_pairs"],
                subset["alpha"],
            )
            for subset in self.subsets
        }
        grid = Grid(self.title, ["n pairs", "alpha"], parts={"": rows})
        for name, numbers in self.classes.items():
            grid.part(f"class by {name}")
            for letter, n in numbers.items():
                grid.add(letter, n)
        grid.part("pairs")
        grid.add("tied", self.n_tied)
        if self.experts is not None:
            grid.add("to experts", self.experts["n"])
        return grid

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return the table of classes, and those of raters and of their second answers."""
        grids = [self.to_table(counts)]
        if self.qualification is not None:
            title = "{n_qualified} raters above {line:g}".format(**self.qualification)
            rows = self.qualification["raters"]
            kinds = [kind for kind in next(iter(rows.values())) if kind != "qualified"]
            columns = [name for kind in kinds for name in ("pairs", f"as {kind}")]
            grid = Grid(title, [*columns, "above"], "rater")
            for name, row in rows.items():
                cells = [cell for kind in kinds for cell in row[kind].values()]
                grid.add(name, *cells, "yes" if row["qualified"] else "no")
            grids.append(grid)
        if self.yes_no is not None:
            grid = Grid(
                f"second answers, {self.yes_no['n']} of them", ["share", "alpha"], "threshold"
            )
            for row in self.yes_no["thresholds"]:
                grid.add(str(row["threshold"]), row["share"], row["alpha"])
            grids.append(grid)
        return grids
