"""Several answers to an item: counted one by one, then reduced to items by a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, add_warnings
from fastcausal.formats.ranked import Ranked
from fastcausal.relations import Relations
from fastcausal.tasks.values.answers import SAMPLE, answers_of
from fastcausal.tasks.values.reading import RULES, ValueReading, is_rule


def count_answers(answers: Ranked, count: Callable[[Any], Statistics]) -> Statistics:
    """Count all answers, a row each."""
    parts = [*map(_restrict, map(count, answers.sources), answers.ids)]
    return parts[0] if len(parts) == 1 else _stack(parts)


def _restrict(statistics: Statistics, ids: pa.Array | None) -> Statistics:
    """Keep the units of these ids; None keeps all."""
    left_out = statistics.left_out
    if ids is None:
        return statistics
    known = statistics.units is not None and "id" in statistics.units.column_names
    kept = pc.is_in(statistics.units["id"], ids) if known else pa.array([])  # type: ignore[index]
    if not pc.any(kept).as_py():
        raise InputError("items have other numbers of answers, expected the ids of gold")
    assert statistics.units is not None
    return replace(
        statistics,
        rows=statistics.rows_of_units()[np.asarray(kept)],
        units=statistics.units.filter(kept),
        row_of=None,
        left_out=None if left_out is None else left_out.filter(pc.is_in(left_out["id"], ids)),
    )


def _stack(ranks: Sequence[Statistics]) -> Statistics:
    """Join the answers of all ranks, with their ranks as a column of units."""
    formula, warnings = ranks[0].formula, dict(ranks[0].warnings)
    for other in ranks[1:]:
        formula = formula.union(other.formula)
        add_warnings(warnings, other.warnings)
    rows = [each.formula.convert(each.rows_of_units(), formula) for each in ranks]
    units = [_number(each.units, k) for k, each in enumerate(ranks, 1)]
    left_out = [_number(each.left_out, k) for k, each in enumerate(ranks, 1) if each.left_out]
    joined = np.concatenate(rows)
    return replace(
        ranks[0],
        formula=formula,
        rows=joined,
        times=np.ones(len(joined), np.int64),
        units=pa.concat_tables(units, promote_options="permissive"),
        row_of=None,
        warnings=warnings,
        left_out=pa.concat_tables(left_out, promote_options="permissive") if left_out else None,
    )


def _number(table: Any, rank: int) -> pa.Table:
    return table.append_column(SAMPLE, pa.array(np.full(len(table), rank)))


def best_of(statistics: Statistics, score: str | None) -> Statistics:
    """Keep the answer of each item with the highest score of its own, the first of equal ones."""
    units = statistics.units
    assert units is not None
    rows = statistics.rows_of_units()
    own = np.nan_to_num(statistics.formula.own_scores(rows, score), nan=-np.inf)
    codes = arrow.values_of(arrow.joined(units["id"]).dictionary_encode().indices)
    order = np.lexsort((-own, codes))  # stable: equal ones stay in order
    first = order[np.flatnonzero(np.diff(codes[order], prepend=-1))]
    kept = np.sort(first)
    return replace(
        statistics,
        rows=rows[kept],
        times=np.ones(len(kept), np.int64),
        units=units.take(arrow.numbers(kept)).drop_columns(SAMPLE),
        row_of=None,
    )


def reduce_answers(
    answers: Ranked,
    count: Callable[[Any], Statistics],
    over: str,
    score: str | None = None,
    vote: Callable[[Ranked], Any] | None = None,  # makes one prediction of all
    missing: Any = "skip",
) -> Statistics:
    """Count the answers by a rule; ``mean`` leaves a row for each answer."""
    if not is_rule(over):
        raise ValueError(f'over is "{over}", expected {RULES}, or majority')
    if over == "first" or (len(answers.sources) == 1 and over in ("mean", "best", "majority")):
        return count(answers.sources[0])
    if over == "majority":
        if vote is None:
            raise ValueError("over majority is for relations and labels")
        return count(vote(answers))
    counted = count_answers(answers, count)
    if over == "mean":
        return counted
    if over == "best":
        return best_of(counted, score)
    from fastcausal.tasks.values.count import statistics_of

    columns = [name for name in counted.units.column_names if name not in ("id", SAMPLE)]  # type: ignore[union-attr]
    values = answers_of(counted, counted.system or "predictions", score, columns)
    return statistics_of(values, ValueReading(over=over, missing=missing), counted.system)


def has_samples(statistics: Statistics) -> bool:
    """Return True for statistics with a row for each of several answers."""
    return statistics.units is not None and SAMPLE in statistics.units.column_names


def sign(statistics: Statistics, over: str) -> Statistics:
    """Add the rule of several answers to the signature, which values have already."""
    if statistics.formula.holds_values:
        return statistics
    return replace(statistics, signature=f"{statistics.signature}|over:{over}")


def vote_relations(ranks: Sequence[Relations], ids: Sequence[pa.Array | None]) -> Relations:
    """Return the relations that more than half of the answers to an item make."""
    votes: dict[str, dict[Any, int]] = {}
    held: dict[Any, Any] = {}
    numbers = Counter[str]()
    having = [None if each is None else {*each.to_pylist()} for each in ids]
    for relations, kept in zip(ranks, having, strict=True):
        table = relations.table.select(
            [n for n in ("id", "relations", "types") if n in relations.table.column_names]
        )
        for row in table.to_pylist():
            if kept is not None and row["id"] not in kept:
                continue
            numbers[row["id"]] += 1
            made = row["relations"]
            types = row.get("types") or [None] * len(made)
            keys = [_key(each, kind) for each, kind in zip(made, types, strict=True)]
            held |= zip(keys, zip(made, types, strict=True), strict=True)
            counts = votes.setdefault(row["id"], {})
            for key in dict.fromkeys(keys):
                counts[key] = counts.get(key, 0) + 1
    first = ranks[0].table
    won = [
        [held[key] for key, n in votes[id].items() if 2 * n > numbers[id]]
        for id in first["id"].to_pylist()
    ]
    columns = {"relations": [[each for each, _ in row] for row in won]}
    if "types" in first.column_names:
        columns["types"] = [[kind for _, kind in row] for row in won]
    for name, column in columns.items():
        at = first.column_names.index(name)
        first = first.set_column(at, name, pa.array(column, first.schema.field(name).type))
    return Relations.trusted(first, ranks[0].reading)


def _key(relation: Any, kind: str | None) -> Any:
    """Return what makes two relations equal; None for an unread one."""
    if relation is None:
        return None
    return kind, tuple(sorted((span["role"], span["start"], span["stop"]) for span in relation))


def vote_labels(answers: Ranked) -> list[dict[str, Any]]:
    """Return the most frequent label of each item, the first of equal ones."""
    from fastcausal.tasks.classification import files

    votes: dict[Any, Counter[Any]] = {}
    having = [None if each is None else {*each.to_pylist()} for each in answers.ids]
    for source, kept in zip(answers.sources, having, strict=True):
        labels = files.read(source, "pred")
        if labels.ids is None:
            raise InputError(f"{labels.name}: no ids, expected one for each answer")
        for id, label in zip(labels.ids.to_pylist(), labels.values.to_pylist(), strict=True):
            if kept is None or str(id) in kept:
                votes.setdefault(id, Counter())[label] += 1
    return [{"id": id, "label": each.most_common(1)[0][0]} for id, each in votes.items()]
