"""Items that were right in a baseline and are wrong in a candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.errors import InputError, counted, format_some
from fastcausal.options import AUTO, MissingPolicy, Verdict
from fastcausal.report.grid import Grid
from fastcausal.significance.corrections import holm, level_text
from fastcausal.significance.sums import Float64
from fastcausal.significance.units import EQUAL
from fastcausal.sweeps.item_table import ItemTable, list_changed, only_score, tabulate
from fastcausal.tasks.values.answers import ValueAnswers


@dataclass(frozen=True)
class Regressions:
    """Items that were right and are wrong now, and how many of them pass."""

    table: ItemTable  # of the baseline and the candidate
    rows: Any  # int64[n_regressions]: places in the table
    p: Float64  # of each, corrected for the number of tests; NaN for items that are not flaky
    allowed: int
    confidence: float

    @property
    def ids(self) -> list[str]:
        """Ids of the items, in the order of the table."""
        ids: list[str] = self.table.ids.take(pa.array(self.rows)).to_pylist()
        return ids

    @property
    def verdict(self) -> Verdict:
        """Pass if there are as many as allowed, or fewer."""
        return "pass" if len(self.rows) <= self.allowed else "fail"

    def reason(self) -> str:
        """Return the sentence with the number of items."""
        ids = self.ids
        more = f"{format_some(ids[:4])}" if ids else ""
        said = (
            f"{counted(len(ids), 'item')} that the baseline had right fail{'s' * (len(ids) == 1)}"
        )
        return f"{said}{more}, expected at most {self.allowed}"

    def legend(self) -> str:
        """Explain what counts."""
        return (
            "regressions: right in every answer of the baseline and in none of the candidate; "
            "flaky items by Fisher's exact test, corrected by Holm, at "
            f"{level_text(self.confidence)}"
        )

    def make_grid(self, title: str) -> Grid:
        """Make a row for each item: right answers of both runs, and p of flaky ones."""
        grid = Grid(title, [*self.table.runs, "p"], "id")
        for row, id, p in zip(self.rows.tolist(), self.ids, self.p.tolist(), strict=True):
            parts = zip(self.table.right[:, row], self.table.n[:, row], strict=True)
            cells = [f"{right}/{n}" if n else "missing" for right, n in parts]
            grid.add(id, *cells, "" if math.isnan(p) else p)
        return grid


def find_regressions(
    runs: Mapping[str, ValueAnswers],  # the baseline, then the candidate
    score: str | None,
    missing: MissingPolicy,
    confidence: float,
    allowed: int,
    allow_flaky: bool,
) -> Regressions:
    """Find the items that were right in every answer and are in none; flaky ones by a test."""
    chosen = {name: only_score(answers, score) for name, answers in runs.items()}
    for answers in chosen.values():
        if lower := [name for name in answers.scores if name in answers.lower]:
            raise ValueError(f"lower is better: {lower[0]}, expected a score of right answers")
    if changed := list_changed(chosen):
        raise InputError(f"{changed[0]}: expected the same examples")
    table = tabulate(chosen, missing, AUTO)
    # An example that a run lacks counts as 0 under the policy zero, as in a comparison.
    answered = (table.n > 0) | np.array([[False], [missing == "zero"]])
    flaky = table.flaky.any(axis=0)
    before, after = table.right
    fallen = answered.all(axis=0) & (before == table.n[0]) & (after == 0) & ~flaky
    p = np.full(len(fallen), math.nan)
    tested = np.flatnonzero(flaky & (table.n > 0).all(axis=0))
    p[tested] = holm(_p_of_losses(table, tested))
    if not allow_flaky:
        fallen[tested] = p[tested] <= 1 - confidence + EQUAL
    rows = np.flatnonzero(fallen)
    return Regressions(table, rows, p[rows], allowed, confidence)


def _p_of_losses(table: ItemTable, rows: Any) -> Float64:
    """Return the exact one-sided p of Fisher's test of each item: a smaller share after."""
    counts = np.concatenate([table.right[:, rows], table.n[:, rows]]).T
    different, place = np.unique(counts, axis=0, return_inverse=True)
    p = [_p_of_loss(*numbers) for numbers in different.tolist()]
    return np.array(p, np.float64)[place.ravel()]


def _p_of_loss(before: int, after: int, n_before: int, n_after: int) -> float:
    """Return the chance of at most so many right answers after, among all choices of n_after.

    >>> _p_of_loss(4, 1, 5, 5)  # scipy.stats.fisher_exact([[4, 1], [1, 4]], "greater")
    0.10317460317460317
    """
    right, wrong = before + after, n_before + n_after - before - after
    lowest = max(0, n_after - wrong)
    ways = math.comb(right, lowest) * math.comb(wrong, n_after - lowest)
    total = 0
    for k in range(lowest, after + 1):
        total += ways
        ways = ways * (right - k) * (n_after - k) // ((k + 1) * (wrong - n_after + k + 1))
    return float(Fraction(total, math.comb(right + wrong, n_after)))
