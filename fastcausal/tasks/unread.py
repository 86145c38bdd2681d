"""Predicted relations that could not be read, and what a policy makes of their examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Remedy, summary
from fastcausal.formulas.relations import TOTALS
from fastcausal.options import Policy
from fastcausal.protocols import Protocol
from fastcausal.relations import Relations
from fastcausal.rows import Rows

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Unparsed:
    """Predicted relations that could not be read, and what the policy left out for them.

    Attributes
    ----------
    relations : int
        Those that the protocol looks at.
    examples, readable : int
        Examples left out, and the relations of them that could be read.
    """

    relations: int = 0
    examples: int = 0
    readable: int = 0

    def __add__(self, other: Unparsed) -> Unparsed:
        return Unparsed(
            self.relations + other.relations,
            self.examples + other.examples,
            self.readable + other.readable,
        )

    def warnings(self, policy: str, n_scored: int) -> list[str]:
        """State their share of all predicted relations, of which ``n_scored`` could be scored."""
        n = self.relations + self.readable + n_scored
        line = f"unparsed={policy}: {self.relations} of {n} predicted relations could not be read"
        line += f" ({self.relations / n:.1%})"
        return [line + (f", examples left out: {self.examples}" if self.examples else "")]


ALL_READ = Unparsed()


def unread_message(relations: Relations, side: str, count: int) -> str:
    """Say how many relations of one side could not be read, and the first reasons."""
    messages = list(relations.reading.unread)[:count]
    return f"{count} relations of {side} could not be read" + (
        f":\n{summary(count, messages)}" if messages else ""
    )


def settle_unread(
    gold: Relations, pred: Relations, protocol: Protocol, unparsed: Policy
) -> tuple[Relations, Relations, dict[str, Any]]:
    """Deal with predictions that could not be read, as far as the protocol looks at them.

    The third value has what `Aligned` says of them.
    """
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
        return gold, pred, {}
    if unparsed == "error":
        remedy = Remedy("unparsed", ("empty", "skip"), "would score the rest")
        raise InputError(unread_message(pred, "pred", count), remedy)
    of_example = np.bincount(example[unread], minlength=len(pred))
    if unparsed == "empty":
        return gold, pred, {"unparsed": Unparsed(count), "n_unread": of_example}
    keep = of_example == 0
    left_out = _described(_chosen(gold, pred, ~keep), of_example[~keep])
    gold, rest = _chosen(gold, pred, keep)
    lost = Unparsed(count, len(left_out), pred.n_relations - rest.n_relations)
    return gold, rest, {"unparsed": lost, "left_out": left_out}


def _chosen(gold: Relations, pred: Relations, keep: Any) -> tuple[Relations, Relations]:
    """Return the examples of both sides where ``keep`` is true."""
    kept = arrow.numbers(keep)
    return (
        Relations.trusted(gold.table.filter(kept), gold.reading),
        Relations.trusted(pred.table.filter(kept), pred.reading),
    )


def _described(sides: tuple[Relations, Relations], n_unread: Int64) -> pa.Table:
    n_gold, n_pred = (Rows.of(side).n_marked() for side in sides)
    return with_counts(described(sides[0]), n_gold, n_pred, n_unread)


def with_counts(examples: pa.Table, n_gold: Int64, n_pred: Int64, n_unread: Int64) -> pa.Table:
    """Add how many relations gold has and pred, and how many of pred could not be read."""
    columns = dict(zip(examples.column_names, examples.columns, strict=True))
    counts = map(arrow.numbers, (n_gold, n_pred, n_unread))
    return pa.table(columns | dict(zip(TOTALS, counts, strict=True)))


def described(relations: Relations) -> pa.Table:
    """Return the columns that name and describe the examples."""
    return arrow.without(relations.table, ("relations", "length", "tagged", UNPARSED))
