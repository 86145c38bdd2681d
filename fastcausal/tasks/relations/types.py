"""Types of relations on both sides: pairing within a type, counts of each type alone.

Kernels know no types. Additive ones count relations without a common token as both unmatched: they
see the relations of each further type of an example behind its tokens. Others see each type of an
example as an example of its own, which gives the same best pairing if their objective is a sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import flattened, lists, numbers, offsets, values_of
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import Plan, Result, TooLargeError
from fastcausal.engine.run import run
from fastcausal.options import Backend
from fastcausal.relations import Relations
from fastcausal.rows import Rows

TOO_LONG = 2**31
MOST_FLAGS = 1 << 26  # of types and examples


class Types(NamedTuple):
    """Types of the relations of two sides, as numbers."""

    names: tuple[str, ...]  # Ascending; type k has the name k - 1
    gold: Int64  # int64[n_relations]: the type of each relation, 0 if it is unknown
    pred: Int64

    @property
    def are_on_both(self) -> bool:
        """True if both sides have a type."""
        return bool(self.gold.any() and self.pred.any())

    def name(self, code: int) -> str | None:
        """Return the name of a type, None if it is unknown."""
        return self.names[code - 1] if code else None

    def confusion(self, gold: Int64, pred: Int64) -> Counter[tuple[str, str]]:
        """Count the types of pairs of relations, "" for an unknown one; two unknown count not."""
        n, names = len(self.names) + 1, ("", *self.names)
        cells, counts = np.unique(self.gold[gold] * n + self.pred[pred], return_counts=True)
        pairs = ((names[cell // n], names[cell % n]) for cell in cells.tolist())
        return Counter({p: k for p, k in zip(pairs, counts.tolist(), strict=True) if any(p)})

    def fill(self, pred: Rows, filled: Rows) -> Types:
        """Return the types of predictions to which relations of no type were appended."""
        example = filled.example_of_relation()
        number = np.arange(len(example)) - filled.relation_offsets[example]
        codes = np.zeros(len(example), np.int64)
        codes[number < np.diff(pred.relation_offsets)[example]] = self.pred
        return self._replace(pred=codes)

    def take(self, gold: slice, pred: slice) -> Types:
        """Return the types of some relations of each side."""
        return self._replace(gold=self.gold[gold], pred=self.pred[pred])

    def drop_unmarked(self, gold: Rows, pred: Rows) -> Types:
        """Return the types of the relations with spans, as `Rows.marked` keeps them."""
        marked = (np.diff(rows.row_offsets) > 0 for rows in (gold, pred))
        of_gold, of_pred = (codes[kept] for codes, kept in zip(self[1:], marked, strict=True))
        return self._replace(gold=of_gold, pred=of_pred)

    def count_typed(self, gold: Int64, pred: Int64) -> int:
        """Count the pairs of relations of which one has a type."""
        return int(np.count_nonzero(self.gold[gold] | self.pred[pred]))

    def differ(self, gold: Int64, pred: Int64) -> npt.NDArray[np.bool_]:
        """Return True for pairs of relations of different types."""
        unlike: npt.NDArray[np.bool_] = self.gold[gold] != self.pred[pred]
        return unlike


def pairs_of(gold: Rows, pred: Rows, partner: Int64) -> tuple[Int64, Int64]:
    """Return the relations of gold and predictions that are paired and have spans."""
    of_gold = np.flatnonzero((partner >= 0) & (np.diff(gold.row_offsets) > 0))
    of_gold = of_gold[np.diff(pred.row_offsets)[partner[of_gold]] > 0]
    return of_gold, partner[of_gold]


def warn_of_types(n: int, n_pairs: int) -> str:
    """Warn of pairs of relations of different types, among those of which one has a type."""
    of_pairs = f"{n} of {n_pairs} pairs of relations with types ({n / n_pairs:.1%})"
    return f"types=ignore: {of_pairs} have different ones, --types require would not pair them"


def types_of(gold: Relations, pred: Relations) -> Types | None:
    """Number the types of both sides; None if neither side has any."""
    if gold.types is None and pred.types is None:
        return None
    sides = [_values_of(side) for side in (gold, pred)]
    encoded = pc.dictionary_encode(pa.concat_arrays(sides))
    known = encoded.dictionary.to_pylist()
    names = sorted(name for name in known if name is not None)
    number = {None: 0} | {name: k for k, name in enumerate(names, 1)}
    codes = np.array([number[name] for name in known], np.int64)[values_of(encoded.indices)]
    of_gold, of_pred = np.split(codes, [len(sides[0])])
    return Types(tuple(names), of_gold, of_pred)


def keep_relations(relations: Relations, kept: npt.NDArray[np.bool_]) -> Relations:
    """Drop relations, with their types: bool[n_relations]."""
    flags, table = numbers(kept), relations.table
    counts = np.diff(np.append(0, np.cumsum(kept))[relations.arrays.relation_offsets])
    for name in ("relations", *([] if relations.types is None else ["types"])):
        values = flattened(table[name])[0].filter(flags)
        table = table.set_column(table.column_names.index(name), name, lists(counts, values))
    return Relations.trusted(table, relations.reading)


def split_by_type(sides: Mapping[str, Relations]) -> dict[str, dict[str, Relations]]:
    """Return the relations of each type alone, of all sides; types ascend."""
    values = {name: np.array(_values_of(side).to_pylist(), object) for name, side in sides.items()}
    return {
        of: {name: keep_relations(side, values[name] == of) for name, side in sides.items()}
        for of in sorted({of for column in values.values() for of in column} - {None})
    }


def _values_of(side: Relations) -> pa.Array:
    """Return the type of each relation, null if it is unknown."""
    if side.types is None:
        return pa.nulls(len(side.arrays.row_offsets) - 1, pa.string())
    return flattened(side.types)[0]


def run_by_type(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    types: Types,
    groups: Int64 | None = None,
    n_groups: int | None = None,
    backend: Backend = "cpu",
    num_threads: int | None = None,
    *,
    apart: bool = False,
    partners: bool = True,
) -> Result:
    """Run the engine as `fastcausal.engine.run.run`; relations of different types never pair."""
    kinds = _Kinds.number(gold, pred, types)
    if not kinds.rank.any():  # no example has several types
        return run(plan, gold, pred, groups, n_groups, backend, num_threads, apart=apart,
                   partners=partners)  # fmt: skip
    kernel = plan.kernel
    if kernel.additive and (plan.built_in or kernel.ordinal):
        sides = _shift(gold, pred, kinds)
        partner, counts = run(plan, *sides, groups, n_groups, backend, num_threads, apart=apart,
                              partners=partners)  # fmt: skip
        if partners and pred.n_relations:
            unlike = types.gold != types.pred[partner]
            partner = np.where(unlike, -1, partner)
        return Result(partner, counts)
    if not plan.linear:
        raise ValueError(
            f'types is "require", but the kernel {kernel.name} is not additive and ordinal, '
            "expected one that is, or an objective without a denominator"
        )
    n_gold = np.diff(gold.relation_offsets)
    group = np.zeros(len(n_gold), np.int64) if groups is None else groups
    if n_groups is None:
        group, n_groups = np.arange(len(n_gold)), len(n_gold)
    if apart:
        group, n_groups = 2 * group + (n_gold > 1), 2 * n_groups
    dropped = _find_dropped(plan, gold, pred)
    plan = replace(plan, truncate=False, ignore_non_causal=False)
    return _run_split(plan, gold, pred, kinds, group[kinds.example], n_groups, backend,
                      num_threads, dropped, partners=partners)  # fmt: skip


def count_by_type(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    types: Types,
    backend: Backend = "cpu",
    num_threads: int | None = None,
    count: Callable[..., Result] = run,  # Counts rows by a plan
) -> dict[str, Int64]:
    """Count the relations of each type alone: int64[n_fields], then relations of gold and pred."""
    kinds = _Kinds.number(gold, pred, types)
    n = len(types.names) + 1
    how = backend, num_threads
    counts = _run_split(plan, gold, pred, kinds, kinds.code, n, *how, count=count).counts
    totals = [
        np.bincount(codes[np.diff(rows.row_offsets) > 0], minlength=n)
        for codes, rows in ((types.gold, gold), (types.pred, pred))
    ]
    counts = np.column_stack([counts, *totals])
    return {name: counts[k] for k, name in enumerate(types.names, 1) if counts[k, -2:].any()}


def shifted(gold: Rows, pred: Rows, types: Types) -> tuple[Rows, Rows]:
    """Move the relations of the k-th type of an example by k times its tokens, from 0."""
    return _shift(gold, pred, _Kinds.number(gold, pred, types))


def _shift(gold: Rows, pred: Rows, kinds: _Kinds) -> tuple[Rows, Rows]:
    n_kinds = np.bincount(kinds.example, minlength=gold.n_examples)
    lengths = gold.lengths * np.maximum(n_kinds, 1)
    if (lengths >= TOO_LONG).any():
        raise TooLargeError(int(lengths.argmax()))
    moved = []
    for rows, kind in ((gold, kinds.gold), (pred, kinds.pred)):
        by = kinds.rank[kind] * rows.lengths[kinds.example[kind]]
        values = rows.values.copy()
        values[:, 1:] += np.repeat(by, np.diff(rows.row_offsets))[:, None].astype(np.int32)
        moved.append(replace(rows, values=values, lengths=lengths.astype(np.int32)))
    return moved[0], moved[1]


class _Kinds(NamedTuple):
    """The different types in each example, in the order of examples and types."""

    example: Int64  # of each kind
    code: Int64  # its type
    rank: Int64  # its place within its example
    # The kind of each relation
    gold: Int64
    pred: Int64

    @classmethod
    def number(cls, gold: Rows, pred: Rows, types: Types) -> _Kinds:
        """Number the different types of all examples."""
        n = len(types.names) + 1
        keys = [
            rows.example_of_relation() * n + codes
            for rows, codes in ((gold, types.gold), (pred, types.pred))
        ]
        both = np.concatenate(keys)
        if gold.n_examples * n > MOST_FLAGS:  # sorting takes ten times as long as flags
            known, kinds = np.unique(both, return_inverse=True)
        else:
            occurs = np.zeros(gold.n_examples * n, bool)
            occurs[both] = True
            known, kinds = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[both]
        example, code = np.divmod(known, n)
        rank = np.arange(len(known)) - np.searchsorted(example, example)
        return cls(example, code, rank, *np.split(kinds, [len(keys[0])]))


def _find_dropped(plan: Plan, gold: Rows, pred: Rows) -> npt.NDArray[np.bool_]:
    """Return True for the predictions that the plan drops: bool[n_relations]."""
    example = pred.example_of_relation()
    n_gold = np.diff(gold.relation_offsets)[example]
    number = np.arange(len(example)) - pred.relation_offsets[example]
    beyond = (n_gold > 0) & (number >= n_gold) & plan.truncate
    dropped: npt.NDArray[np.bool_] = beyond | (n_gold == 0) & plan.ignore_non_causal
    return dropped


def _run_split(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    kinds: _Kinds,
    groups: Int64,  # [n_kinds]
    n_groups: int,
    backend: Backend,
    num_threads: int | None,
    dropped: npt.NDArray[np.bool_] | None = None,  # Predictions to leave out
    *,
    partners: bool = False,
    count: Callable[..., Result] = run,
) -> Result:
    """Run the engine on kinds as examples of their own."""
    kept = np.arange(pred.n_relations) if dropped is None else np.flatnonzero(~dropped)
    of_gold = np.argsort(kinds.gold, kind="stable")
    of_pred = kept[np.argsort(kinds.pred[kept], kind="stable")]
    sides = (
        _of_kinds(gold, of_gold, kinds.gold, kinds),
        _of_kinds(pred, of_pred, kinds.pred, kinds),
    )
    try:
        found, counts = count(
            plan, *sides, groups, n_groups, backend, num_threads, partners=partners
        )
    except TooLargeError as error:
        raise TooLargeError(int(kinds.example[error.example])) from None
    if not partners:
        return Result(found, counts)
    partner = np.full(gold.n_relations, -1)
    paired = found >= 0
    partner[of_gold[paired]] = of_pred[found[paired]]
    return Result(partner, counts)


def _of_kinds(rows: Rows, order: Int64, kind: Int64, kinds: _Kinds) -> Rows:
    """Return relations in a new order, with an example for each kind."""
    widths = np.diff(rows.row_offsets)[order]
    row_offsets = offsets(widths)
    places = np.repeat(rows.row_offsets[order] - row_offsets[:-1], widths) + np.arange(widths.sum())
    counts = np.bincount(kind[order], minlength=len(kinds.example))
    return replace(
        rows,
        values=rows.values[places],
        row_offsets=row_offsets,
        relation_offsets=offsets(counts),
        lengths=rows.lengths[kinds.example],
    )
