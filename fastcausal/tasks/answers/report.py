"""Scores of extractions, their triage, and raters' verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.answers.formula import ExtractionFormula
from fastcausal.tasks.answers.tables import TRIAGE, triage_of

if TYPE_CHECKING:
    import pyarrow as pa

OF_ROLES = ("overall", "cause", "effect")


@dataclass(frozen=True, eq=False, repr=False)
class AnswersReport(Report):
    """Scores of the extractions of one system.

    ``report["overall"].f1``, ``report["cause"].precision``, ``report["joint"].exact_match``,
    ``report["relation"].accuracy``, ``report["source"].contained``.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    protocol : {"guide", "fcr"}
    n_items : int
        Number of scored items.
    triage : mapping of str to int
        Scored items labelled by a rule (``exact``: valid; ``empty``, ``disjoint``: invalid), and
        items left for people to ``judge``.
    scores : mapping of str to Scores
        By group: overall, cause, effect, joint, relation, source; text on request.
    n_unparsed : int
        Number of unreadable items.
    verdicts : mapping
        Of all items: ``n_raters``, ``n_judged``, ``n_missing``, and ``valid``, the mean over items
        of the share of raters with the verdict valid.
    warnings : tuple of str
    column : str or None
        The only column with scores by value, in ``by``.
    """

    signature: str
    protocol: str
    n_items: int
    triage: Mapping[str, int]
    scores: Mapping[str, Scores]
    n_unparsed: int
    verdicts: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    column: str | None = None
    subsets: Mapping[str, Groups] = field(default_factory=dict)
    _tables: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict)
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False, compare=False)

    @property
    def _keys(self) -> tuple[str, ...]:
        return (
            "signature", "protocol", "n_items", "n_unparsed", "warnings", "triage", "scores", "by",
            "verdicts",
        )  # fmt: skip

    @cached_property
    def by(self) -> dict[str, Groups]:
        """Scores by the values of a column; with several columns, by ``column=value``."""
        return {name.removeprefix(f"{self.column}="): g for name, g in self.subsets.items()}

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Numbers of items."""
        return {"n_items": self.n_items, "n_unparsed": self.n_unparsed}

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """``per_item``: scores of every item; ``judgments``: the verdict of every rater."""
        return Tables(**self._tables)

    @property
    def per_item(self) -> pa.Table:
        """Table of scored items: item, scores, triage, missing words, and other columns."""
        return self._table("per_item")

    @property
    def judgments(self) -> pa.Table:
        """Table of verdicts: item, rater, label (1 valid, 0 invalid)."""
        return self._table("judgments")

    @cached_property
    def title(self) -> str:
        """Line with the number of items."""
        return f"{self.n_items} extractions, protocol {self.protocol}"

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return the table of roles, and the table of all other scores."""
        return [self.to_table(counts), self._others()]

    def to_table(self, counts: bool = False) -> Grid:
        """Return the table of roles; ``counts`` adds their words."""
        parts = {"": self.scores, **self.subsets}
        roles: dict[str, Groups] = {
            name: {role: groups[role] for role in OF_ROLES} for name, groups in parts.items()
        }
        if not counts:
            roles = {name: _without_counts(groups) for name, groups in roles.items()}
        return scores_table(self.title, roles, counts)

    def _others(self) -> Grid:
        """Return scores of whole answers, triage and verdicts by name."""
        rows = {name: dict(scores) for name, scores in self.scores.items() if name not in OF_ROLES}
        rows |= {"triage": dict(self.triage), "verdicts": dict(self.verdicts)}
        grid = Grid("whole answers", ["value"])
        for part, values in rows.items():
            grid.part(part)
            for name, value in values.items():
                grid.add(name, value)
        return grid


def _without_counts(groups: Groups) -> dict[str, Scores]:
    return {
        role: Scores({name: v for name, v in scores.items() if isinstance(v, float)})
        for role, scores in groups.items()
    }


def present(statistics: Statistics, by: By = None) -> AnswersReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula, rows, times = statistics.formula, statistics.rows, statistics.times
    assert isinstance(formula, ExtractionFormula)
    parts = statistics.subsets(by)
    asked = columns_by(by)
    columns = formula.by_field(rows)
    counts = np.bincount(triage_of(columns), times, len(TRIAGE)).astype(int)
    verdicts = (columns[name] for name in ("asked", "judged", "valid"))
    return AnswersReport(
        statistics.signature,
        formula.protocol,
        statistics.n_units,
        dict(zip(TRIAGE, counts.tolist(), strict=True)),
        _groups(formula, rows, times),
        int((columns["unread"] * times).sum()) + len(statistics.left_out or ()),
        verdicts_of(*(np.repeat(column, times) for column in verdicts)),
        warning_lines(statistics.warnings),
        asked[0] if len(asked) == 1 else None,
        {
            name: _groups(formula, part, np.ones(len(part), np.int64))
            for name, part in parts.items()
        },
        _statistics=partial(replace, statistics),
    )


def _groups(formula: ExtractionFormula, rows: CountRows, times: Int64) -> dict[str, Scores]:
    """Return scores and counts of all groups except verdicts."""
    sums = formula.summed(rows, times)
    counts = formula.counts_of(sums)
    return {
        group: Scores({n: float(v[0]) for n, v in scores.items()} | counts.get(group, {}))
        for group, scores in formula.groups_of(sums).items()
        if group != "verdicts"
    }


def verdicts_of(asked: Int64, judged: Int64, valid: Int64) -> dict[str, Any]:
    """Count verdicts, and average the share of valid ones over items.

    Parameters
    ----------
    asked, judged, valid : int64[n]
        For each item, the number of raters asked, judging, and finding it valid.

    Examples
    --------
    >>> verdicts_of(np.array([2, 2]), np.array([2, 1]), np.array([1, 1]))
    {'n_raters': 2, 'n_judged': 3, 'n_missing': 1, 'valid': 0.75}
    """
    shares = (valid[judged > 0] / judged[judged > 0]).tolist()
    return {
        "n_raters": int(asked.max(initial=0)),
        "n_judged": int(judged.sum()),
        "n_missing": int((asked - judged).sum()),
        "valid": math.fsum(shares) / len(shares) if shares else math.nan,
    }
