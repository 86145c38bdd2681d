"""Unitised alpha as the published RECESS program computes it; not the binary alpha of Eq. 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastcausal.tasks.agreement import _native

Span = tuple[int, int]


def unitized_alpha(
    a: Sequence[Span],  # by ascending start; a span that overlaps an earlier one is skipped
    b: Sequence[Span],  # likewise
    length: int,  # number of tokens in the sentence
) -> tuple[float, int]:
    """Compute alpha over the units of a role marked by two annotators, with its weight."""
    # Positions include the length, as in the program, so the last gap is one longer than the text.
    # Alpha is 1 without disagreement. Its weight in averages is the number of marked tokens.
    first, second = (
        np.array([(0, *span) for span in spans], np.int32).reshape(-1, 3) for spans in (a, b)
    )
    return _native.unitized_alpha(first, second, length)
