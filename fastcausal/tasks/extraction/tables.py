"""The tables behind a report: a row for every example, a row for every chosen pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import compact, numbers, strings
from fastcausal.counts.columns import require_free
from fastcausal.engine.kernel import Int64
from fastcausal.errors import InputError
from fastcausal.formats.span_texts import joined_by_relation
from fastcausal.recipe import Signature
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.extraction.tally import TYPE
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.formula import LATER, TOTALS, GroupedFormula
from fastcausal.tasks.relations.sentences import GAP, words_of
from fastcausal.tasks.relations.types import Types
from fastcausal.tasks.relations.unread import add_counts

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.rows import Rows

PART = 1 << 14  # examples whose pairs are listed at a time: their counts stay in the cache


def unit_table(aligned: Aligned) -> pa.Table:
    """Return gold's columns, with the numbers of gold, predicted and unparsed relations."""
    require_free(aligned.examples.column_names, (*TOTALS, *LATER))
    gold, pred = aligned.gold, aligned.pred
    lost = [
        np.zeros(gold.n_examples, np.int64) if counts is None else counts
        for counts in (aligned.n_unread, aligned.n_answers)
    ]
    return add_counts(aligned.examples, gold.n_marked(), pred.n_marked(), *lost)


def make_example_table(counting: Counting, aligned: Aligned) -> pa.Table:
    """Return gold's columns, the relations of both sides, the objective and all counts."""
    counts = counting.run(aligned, partners=False).counts
    units = unit_table(aligned).drop_columns(["n_unparsed", *LATER])
    columns = dict(zip(units.column_names, units.columns, strict=True))
    columns["objective"] = pa.array(counting.weigh(counts), from_pandas=True)
    return pa.table(columns | _count_columns(counting, counts))


def matches_table(counting: Counting, aligned: Aligned) -> pa.Table:
    """Return the pairs of each example in the order of gold, then its unmatched predictions.

    Columns hold the words of their spans, null for an example without text.
    """
    gold, pred, examples, types = aligned.gold, aligned.pred, aligned.examples, aligned.types
    partner = counting.run(aligned, n_groups=1).partner
    parts = []
    for first in range(0, max(gold.n_examples, 1), PART):
        stop = min(first + PART, gold.n_examples)
        of_gold, of_pred = (rows.relation_offsets[[first, stop]] for rows in (gold, pred))
        chosen = partner[slice(*of_gold)]
        part = _Part(
            first,
            examples.slice(first, stop - first),
            gold.part(first, stop),
            pred.part(first, stop),
            np.where(chosen < 0, chosen, chosen - of_pred[0]),
            None if types is None else types.take(slice(*of_gold), slice(*of_pred)),
        )
        parts.append(_matches_of(part, counting))
    return pa.concat_tables(parts, promote_options="permissive")  # large strings beside others


class _Part(NamedTuple):
    """Consecutive examples: the first of them, columns, sides, partners of gold, types."""

    first: int
    examples: pa.Table
    gold: Rows
    pred: Rows
    partner: Int64
    types: Types | None


def _names_of(types: Types | None, roles: Sequence[str]) -> Sequence[pa.Array]:
    """Return the types of the relations of each side; nothing without types or beside a role."""
    if types is None or TYPE in roles:
        return ()
    names = strings([None, *types.names])
    return [pc.take(names, numbers(codes)) for codes in (types.gold, types.pred)]


def _matches_of(part: _Part, counting: Counting) -> pa.Table:
    """Return the pairs of consecutive examples."""
    first, examples, gold, pred, partner, types = part
    example, gold_index, pred_index = counting.list_pairs(gold, pred, partner)
    counts = counting.count_pairs(gold, pred, gold_index, pred_index, types)
    columns: dict[str, Any] = {"example": numbers(first + example)}
    if "id" in examples.column_names:
        columns = {"id": pc.take(examples["id"], numbers(example))}
    sides = ("gold", gold, gold_index), ("pred", pred, pred_index)
    for side, rows, index in sides:
        number = index - rows.relation_offsets[example]
        columns[f"{side}_relation"] = numbers(number, index >= 0)
    of_counts = _count_columns(counting, counts)
    columns |= {name: numbers(column) for name, column in of_counts.items()}
    for side, rows, index in sides:
        words = words_of(examples, gold.lengths, rows)
        places = numbers(index, index >= 0)
        for k, role in enumerate(counting.roles):
            joined = joined_by_relation(words, rows, k, GAP)
            columns[f"{side}_{role}"] = compact(pc.take(joined, places))
    names = _names_of(types, counting.roles)
    for (side, _, index), of_side in zip(sides, names, strict=bool(names)):
        columns[f"{side}_{TYPE}"] = pc.take(of_side, numbers(index, index >= 0))
    return pa.table(columns)


def _count_columns(counting: Counting, counts: Int64) -> dict[str, Int64]:
    return {name: counts[:, k] for k, name in enumerate(counting.columns)}


def statistics_of(counting: Counting, aligned: Aligned, template: Statistics) -> Statistics:
    """Return per-example statistics; the template has all other fields."""
    counts = counting.run(aligned, partners=False).counts
    several = np.diff(aligned.gold.relation_offsets) > 1
    rows = np.column_stack([counts, several])
    formula, signature = template.formula, template.signature
    assert isinstance(formula, GroupedFormula)
    assert isinstance(signature, Signature)
    units = unit_table(aligned)
    if signature.settings["unparsed"] == "skip":
        for name in formula.empty_fields:
            units = units.append_column(name, pa.nulls(len(units), pa.int64()))
    return replace(
        template,
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=units,
        gold=aligned.digest(),
        left_out=_list_left_out(counting, aligned, formula),
    )


def _list_left_out(
    counting: Counting, aligned: Aligned, formula: GroupedFormula
) -> pa.Table | None:
    """Return the skipped examples: null counts, and the counts of the policy "empty" if known."""
    table = aligned.left_out
    if table is None:
        return None
    columns = dict(zip(table.column_names, table.columns, strict=True))
    no_counts = pa.nulls(len(table), pa.int64())
    columns |= dict.fromkeys((*formula.empty_fields, *formula.fields), no_counts)
    with suppress(InputError):  # a skipped example may be too large to count
        if aligned.aside is not None:
            counts = counting.run(aligned.aside, partners=False).counts
            columns |= dict(zip(formula.empty_fields, map(pa.array, counts.T), strict=True))
    return pa.table(columns)


MAKERS: dict[str, Callable[[Counting, Aligned], pa.Table]] = {
    "per_example": make_example_table,
    "matches": matches_table,
}
