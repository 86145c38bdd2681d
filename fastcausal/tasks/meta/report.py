"""Metrics against people, as a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastcausal.report.escapes import Cell
from fastcausal.report.grid import Bounded, Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report
from fastcausal.tasks.meta.correlations import CORRELATIONS
from fastcausal.tasks.meta.metrics import Metric
from fastcausal.tasks.meta.swaps import SwapTest

LEVELS = ("pooled", "by_item", "systems")
KEYS = (
    "signature", "warnings", "n_items", "n_systems", "n_raters", "n_unjudged", "human", "metrics",
    "by", "tests",
)  # fmt: skip
SHORT = {"pairwise_accuracy": "accuracy", "soft_pairwise_accuracy": "soft pairwise"}


@dataclass(eq=False, repr=False)
class MetaReport(Report):
    """Metrics and model judges against people.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    warnings : tuple of str
    n_items, n_systems, n_raters, n_unjudged : int
        Rows with score and label, systems, raters, and rows without any label.
    human : mapping or None
        ``agreement`` of the raters, and their ``ceiling``: each as a metric against the rest. None
        for one rater.
    metrics : mapping of str to Metric
    by : mapping of str to mapping of str to Metric
        The same for each value of a column.
    tests : list of SwapTest
        One for every two metrics.
    """

    signature: str
    warnings: tuple[str, ...]
    n_items: int
    n_systems: int
    n_raters: int
    n_unjudged: int
    human: Mapping[str, Any] | None
    metrics: Mapping[str, Metric]
    by: Mapping[str, Mapping[str, Metric]]
    tests: list[SwapTest]

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in KEYS if name.startswith("n_")}
        super().__init__(
            f"{len(self.metrics)} metrics against {self.n_raters} raters: {self.n_items} rows,"
            f" {self.n_systems} systems",
            self.signature,
            _groups(self.metrics),
            facts=sizes,
            subsets={value: _groups(metrics) for value, metrics in self.by.items()},
            warnings=self.warnings,
            keys=KEYS,
            logged=("n_items", "n_unjudged"),
        )

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table of correlations: a part per level, a row per metric."""
        return _correlations(self.title, self.metrics, self._ceiling, counts)

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return all tables: correlations, other results of metrics, raters and tests."""
        grids = [self.to_table(counts), *self._more()]
        for value, metrics in self.by.items():
            grids.append(_correlations(value, metrics, {}, counts))
        return grids

    @property
    def _ceiling(self) -> Mapping[str, Mapping[str, float]]:
        return {} if self.human is None else self.human["ceiling"]

    def _more(self) -> Iterator[Grid]:
        yield _as_labels(self.metrics)
        if any(metric.threshold for metric in self.metrics.values()):
            yield _thresholds(self.metrics)
        yield _alt_tests(self.metrics)
        yield from _estimates(self.metrics)
        if self.human is not None:
            yield _agreement(self.human["agreement"])
        if self.tests:
            yield _tests(self.tests)


def _groups(metrics: Mapping[str, Metric]) -> Groups:
    return {
        f"{name}_{level}": Scores(getattr(metric, level))
        for name, metric in metrics.items()
        for level in LEVELS
    }


def _correlations(
    title: str,
    metrics: Mapping[str, Metric],
    ceiling: Mapping[str, Mapping[str, float]],
    counts: bool,
) -> Grid:
    grid = Grid(title, [*(SHORT.get(name, name) for name in CORRELATIONS), "n"])
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


def _as_labels(metrics: Mapping[str, Metric]) -> Grid:
    grid = Grid("scores", ["auc", "bias", "mae", "calibrated", "tie threshold", "soft pairwise"])
    for name, metric in metrics.items():
        cells = _bounded(metric, "pooled", ("auc", "bias", "mae"))
        cells += _bounded(metric, "by_item", ("calibrated_accuracy", "tie_threshold"))
        grid.add(name, *cells, metric.systems["soft_pairwise_accuracy"])
    return grid


def _thresholds(metrics: Mapping[str, Metric]) -> Grid:
    columns = ["threshold", "accuracy", "held out", "precision", "recall", "f1", "mcc", "kappa"]
    grid = Grid("as a label, from a threshold on", columns)
    for name, metric in metrics.items():
        if metric.threshold is not None:
            fit = metric.threshold
            grid.add(name, fit.value, fit.accuracy, *fit.held_out.values())
    return grid


def _alt_tests(metrics: Mapping[str, Metric]) -> Grid:
    grid = Grid("in place of a rater (alt-test)", ["winning rate", "advantage", "raters"])
    for name, metric in metrics.items():
        test = metric.alt_test
        if test is None:
            grid.add(name, None, None, None)
        else:
            grid.add(name, test.winning_rate, test.advantage, test.n_raters)
    return grid


def _estimates(metrics: Mapping[str, Metric]) -> Iterator[Grid]:
    """Make a part per metric if there are unjudged rows."""
    if not any(metric.estimates for metric in metrics.values()):
        return
    grid = Grid("human mean of systems", ["judged rows", "powered", "weight", "n", "unjudged"])
    for name, metric in metrics.items():
        grid.part(name)
        for system, e in (metric.estimates or {}).items():
            judged = Bounded(e.mean, e.low, e.high)
            powered = Bounded(e.powered_mean, e.powered_low, e.powered_high)
            grid.add(system, judged, powered, e.weight, e.n, e.n_unjudged)
    yield grid


def _agreement(agreement: Mapping[str, Any]) -> Grid:
    grid = Grid("agreement of raters", [""])
    for name, value in agreement.items():
        grid.add(name.replace("_", " "), value)
    return grid


def _tests(tests: list[SwapTest]) -> Grid:
    level, score = tests[0].level, tests[0].score
    title = f"differences of {level}.{score}, metrics exchanged row by row"
    grid = Grid(title, ["delta", "p", "p adjusted"], signed=["delta"])
    for test in tests:
        grid.add(f"{test.a} - {test.b}", test.delta, test.p, test.p_adjusted)
    return grid
