"""Metrics against people, as a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastcausal.errors import counted
from fastcausal.report.escapes import Cell
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Bounded
from fastcausal.report.report import Report
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
METRICS_SWAPPED = "permutation test by row"
JUDGES_SWAPPED = "permutation test by item or cluster"
SHORT = {"pairwise_accuracy": "accuracy", "soft_pairwise_accuracy": "soft pairwise"}


@dataclass(eq=False, repr=False)
class MetaReport(Report):
    """Metrics and model judges against people.

    Attributes
    ----------
    signature : str
        Signature line: all settings that the scores depend on.
    warnings : tuple of str
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

    signature: str
    warnings: tuple[str, ...]
    n_items: int
    n_systems: int
    n_raters: int
    n_unjudged: int
    classes: tuple[str, ...] | None
    human: Mapping[str, Any] | None
    metrics: Mapping[str, Any]
    by: Mapping[str, Mapping[str, Any]]
    tests: list[SwapTest]

    undefined: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in KEYS if name.startswith("n_")}
        compared = counted(len(self.metrics), "judge" if self.classes else "metric")
        rows = f"{counted(self.n_items, 'row')}, {counted(self.n_systems, 'system')}"
        classes = f", {len(self.classes)} classes" if self.classes else ""
        self.undefined = self._reasons()
        super().__init__(
            f"{compared} against {counted(self.n_raters, 'rater')}: {rows}{classes}",
            self.signature,
            _groups(self.metrics),
            facts=sizes,
            subsets={value: _groups(metrics) for value, metrics in self.by.items()},
            warnings=self.warnings,
            legend=(*self._brackets(), *reasons.lines(self.undefined)),
            keys=KEYS,
            logged=("n_items", "n_unjudged"),
        )

    def _brackets(self) -> Iterator[str]:
        """Yield legend lines that explain the numbers in brackets."""
        every = [*self.metrics.values(), *(m for part in self.by.values() for m in part.values())]
        if any(metric.intervals for metric in every):
            yield "scores [low, high]: 95% confidence interval (percentile bootstrap)"
        if any(metric.estimates for metric in every):
            yield "judged rows, powered [low, high]: 95% confidence interval of the mean"

    def _reasons(self) -> dict[str, str]:
        """Return the reason of each undefined number, by its place in the report."""
        roots = {"metrics": self.metrics} | {f"by.{v}": part for v, part in self.by.items()}
        places: dict[str, str] = {}
        for root, metrics in roots.items():
            for name, metric in metrics.items():
                places |= {f"{root}.{name}.{at}": why for at, why in metric.undefined.items()}
        return places | reasons.explain_people(self.human) | reasons.explain_tests(self.tests)

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table of correlations: a part per level, a row per metric; or of judges."""
        if self.classes:
            return class_tables.overall(self.title, self.metrics, self._ceiling)
        return _correlations(self.title, self.metrics, self._ceiling)

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return all tables: correlations, other results of metrics, raters and tests."""
        grids = [self.to_table(counts), *self._more()]
        table = class_tables.overall if self.classes else _correlations
        return [*grids, *(table(value, metrics, {}) for value, metrics in self.by.items())]

    @property
    def _ceiling(self) -> Mapping[str, Mapping[str, float]]:
        return {} if self.human is None else self.human["ceiling"]

    def _more(self) -> Iterator[Grid]:
        if self.classes:
            yield class_tables.make_class_table(self.classes, self.metrics)
            yield from class_tables.confusions(self.classes, self.metrics)
        else:
            yield _make_grid(self.metrics)
        if any(getattr(metric, "threshold", None) for metric in self.metrics.values()):
            yield _thresholds(self.metrics)
        yield _alt_tests(self.metrics)
        yield from (class_tables.shares if self.classes else _estimates)(self.metrics)
        if self.human is not None:
            yield _agreement(self.human)
        if self.tests:
            yield _tests(self.tests, self.classes)


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


def _estimates(metrics: Mapping[str, Metric]) -> Iterator[Grid]:
    """Make a part per metric if there are unjudged rows."""
    if not any(metric.estimates for metric in metrics.values()):
        return
    grid = Grid("human mean of systems", ["judged rows", "powered", "weight", "n", "unjudged"])
    for name, metric in metrics.items():
        grid.part(name)
        for system, e in (metric.estimates or {}).items():
            grid.add(system, *class_tables.estimate_cells(e))
    yield grid


def _agreement(human: Mapping[str, Any]) -> Grid:
    grid = agreement_grid("agreement of raters", {"": human["agreement"]})
    if "majority" in human:
        grid.part("majority")
        for label, n in human["majority"].items():
            grid.add(label, n)
        grid.add("(tied)", human["n_tied"])
    return grid


def _tests(tests: list[SwapTest], classes: tuple[str, ...] | None) -> Grid:
    level, score = tests[0].level, tests[0].score
    judge = None if classes is None else JudgeFormula(classes, True, None, None)
    scale = SCALES[score] if judge is None else judge.scale(level, score)
    title = f"differences of {level}.{score}, {JUDGES_SWAPPED if classes else METRICS_SWAPPED}"
    shares = ["delta"] if scale.kind == "share" else []
    columns = ["delta", "p-value", "p-value (Holm)"]
    grid = Grid(title, columns, signed=["delta"], shares=shares)
    for test in tests:
        grid.add(f"{test.a} - {test.b}", test.delta, test.p, test.p_adjusted)
    return grid
