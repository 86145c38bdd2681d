"""Scores of judged claims for each system, and the agreement of raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, plain, scores_table
from fastcausal.significance.sums import CountRows, sums_of
from fastcausal.tasks.claims.formula import AVERAGED, SIDES, ClaimFormula

if TYPE_CHECKING:
    import pyarrow as pa

SYSTEM_KEYS = ("n_topics", "n_claims", "n_unjudged", "scores", "raters", "topics")


@dataclass(frozen=True, eq=False, repr=False)
class SystemClaims(Report):
    """Scores of the claims of one system.

    ``report["topic"].f1`` is a mean over topics, ``report["claim"].f1`` that of summed claims,
    ``report["means"].f1`` that of mean precision and recall.

    Attributes
    ----------
    counted : Statistics
        Supported and judged claims of every topic.
    by : str, optional
        A column of topics; its values become subsets.
    """

    counted: Statistics = field(repr=False)
    by: By = None

    @cached_property
    def statistics(self) -> Statistics:
        """Supported and judged claims of every topic."""
        return self.counted

    @property
    def _keys(self) -> tuple[str, ...]:
        subsets = ("subsets",) if self.subsets else ()
        return ("signature", *SYSTEM_KEYS, *subsets, "warnings")

    _logged = ("n_unjudged",)

    @property
    def signature(self) -> str:
        """Every setting on which the numbers depend, in one line."""
        return self.counted.signature

    @cached_property
    def title(self) -> str:
        """Line with the numbers of topics and claims."""
        return f"claims of {self.facts['n_topics']} topics"

    @cached_property
    def scores(self) -> Groups:
        """Scores by the way of averaging topics."""
        return _groups(self._formula, self._rows)

    @cached_property
    def subsets(self) -> Mapping[str, Groups]:
        """The same for the values of columns of topics."""
        parts = self.counted.subsets(self.by)
        return {name: _groups(self._formula, rows) for name, rows in parts.items()}

    @cached_property
    def raters(self) -> Mapping[str, Groups]:
        """Scores of each rater alone."""
        formula = self._formula
        return {rater: _groups(*formula.of_rater(rater, self._rows)) for rater in formula.raters}

    @cached_property
    def topics(self) -> Mapping[str, Scores]:
        """Precision, recall, F1 and claims of each topic."""
        assert self.counted.units is not None
        names = self.counted.units["id"].to_pylist()
        counts = ("n_prediction", "n_reference")
        return {
            name: Scores(
                dict(zip(AVERAGED, values, strict=True)) | dict(zip(counts, sizes, strict=True))
            )
            for name, values, sizes in zip(
                names, self._values.tolist(), self._rows[:, :2].tolist(), strict=True
            )
        }

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Sizes: topics, claims of both sides, and nulls over all raters."""
        *sizes, n_unjudged = self._rows[:, :3].sum(axis=0).tolist()
        n_claims = dict(zip(SIDES, sizes, strict=True))
        return {"n_topics": len(self._rows), "n_claims": n_claims, "n_unjudged": n_unjudged}

    def to_scores(self, system: str) -> pa.Table:
        """Return a row per topic: ``system, item, precision, recall, f1``."""
        import pyarrow as pa

        assert self.counted.units is not None
        columns = {
            name: pa.array(values, from_pandas=True)
            for name, values in zip(AVERAGED, self._values.T, strict=True)
        }
        names = pa.array([system] * len(self._rows), pa.string())
        return pa.table({"system": names, "item": self.counted.units["id"]} | columns)

    @property
    def _formula(self) -> ClaimFormula:
        assert isinstance(self.counted.formula, ClaimFormula)
        return self.counted.formula

    @cached_property
    def _rows(self) -> CountRows:
        """Counts in the order of units."""
        return self.counted.take(np.arange(self.counted.n_units)).rows

    @cached_property
    def _values(self) -> Any:
        return self._formula.values(self._rows)


@dataclass(frozen=True, eq=False, repr=False)
class ClaimsReport(Report):
    """Scores of the claims of several systems.

    ``report.systems["rag"]["topic"].f1``; each system is a report with statistics of its topics, so
    ``fc.compare`` and ``fc.leaderboard`` accept it.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    systems : mapping of str to SystemClaims
    agreement : mapping of str to Scores
        Sizes and coefficients: ``overall``, ``prediction``, ``reference``.
    warnings : tuple of str
    """

    signature: str
    systems: Mapping[str, SystemClaims]
    agreement: Mapping[str, Scores]
    warnings: tuple[str, ...]
    _judgments: Callable[[], pa.Table] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: undefined scores are None."""
        systems = {
            name: {key: plain(getattr(system, key)) for key in SYSTEM_KEYS}
            for name, system in self.systems.items()
        }
        values = {"signature": self.signature, "warnings": [*self.warnings]}
        return values | {"systems": systems, "agreement": plain(self.agreement)}

    @property
    def title(self) -> str:
        """Line with the numbers of systems and claims."""
        topics = {topic for system in self.systems.values() for topic in system.topics}
        return f"claims: {len(self.systems)} systems, {len(topics)} topics"

    @property
    def scores(self) -> Groups:
        """The scores of a single system; none for several, which are in `subsets`."""
        return next(iter(self.systems.values())).scores if len(self.systems) == 1 else {}

    @property
    def subsets(self) -> Mapping[str, Groups]:
        """The scores of several systems."""
        if len(self.systems) == 1:
            return {}
        return {name: system.scores for name, system in self.systems.items()}

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of the topics of a single system."""
        if len(self.systems) > 1:
            raise InputError("several systems: each has statistics of its own in `systems`")
        return next(iter(self.systems.values())).statistics

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """``per_topic`` scores and all ``judgments``, in the form of ``fc.meta``."""
        return Tables(per_topic=self._per_topic, judgments=self._judgments)

    @property
    def per_topic(self) -> pa.Table:
        """Table of topics: system, item, precision, recall, f1."""
        return self.tables["per_topic"]

    @property
    def judgments(self) -> pa.Table:
        """Table of judgments: system, item, rater, label."""
        return self.tables["judgments"]

    def _per_topic(self) -> pa.Table:
        import pyarrow as pa

        return pa.concat_tables(system.to_scores(name) for name, system in self.systems.items())

    def to_table(self, counts: bool = False) -> Grid:
        """Make a part per system, a row per way of averaging topics."""
        parts = {name: system.scores for name, system in self.systems.items()}
        return scores_table(self.title, parts, counts)

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return the scores, and the agreement of raters if there are several."""
        if self.agreement["overall"]["n_raters"] < 2:
            return [self.to_table(counts)]
        agreement = Grid("agreement of raters", [*self.agreement])
        for name in self.agreement["overall"]:
            cells = [of_side[name] for of_side in self.agreement.values()]
            agreement.add(name.replace("_", " "), *cells)
        return [self.to_table(counts), agreement]


def present(statistics: Statistics, by: By = None) -> SystemClaims:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    return SystemClaims(statistics, by)


def _groups(formula: ClaimFormula, rows: CountRows) -> Groups:
    sums = sums_of(formula.terms(rows), np.ones((1, len(rows)), np.int64))
    return {
        group: Scores({name: float(value[0]) for name, value in scores.items()})
        for group, scores in formula.groups_of(sums).items()
    }
