"""Rules for valid rows of any evaluation; a row that breaks one was not written by fastcausal."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Rule(NamedTuple):
    """An upper bound: in every row the sum of ``small`` is at most the sum of ``large``.

    A repeated field counts twice; a negative count counts as 0.
    """

    small: tuple[str, ...]
    large: tuple[str, ...]

    def name_fields(self, group: str) -> Rule:
        """Return the rule for a role, with its fields' names."""
        return Rule(*(tuple(f"{group}_{name}" for name in side) for side in self))


class UnitColumn(NamedTuple):
    """A column of units besides counts that a report reads."""

    type: str  # Arrow's name of it, such as ``int64``
    texts: tuple[str, ...] = ()  # All possible texts; empty: any
    required: bool = True
    nulls: bool = False  # True if values may be missing


def ascending(*fields: str) -> tuple[Rule, ...]:
    """Return the rules of counts in ascending order.

    >>> ascending("em", "osb", "to")
    (Rule(small=('em',), large=('osb',)), Rule(small=('osb',), large=('to',)))
    """
    return tuple(Rule((a,), (b,)) for a, b in pairwise(fields))


def equal(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[Rule, ...]:
    """Return the rules of two equal sums."""
    return Rule(a, b), Rule(b, a)
