"""Tables of judges who give classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastcausal.report.grid import Grid
from fastcausal.report.numbers import Bounded
from fastcausal.tasks.meta.judges import Judge

OVERALL = ("accuracy", "kappa", "mcc", "agreement")
OF_CLASS = ("precision", "recall", "f1")
MAX_CONFUSED = 8  # classes whose confusions still fit into a table


def overall(
    title: str, judges: Mapping[str, Judge], ceiling: Mapping[str, Mapping[str, float]]
) -> Grid:
    """Make a row for each judge, and one for a rater among the others."""
    grid = Grid(title, [*OVERALL, "macro f1", "n"], shares=(OVERALL[0], OVERALL[-1], "macro f1"))
    for name, judge in judges.items():
        cells = [_cell(judge, "overall", score) for score in OVERALL]
        grid.add(name, *cells, _cell(judge, "macro", "f1"), judge.scores["overall"]["n"])
    if ceiling:
        cells = [ceiling["overall"][score] for score in OVERALL]
        grid.add("(a rater)", *cells, ceiling["macro"]["f1"])
    return grid


def make_class_table(classes: tuple[str, ...], judges: Mapping[str, Judge]) -> Grid:
    """Make a part for each judge, and in it a row for each class."""
    grid = Grid("classes", [*OF_CLASS, "majority", "judge"], shares=OF_CLASS)
    for name, judge in judges.items():
        grid.part(name)
        for label in classes:
            group = f"class_{label}"
            cells = [_cell(judge, group, score) for score in OF_CLASS]
            grid.add(label, *cells, judge.scores[group]["n"], judge.scores[group]["n_judge"])
    return grid


def confusions(classes: tuple[str, ...], judges: Mapping[str, Judge]) -> Iterator[Grid]:
    """Make a part for each judge: a row for each majority, a column for each label of the judge."""
    if len(classes) > MAX_CONFUSED:
        return
    grid = Grid("rows by majority (down) and judge (across)", classes)
    for name, judge in judges.items():
        grid.part(name)
        for label, row in zip(classes, judge.confusion.tolist(), strict=True):
            grid.add(label, *row)
    yield grid


def _cell(judge: Judge, group: str, score: str) -> float:
    """Return a score, with bounds if it has any."""
    value = judge.scores[group][score]
    if judge.intervals is None:
        return value
    return Bounded(value, *judge.intervals[group][score])
