"""The state of an evaluation of relations: one value that adds.

A new total needs its name in `Totals` and the line of `Totals.add_up` that counts it. Scorers,
merging, states of `fastcausal.training.SpanScore`, files and facts of reports follow from these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from fastcausal.arrays._spans import count_filled
from fastcausal.arrays.arrow import numbers, values_of
from fastcausal.errors import InputError, Warnings, add_warnings
from fastcausal.significance.sums import Int64, narrowed
from fastcausal.tasks.relations.formula import LATER, TOTALS, GroupedFormula
from fastcausal.tasks.relations.unread import ALL_READ, Unparsed

if TYPE_CHECKING:
    from fastcausal.rows import Rows
    from fastcausal.tasks.relations.align import Aligned

Stratum = tuple[str, ...]
T = TypeVar("T")
TYPE = "type"  # the name by which the types of relations are subsets
COLUMN_TOTALS = (*TOTALS, *LATER)  # totals with a column in files
ROW_TOTALS = ("n_examples", "n_left_out", "n_readable")  # totals that follow from rows of a file
# In signature, warnings and rates of reports
TYPE_TOTALS = ("n_gold_types", "n_pred_types", "n_typed_pairs", "n_types_differ")
INTERNAL_TOTALS = ("n_as_given", "n_left_out", "n_readable", *TYPE_TOTALS)


NO_PAIRS: Counter[tuple[str, str]] = Counter()
NOTHING: Int64 = np.zeros((), np.int64)  # counts of no example


class Totals(NamedTuple):
    """Totals of an evaluation, which add."""

    n_examples: int = 0  # Examples that were scored
    # Relations of either side that mark a span
    n_gold_relations: int = 0
    n_pred_relations: int = 0
    # As `Unparsed.relations` and `Unparsed.answers`
    n_unparsed: int = 0
    n_unparsed_answers: int = 0
    # Relations whose spans are used as they are, although the protocol reads tags otherwise
    n_as_given: int = 0
    # As `Unparsed.examples` and `Unparsed.readable`
    n_left_out: int = 0
    n_readable: int = 0
    # If types decide nothing: relations of either side with a type, pairs of relations of which one
    # has a type, and those of different types
    n_gold_types: int = 0
    n_pred_types: int = 0
    n_typed_pairs: int = 0
    n_types_differ: int = 0

    @classmethod
    def add_up(cls, gold: Rows, pred: Rows, n_as_given: int = 0) -> Totals:
        """Count the totals of two sides of the same examples without unparsed predictions."""
        n_gold, n_pred = count_filled(gold.row_offsets), count_filled(pred.row_offsets)
        return cls(len(gold.lengths), n_gold, n_pred, 0, 0, n_as_given)

    def __add__(self, other: Totals) -> Totals:  # type: ignore[override]
        return Totals(*map(add, self, other))

    @property
    def unparsed(self) -> Unparsed:
        """Predictions that could not be read."""
        return Unparsed(self.n_unparsed, self.n_left_out, self.n_readable, self.n_unparsed_answers)

    def facts(self) -> dict[str, Any]:
        """Return the totals that reports show by name, and rates."""
        shown = {name: n for name, n in self._asdict().items() if name not in INTERNAL_TOTALS}
        shown |= self.unparsed.facts(self.n_examples, self.n_pred_relations)
        return shown | ({"n_types_differ": self.n_types_differ} if self.has_types else {})

    @property
    def has_types(self) -> bool:
        """True if both sides have types, which decide nothing."""
        return self.n_gold_types > 0 and self.n_pred_types > 0

    def select(self, names: Iterable[str]) -> dict[str, int]:
        """Return the totals of these names; those of types if there are any."""
        totals = {name: getattr(self, name) for name in names}
        return {name: n for name, n in totals.items() if n or name not in TYPE_TOTALS}


# In the metadata of a file
METADATA_TOTALS = tuple(n for n in Totals._fields if n not in (*COLUMN_TOTALS, *ROW_TOTALS))


class Tally(NamedTuple):
    """The state of an evaluation of relations; tallies of parts add up in any order."""

    totals: Totals = Totals()
    # By values of the columns ``by``: counts of examples with at most one gold relation, and
    # of the others
    counts: Mapping[Stratum, Int64] = {}
    roles: tuple[str, ...] | None = None  # Role names of both sides; None before the first example
    # As in `fastcausal.tasks.relations.align.Aligned`
    found: frozenset[tuple[str, str]] = frozenset()
    warnings: Warnings = {}  # noqa: RUF012
    # int64[n_counts], optional: Counts of examples with unparsed predictions, each of which
    # counts as no relation; None if unknown
    unread: Int64 | None = NOTHING
    reasons: tuple[pa.Table, ...] = ()  # Reasons of unparsed predictions
    # By type: counts of its relations alone, then their numbers in gold and predictions; None
    # unless wanted and there are types
    by_type: Mapping[str, Int64] | None = None
    # Types of pairs of relations, of gold and of predictions, as `Types.confusion`
    confusion: Counter[tuple[str, str]] = NO_PAIRS

    def __add__(self, other: Tally) -> Tally:  # type: ignore[override]
        """Add another part of one evaluation; InputError if a count reaches 2^56."""
        by_type = None
        if self.n_given and other.n_given and (self.by_type is None) != (other.by_type is None):
            raise InputError(f'one part has a column "{TYPE}", another one types of relations')
        if self.by_type is not None or other.by_type is not None:
            by_type = _added_counts(self.by_type or {}, other.by_type or {})
        return Tally(
            self.totals + other.totals,
            _added_counts(self.counts, other.counts),
            self.roles or other.roles,
            self.found | other.found,
            _joint_warnings(self.warnings, other.warnings),
            _added_if_known(self.unread, other.unread),
            self.reasons + other.reasons,
            by_type,
            self.confusion + other.confusion,
        )

    @property
    def n_given(self) -> int:
        """Examples that were given, those left out included."""
        return self.totals.n_examples + self.totals.n_left_out

    def sums(self, formula: GroupedFormula) -> Int64:
        """Return the counts of all strata: int64[2, n_counts]."""
        if () in self.counts:
            return self.counts[()]
        nothing = np.zeros((2, len(formula.fields) - 1), np.int64)
        return reduce(added, self.counts.values(), nothing)

    def subsets(self, columns: tuple[str, ...]) -> dict[str, Int64]:
        """Return the counts of the values of each column, ascending: int64[n_counts] each."""
        subsets: dict[str, Int64] = {}
        for k, column in enumerate(columns):
            for values in sorted(self.counts, key=lambda values: values[k]):
                name = f"{column}={values[k]}"
                counts = self.counts[values].sum(axis=0)
                subsets[name] = added(subsets[name], counts) if name in subsets else counts
        return subsets


def warn_as_given(n: int, protocol: str) -> Warnings:
    """Warn of relations whose spans are used as they are, if there are any."""
    text = (
        "tags:as-given: ",
        " relations are used as they are: tags cannot hold them, or were read otherwise than "
        f"{protocol} reads them",
    )
    return {text: (n,)} if n else {}


def cast_totals(units: pa.Table, narrow: bool = False) -> pa.Table:
    """Store the totals of units in 64 bits, as files do, or in as few as hold them."""
    for k, name in enumerate(units.column_names):
        if name in COLUMN_TOTALS:
            totals = values_of(units[name])
            totals = narrowed(totals) if narrow else totals.astype(np.int64, copy=False)
            units = units.set_column(k, name, numbers(totals))
    return units


def totals_of(aligned: Aligned) -> Totals:
    """Count the totals of aligned examples."""
    totals = Totals.add_up(aligned.gold, aligned.pred, aligned.n_as_given)
    lost = aligned.unparsed
    if lost is ALL_READ:
        return totals
    return totals._replace(
        n_unparsed=lost.relations,
        n_unparsed_answers=lost.answers,
        n_left_out=lost.examples,
        n_readable=lost.readable,
    )


def added(a: Int64, b: Int64) -> Int64:
    """Add counts of 0 and above.

    >>> added(np.array([1, 2]), np.array([3, 4]))
    array([4, 6])
    """
    # InputError if a sum reaches 2^56: roles might leave 64 bits.
    total: Int64 = a + b
    if (total >> 56).any():
        raise InputError(f"counts add up to {total.max()}, expected less than 2^56")
    return total


def _added_counts(a: Mapping[T, Int64], b: Mapping[T, Int64]) -> dict[T, Int64]:
    counts = {**a}
    for name, more in b.items():
        before = counts.get(name)
        counts[name] = more if before is None else added(before, more)
    return counts


def _added_if_known(a: Int64 | None, b: Int64 | None) -> Int64 | None:
    if b is NOTHING:
        return a
    return None if a is None or b is None else added(a, b)


def _joint_warnings(a: Warnings, b: Warnings) -> Warnings:
    if not b:
        return a
    warnings = {**a}
    add_warnings(warnings, b)
    return warnings
