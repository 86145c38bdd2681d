"""Metrics and model judges against people: all results of their tables at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.strata import sorted_strata
from fastcausal.options import LabelPolicy, Level, Method, check
from fastcausal.significance.draws import check_draws
from fastcausal.significance.intervals import UNSURE
from fastcausal.tasks.meta import humans
from fastcausal.tasks.meta.files import JudgedScores, read_judged
from fastcausal.tasks.meta.judges import COMPARED as COMPARED_JUDGES
from fastcausal.tasks.meta.judges import Judging, warnings_of
from fastcausal.tasks.meta.metrics import MetaOptions, Metric, list_judged_rows
from fastcausal.tasks.meta.report import MetaReport, present_metrics
from fastcausal.tasks.meta.swaps import MAX_TESTED, SwapTest, check_compare, swap_tests
from fastcausal.tasks.meta.thresholds import MAX_FOLDS

FEW_SYSTEMS = 5
COMPARED = "pooled.kendall"  # the default score of tests


@dataclass(frozen=True)
class _Asked:
    """Arguments of `meta`, except its tables."""

    label: str
    level: Level | None
    raters: Sequence[str] | None
    rescale: bool
    folds: int
    epsilon: float
    compare: str | None
    method: Method | None  # of intervals; None for no intervals
    n_resamples: int
    seed: int
    by: str | None
    unmatched: LabelPolicy

    def check(self) -> None:
        """Refuse unknown words and numbers out of their range."""
        if self.level is not None:
            check("level", self.level, Level)
        check("unmatched", self.unmatched, LabelPolicy)
        check_draws(self.n_resamples, self.seed)
        if not 2 <= self.folds <= MAX_FOLDS:
            raise ValueError(f"folds is {self.folds}, expected 2 to {MAX_FOLDS}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon is {self.epsilon}, expected 0 to 1")

    def signature(self, judged: JudgedScores, more: str, tested: str | None) -> str:
        """Return the signature line: all settings that the scores depend on."""
        label = self.label if self.raters is None else "+".join(self.raters)
        return (
            f"fastcausal|{__version__}|meta|label:{label}|metrics:{'+'.join(judged.scores)}"
            f"|level:{judged.level}{more}|folds:{self.folds}|epsilon:{self.epsilon:g}"
            f"|compare:{tested or 'none'}|unit:{judged.unit}|intervals:{self.method or 'none'}"
            f"|resamples:{self.n_resamples}|seed:{self.seed}|by:{self.by or 'none'}"
            f"|unmatched:{self.unmatched}|ties:out|0/0:undefined"
        )


def meta(
    scores: Any,
    human: Any = None,
    *,
    label: str = "label",
    metrics: Sequence[str] | None = None,
    level: Level | None = None,
    raters: Sequence[str] | None = None,
    rescale: bool = False,
    folds: int = 5,
    epsilon: float = 0.2,
    compare: str | None = None,
    intervals: bool = False,
    method: Method = "jackknife",
    cluster: str | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    by: str | None = None,
    unmatched: LabelPolicy = "error",
) -> MetaReport:
    """Compare metrics and model judges with people.

    A row has a system and an item. Its human value is the mean of its labels; a row without labels
    is unjudged. Nominal labels are classes: judges give classes too, and the human value is the
    majority label. Undefined scores are NaN, and ``undefined`` has their reasons.

    Parameters
    ----------
    scores : path, table, or list of mappings
        Scores: system, item, a column per metric or judge; - for stdin. ``system`` may be missing.
    human : path, table, or list of mappings, optional
        Judgments: system, item, rater, label; - for stdin. ``system`` and ``rater`` may be missing.
    label : str
        The column of labels, numbers or words.
    metrics : sequence of str, optional
        Look at this column of scores; may be given several times. By default all columns of
        numbers, or for nominal labels all columns with more than half of their values among
        people's labels.
    level : {"nominal", "ordinal", "interval", "ratio"}, optional
        Level of measurement of labels; by default their values decide. Words, and 0 and 1, are
        nominal, other whole numbers ordinal, and numbers with fractions interval. Nominal labels
        other than 0 and 1 are classes.
    raters : sequence of str, optional
        Take labels of a rater from this column of SCORES; may be given several times. These columns
        replace ``human``. Without a column ``item`` each row is an item.
    rescale : bool
        Map scores that leave the range of labels into it. The least and the largest score of a
        metric become the least and the largest label.
    folds : int
        Try thresholds on items held out in so many parts. Up to 1,000.
    epsilon : float
        Let a rater be better than the metric by this in the alt-test.
    compare : str, optional
        Test differences of this score, as LEVEL.SCORE, between every two metrics. By default
        ``pooled.kendall``, or ``overall.accuracy`` of classes, for up to 20 metrics; for more there
        are no tests, and a warning.
    intervals : bool
        Add a confidence interval to every score. Its level is 95%; items are left out, or drawn,
        with all their rows.
    method : {"bca", "percentile", "jackknife"}
        Compute confidence intervals by the jackknife or a bootstrap (bca, percentile).
    cluster : str, optional
        Take clusters, the values of this column, as units of intervals and tests, not items.
    n_resamples : int
        Set the number of resamples. They serve intervals, tests and soft pairwise accuracy.
    seed : int
        Seed the draws with this number.
    by : str, optional
        Also look at each value of this column of scores.
    unmatched : {"error", "skip"}
        Stop at labels without score and at missing scores, or skip them.

    Raises
    ------
    InputError
        A table cannot be read or joined: a column is missing, a row has two scores or a rater two
        labels, or the policy stops.
    ValueError
        A level, policy or comparison is unknown, a number is out of its range, or ``rescale`` is
        used with classes.

    Examples
    --------
    >>> scores = {"item": list("aabbcc"), "system": list("xyxyxy"),
    ...           "f1": [0.9, 0.2, 0.8, 0.1, 0.7, 0.6]}
    >>> human = {"item": list("aabbcc"), "system": list("xyxyxy"), "label": [1, 0, 1, 0, 1, 1]}
    >>> report = meta(scores, human)
    >>> report.metrics["f1"].pooled["auc"], report.metrics["f1"].by_item["n_undefined"]
    (1.0, 1)
    """
    asked = _Asked(
        label, level, raters, rescale, folds, epsilon, compare, method if intervals else None,
        n_resamples, seed, by, unmatched,
    )  # fmt: skip
    asked.check()
    check("method", method, Method)
    judged = read_judged(scores, human, label, metrics, level, raters, by, cluster, unmatched)
    if judged.classes is None:
        check_compare(compare or COMPARED)
        return _report(asked, _compare_numbers(judged, asked))
    return _report(asked, _compare_classes(judged, judged.classes, asked))


class _Compared(NamedTuple):
    """Results of metrics, or of judges; ``compute`` makes the results of a subset."""

    judged: JudgedScores
    signature: str
    human: dict[str, Any]
    results: dict[str, Any]
    compute: Callable[[JudgedScores], dict[str, Any]]
    tests: list[SwapTest] | None
    warnings: list[str]


def _compare_numbers(judged: JudgedScores, asked: _Asked) -> _Compared:
    """Compare metrics with the mean labels of people."""
    rescaled = judged.outside if asked.rescale else []
    judged = judged.rescaled(rescaled)
    n_resamples, seed = asked.n_resamples, asked.seed
    job = MetaOptions(
        asked.folds, asked.epsilon, n_resamples, seed, asked.method, judged.bounds,
        judged.is_binary,
    )  # fmt: skip
    results = job.metrics(judged)
    tested = asked.compare or (COMPARED if len(results) <= MAX_TESTED else None)
    more = f"|rescale:{'+'.join(rescaled) or 'none'}" if asked.rescale else ""
    human: dict[str, Any] = {
        "agreement": humans.agreement_of(judged),
        "ceiling": humans.ceiling(judged),
    }
    return _Compared(
        judged,
        asked.signature(judged, more, tested),
        human,
        results,
        job.metrics,
        _swap_tests(judged, tested, n_resamples, seed) if tested else None,
        [*_warnings(judged, results), *_warn_of_undefined(results)],
    )


def _compare_classes(judged: JudgedScores, classes: tuple[str, ...], asked: _Asked) -> _Compared:
    """Compare judges who give classes with the labels of most people."""
    if asked.rescale:
        raise ValueError(f"rescale is for numbers: labels are classes ({', '.join(classes[:3])})")
    job = Judging(classes, asked.epsilon, asked.n_resamples, asked.seed, asked.method)
    tested = asked.compare or (COMPARED_JUDGES if len(judged.scores) <= MAX_TESTED else None)
    if tested:
        job.require(tested)
    results = job.judges(judged)
    human: dict[str, Any] = {
        "agreement": humans.agreement_of(judged),
        **humans.majorities(judged),
        "ceiling": job.ceiling(judged),
    }
    return _Compared(
        judged,
        asked.signature(judged, f"|classes:{len(classes)}", tested),
        human,
        results,
        job.judges,
        job.tests(judged, tested) if tested else None,
        [*humans.warnings_of(judged), *warnings_of(judged, results), *_warn_of_undefined(results)],
    )


def _swap_tests(judged: JudgedScores, tested: str, n_resamples: int, seed: int) -> list[SwapTest]:
    """Test every pair of metrics over their judged rows."""
    units = judged.units[~np.isnan(judged.labels)]
    rows = list_judged_rows(judged)
    return swap_tests(rows, units, judged.unit, tested, n_resamples, seed)


def _report(asked: _Asked, compared: _Compared) -> MetaReport:
    judged, signature, human, results, compute, tests, warnings = compared
    labels = ~np.isnan(judged.votes).all(axis=0)
    scored = np.any([~np.isnan(values) for values in judged.scores.values()], axis=0)
    parts, unvaried = _parts(judged, asked.by)
    facts = {
        "n_items": int((labels & scored).sum()),
        "n_systems": judged.n_systems,
        "n_raters": len(judged.raters),
        "n_unjudged": int((~labels).sum()),
        "classes": judged.classes,
        "human": human if len(judged.raters) > 1 else None,
        "metrics": results,
        "by": {name: compute(part) for name, part in parts.items()},
        "tests": tests or [],
    }
    untested = [_untested(results)] if tests is None else []
    return present_metrics(signature, facts, asked.method, (*warnings, *unvaried, *untested))


def _parts(judged: JudgedScores, by: str | None) -> tuple[dict[str, JudgedScores], list[str]]:
    """Return the rows of each value of a column, and warnings about constant labels in them."""
    if by is None or judged.by is None:
        return {}, []
    parts, warnings = {}, []
    names, codes = sorted_strata(pa.table({by: judged.by}), by)
    for k, name in enumerate(names):
        part = judged.take(codes == k)
        labels = part.labels if judged.classes is None else part.majority
        labels = labels[~np.isnan(labels)]
        if len(np.unique(labels)) < 2:
            warnings.append(f"labels do not vary within {by}={name} ({len(labels)} rows)")
        if not np.isnan(part.votes).all():
            parts[name] = part
    return parts, warnings


def _untested(metrics: Sized) -> str:
    n = len(metrics)
    return (
        f"tests: {n} metrics are {math.comb(n, 2)} pairs, and of more than {MAX_TESTED} metrics "
        "none is tested unless compare says by which score"
    )


def _warn_of_undefined(results: dict[str, Any]) -> list[str]:
    """Warn of scores that are undefined in many of the resamples."""
    return [
        f'intervals: {", ".join(metric.unsure)} of "{name}": {UNSURE}'
        for name, metric in results.items()
        if metric.unsure
    ]


def _warnings(judged: JudgedScores, results: dict[str, Metric]) -> list[str]:
    """Warn of constant labels and metrics, inverted metrics, too few systems, and odd raters."""
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
    if (n := judged.n_systems) < FEW_SYSTEMS:
        warnings.append(f"systems: {n}, fewer than {FEW_SYSTEMS} say little of other systems")
    return warnings
