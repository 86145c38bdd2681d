"""Unreadable predicted relations, and the policy for their examples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.unparsed import UNPARSED, reasons_of
from fastcausal.errors import InputError, Remedy, counted, summary
from fastcausal.formats.cnc.aligned import SAME_LETTERS
from fastcausal.options import Policy
from fastcausal.protocols import Protocol
from fastcausal.relations import Reading, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.relations.formula import LATER, TOTALS

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Unparsed:
    """Numbers of unreadable predicted relations, and of examples left out for them."""

    relations: int = 0  # Relations that the protocol counts; a whole unreadable answer is one
    # Examples left out, and their readable relations
    examples: int = 0
    readable: int = 0
    answers: int = 0  # Examples with a whole unreadable answer

    def facts(self, n_examples: int, n_scored: int) -> dict[str, Any]:
        """Return counts and rates of unreadable relations, given the numbers scored.

        >>> Unparsed(relations=3, answers=2).facts(10, 19)
        {'n_unparsed_answers': 2, 'n_unparsed_relations': 1, 'unparsed_answers_rate': 0.2, \
'unparsed_relations_rate': 0.05}
        """
        alone = self.relations - self.answers
        return {
            "n_unparsed_answers": self.answers,
            "n_unparsed_relations": alone,
            "unparsed_answers_rate": _rate(self.answers, n_examples + self.examples),
            "unparsed_relations_rate": _rate(alone, alone + self.readable + n_scored),
        }

    def warnings(self, policy: str, n_scored: int) -> list[str]:
        """Warn of the share of unreadable relations in all predicted ones, ``n_scored`` scored."""
        n = self.relations + self.readable + n_scored
        line = f"unparsed={policy}: {self.relations} of {n} predicted relations could not be read"
        line += f" ({self.relations / n:.1%})"
        line += f", {self.answers} of them for whole answers" if self.answers else ""
        return [line + (f", examples left out: {self.examples}" if self.examples else "")]


def _rate(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


ALL_READ = Unparsed()


class UnreadRelationsError(InputError):
    """Predicted relations are unreadable."""

    count: int

    @classmethod
    def make(cls, reading: Reading, count: int) -> UnreadRelationsError:
        """Make the error: number of unreadable relations, first reasons, and a remedy."""
        remedy = Remedy("unparsed", ("empty", "skip"), "would score the rest")
        message = unread_message(reading, "pred", count)
        if SAME_LETTERS in message:
            remedy = Remedy("tags", ("aligned",), "would map those with the same letters", remedy)
        error = cls(message, remedy)
        error.count = count
        return error


def unread_message(reading: Reading, side: str, count: int) -> str:
    """Return a message with the number of unreadable relations of a side, and first reasons."""
    messages = list(reading.unread)[:count]
    return f"{counted(count, 'relation')} of {side} could not be read" + (
        f":\n{summary(count, messages)}" if messages else ""
    )


class Settled(NamedTuple):
    """Both sides after the policy for unreadable predictions."""

    # The examples that stay
    gold: Relations
    pred: Relations
    # As in `fastcausal.tasks.relations.align.Aligned`
    unparsed: Unparsed = ALL_READ
    n_unread: Int64 | None = None
    n_answers: Int64 | None = None
    reasons: pa.Table | None = None
    left_out: pa.Table | None = None
    aside: tuple[Relations, Relations] | None = None  # Both sides of the left-out examples
    # bool[n_examples], optional: True for examples that stay; None: all stay
    kept: npt.NDArray[np.bool_] | None = None


def settle_unread(
    gold: Relations, pred: Relations, protocol: Protocol, unparsed: Policy
) -> Settled:
    """Apply the policy to the unreadable predictions that the protocol counts."""
    offsets = pred.arrays.relation_offsets
    example = np.repeat(np.arange(len(pred)), np.diff(offsets))
    n_gold = np.diff(gold.arrays.relation_offsets)[example]
    unread = ~arrow.is_valid(arrow.flattened(arrow.joined(pred.table["relations"]))[0])
    if protocol.surplus == "truncate":
        unread &= (np.arange(len(unread)) - offsets[example] < n_gold) | (n_gold == 0)
    if protocol.non_causal == "ignore":
        unread &= n_gold > 0
    count = int(unread.sum())
    if not count:
        return Settled(gold, pred)
    if unparsed == "error":
        raise UnreadRelationsError.make(pred.reading, count)
    reasons = _reasons(gold, pred, unread)
    # NumPy arrays made by a table itself would import pandas.
    is_answer = ~arrow.is_valid(arrow.joined(reasons["relation"]))
    of_answers = arrow.values_of(arrow.joined(reasons["example"]))[is_answer]
    lost = Unparsed(count, answers=len(of_answers))
    n_unread = np.bincount(example[unread], minlength=len(pred))
    n_answers = np.bincount(of_answers, minlength=len(pred))
    if unparsed == "empty":
        return Settled(gold, pred, lost, n_unread, n_answers, reasons)
    keep = n_unread == 0
    aside = _chosen(gold, pred, ~keep)
    gold, rest = _chosen(gold, pred, keep)
    readable = pred.n_relations - rest.n_relations
    lost = replace(lost, examples=len(aside[0]), readable=readable)
    left_out = _described(aside, n_unread[~keep], n_answers[~keep])
    # The remaining examples have no unreadable relation.
    return Settled(gold, rest, lost, None, None, reasons, left_out, aside, keep)


def _reasons(gold: Relations, pred: Relations, unread: Any) -> pa.Table:
    """Return the reasons of marked relations, with the number and the id of their example."""
    rows = reasons_of(pred.table)
    null = ~arrow.is_valid(arrow.flattened(arrow.joined(pred.table["relations"]))[0])
    ids = gold.ids if gold.ids is not None else pred.ids
    rows["id"] = pa.nulls(len(rows["example"]), pa.string())
    if ids is not None:
        rows["id"] = pc.take(ids, arrow.numbers(rows["example"]))
    rows["example"] = arrow.numbers(rows["example"])  # pa.table would import pandas
    return pc.filter(pa.table(rows), arrow.numbers(unread[null]))


def name_reasons(reasons: pa.Table, start: int) -> pa.Table:
    """Return reasons with ids; without ids, with the example's number from ``start``."""
    ids = reasons["id"]
    if ids.null_count:
        numbers = pc.add(reasons["example"], start)
        ids = pc.coalesce(ids, pc.cast(numbers, pa.string()))
    return pa.table({"id": ids, **{n: reasons[n] for n in ("relation", "reason", "text")}})


def _chosen(gold: Relations, pred: Relations, keep: Any) -> tuple[Relations, Relations]:
    """Return the examples of both sides selected by the mask ``keep``."""
    kept = arrow.numbers(keep)
    return (
        Relations.trusted(gold.table.filter(kept), gold.reading),
        Relations.trusted(pred.table.filter(kept), pred.reading),
    )


def _described(sides: tuple[Relations, Relations], n_unread: Int64, n_answers: Int64) -> pa.Table:
    n_gold, n_pred = (Rows.of(side).n_marked() for side in sides)
    return add_counts(described(sides[0]), n_gold, n_pred, n_unread, n_answers)


def add_counts(examples: pa.Table, *totals: Int64) -> pa.Table:
    """Add the numbers of gold, predicted and unread relations, and of unread answers."""
    columns = dict(zip(examples.column_names, examples.columns, strict=True))
    counts = map(arrow.numbers, totals)
    return pa.table(columns | dict(zip((*TOTALS, *LATER), counts, strict=True)))


def described(relations: Relations) -> pa.Table:
    """Return the columns that name and describe the examples."""
    types = [] if relations.types is None else ["types"]
    return arrow.drop_columns(relations.table, ("relations", "length", "tagged", UNPARSED, *types))
