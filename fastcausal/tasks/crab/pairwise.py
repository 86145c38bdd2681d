"""Answers on pairs of events, compared with raters' judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import Warnings, add_warnings
from fastcausal.options import Border, CrabTask, GoldFrom, Policy, check
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.count import LABEL_OF_CLASS, Answers, read_answers
from fastcausal.tasks.crab.files import Int8, JudgedPairs, read_pairs
from fastcausal.tasks.crab.formula import (
    IN_DOCUMENT,
    NO_NUMBER,
    REASON,
    JudgedFormula,
    ScoredFormula,
)
from fastcausal.tasks.crab.parse import LABELS, REASONS
from fastcausal.tasks.crab.report import JudgmentReport, present

OWN = ("id", IN_DOCUMENT, REASON)  # columns of units that gold may not set


def pairwise(
    gold: Any,
    pred: Any,
    task: CrabTask = "score",
    *,
    column: str = "prediction",
    border: Border = "up",
    threshold: float = 50,
    gold_from: GoldFrom = "class",
    by: str | Sequence[str] = (),
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    pattern: str | None = None,
) -> JudgmentReport:
    """Score answers on pairs of events: tables 2 and 8 of the paper.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin. See
        `fastcausal.tasks.crab.files.read_pairs`.
    pred : path, table or list
        Answers of a system. See `fastcausal.tasks.crab.count.read_answers`.
    task : {"score", "multiclass", "three", "binary"}
        The question that was asked. It is a score from 0 to 100, which becomes a class; a class;
        high (A), medium or low (B) or none (C); or yes or no.
    threshold : float
        Take gold scores from this one on as yes (binary).
    by : str or sequence of str
        Columns of gold; each of their values is a subset.
    column : str
        Take answers from this column.
    border : {"up", "text", "down"}
        Put scores 20, 50, 80 into C, B, A (up), C, B, B (text), D, C, B (down). It also decides
        whether a gold score equal to the threshold is yes.
    gold_from : {"class", "score"}
        Take gold's class where it has one, or always its score.
    undefined : {None, 0.0, 1.0}
        Set scores of 0/0 to this value. None leaves them undefined, so that means are over the
        classes that occur.
    unparsed : {"error", "empty", "skip"}
        Stop at unparsed answers, count them as no class, or leave them out.
    unmatched : {"error", "empty", "skip"}
        Stop at missing answers, count them as no class, or leave them out.
    pattern : str, optional
        Take the answer from the one group of this regular expression.

    Returns
    -------
    JudgmentReport

    Raises
    ------
    InputError
        A source cannot be read or joined, or a policy forbids it.
    ValueError
        A task, rule or policy is unknown.

    References
    ----------
    Romanou et al. (2023), CRAB, section 5.2, tables 2 and 8: macro-F1 over classes.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = [{"topic_id": 1, "event_order_a": 1, "event_order_b": b, "score": s}
    ...         for b, s in ((2, 90), (3, 55), (4, 10))]
    >>> report = fc.crab.pairwise(gold, ["<Answer>85</Answer>", "30", "?"], unparsed="empty")
    >>> report["overall"].accuracy, report["score"].mae, report.coverage["n_read"]
    (0.3333333333333333, 15.0, 2)
    """
    check("task", task, CrabTask)
    choices = Choices(task, column, border, gold_from, undefined, unparsed, unmatched, pattern)
    if not math.isfinite(threshold):
        raise ValueError(f"threshold is {threshold}, expected a number")
    pairs = read_pairs(gold)
    is_yes_or_no = task == "binary"
    if is_yes_or_no:
        truth = pairs.reaches(threshold, border).astype(np.int8)
    else:
        truth = pairs.classes(border, gold_from)
    if task == "three":
        truth = np.array(LABEL_OF_CLASS[task], np.int8)[truth]
    answers = read_answers(pred, pairs, choices)
    signature = choices.signature(
        "crab-pairwise", {**choices.pair_settings, "threshold": f"{threshold:g}"}
    )
    statistics = judged(
        choices,
        signature,
        truth,
        answers,
        units_of(pairs),
        numbers=pairs.score if task == "score" else None,
        system=system_of(pred),
        gold=digest_of(pairs),
        warnings={} if is_yes_or_no else pairs.disagreements(border),
    )
    return present(statistics, by)


def units_of(pairs: JudgedPairs) -> pa.Table:
    """Return ``id``, gold's columns, and ``in_document`` if gold has articles."""
    # Columns of gold with the names "id", "in_document" and "answer" are left out.
    table = pairs.records.table
    if pairs.order is not None:
        table = table.take(arrow.numbers(pairs.order))
    columns = {"id": pairs.ids()}
    columns |= {name: table[name] for name in table.column_names if name not in OWN}
    if pairs.in_document is not None:
        columns[IN_DOCUMENT] = arrow.numbers(pairs.in_document)
    return pa.table(columns)


def digest_of(pairs: JudgedPairs) -> int:
    """Return the digest of gold, independent of order."""
    texts = (_texts_of(side) for side in (pairs.given.astype(np.float64), pairs.score))
    return digest_of_texts(pairs.ids(), pc.binary_join_element_wise(*texts, "/"))


def _texts_of(numbers: Float64) -> pa.Array:
    """Return numbers as text; equal numbers are converted only once."""
    encoded = arrow.numbers(numbers).dictionary_encode()
    return encoded.dictionary.cast(pa.string()).take(encoded.indices)


def judged(
    choices: Choices,
    signature: str,
    truth: Int8 | Int64,  # [n]: gold labels
    answers: Answers,
    units: pa.Table,  # a row per unit: id, strata, clusters
    *,
    numbers: Float64 | None = None,  # [n]: gold scores to compare with; NaN if missing
    system: str | None = None,
    gold: int | None = None,
    warnings: Mapping[tuple[str, ...], tuple[int, ...]],
) -> Statistics:
    """Count answers against gold labels, unit by unit."""
    task, labels = choices.task, LABELS[choices.task]
    kind = JudgedFormula if numbers is None else ScoredFormula
    formula = kind(labels, True, "yes" if task == "binary" else None, choices.undefined, task)
    sides: list[npt.NDArray[Any]] = [truth, answers.counted]
    if numbers is not None and answers.values is not None:
        sides += [np.where(np.isnan(s), NO_NUMBER, s) for s in (numbers, answers.values)]
    units = units.append_column(REASON, pa.array(REASONS).take(arrow.numbers(answers.reasons)))
    rows = np.stack(sides, axis=1).astype(formula.dtype, copy=False)
    kept = units
    if not answers.scored.all():
        places = np.flatnonzero(answers.scored)
        rows, kept = rows[places], units.take(arrow.numbers(places))
    return Statistics.of_units(
        formula,
        signature,
        rows,
        kept,
        system=system,
        gold=gold,
        warnings=warnings_of(answers, warnings),
        left_out=_select_left_out(formula, units, truth, answers),
    )


def _select_left_out(
    formula: JudgedFormula, units: pa.Table, truth: Int8 | Int64, answers: Answers
) -> pa.Table | None:
    """Return the units left out by a policy; None if there are none."""
    places = np.flatnonzero(~answers.scored)
    if not len(places):
        return None
    labels = pa.array(formula.labels)
    types = dict.fromkeys(formula.fields[2:], pa.float64())
    columns = {
        "gold": labels.take(arrow.numbers(truth[places])),
        "pred": pa.nulls(len(places), labels.type),
    }
    columns |= {name: pa.nulls(len(places), kind) for name, kind in types.items()}
    units = units.take(arrow.numbers(places))
    return pa.table(dict(zip(units.column_names, units.columns, strict=True)) | columns)


def warnings_of(answers: Answers, more: Mapping[tuple[str, ...], tuple[int, ...]]) -> Warnings:
    """Add warnings about answers, and about unreadable answers, to ``more`` warnings."""
    warnings = dict(more)
    add_warnings(warnings, answers.warnings)
    n = len(answers.counted)
    counts = {
        "are left out": int((answers.counted < 0).sum()),
        "count as answers that name no class": int((answers.counted == answers.n_labels).sum()),
    }
    for effect, count in counts.items():
        if count:
            warnings[("", " of ", f" answers could not be read or are missing, and {effect}")] = (
                count,
                n,
            )
    return warnings
