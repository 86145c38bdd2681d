"""People as metrics: the ceiling that the agreement of raters sets for a metric."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.counts.arithmetic import mean_defined
from fastcausal.errors import format_some
from fastcausal.report.groups import Scores
from fastcausal.tasks.labels.ratings import Int64, Ratings
from fastcausal.tasks.labels.reading import read_ratings
from fastcausal.tasks.labels.report import brief, label_agreement
from fastcausal.tasks.labels.suspicion import identical_warnings
from fastcausal.tasks.meta.correlations import CORRELATIONS
from fastcausal.tasks.meta.files import JudgedScores, mean_labels
from fastcausal.tasks.meta.levels import LEVELS, RatedScores


def agreement_of(judged: JudgedScores) -> Scores:
    """Compute the agreement of raters over all rows of the judgments."""
    return brief(label_agreement(judged.judgments, level=judged.level))


def majorities(judged: JudgedScores) -> dict[str, Any]:
    """Count the rows that each class wins, and those with a tie."""
    majority = judged.majority
    assert judged.classes is not None
    wins = np.bincount(
        majority[~np.isnan(majority)].astype(np.int64), minlength=len(judged.classes)
    )
    n_judged = int((~np.isnan(judged.votes)).any(axis=0).sum())
    return {
        "majority": dict(zip(judged.classes, wins.tolist(), strict=True)),
        "n_tied": n_judged - int(wins.sum()),
    }


def warnings_of(judged: JudgedScores) -> list[str]:
    """Warn of raters that look copied, and of items of which a rater judged nothing."""
    return [*identical_warnings(_parts(judged)), *_refusals(judged)]


def _parts(judged: JudgedScores) -> dict[tuple[str, ...], Ratings]:
    """Return ratings of all systems together and of each."""
    votes = judged.judgments
    systems = _places(judged, "system")
    names = arrow.strings(judged.raters)
    parts: dict[tuple[str, ...], Ratings] = {}
    for k in (-1, *np.unique(systems).tolist()):
        rows = votes if k < 0 else votes.filter(arrow.numbers(systems == k))
        ratings = read_ratings(rows, "unit", "rater", "label")
        called = names.take(ratings.rater_names)
        parts[() if k < 0 else (judged.system_names[k],)] = replace(ratings, rater_names=called)
    return parts


def _refusals(judged: JudgedScores) -> list[str]:
    """Warn of raters who gave null to all rows of an item of a system."""
    # Claims have items "TOPIC/SIDE/NUMBER"; for them all rows of an article "TOPIC/SIDE" count.
    articles = [name.rpartition("/")[0] or name for name in judged.item_names]
    called = sorted(set(articles))
    place = np.searchsorted(called, articles)
    parts = _places(judged, "system") * len(called) + place[_places(judged, "item")]
    keys = _places(judged, "rater") * (len(judged.system_names) * len(called)) + parts
    asked, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    n_asked = np.bincount(of_row)
    n_labels = np.bincount(of_row, arrow.is_valid(arrow.joined(judged.judgments["label"])))
    raters = _places(judged, "rater")[first]
    warnings = []
    for rater, name in enumerate(judged.raters):
        empty = np.flatnonzero((raters == rater) & (n_labels == 0))
        if len(empty):
            items = [called[k] for k in np.unique(asked[empty] % len(called)).tolist()]
            rows = f"all {n_asked[empty].sum()} rows of {len(items)} items{format_some(items)}"
            warnings.append(f'unjudged: rater "{name}" gave null to {rows}')
    return warnings


def _places(judged: JudgedScores, name: str) -> Int64:
    places: Int64 = arrow.values_of(arrow.joined(judged.judgments[name]))
    return places


def ceiling(judged: JudgedScores) -> dict[str, dict[str, float]]:
    """Average over raters the correlations of each with the mean of the rest, at every level."""
    ratings = [_rows(judged, rater) for rater in range(len(judged.raters))]
    ratings = [rows for rows in ratings if len(rows.scores)]
    levels = {}
    for level, compute in LEVELS.items():
        scores = [compute(rows) for rows in ratings]
        levels[level] = {
            name: mean_defined([float(s[name][0]) for s in scores], [1] * len(scores), np.nan)
            for name in CORRELATIONS
        }
    return levels


def _rows(judged: JudgedScores, rater: int) -> RatedScores:
    """Return the labels of a rater and the means of the other raters, for rows with both."""
    means = mean_labels(np.delete(judged.votes, rater, axis=0))
    both = ~np.isnan(means) & ~np.isnan(judged.votes[rater])
    return RatedScores(
        judged.items[both], judged.systems[both], judged.votes[rater, both], means[both]
    )
