"""Traits of relations that RECESS counts: signals, what parts the arguments, flow of events."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.reading import LETTERS, arguments_of
from fastcausal.formats.cnc.rereading import needs_other_tags, reread
from fastcausal.formats.examples import column_of_texts
from fastcausal.formats.span_texts import span_texts
from fastcausal.relations import Relations
from fastcausal.rows import Rows

EXPLICIT, NEAR, FLOW = "explicit", "near", "flow"  # columns that relations give
TRAITS = (EXPLICIT, NEAR, FLOW)
PLACES = ("signal_between", "adjacent", "comma", "word", "apart", "missing")  # of the two arguments
FLOWS = ("single", "concurrent", "consecutive")
COMMAS = (",", "，", "、", "،")  # noqa: RUF001
NEVER = np.iinfo(np.int32).max

Bools = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


def hulls_of(relations: Relations, rows: Rows) -> tuple[Int64, Int64]:
    """Return the first start and the last stop of both arguments: int64[2, n_relations] each."""
    relation = relation_of_row(rows)
    starts = np.full((2, rows.n_relations), NEVER, np.int64)  # without a span
    stops = np.zeros((2, rows.n_relations), np.int64)
    for k, role in enumerate(arguments_of(relations.roles)):
        chosen = rows.values[:, 0] == role
        np.minimum.at(starts[k], relation[chosen], rows.values[chosen, 1])
        np.maximum.at(stops[k], relation[chosen], rows.values[chosen, 2])
    return starts, stops


def signals_of(relations: Relations, rows: Rows) -> Bools:
    """Return True for the rows of signals; none without such a role."""
    role = relations.roles.index("signal") if "signal" in relations.roles else -1
    return np.equal(rows.values[:, 0], role)


def relation_of_row(rows: Rows) -> Int64:
    """Return the relation of each row."""
    return np.repeat(np.arange(rows.n_relations), np.diff(rows.row_offsets))


def places_of(relations: Relations, rows: Rows) -> Int64:
    """Return what parts the arguments of each relation, of `PLACES`."""
    starts, stops = hulls_of(relations, rows)
    start = np.where(starts[0] <= starts[1], stops[0], stops[1])  # of what parts them
    stop = starts.max(axis=0)
    missing = stop == NEVER
    parted = ~missing & (start < stop)
    relation, (_, begins, ends) = relation_of_row(rows), rows.values.T
    between = signals_of(relations, rows) & (begins < stop[relation]) & (ends > start[relation])
    has_signal = np.bincount(relation[between], minlength=rows.n_relations) > 0
    comma = np.zeros(rows.n_relations, bool)
    comma[parted] = _are_commas(relations, rows, start, stop, parted)
    cases = [missing, ~parted, has_signal, comma, stop - start == 1]
    names = ("missing", "adjacent", "signal_between", "comma", "word")
    return np.select(cases, [PLACES.index(name) for name in names], PLACES.index("apart"))


def _are_commas(
    relations: Relations, rows: Rows, start: Int64, stop: Int64, parted: Bools
) -> Bools:
    """Return True for gaps whose text is a comma; without a text of these tokens it is unknown."""
    gaps = np.column_stack([np.zeros_like(start), start, stop])[parted].astype(np.int32)
    row_offsets = np.concatenate([[0], np.cumsum(parted)])
    of_gaps = Rows(gaps, row_offsets, rows.relation_offsets, rows.lengths)
    texts = pc.fill_null(column_of_texts(relations), "")
    found = span_texts(texts, of_gaps, by_letters=relations.reading.words == LETTERS)
    example = rows.example_of_relation()[parted]
    known: Bools = (found.n_tokens == rows.lengths)[example]
    commas = pc.is_in(found.texts, pc.cast(arrow.strings(COMMAS), found.texts.type))
    are_commas: Bools = known & (arrow.values_of(pc.cast(commas, pa.int8())) > 0)
    return are_commas


def flows_of(relations: Relations, rows: Rows) -> Int64:
    """Return the flow of events that each relation is part of, of `FLOWS`.

    An effect that is the cause of another relation makes both consecutive, else the same cause or
    effect of different ones makes them concurrent. A relation without both arguments is single.
    """
    flow = np.zeros(rows.n_relations, np.int64)
    arguments = _number_arguments(relations, rows)
    whole = np.flatnonzero((arguments >= 0).all(axis=0))
    pairs, copy = np.unique(arguments[:, whole], axis=1, return_inverse=True)
    cause, effect = pairs
    shared = (np.bincount(cause)[cause] > 1) | (np.bincount(effect)[effect] > 1)
    other = cause != effect
    follows = other & (np.isin(effect, cause[other]) | np.isin(cause, effect[other]))
    of_pair = np.where(follows, 2, shared)
    flow[whole] = of_pair[copy.ravel()]
    return flow


def _number_arguments(relations: Relations, rows: Rows) -> Int64:
    """Number the different token sets of an example: int64[2, n_relations], -1 for none."""
    numbers = np.full(2 * rows.n_relations, -1)
    roles = arguments_of(relations.roles)
    chosen = rows.values[np.isin(rows.values[:, 0], roles)].astype(np.int64)
    of_row = relation_of_row(rows)[np.isin(rows.values[:, 0], roles)]
    argument = of_row + rows.n_relations * (chosen[:, 0] == roles[-1]) * (len(roles) > 1)
    order = np.lexsort((chosen[:, 1], argument))
    argument, start, stop = argument[order], chosen[order, 1], chosen[order, 2]
    base = argument << 31  # ends ascend within an argument, and from one to the next
    last = np.maximum.accumulate(base + stop) - base
    is_new = np.append(True, argument[1:] != argument[:-1])[: len(argument)]
    begins = np.flatnonzero(is_new | (start > np.append(0, last)[: len(last)]))
    ends = np.append(begins[1:], len(last))[: len(begins)] - 1
    argument, runs = argument[begins], (start[begins] << 31) + last[ends]
    known, first, n_runs = np.unique(argument, return_index=True, return_counts=True)
    codes = rows.example_of_relation()[known % max(rows.n_relations, 1)]
    for k in range(max(n_runs, default=0)):
        values, run = np.unique(runs[first[n_runs > k] + k], return_inverse=True)
        further = np.zeros(len(known), np.int64)
        further[n_runs > k] = run + 1
        codes = np.unique(codes * (len(values) + 1) + further, return_inverse=True)[1]
    numbers[known] = codes
    return numbers.reshape(2, -1)


def add_traits(relations: Relations, names: Iterable[str]) -> Relations:
    """Add the columns of these names that relations give and the table lacks.

    An example has a trait if one of its relations has it; without relations it is null.
    """
    table = relations.table
    for name in names:
        if name in TRAITS and name not in table.column_names:
            column = _column_of(relations, name)
            table = table if column is None else table.append_column(name, column)
    return relations if table is relations.table else Relations.trusted(table, relations.reading)


def _column_of(relations: Relations, name: str) -> pa.Array | None:
    """Return the trait of each example; None without a role that it needs."""
    if needs_other_tags(relations, "strict"):  # as annotated, whatever the protocol reads
        relations = reread(relations, "strict")
    rows, roles = Rows.of(relations), relations.roles
    if len(arguments_of(roles)) < 2 or (name == EXPLICIT and "signal" not in roles):
        return None
    values: tuple[str, ...] = ("no", "yes")
    if name == EXPLICIT:
        of_relation = np.zeros(rows.n_relations, np.int64)
        of_relation[relation_of_row(rows)[signals_of(relations, rows)]] = 1
    elif name == NEAR:
        near = [PLACES.index(place) for place in ("adjacent", "comma")]
        of_relation = np.isin(places_of(relations, rows), near).astype(np.int64)
    else:
        values, of_relation = FLOWS, flows_of(relations, rows)
    marked = np.diff(rows.row_offsets) > 0
    best = np.full(rows.n_examples, -1)
    np.maximum.at(best, rows.example_of_relation()[marked], of_relation[marked])
    return pc.take(pa.array(values), arrow.numbers(best, best >= 0))
