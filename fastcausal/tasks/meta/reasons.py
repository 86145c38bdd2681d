"""Reasons why numbers of a metric or a judge are undefined, by their place in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fastcausal.report.report import plain
from fastcausal.tasks.labels.ratings import Float64
from fastcausal.tasks.meta.levels import RatedScores, system_means, within

Reasons = dict[str, str]
NO_PAIRS = "no item has two rows"
NO_MAJORITY = "no row has a majority"
NOT_BINARY = "labels are not 0 and 1"
UNVARIED = "the score does not vary, or is undefined without one of the units"
NO_ROWS = "no row has a score and a label"
# Without a table if missing as a whole
UNSHOWN = (
    "threshold",
    "estimates",
    "differences",
    "human",
)


def explain_metric(
    metric: Any, rows: RatedScores, votes: Float64, bounds: tuple[float, float], n_systems: int
) -> Reasons:
    """Return the reasons of a `Metric`: votes are float64[n_raters, n] of its rows."""
    reasons = {
        f"{level}.{name}": _explain_score(level, name, rows, bounds)
        for level in ("pooled", "by_item", "systems")
        for name, value in getattr(metric, level).items()
        if value != value
    }
    for place, value in _undefined(metric.threshold, "threshold"):
        reasons[place] = NOT_BINARY if value is None else _explain_threshold(place, rows)
    for place, value in _undefined(metric.alt_test, "alt_test"):
        reasons[place] = _outside(rows, bounds) if value is None else _explain_alt_test(votes)
    reasons |= dict(_explain_all_estimates(metric, n_systems))
    return reasons | dict(_explain_intervals(metric.intervals, reasons, ""))


def explain_judge(judge: Any, votes: Float64, n_systems: int) -> Reasons:
    """Return the reasons of a `Judge`: votes are float64[n_raters, n] of its rows."""
    reasons = {}
    for place, _ in _undefined(judge.scores, "scores"):
        group, name = place.removeprefix("scores.").rsplit(".", 1)
        reasons[place] = _explain_class(group, name, bool(judge.scores["overall"]["n"]))
    for place, _ in _undefined(judge.alt_test, "alt_test"):
        reasons[place] = _explain_alt_test(votes)
    reasons |= dict(_explain_all_estimates(judge, n_systems))
    return reasons | dict(_explain_intervals(judge.intervals, reasons, "scores."))


def explain_people(human: Mapping[str, Any] | None) -> Reasons:
    """Return the reasons of the agreement of raters and of their ceiling."""
    if human is None:
        return {"human": "there is one rater"}
    shared = human["agreement"]["n_paired_units"]
    reasons = {
        place: "labels do not vary" if shared else "no row has labels of two raters"
        for place, _ in _undefined(human["agreement"], "human.agreement")
    }
    for place, _ in _undefined(human["ceiling"], "human.ceiling"):
        reasons[place] = "undefined for each rater" if shared else "no row has labels of two raters"
    return reasons


def explain_tests(tests: Sequence[Any]) -> Reasons:
    """Return the reasons of tests: a score that is undefined for one of two metrics."""
    reasons = {}
    for k, test in enumerate(tests):
        for place, _ in _undefined(test, f"tests.{k}"):
            reasons[place] = f"{test.level}.{test.score} of {test.a} or {test.b} is undefined"
    return reasons


def lines(reasons: Mapping[str, str]) -> list[str]:
    """Return a line for each reason, with the numbers that it leaves undefined.

    >>> lines({"metrics.f1.pooled.auc": "one label", "metrics.em.pooled.auc": "one label"})
    ['undefined: pooled.auc of f1, em: one label']
    """
    owners: dict[tuple[str, str], list[str]] = {}
    for place, reason in reasons.items():
        root, _, rest = place.partition(".")
        name, _, score = rest.partition(".")
        if root == "metrics" and score not in UNSHOWN and not score.startswith("intervals."):
            owners.setdefault((score, reason), []).append(name)
        elif root not in ("metrics", "by", *UNSHOWN) or (root == "human" and rest):
            owners.setdefault((place, reason), [])
    scores: dict[tuple[str, str], list[str]] = {}
    for (score, reason), names in owners.items():
        scores.setdefault((", ".join(names), reason), []).append(score)
    return [
        f"undefined: {', '.join(of)}{f' of {names}' if names else ''}: {reason}"
        for (names, reason), of in scores.items()
    ]


def _undefined(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the places of None and NaN in a value, as in its JSON."""

    def walk(value: Any, place: str) -> Iterator[tuple[str, Any]]:
        if value is None:
            yield place, value
        elif isinstance(value, dict):
            for name, item in value.items():
                for inner, _ in walk(item, f"{place}.{name}"):
                    yield inner, np.nan

    yield from walk(plain(value), place)


def _explain_score(level: str, name: str, rows: RatedScores, bounds: tuple[float, float]) -> str:
    """Return the reason of a score at a level."""
    if not len(rows.scores):
        return NO_ROWS
    if name in ("bias", "mae"):
        return _outside(rows, bounds)
    if name == "auc":
        return _explain_auc(rows)
    if level == "by_item":
        several = (np.diff(rows.item_offsets) > 1).any()
        return "scores or labels do not vary within any item" if several else NO_PAIRS
    sides = rows.scores, rows.labels
    if level == "systems":
        if len(rows.system_rows) < 2:
            return "there is one system"
        if name == "soft_pairwise_accuracy":
            return "no two systems share an item"
        sides = tuple(system_means(rows, side)[0] for side in sides)
    if len(sides[0]) < 2:
        return "there is one row"
    for side, called in zip(sides, ("scores", "labels"), strict=True):
        if side.min() == side.max():
            return f"{'means of ' if level == 'systems' else ''}{called} do not vary"
    return "the numbers are too large or too small"


def _explain_auc(rows: RatedScores) -> str:
    if rows.majority is None:
        return NOT_BINARY
    return NO_MAJORITY if np.isnan(rows.majority).all() else "the majority does not vary"


def _outside(rows: RatedScores, bounds: tuple[float, float]) -> str:
    """Return the ranges of scores and labels."""
    if not len(rows.scores):
        return NO_ROWS
    assert not within(rows.scores, bounds)
    low, high = bounds
    scores = f"{rows.scores.min():g} to {rows.scores.max():g}"
    return f"scores go from {scores}, labels from {low:g} to {high:g}; rescale maps them"


def _explain_threshold(place: str, rows: RatedScores) -> str:
    assert rows.majority is not None
    if np.isnan(rows.majority).all():
        return NO_MAJORITY
    name = place.rpartition(".")[2]
    other = "no item of another fold has a majority, or "
    why = {
        "precision": "1 is never predicted",
        "recall": "1 is never the majority",
        "f1": "1 is neither predicted nor the majority",
    }
    return other + why.get(name, "majority or predictions do not vary")


def _explain_alt_test(votes: Float64) -> str:
    if len(votes) < 2:
        return "there is one rater"
    return "no rater has 30 rows of two units that another rater judged too"


def _explain_all_estimates(found: Any, n_systems: int) -> Iterator[tuple[str, str]]:
    """Yield the reasons of the estimates of a metric or a judge, and of differences."""
    for kind in ("estimates", "differences"):
        value = getattr(found, kind)
        if value is None:
            other = "there is one system" if n_systems < 2 else f"there are {n_systems} systems"
            yield kind, "every row is judged" if found.estimates is None else other
            continue
        first = next(iter(value.values()))
        parts = value.items() if isinstance(first, dict) else [("", value)]
        for label, estimates in parts:
            yield from _explain_estimates(estimates, f"{kind}.{label}" if label else kind)


def _explain_estimates(estimates: Mapping[str, Any], place: str) -> Iterator[tuple[str, str]]:
    """Yield the reasons of estimates of systems or of their differences."""
    for name, estimate in estimates.items():
        whose = "both systems" if hasattr(estimate, "p") else "the system"
        alike = "labels do not vary" + ", or are of one cluster" * (estimate.unit != "item")
        for inner, _ in _undefined(estimate, f"{place}.{name}"):
            powered = inner.rpartition(".")[2].startswith(("powered", "weight", "p"))
            if powered and estimate.n and not estimate.n_unjudged:
                yield inner, f"every row of {whose} is judged"
            elif estimate.n > 1:
                yield inner, alike
            else:
                yield inner, f"fewer than two rows of {whose} are judged"


def _explain_intervals(
    intervals: Mapping[str, Any] | None, reasons: Reasons, prefix: str
) -> Iterator[tuple[str, str]]:
    """Yield the reasons of undefined bounds: the score's own reason, or that it does not vary."""
    for group, scores in (intervals or {}).items():
        for name, (low, high) in scores.items():
            if low == low and high == high:
                continue
            reason = reasons.get(f"{prefix}{group}.{name}", UNVARIED)
            yield f"intervals.{group}.{name}", reason


def _explain_class(group: str, name: str, voted: bool) -> str:
    """Return the reason of a score of a judge."""
    if not voted:
        return NO_MAJORITY
    label = group.removeprefix("class_")
    return {
        "precision": f'the judge never gives "{label}"',
        "recall": f'the majority is never "{label}"',
        "f1": f'neither the judge nor the majority gives "{label}"',
    }.get(name, "majority and judge give one label alone")
