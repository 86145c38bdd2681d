"""Causal frames: all judged causes of one event, their type, and the quality of answers.

Romanou et al. (2023), sections 2 and 5.2, figure 2 (left), tables 3 and 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.options import Border, CrabTask, FrameRule, GoldFrom, Policy, check
from fastcausal.report.groups import Groups
from fastcausal.report.report import Report
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.crab._shapes import count_frames, score_frames
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.files import CLASSES, JudgedPairs
from fastcausal.tasks.crab.formula import FrameFormula
from fastcausal.tasks.crab.pairwise import digest_of
from fastcausal.tasks.crab.shapes import (
    MEASURES,
    ClassedPairs,
    Shape,
    groups_of,
    present_shapes,
    present_units,
    read_judged,
    sums_by_type,
    typed_rows,
    types_in,
    units_of,
    values_in,
)

TypeRule = Callable[[int, int, int, int], str]
"""A function from the numbers of high, medium, low and no causes to the name of a type."""

TYPES = ("SD", "D", "SC", "C", "M", "N", "U")
COUNTS = ("high", "medium", "low", "none")
PER_FRAME = (
    "topic_id", "event_order", "type", "n_pairs", "n_in_document", *COUNTS, "n_scored_pairs",
    *MEASURES,
)  # fmt: skip


FrameReport = Report
"""Counts and means of causal frames by type; ``report["SD"].f1``.

Attributes
----------
n_frames, n_pairs : int
coverage : dict or None
    Number and share of answers read; None without answers.
per_frame : pyarrow.Table
    Frames by topic and event; F1 and exact match are null without answers.
"""

SHAPE = Shape(
    titles={"n_frames": "causal frames", "n_pairs": "pairs"},
    columns={
        "n_frames": "frames",
        "n_pairs": "pairs",
        "n_in_document": "in doc.",
        "n_cross_document": "cross doc.",
    },
    table="per_frame",
    fields=PER_FRAME,
)


class Frames(NamedTuple):
    """Frames of judged pairs, ascending by topic and event."""

    # int64[n]: Index of the topic, order of the event
    story: Int64
    effect: Int64
    # int64[n]: Numbers of pairs with both events in one article, and of pairs with a counted
    # answer
    n_in_document: Int64
    n_scored: Int64
    classes: Int64  # int64[n, 4]: Numbers of pairs by class
    marks: Float64  # float64[n, 2]: F1 and exact match; NaN without a counted answer


def frames(
    gold: Any,
    pred: Any = None,
    task: CrabTask = "multiclass",
    *,
    rule: FrameRule | TypeRule = "figure",
    column: str = "prediction",
    border: Border = "up",
    gold_from: GoldFrom = "class",
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    pattern: str | None = None,
) -> FrameReport:
    """Count causal frames by type, and score the answers to their pairs: tables 3 and 6.

    A frame has all pairs with the same effect. Its exact match is 1 if every answer is right; its
    F1 is the mean F1 of the classes in its gold or answers. Scores are means over frames.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin.
    pred : path, table or list, optional
        Answers of a system. None: only count frames.
    task : {"score", "multiclass", "three", "binary"}
        The question that was asked. Scores become classes. In ``"three"``, the second answer stands
        for the classes B and C; in ``"binary"``, yes stands for A and B.
    rule : {"figure", "mixed", "collapse"} or callable
        Take the types of the paper, U as mixed, or medium causes as strong. ``"figure"``: the
        paper's figure 2, U if no type fits; ``"mixed"``: M instead of U; ``"collapse"``: medium
        causes count as high, which gives nearly table 6. A function of the four numbers of high,
        medium, low and no causes returns a name.
    column, border, gold_from, undefined, unparsed, unmatched, pattern
        See `fastcausal.tasks.crab.pairwise.pairwise`.

    Returns
    -------
    FrameReport

    Raises
    ------
    InputError
        A source cannot be read or joined, or a policy forbids it.
    ValueError
        A rule, task or policy is unknown.

    Examples
    --------
    >>> gold = [
    ...     {"topic_id": 1, "event_order_a": a, "event_order_b": b, "class": c}
    ...     for a, b, c in [(1, 2, "A"), (1, 3, "A"), (2, 3, "C"), (1, 4, "D")]
    ... ]
    >>> report = frames(gold, ["A", "B", "C", "D"])
    >>> report.per_frame["type"].to_pylist(), report.per_frame["f1"].to_pylist()
    (['SD', 'D', 'N'], [1.0, 0.3333333333333333, 1.0])
    >>> report["D"].n_pairs, round(report["overall"].em, 4)
    (2, 0.6667)
    """
    check("task", task, CrabTask)
    choices = Choices(task, column, border, gold_from, undefined, unparsed, unmatched, pattern)
    signature = choices.signature("crab-frames", {**choices.pair_settings, "rule": _name_of(rule)})
    return report_of(read_judged(gold, pred, choices), rule, signature, system_of(pred))


def report_of(
    judged: ClassedPairs, rule: FrameRule | TypeRule, signature: str, system: str | None = None
) -> FrameReport:
    """Find and score the frames of judged pairs."""
    each = frames_of(judged)
    types, type_of = types_of(each.classes, rule)
    # F1 as its bits, since integers are compared faster
    kinds, row_of = distinct(np.column_stack([type_of, each.marks.view(np.int64)]))
    marks = np.ascontiguousarray(kinds[:, 1:]).view(np.float64)
    columns = {
        "n_pairs": each.classes.sum(axis=1),
        "n_in_document": None if judged.pairs.in_document is None else each.n_in_document,
        **dict(zip(COUNTS, each.classes.T, strict=True)),
        "n_scored_pairs": each.n_scored,
    }
    about = Statistics(
        FrameFormula(MEASURES, types),
        signature,
        typed_rows(marks, kinds[:, 0], len(types)),
        np.bincount(row_of),
        system=system,
        warnings=judged.warnings,
    )
    named = {"topic_id": (judged.pairs.topics, each.story), "event_order": each.effect}
    whole = partial(_add_units, about, row_of, judged.pairs, named, (types, type_of), columns)
    groups = _groups(about, type_of, columns)
    return present_shapes(SHAPE, about, groups, judged.coverage, whole)


def frames_of(judged: ClassedPairs) -> Frames:
    """Find the frames of judged pairs, and score the answers in each."""
    pairs = judged.pairs
    key = pairs.starts, pairs.a, pairs.b
    inside = np.zeros(len(pairs), np.bool_) if pairs.in_document is None else pairs.in_document
    n = count_frames(*key)
    rows, marks = np.empty((n, 4 + len(CLASSES)), np.int64), np.empty((n, len(MEASURES)))
    score_frames(
        *key,
        judged.classes,
        judged.labels,
        judged.counted,
        inside.view(np.int8),
        judged.n_labels,
        np.nan if judged.choices.undefined is None else judged.choices.undefined,
        rows,
        marks,
    )
    story, effect, n_in_document, n_scored = rows[:, :4].T
    return Frames(story, effect, n_in_document, n_scored, rows[:, 4:], marks)


def figure(high: int, medium: int, low: int, none: int) -> str:
    """Return the type of a frame by figure 2 (left); U if none fits.

    >>> figure(1, 0, 0, 3), figure(2, 0, 1, 0), figure(1, 0, 1, 1), figure(0, 0, 0, 2)
    ('SD', 'C', 'U', 'N')
    """
    if high == medium == low == 0:
        return "N"
    if medium > 0:
        return "M"
    if high == 0 or (low > 0 and none > 0):
        return "U"
    return _strong(high, low)


def mixed(high: int, medium: int, low: int, none: int) -> str:
    """Return the type by `figure`, with M instead of U."""
    return figure(high, medium, low, none).replace("U", "M")


def collapse(high: int, medium: int, low: int, none: int) -> str:
    """Return the type of a frame with medium causes counted as high.

    >>> collapse(0, 1, 0, 3), collapse(1, 1, 1, 0), collapse(1, 0, 1, 1), collapse(0, 0, 2, 0)
    ('SD', 'C', 'M', 'N')
    """
    strong = high + medium
    if strong == 0:
        return "N"
    if low > 0 and none > 0:
        return "M"
    return _strong(strong, low)


def _strong(strong: int, low: int) -> str:
    """Return the type of one or several strong causes with or without low ones."""
    if low > 0:
        return "D" if strong == 1 else "C"
    return "SD" if strong == 1 else "SC"


RULES: dict[str, TypeRule] = {"figure": figure, "mixed": mixed, "collapse": collapse}


def types_of(
    classes: Int64,  # [n_frames, 4]
    rule: FrameRule | TypeRule,
) -> tuple[tuple[str, ...], Int64]:
    """Return the types of a rule, and each frame's type by index."""
    # The types of a function are all that occur.
    different, place = distinct(classes)
    each = rule if callable(rule) else RULES[rule]
    names = [each(*counts) for counts in different.tolist()]
    types = tuple(sorted(set(map(_checked, names)))) if callable(rule) else TYPES
    return types, np.array([types.index(name) for name in names])[place]


def _checked(name: Any) -> str:
    taken = ("overall", "id", "system", *PER_FRAME)
    if not isinstance(name, str) or not name or name in taken:
        raise ValueError(f"rule returned {name!r}, expected a name other than {', '.join(taken)}")
    return name


def _name_of(rule: Any) -> str:
    if callable(rule):
        return f"{getattr(rule, '__name__', type(rule).__name__)}()"
    check("rule", rule, FrameRule)
    return str(rule)


def _groups(statistics: Statistics, type_of: Int64, columns: Mapping[str, Any]) -> Groups:
    """Return counts and means by type, from columns of all frames."""
    formula = statistics.formula
    assert isinstance(formula, FrameFormula)
    inside, n_pairs = columns["n_in_document"], columns["n_pairs"]
    counted = {
        "n_frames": np.ones(len(type_of)),
        "n_pairs": n_pairs,
        "n_in_document": inside,
        "n_cross_document": None if inside is None else n_pairs - inside,
        "n_scored": columns["n_scored_pairs"] > 0,
    }
    sums = {
        name: sums_by_type(values, type_of, len(formula.subsets))
        for name, values in counted.items()
    }
    return groups_of(formula, statistics.rows, statistics.times, sums)


def _add_units(
    about: Statistics,
    row_of: Int64,
    pairs: JudgedPairs,
    named: Mapping[str, Any],
    typed: tuple[tuple[str, ...], Int64],
    columns: Mapping[str, Any],
) -> Statistics:
    """Add a unit per frame to statistics with a row for equal frames."""
    units = units_of(named, typed, columns)
    return replace(about, units=units, row_of=row_of, gold=digest_of(pairs))


def present(statistics: Statistics, by: By = None) -> FrameReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    return present_units(SHAPE, statistics, _group_units, by)


def _group_units(statistics: Statistics) -> Groups:
    assert statistics.units is not None
    columns = values_in(statistics.units, ("n_pairs", "n_in_document", "n_scored_pairs"))
    return _groups(statistics, types_in(statistics), columns)
