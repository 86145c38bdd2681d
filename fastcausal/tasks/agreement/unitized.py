"""Unitised alpha as the published RECESS program computes it; not the binary alpha of Eq. 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Span = tuple[int, int]


class Unit(NamedTuple):
    """A marked span, or the gap between two, with inclusive bounds."""

    first: int
    last: int
    marked: bool

    @property
    def length(self) -> int:
        """Number of tokens."""
        return self.last - self.first + 1


def unitized_alpha(a: Sequence[Span], b: Sequence[Span], length: int) -> tuple[float, int]:
    """Compute alpha over the units of a role marked by two annotators, with its weight.

    Parameters
    ----------
    a, b : sequence of (start, stop)
        Spans in order of start, stop exclusive. A span that overlaps an earlier one is skipped.
    length : int
        Tokens of the sentence. Positions run to ``length`` itself, as in the program, so the last
        gap is one longer than the text.

    Returns
    -------
    (float, int)
        Alpha, 1.0 without disagreement; marked tokens, its weight in averages.

    Examples
    --------
    >>> unitized_alpha([(0, 4)], [(0, 4)], 9)
    (1.0, 8)
    >>> unitized_alpha([(0, 4)], [(0, 2)], 9)
    (0.4, 6)
    """
    units_a, units_b = _units(a, length), _units(b, length)
    marked = [u.length for u in (*units_a, *units_b) if u.marked]
    if units_a == units_b:
        return 1.0, sum(marked)
    numerator = denominator = weight = 0
    for g in units_a:
        for h in units_b:
            shared = min(g.last, h.last) - max(g.first, h.first) + 1
            if shared <= 0:
                continue
            if g.marked and h.marked:
                numerator += g.length + h.length - 2 * shared
                denominator += 1
                weight += g.length + h.length
            elif g.marked != h.marked:
                unit, gap = (g, h) if g.marked else (h, g)
                if gap.first <= unit.first and unit.last <= gap.last:
                    numerator += 2 * unit.length
                    denominator += 1
                    weight += unit.length
    if numerator == 0:
        return 1.0, weight
    # Expected disagreement over ordered pairs of units; a single unit has none.
    expected = sum(n * n for n in marked) / sum(marked) if len(marked) > 1 else 0.0
    return (1.0 - numerator / denominator / expected if expected else 0.0), weight


def _units(spans: Sequence[Span], length: int) -> list[Unit]:
    """Return marked spans and the gaps between them, from left to right."""
    if not spans:  # the program starts the gap of an empty sentence at its second word
        return [Unit(1, length, False)] if length else []
    units, at = [], 0
    for start, stop in spans:
        if start < at:
            continue
        if start > at:
            units.append(Unit(at, start - 1, False))
        units.append(Unit(start, stop - 1, True))
        at = stop
    if at <= length:
        units.append(Unit(at, length, False))
    return units
