"""Groups of pairs with a type, marks and means: the common part of frames and chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import By
from fastcausal.counts.means import MeanFormula
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import Warnings, warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Number, Scores
from fastcausal.report.numbers import COVERAGE
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import CountRows, Float64, Int64, sums_of
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.count import LABEL_OF_CLASS, Answers, read_answers
from fastcausal.tasks.crab.files import CLASSES, Int8, JudgedPairs, read_pairs
from fastcausal.tasks.crab.pairwise import warnings_of
from fastcausal.tasks.crab.parse import LABELS

MEASURES = ("f1", "em")


@dataclass(frozen=True, eq=False)
class ClassedPairs:
    """Judged pairs, their classes, and the answers of one system, if any."""

    pairs: JudgedPairs
    classes: Int8  # int8[n]: Codes of the classes A to D
    answers: Answers | None
    choices: Choices

    @property
    def n_labels(self) -> int:
        """Number of labels of the task."""
        return len(LABELS[self.choices.task])

    @property
    def labels_of_classes(self) -> Int8:
        """Label of each class: the class itself, or the answer of the task that stands for it."""
        return np.array(LABEL_OF_CLASS.get(self.choices.task, range(len(CLASSES))), np.int8)

    @property
    def labels(self) -> Int8:
        """Label of each pair in gold."""
        is_class = self.choices.task not in LABEL_OF_CLASS
        return self.classes if is_class else self.labels_of_classes[self.classes]

    @cached_property
    def counted(self) -> Int8:
        """Label of each answer, as in `Answers.counted`; all are -1 without answers."""
        return (
            np.full(len(self.pairs), -1, np.int8) if self.answers is None else self.answers.counted
        )

    @property
    def warnings(self) -> Warnings:
        """Warnings for readers of the numbers."""
        warnings = self.pairs.disagreements(self.choices.border)
        return warnings if self.answers is None else warnings_of(self.answers, warnings)

    @property
    def coverage(self) -> dict[str, Any] | None:
        """Number and share of answers read; None without answers."""
        return None if self.answers is None else self.answers.coverage()


def read_judged(gold: Any, pred: Any, choices: Choices) -> ClassedPairs:
    """Read gold, and the answers of one system unless ``pred`` is None."""
    pairs = read_pairs(gold)
    classes = pairs.classes(choices.border, choices.gold_from)
    answers = None
    if pred is not None:
        answers = read_answers(pred, pairs, choices)
    return ClassedPairs(pairs, classes, answers, choices)


def typed_rows(marks: Float64, type_of: Int64, n_types: int) -> CountRows:
    """Return rows of a `MeanFormula`: both marks, then a column per type, 1 for the unit's type."""
    return np.hstack([marks, type_of[:, None] == np.arange(n_types)])


def sums_by_type(values: Any, type_of: Int64, n_types: int) -> list[Number]:
    """Sum integers over all units, then over each type; NaN if ``values`` is None."""
    if values is None:
        return [float("nan")] * (1 + n_types)
    sums = np.bincount(type_of, values, n_types).astype(np.int64).tolist()
    return [sum(sums), *sums]


def groups_of(
    formula: MeanFormula, rows: CountRows, times: Int64, counts: Mapping[str, Sequence[Number]]
) -> Groups:
    """Return counts and means of all units and of each type; ``counts`` start with all units."""
    measures, members = np.hsplit(rows, [len(formula.measures)])
    alone = MeanFormula(formula.measures, ())
    # Equal to the sums of all terms, but zeros of units of other types are not added.
    sums = [
        sums_of(alone.terms(measures[chosen]), times[None, chosen])
        for chosen in (slice(None), *(members.T > 0))
    ]
    means = formula.groups_of(np.hstack(sums))
    return {
        group: Scores(
            {name: values[k] for name, values in counts.items()}
            | {name: float(value[0]) for name, value in scores.items()}
        )
        for k, (group, scores) in enumerate(means.items())
    }


def units_of(
    # `topic_id`: all topics, and each unit's index among them; other keys: [n]
    named: Mapping[str, Any],
    typed: tuple[tuple[str, ...], Int64],  # all types, and the type of each unit [n]
    columns: Mapping[str, Any],  # counts [n]; None for a column of nulls
) -> pa.Table:
    """Return the table of units."""
    key = {
        name: values[0].take(pa.array(values[1])) if isinstance(values, tuple) else pa.array(values)
        for name, values in named.items()
    }
    types, type_of = typed
    counts = {
        name: pa.nulls(len(type_of), pa.int64()) if values is None else pa.array(values)
        for name, values in columns.items()
    }
    ids = pc.binary_join_element_wise(*(column.cast(pa.string()) for column in key.values()), "/")
    of_type = pa.array(types, pa.string()).take(pa.array(type_of))
    return pa.table({"id": ids, **key, "type": of_type, **counts})


def values_in(units: pa.Table, names: Sequence[str]) -> dict[str, Any]:
    """Return columns of counts by name; None for a column with a null."""
    return {
        name: None if units[name].null_count else arrow.values_of(arrow.joined(units[name]))
        for name in names
    }


def types_in(statistics: Statistics) -> Int64:
    """Return the index of each unit's type."""
    assert statistics.units is not None
    assert isinstance(statistics.formula, MeanFormula)
    types = pa.array(statistics.formula.subsets, pa.string())
    return np.asarray(pc.index_in(arrow.joined(statistics.units["type"]), types), np.int64)


@dataclass(frozen=True)
class Shape:
    """The words of a report of frames or chains."""

    titles: Mapping[str, str]  # facts, and their names in the title
    columns: Mapping[str, str]  # counts, and their headers on the terminal
    table: str  # the name of the table of units
    fields: tuple[str, ...]  # its columns


def present_shapes(
    shape: Shape,
    about: Statistics,  # formula, signature and warnings
    groups: Groups,
    coverage: Mapping[str, Any] | None,  # None without answers, or if statistics lack it
    statistics: Statistics | Callable[[], Statistics],
    subsets: Mapping[str, Groups] | None = None,
) -> Report:
    """Make the report of counts and means of groups of pairs, by their type."""
    facts = {name: int(groups["overall"][name]) for name in shape.titles}
    title = ", ".join(f"{n} {shape.titles[name]}" for name, n in facts.items())
    if coverage is not None:
        title += f", {coverage['n_read']} answers read ({coverage['share']:.1%})"
    return Report(
        title,
        about.signature,
        groups,
        facts={**facts, "coverage": coverage},
        subsets=subsets,
        warnings=warning_lines(about.warnings),
        tables=Tables(**{shape.table: partial(_tabulate, statistics, shape.fields)}),
        statistics=statistics,
        scales={"read": COVERAGE},
        keys=("signature", *facts, "coverage", "scores", "subsets?", "warnings"),
        grids=partial(_grids, shape),
        summary=_summarize,
    )


def present_units(
    shape: Shape, statistics: Statistics, groups: Callable[[Statistics], Groups], by: By
) -> Report:
    """Make the report of statistics; ``groups`` computes the groups of all or some units."""
    subsets = {name: groups(part) for name, part in statistics.parts(by).items()}
    return present_shapes(shape, statistics, groups(statistics), None, statistics, subsets)


def _tabulate(source: Statistics | Callable[[], Statistics], fields: tuple[str, ...]) -> pa.Table:
    """Make the table of units; F1 and exact match are null without answers."""
    return (source() if callable(source) else source).table().select(fields)


def _summarize(report: Report, subset: str) -> Scores:
    """Return the coverage, F1 and exact match of all units and of every type."""
    groups = report.subsets[subset] if subset else report.scores
    coverage = {} if report.coverage is None else {"read": report.coverage["share"]}
    return Scores(
        coverage
        | {
            f"{'all' if group == 'overall' else group} {name.upper()}": scores[name]
            for group, scores in groups.items()
            for name in MEASURES
        }
    )


def _grids(shape: Shape, report: Report, counts: bool) -> list[Grid]:
    """Make a row per type with known counts, and with scores if there are answers."""
    overall = report.scores["overall"]
    names = {name: header for name, header in shape.columns.items() if not isnan(overall[name])}
    if counts or overall["n_scored"]:
        names |= {"n_scored": "scored", "f1": "F1", "em": "EM"}
    parts = {
        part: {g: [scores[name] for name in names] for g, scores in groups.items()}
        for part, groups in {"": report.scores, **report.subsets}.items()
    }
    return [Grid(report.title, [*names.values()], "type", parts=parts)]
