"""Scores of judged claims for each system, and the agreement of raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Scale
from fastcausal.report.report import Report, Tables, plain, scores_table
from fastcausal.significance.sums import CountRows, sums_of
from fastcausal.tasks.claims.formula import AVERAGED, SIDES, ClaimFormula
from fastcausal.tasks.labels.report import agreement_grid

if TYPE_CHECKING:
    import pyarrow as pa

SYSTEM_KEYS = ("n_topics", "n_claims", "n_unjudged", "scores", "raters", "topics")


class SystemClaims(Report):
    """Scores of the claims of one system.

    ``report["topic"].f1`` is the mean of F1 over topics, ``report["claim"].f1`` the F1 of summed
    claims, ``report["means"].f1`` the F1 of mean precision and mean recall.
    """

    # Topics, and nulls over all raters
    n_topics: int
    n_claims: Mapping[str, int]  # Claims of both sides
    n_unjudged: int
    raters: Mapping[str, Groups]  # Scores of each rater alone
    topics: Mapping[str, Scores]  # Precision, recall, F1 and claims of each topic

    def to_scores(self, system: str) -> pa.Table:
        """Return a row per topic: ``system, item, precision, recall, f1``."""
        import pyarrow as pa

        columns = {
            name: pa.array([t[name] for t in self.topics.values()], pa.float64(), from_pandas=True)
            for name in AVERAGED
        }
        names = pa.array([system] * len(self.topics), pa.string())
        return pa.table({"system": names, "item": pa.array(self.topics, pa.string())} | columns)


def present(statistics: Statistics, by: By = None) -> SystemClaims:
    """Make the report of the claims of a system; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, ClaimFormula)
    assert statistics.units is not None
    rows = statistics.take(np.arange(statistics.n_units)).rows
    *sizes, n_unjudged = rows[:, :3].sum(axis=0).tolist()
    subsets = {name: _groups(formula, part) for name, part in statistics.subsets(by).items()}
    return SystemClaims(
        f"claims of {len(rows)} topics",
        statistics.signature,
        _groups(formula, rows),
        facts={
            "n_topics": len(rows),
            "n_claims": dict(zip(SIDES, sizes, strict=True)),
            "n_unjudged": n_unjudged,
            "raters": {
                rater: _groups(*formula.choose_rater(rater, rows)) for rater in formula.raters
            },
            "topics": _topics(formula, rows, statistics.units["id"].to_pylist()),
        },
        subsets=subsets,
        statistics=partial(replace, statistics),
        keys=("signature", *SYSTEM_KEYS, *(("subsets",) if subsets else ()), "warnings"),
        logged=("n_unjudged",),
    )


def _topics(formula: ClaimFormula, rows: CountRows, names: list[str]) -> dict[str, Scores]:
    values, sizes = formula.values(rows).tolist(), rows[:, :2].tolist()
    counts = ("n_prediction", "n_reference")
    return {
        name: Scores(dict(zip(AVERAGED, of, strict=True)) | dict(zip(counts, n, strict=True)))
        for name, of, n in zip(names, values, sizes, strict=True)
    }


@dataclass(eq=False, repr=False)
class ClaimsReport(Report):
    """Scores of the claims of several systems.

    ``report.systems["rag"]["topic"].f1``; each system is a report with statistics of its topics, so
    ``fc.compare`` and ``fc.leaderboard`` accept it.

    Attributes
    ----------
    signature : str
        Signature line: all settings that the scores depend on.
    systems : mapping of str to SystemClaims
    agreement : mapping of str to Scores
        Sizes and coefficients: ``overall``, ``prediction``, ``reference``.
    warnings : tuple of str
    """

    signature: str
    systems: Mapping[str, SystemClaims]
    agreement: Mapping[str, Scores]
    warnings: tuple[str, ...]
    make_judgments: Callable[[], pa.Table] = field(repr=False)

    def __post_init__(self) -> None:
        topics = {topic for system in self.systems.values() for topic in system.topics}
        first, *more = self.systems.values()
        super().__init__(
            f"claims: {len(self.systems)} systems, {len(topics)} topics",
            self.signature,
            {} if more else first.scores,
            subsets={name: system.scores for name, system in self.systems.items()} if more else {},
            warnings=self.warnings,
            tables=Tables(per_topic=self._per_topic, judgments=self.make_judgments),
            statistics=_no_statistics if more else first._statistics,
        )

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Scales of scores by name within a group."""
        return next(iter(self.systems.values())).scales

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: undefined scores are None."""
        systems = {
            name: {key: plain(getattr(system, key)) for key in SYSTEM_KEYS}
            for name, system in self.systems.items()
        }
        values = {"signature": self.signature, "warnings": [*self.warnings]}
        return values | {"systems": systems, "agreement": plain(self.agreement)}

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
        return [self.to_table(counts), agreement_grid("agreement of raters", self.agreement)]


def _no_statistics() -> Statistics:
    raise InputError("several systems: each has statistics of its own in `systems`")


def _groups(formula: ClaimFormula, rows: CountRows) -> Groups:
    sums = sums_of(formula.terms(rows), np.ones((1, len(rows)), np.int64))
    return {
        group: Scores({name: float(value[0]) for name, value in scores.items()})
        for group, scores in formula.groups_of(sums).items()
    }
