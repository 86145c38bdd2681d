"""Gold without its relations, for participants of a shared task."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from fastcausal.formats import read
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.options import ProtocolName
from fastcausal.protocols import Protocol, protocol_named
from fastcausal.relations import Reading, Relations

KEPT = ("id", "text", "tokens", "length")  # other columns may give the answers away


def public(
    gold: Any, protocol: ProtocolName | Protocol = "recess", **options: Any
) -> tuple[Relations, Relations]:
    """Return the examples of gold without relations, once as gold and once as predictions.

    >>> from fastcausal import sample
    >>> gold, _ = public(sample.GOLD)
    >>> len(gold), gold.n_relations, gold.table.column_names
    (61, 0, ['id', 'text', 'length', 'relations'])
    """
    # If the protocol ignores predictions for examples without relations, each example of gold gets
    # a relation without spans, so that all predictions are checked.
    named = protocol_named(protocol) if isinstance(protocol, str) else protocol
    side = read(gold, tags=GOLD_READING[named.tags])
    table = side.table.select([name for name in KEPT if name in side.table.column_names])

    def append_to_each(relations: list[list[dict[str, int]]]) -> Relations:
        column = pa.array([relations] * len(table), side.table["relations"].type)
        return Relations(table.append_column("relations", column), Reading(side.roles))

    none = append_to_each([])
    return none if named.non_causal == "charge" else append_to_each([[]]), none
