"""Rules that counts keep, whatever was scored: what breaks one was not counted here."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Rule(NamedTuple):
    """Counts whose sum is at most the sum of others, in every row and so in sums of rows.

    A field that is there twice counts twice; what is below 0 stands for no count, and counts as 0.
    """

    small: tuple[str, ...]
    large: tuple[str, ...]

    def of(self, group: str) -> Rule:
        """Return the rule of a role, whose fields begin with its name."""
        return Rule(*(tuple(f"{group}_{name}" for name in side) for side in self))


def ascending(*fields: str) -> tuple[Rule, ...]:
    """Return the rules of counts of which each is at most the next one.

    Examples
    --------
    >>> ascending("em", "osb", "to")
    (Rule(small=('em',), large=('osb',)), Rule(small=('osb',), large=('to',)))
    """
    return tuple(Rule((a,), (b,)) for a, b in pairwise(fields))


def equal(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[Rule, ...]:
    """Return the rules of two sums that are one."""
    return Rule(a, b), Rule(b, a)


_SCHEMES = ("strict", "exact", "partial", "type")
_SIDES = tuple(
    [
        tuple(f"{scheme}_{name}" for name in ("cor", "inc", "par", missed))
        for scheme in _SCHEMES
    ]
    for missed in ("mis", "spu")
)  # fmt: skip
OF_KERNELS: dict[str, tuple[Rule, ...]] = {
    "span_overlap": (
        *ascending("em", "osb", "to", "pairs"),
        *equal(("n1",), ("tp", "tp", "fp", "fn")),
        *equal(("o01",), ("fp", "fn")),
        *ascending("n1", "n"),
    ),
    "partial_spans": tuple(
        rule for first, *rest in _SIDES for other in rest for rule in equal(first, other)
    ),
}  # between the fields of a role, and between those of all roles together
GOLD_OF_KERNELS: dict[str, tuple[tuple[str, ...], ...]] = {
    "exact_spans": (("tp", "fn"),),
    "span_overlap": (("tp", "fn"),),
    "partial_spans": (_SIDES[0][0],),
}  # fields of a role whose sum depends on gold alone
