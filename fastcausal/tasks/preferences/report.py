"""Display of preferences: systems in all and by rater, topics, and the agreement of raters."""

from __future__ import annotations

from typing import Any

from fastcausal.report.grid import Grid
from fastcausal.tasks.labels.report import agreement_grid

KEYS = (
    "signature", "choice", "n_topics", "n_preferences", "n_missing", "warnings", "scores", "raters",
    "topics", "agreement",
)  # fmt: skip
MAX_TOPICS = 20


def grids_of(report: Any, counts: bool) -> list[Grid]:
    """Make the tables of systems, of topics, and of agreement if there are several raters."""
    del counts  # all are shown
    columns = list(next(iter(report.scores.values())))
    grid = Grid(report.title, columns, shares=("share",))
    for part, groups in {"": report.scores, **report.raters}.items():
        if part:
            grid.part(f"rater {part}")
        for system, scores in groups.items():
            grid.add(system, *(scores.get(name, "") for name in columns))
    grids = [grid, _topics(report)]
    if report.agreement["n_raters"] > 1:
        grids.append(agreement_grid("agreement of raters on the best", {"": report.agreement}))
    return grids


def _topics(report: Any) -> Grid:
    """Make a row for each topic: the share of every system, and the best."""
    n = len(report.topics)
    title = "shares by topic" if n <= MAX_TOPICS else f"shares by topic, {MAX_TOPICS} of {n}"
    grid = Grid(title, [*report.scores, "best"], shares=[*report.scores])
    for topic in [*report.topics][:MAX_TOPICS]:
        of_topic = report.topics[topic]
        shares = [of_topic["systems"].get(name, {}).get("share", "") for name in report.scores]
        grid.add(topic, *shares, ", ".join(of_topic["best"]))
    return grid
