"""Metrics against people, as a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastcausal.errors import counted
from fastcausal.options import Method
from fastcausal.report.escapes import Cell
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Bounded
from fastcausal.report.report import Report
from fastcausal.significance.draws import METHODS
from fastcausal.tasks.labels.report import agreement_grid
from fastcausal.tasks.meta import class_tables, reasons
from fastcausal.tasks.meta.correlations import CORRELATIONS
from fastcausal.tasks.meta.judges import Judge, JudgeFormula
from fastcausal.tasks.meta.levels import SCALES
from fastcausal.tasks.meta.metrics import Metric
from fastcausal.tasks.meta.swaps import SwapTest

LEVELS = ("pooled", "by_item", "systems")
KEYS = (
    "signature", "warnings", "n_items", "n_systems", "n_raters", "n_unjudged", "classes", "human",
    "metrics", "by", "tests", "undefined",
)  # fmt: skip
SHORT = {"pairwise_accuracy": "accuracy", "soft_pairwise_accuracy": "soft pairwise"}


MetaReport = Report
"""Metrics and model judges against people.

Attributes
----------
n_items, n_systems, n_raters, n_unjudged : int
    Rows with score and label, systems, raters, and rows without any label.
classes : tuple of str or None
    Nominal labels, ascending; None for numbers, and for 0 and 1.
human : mapping or None
    ``agreement`` of the raters, and their ``ceiling``: each as a metric against the rest; of
    classes also ``majority``, the rows that each class wins, and ``n_tied``. None for one
    rater.
metrics : mapping of str to Metric, or to Judge for classes
by : mapping of str to mapping of str to Metric or Judge
    The same for each value of a column.
tests : list of SwapTest
    One for every two metrics.
undefined : mapping of str to str
    Reason of each undefined number, by its place, such as ``metrics.f1.pooled.auc``.
"""


def present_metrics(
    signature: str,
    facts: Mapping[str, Any],  # all but the reasons of undefined numbers
    method: Method | None,  # of intervals
    warnings: tuple[str, ...],
) -> MetaReport:
    """Make the report of metrics or judges."""
    metrics, by, classes = (facts[name] for name in ("metrics", "by", "classes"))
    compared = counted(len(metrics), "judge" if classes else "metric")
    rows = f"{counted(facts['n_items'], 'row')}, {counted(facts['n_systems'], 'system')}"
    each = f", {len(classes)} classes" if classes else ""
    undefined = _list_reasons(facts)
    return MetaReport(
        f"{compared} against {counted(facts['n_raters'], 'rater')}: {rows}{each}",
        signature,
        _groups(metrics),
        facts={**facts, "undefined": undefined},
        subsets={value: _groups(part) for value, part in by.items()},
        warnings=warnings,
        legend=(*_explain_brackets(metrics, by, method), *reasons.lines(undefined)),
        keys=KEYS,
        logged=("n_items", "n_unjudged"),
        grids=_grids,
    )


def _explain_brackets(
    metrics: Mapping[str, Any], by: Mapping[str, Mapping[str, Any]], method: Method | None
) -> Iterator[str]:
    """Yield legend lines that explain the numbers in brackets."""
    every = [*metrics.values(), *(metric for part in by.values() for metric in part.values())]
    if method is not None:
        yield f"scores [low, high]: 95% confidence interval ({METHODS[method]})"
    if any(metric.estimates for metric in every):
        yield "judged rows, powered [low, high]: 95% confidence interval of the mean"
    if any(metric.differences for metric in every):
        yield "differences: p by Student's t, of the powered difference"


def _list_reasons(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the reason of each undefined number, by its place in the report."""
    roots = {"metrics": facts["metrics"]} | {f"by.{v}": part for v, part in facts["by"].items()}
    places = {
        f"{root}.{name}.{at}": why
        for root, metrics in roots.items()
        for name, metric in metrics.items()
        for at, why in metric.undefined.items()
    }
    return places | reasons.explain_people(facts["human"]) | reasons.explain_tests(facts["tests"])


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make all tables: correlations or judges, other results, raters, tests and subsets."""
    table = class_tables.overall if report.classes else _correlations
    ceiling = {} if report.human is None else report.human["ceiling"]
    parts = (table(value, metrics, {}) for value, metrics in report.by.items())
    return [table(report.title, report.metrics, ceiling), *_more(report), *parts]


def _more(report: Report) -> Iterator[Grid]:
    """Yield the other results of metrics, raters and tests."""
    if report.classes:
        yield class_tables.make_class_table(report.classes, report.metrics)
        yield from class_tables.confusions(report.classes, report.metrics)
    else:
        yield _make_grid(report.metrics)
    if any(getattr(metric, "threshold", None) for metric in report.metrics.values()):
        yield _thresholds(report.metrics)
    yield _alt_tests(report.metrics)
    yield from _estimates(report.metrics, report.classes)
    if report.human is not None:
        yield _agreement(report.human)
    if report.tests:
        yield _tests(report.tests, report.classes)


def _groups(metrics: Mapping[str, Any]) -> Groups:
    if any(isinstance(metric, Judge) for metric in metrics.values()):
        return {
            f"{name}_{group}": Scores(scores)
            for name, judge in metrics.items()
            for group, scores in judge.scores.items()
        }
    return {
        f"{name}_{level}": Scores(getattr(metric, level))
        for name, metric in metrics.items()
        for level in LEVELS
    }


def _correlations(
    title: str,
    metrics: Mapping[str, Metric],
    ceiling: Mapping[str, Mapping[str, float]],
) -> Grid:
    columns = [SHORT.get(name, name) for name in CORRELATIONS]
    grid = Grid(title, [*columns, "n"], shares=columns[-1:])
    for level in LEVELS:
        grid.part(level.replace("_", " "))
        for name, metric in metrics.items():
            grid.add(name, *_bounded(metric, level, CORRELATIONS), getattr(metric, level)["n"])
        if level in ceiling:
            grid.add("(a rater)", *ceiling[level].values())
    return grid


def _bounded(metric: Metric, level: str, names: tuple[str, ...]) -> list[Cell]:
    """Return scores of a level, with bounds if they have any."""
    values = getattr(metric, level)
    bounds = (metric.intervals or {}).get(level, {})
    return [
        Bounded(values[name], *bounds[name]) if name in bounds else values[name] for name in names
    ]


def _make_grid(metrics: Mapping[str, Metric]) -> Grid:
    columns = ["auc", "bias", "mae", "calibrated", "tie threshold", "soft pairwise"]
    grid = Grid("scores", columns, shares=("auc", "calibrated", "soft pairwise"))
    for name, metric in metrics.items():
        cells = _bounded(metric, "pooled", ("auc", "bias", "mae"))
        cells += _bounded(metric, "by_item", ("calibrated_accuracy", "tie_threshold"))
        grid.add(name, *cells, metric.systems["soft_pairwise_accuracy"])
    return grid


def _thresholds(metrics: Mapping[str, Metric]) -> Grid:
    columns = ["threshold", "accuracy", "held out", "precision", "recall", "f1", "mcc", "kappa"]
    grid = Grid("as a label, from a threshold on", columns, shares=columns[1:-2])
    for name, metric in metrics.items():
        if metric.threshold is not None:
            fit = metric.threshold
            grid.add(name, fit.value, fit.accuracy, *fit.held_out.values())
    return grid


def _alt_tests(metrics: Mapping[str, Metric]) -> Grid:
    columns = ["winning rate", "advantage", "raters"]
    grid = Grid("in place of a rater (alt-test)", columns, shares=columns[:2])
    for name, metric in metrics.items():
        test = metric.alt_test
        if test is None:
            grid.add(name, None, None, None)
        else:
            grid.add(name, test.winning_rate, test.advantage, test.n_raters)
    return grid


def _estimates(metrics: Mapping[str, Any], classes: tuple[str, ...] | None) -> Iterator[Grid]:
    """Yield tables of systems and of differences, if there are unjudged rows: a part per metric."""
    titles = {"estimates": "share of a label" if classes else "human mean of systems",
              "differences": "differences of systems on the same items"}  # fmt: skip
    for kind, title in titles.items():
        parts = {name: getattr(metric, kind) for name, metric in metrics.items()}
        if not any(parts.values()):
            continue
        if classes:
            parts = {f"{name}: {label}": each for name, found in parts.items()
                     for label, each in (found or {}).items()}  # fmt: skip
        tested = kind == "differences"
        columns = ["powered", "p-value (Holm)"] if tested else ["judged rows", "powered", "weight"]
        grid = Grid(
            title,
            [*columns, "n", "unjudged"],
            shares=columns[: 2 - tested] if classes else (),
            signed=columns[:1] * tested,
        )
        for name, rows in parts.items():
            grid.part(name)
            for row, e in (rows or {}).items():
                powered = Bounded(e.powered_mean, e.powered_low, e.powered_high)
                judged = Bounded(e.mean, e.low, e.high)
                cells = (powered, e.p_adjusted) if tested else (judged, powered, e.weight)
                grid.add(row, *cells, e.n, e.n_unjudged)
        yield grid


def _agreement(human: Mapping[str, Any]) -> Grid:
    grid = agreement_grid("agreement of raters", {"": human["agreement"]})
    if "majority" in human:
        grid.part("majority")
        for label, n in human["majority"].items():
            grid.add(label, n)
        grid.add("(tied)", human["n_tied"])
    return grid


def _tests(tests: Sequence[SwapTest], classes: tuple[str, ...] | None) -> Grid:
    level, score = tests[0].level, tests[0].score
    judge = None if classes is None else JudgeFormula(classes, True, None, None)
    scale = SCALES[score] if judge is None else judge.scale(level, score)
    title = f"differences of {level}.{score}, permutation test by {tests[0].unit}"
    shares = ["delta"] if scale.kind == "share" else []
    columns = ["delta", "p-value", "p-value (Holm)"]
    grid = Grid(title, columns, signed=["delta"], shares=shares)
    for test in tests:
        grid.add(f"{test.a} - {test.b}", test.delta, test.p, test.p_adjusted)
    return grid
