"""Hints: one mend of the predictions that would raise a low F1, with the F1 that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.reading import arguments_of
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.formats.span_texts import span_texts
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.confusion import ranges
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.formula import GroupedFormula
from fastcausal.tasks.relations.groups import CountedGroups

GAIN = 0.2  # of F1: a mend that gives less is no hint
MAX_EXAMPLES = 1 << 16  # examples of a report with hints
PUNCTUATION = re.compile(r"[\W_]+")  # a token without letters and digits


def hints_of(counting: Counting, formula: GroupedFormula, aligned: Aligned) -> tuple[str, ...]:
    """Return a line for each mend that raises F1 by more than `GAIN`, the best first."""
    f1 = _f1(counting, formula, aligned) if aligned.gold.n_examples <= MAX_EXAMPLES else None
    if f1 is None or f1 + GAIN > 1:
        return ()
    found = [
        (mended, mend)
        for mend, sides in _mends(aligned)
        if (mended := _f1(counting, formula, sides) or 0) > f1 + GAIN
    ]
    found.sort(key=lambda each: -each[0])
    return tuple(
        f"{formula.groups[0]} F1 is {f1:.4f}; {mend} it would be {new:.4f}" for new, mend in found
    )


def _f1(counting: Counting, formula: GroupedFormula, aligned: Aligned) -> float | None:
    counts = counting.run(aligned, n_groups=1, partners=False).counts[0]
    value = CountedGroups(formula, counts)[formula.groups[0]].get("f1")
    return value if isinstance(value, float) and value == value else None


def _mends(aligned: Aligned) -> Iterator[tuple[str, Aligned]]:
    """Yield mends with the sides that they give."""
    gold, pred = aligned.gold, aligned.pred
    arguments = arguments_of(aligned.roles)
    if len(arguments) == 2:
        named = " and ".join(aligned.roles[role] for role in arguments)
        mended = aligned._replace(pred=_exchanged(pred, *arguments))
        yield f"with {named} of the predictions exchanged", mended
    short, shorter = (_shorten_spans(rows, aligned.examples, gold.lengths) for rows in (gold, pred))
    if short is not gold or shorter is not pred:
        mended = aligned._replace(gold=short, pred=shorter)
        yield "without punctuation at the end of spans on both sides", mended
    if (sides := _join_by_place(aligned)) is not None:
        placed = aligned._replace(gold=sides[0], pred=sides[1])
        yield "with both sides joined by position instead of by id", placed


def _join_by_place(aligned: Aligned) -> tuple[Rows, Rows] | None:
    """Join the sides by position; None if ids did so, or if the lengths of examples differ then."""
    of_gold, of_pred = aligned.places, aligned.pred_places
    if of_gold is None or of_pred is None or np.array_equal(of_gold, of_pred):
        return None
    every = np.arange(len(of_gold))
    if any(np.any(np.sort(places) != every) for places in (of_gold, of_pred)):
        return None
    gold = _arranged(aligned.gold, np.argsort(of_gold))
    pred = _arranged(aligned.pred, np.argsort(of_pred))
    return (gold, pred) if np.array_equal(gold.lengths, pred.lengths) else None


def _arranged(rows: Rows, order: Int64) -> Rows:
    """Return the examples in this order."""
    counts = np.diff(rows.relation_offsets)[order]
    relations = ranges(rows.relation_offsets[order], counts)
    widths = np.diff(rows.row_offsets)[relations]
    values = rows.values[ranges(rows.row_offsets[relations], widths)]
    lengths = rows.lengths[order]
    return Rows(values, arrow.offsets(widths), arrow.offsets(counts), lengths, rows.tags)


def _exchanged(rows: Rows, a: int, b: int) -> Rows:
    """Exchange two roles, such as cause and effect; rows of a relation stay in order."""
    values = rows.values.copy()
    role = values[:, 0]
    values[:, 0] = np.where(role == a, b, np.where(role == b, a, role))
    relation = np.repeat(np.arange(len(rows.row_offsets) - 1), np.diff(rows.row_offsets))
    order = np.lexsort((values[:, 0], values[:, 2], values[:, 1], relation))
    return replace(rows, values=np.ascontiguousarray(values[order]))


def _shorten_spans(rows: Rows, examples: pa.Table, lengths: Int32) -> Rows:
    """Shorten spans of several tokens by their last one if it is punctuation in their text."""
    last = rows.values.copy()
    last[:, 1] = last[:, 2] - 1
    texts = arrow.joined(examples["text"]) if "text" in examples.column_names else None
    if texts is None or texts.type != pa.string() or texts.null_count:
        return rows
    words, n_tokens = span_texts(texts, replace(rows, values=last))
    if not np.array_equal(n_tokens, lengths):
        return rows
    codes = pc.dictionary_encode(arrow.joined(words))
    tokens = codes.dictionary.to_pylist()
    is_mark = [bool(token) and PUNCTUATION.fullmatch(token) is not None for token in tokens]
    ends = np.array([*is_mark, False])[arrow.values_of(codes.indices, -1)]  # [-1] is the last
    ends &= rows.values[:, 2] - rows.values[:, 1] > 1
    if not ends.any():
        return rows
    values = rows.values.copy()
    values[ends, 2] -= 1
    return replace(rows, values=values)
