"""Metrics and model judges against people: all results of their tables at once."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.strata import sorted_strata
from fastcausal.options import LabelPolicy, Level, check
from fastcausal.significance.draws import check_draws
from fastcausal.tasks.meta import humans
from fastcausal.tasks.meta.files import JudgedScores, read_judged
from fastcausal.tasks.meta.metrics import MetaOptions, Metric, all_rows
from fastcausal.tasks.meta.report import MetaReport
from fastcausal.tasks.meta.swaps import MOST_UNASKED, check_compare, swap_tests
from fastcausal.tasks.meta.thresholds import MOST_FOLDS

FEW_SYSTEMS = 5
COMPARED = "pooled.kendall"  # the default score of tests


def meta(
    scores: Any,
    human: Any,
    *,
    label: str = "label",
    metrics: Sequence[str] | None = None,
    level: Level = "nominal",
    folds: int = 5,
    epsilon: float = 0.2,
    compare: str | None = None,
    intervals: bool = False,
    cluster: str | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    by: str | None = None,
    unmatched: LabelPolicy = "error",
) -> MetaReport:
    """Compare metrics and model judges with people, whom they may replace.

    A row has a system and an item. Its human value is the mean of its labels; a row without labels
    is unjudged. Undefined scores are NaN.

    Parameters
    ----------
    scores : path, table, or list of mappings
        A row per system and item: ``system`` (may be missing), ``item``, a column per metric.
    human : path, table, or list of mappings
        A row per judgment: ``system``, ``item``, ``rater`` (may be missing), and the label.
    label : str
        The column of ``human`` with the label, a number.
    metrics : sequence of str, optional
        Columns of ``scores``; by default all columns of numbers.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement of alpha.
    folds : int
        Number of parts of the items: a threshold is tested on items it was not fitted to; up to
        1,000.
    epsilon : float
        Allowed advantage of a rater over the metric in the alt-test.
    compare : str, optional
        ``LEVEL.SCORE`` of the tests between every two metrics. By default ``pooled.kendall`` for
        up to 20 metrics; for more there are no tests, and a warning.
    intervals : bool
        Add a 95% interval to every score, drawing items with all their rows.
    cluster : str, optional
        A column of ``scores``; its values are drawn instead of items.
    n_resamples, seed : int
        For intervals, tests and soft pairwise accuracy.
    by : str, optional
        A column of ``scores``; all metrics are computed again for each of its values.
    unmatched : {"error", "skip"}
        Labels without score and missing scores are an error, or left out.

    Raises
    ------
    InputError
        A table cannot be read or joined: a column is missing, a row has two scores or a rater two
        labels, or the policy stops.
    ValueError
        An unknown level, policy or comparison, or a number out of its range.

    Examples
    --------
    >>> scores = {"item": list("aabbcc"), "system": list("xyxyxy"),
    ...           "f1": [0.9, 0.2, 0.8, 0.1, 0.7, 0.6]}
    >>> human = {"item": list("aabbcc"), "system": list("xyxyxy"), "label": [1, 0, 1, 0, 1, 1]}
    >>> report = meta(scores, human)
    >>> report.metrics["f1"].pooled["auc"], report.metrics["f1"].by_item["n_undefined"]
    (1.0, 1)
    """
    check("level", level, Level)
    check("unmatched", unmatched, LabelPolicy)
    check_compare(compare or COMPARED)
    check_draws(n_resamples, seed)
    if not 2 <= folds <= MOST_FOLDS:
        raise ValueError(f"folds is {folds}, expected 2 to {MOST_FOLDS}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon is {epsilon}, expected 0 to 1")
    judged = read_judged(scores, human, label, metrics, by, cluster, unmatched)
    job = MetaOptions(folds, epsilon, n_resamples, seed, intervals, judged.bounds, judged.is_binary)
    results = job.metrics(judged)
    tested = compare or (COMPARED if len(results) <= MOST_UNASKED else None)
    several = len(judged.raters) > 1
    drawn = (cluster or "item") if intervals else "none"
    policies = (
        f"label:{label}|metrics:{'+'.join(judged.scores)}|level:{level}|folds:{folds}"
        f"|epsilon:{epsilon:g}|compare:{tested or 'none'}|intervals:{drawn}|resamples:{n_resamples}"
        f"|seed:{seed}|by:{by or 'none'}|unmatched:{unmatched}|ties:out|0/0:undefined"
    )
    labels = judged.labels
    scored = np.any([~np.isnan(values) for values in judged.scores.values()], axis=0)
    parts, warnings = _parts(judged, by)
    return MetaReport(
        signature=f"fastcausal|{__version__}|meta|{policies}",
        warnings=(
            *_warnings(judged, results),
            *warnings,
            *([] if tested else [_untested(results)]),
        ),
        n_items=int((~np.isnan(labels) & scored).sum()),
        n_systems=len(np.unique(judged.systems)),
        n_raters=len(judged.raters),
        n_unjudged=int(np.isnan(labels).sum()),
        human={
            "agreement": humans.agreement_of(judged, level),
            "ceiling": humans.ceiling(judged),
        }
        if several
        else None,
        metrics=results,
        by={name: job.metrics(part) for name, part in parts.items()},
        tests=swap_tests(all_rows(judged), tested, n_resamples, seed) if tested else [],
    )


def _parts(judged: JudgedScores, by: str | None) -> tuple[dict[str, JudgedScores], list[str]]:
    """Return the rows of each value of a column, and warnings of labels that do not vary there."""
    if by is None or judged.by is None:
        return {}, []
    parts, warnings = {}, []
    names, codes = sorted_strata(pa.table({by: judged.by}), by)
    for k, name in enumerate(names):
        part = judged.take(codes == k)
        labels = part.labels
        labels = labels[~np.isnan(labels)]
        if len(np.unique(labels)) < 2:
            warnings.append(f"labels do not vary within {by}={name} ({len(labels)} rows)")
        if len(labels):
            parts[name] = part
    return parts, warnings


def _untested(metrics: Sized) -> str:
    n = len(metrics)
    return (
        f"tests: {n} metrics are {math.comb(n, 2)} pairs, and of more than {MOST_UNASKED} metrics "
        "none is tested unless compare says by which score"
    )


def _warnings(judged: JudgedScores, results: dict[str, Metric]) -> list[str]:
    """Warn of what makes the numbers say less than they seem to."""
    warnings = humans.warnings_of(judged)
    labels = judged.labels[~np.isnan(judged.labels)]
    if labels.min() == labels.max():
        warnings.append(f"constant: the human value is {labels[0]:g} on all {len(labels)} rows")
    for name, metric in results.items():
        scores = judged.scores[name][~np.isnan(judged.labels)]
        scores = scores[~np.isnan(scores)]
        if len(scores) and scores.min() == scores.max():
            warnings.append(f'constant: metric "{name}" is {scores[0]:g} on all {len(scores)} rows')
        if metric.pooled["auc"] < 0.5:
            auc = f"{metric.pooled['auc']:.4f}"
            warnings.append(f'inverted: metric "{name}" has an AUC of {auc}, below 0.5')
    if (n := len(np.unique(judged.systems))) < FEW_SYSTEMS:
        warnings.append(f"systems: {n}, fewer than {FEW_SYSTEMS} say little of other systems")
    return warnings
