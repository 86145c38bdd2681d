"""Scores of judged claims for each system, and the agreement of raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.claims.formula import AVERAGED, SIDES, ClaimFormula
from fastcausal.tasks.labels.report import agreement_grid

if TYPE_CHECKING:
    import pyarrow as pa

SYSTEM_KEYS = ("n_topics", "n_claims", "n_unjudged", "scores", "raters", "topics")
SEVERAL = "several systems: each has statistics of its own in `systems`"

ClaimsReport = Report
"""Scores of the claims of several systems.

``report.systems["rag"]["topic"].f1``; each system is a report with statistics of its topics, so
``fc.compare`` and ``fc.leaderboard`` accept it. ``system["topic"].f1`` is the mean of F1 over
topics, ``system["claim"].f1`` the F1 of summed claims, ``system["means"].f1`` the F1 of mean
precision and mean recall.

Attributes
----------
systems : mapping of str to Report
    ``n_topics``; claims of both sides ``n_claims``; nulls over all raters ``n_unjudged``; the
    scores of each rater alone ``raters``; precision, recall, F1 and claims of each topic
    ``topics``.
agreement : mapping of str to Scores
    Sizes and coefficients: ``overall``, ``prediction``, ``reference``.
per_topic : pyarrow.Table
    Topics: system, item, precision, recall, f1.
judgments : pyarrow.Table
    Judgments: system, item, rater, label.
"""


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of the claims of a system; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, ClaimFormula)
    assert statistics.units is not None
    rows = statistics.rows_of_units()
    *sizes, n_unjudged = rows[:, :3].sum(axis=0).tolist()
    return Report.of(
        f"claims of {len(rows)} topics",
        statistics,
        by,
        facts={
            "n_topics": len(rows),
            "n_claims": dict(zip(SIDES, sizes, strict=True)),
            "n_unjudged": n_unjudged,
            "raters": {name: _score_rater(formula, name, rows) for name in formula.raters},
            "topics": _topics(formula, rows, statistics.units["id"].to_pylist()),
        },
        warnings=(),
        keys=("signature", *SYSTEM_KEYS, "subsets?", "warnings"),
        logged=("n_unjudged",),
    )


def _score_rater(formula: ClaimFormula, rater: str, rows: CountRows) -> dict[str, Scores]:
    alone, of_rater = formula.choose_rater(rater, rows)
    return alone.groups_from(of_rater, np.ones(len(of_rater), np.int64))


def _topics(formula: ClaimFormula, rows: CountRows, names: list[str]) -> dict[str, Scores]:
    values, sizes = formula.values(rows).tolist(), rows[:, :2].tolist()
    counts = ("n_prediction", "n_reference")
    return {
        name: Scores(dict(zip(AVERAGED, of, strict=True)) | dict(zip(counts, n, strict=True)))
        for name, of, n in zip(names, values, sizes, strict=True)
    }


def present_systems(
    signature: str,
    systems: Mapping[str, Report],
    agreement: Mapping[str, Scores],
    warnings: tuple[str, ...],
    judgments: Callable[[], pa.Table],
) -> ClaimsReport:
    """Make the report of the claims of several systems."""
    topics = {topic for system in systems.values() for topic in system.topics}
    first, *more = systems.values()
    return ClaimsReport(
        f"claims: {len(systems)} systems, {len(topics)} topics",
        signature,
        {} if more else first.scores,
        facts={"systems": systems, "agreement": agreement},
        subsets={name: system.scores for name, system in systems.items()} if more else {},
        warnings=warnings,
        tables=Tables(per_topic=partial(_tabulate_topics, systems), judgments=judgments),
        statistics=SEVERAL if more else first.statistics,
        scales=first.scales,
        keys=("signature", "warnings", "systems", "agreement"),
        values={"systems": _list_systems},
        grids=_grids,
    )


def _list_systems(report: Report) -> dict[str, Any]:
    return {
        name: {key: value for key, value in system.to_dict().items() if key in SYSTEM_KEYS}
        for name, system in report.systems.items()
    }


def _tabulate_topics(systems: Mapping[str, Report]) -> pa.Table:
    import pyarrow as pa

    rows = [
        {"system": system, "item": topic, **{name: scores[name] for name in AVERAGED}}
        for system, report in systems.items()
        for topic, scores in report.topics.items()
    ]
    names = ("system", "item", *AVERAGED)
    types = [pa.string()] * 2 + [pa.float64()] * len(AVERAGED)
    columns = ([row[name] for row in rows] for name in names)
    arrays = (pa.array(c, kind, from_pandas=True) for c, kind in zip(columns, types, strict=True))
    return pa.table(dict(zip(names, arrays, strict=True)))


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a part per system, a row per way of averaging topics; the agreement of raters."""
    parts = {name: system.scores for name, system in report.systems.items()}
    grids = [scores_table(report.title, parts, counts)]
    if report.agreement["overall"]["n_raters"] > 1:
        grids.append(agreement_grid("agreement of raters", report.agreement))
    return grids
