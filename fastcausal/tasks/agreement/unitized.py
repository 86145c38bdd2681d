"""Unitised alpha as the published RECESS program computes it; not the binary alpha of Eq. 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastcausal.tasks.agreement import _native

Span = tuple[int, int]


def unitized_alpha(a: Sequence[Span], b: Sequence[Span], length: int) -> tuple[float, int]:
    """Compute alpha over the units of a role marked by two annotators, with its weight.

    Parameters
    ----------
    a, b : sequence of (start, stop)
        Spans by ascending start; stop is exclusive. A span that overlaps an earlier one is skipped.
    length : int
        Number of tokens in the sentence. Positions include ``length``, as in the program, so the
        last gap is one longer than the text.

    Returns
    -------
    (float, int)
        Alpha, 1.0 without disagreement; and its weight in averages, the number of marked tokens.

    Examples
    --------
    >>> unitized_alpha([(0, 4)], [(0, 4)], 9)
    (1.0, 8)
    >>> unitized_alpha([(0, 4)], [(0, 2)], 9)
    (0.4, 6)
    """
    first, second = (
        np.array([(0, *span) for span in spans], np.int32).reshape(-1, 3) for spans in (a, b)
    )
    return _native.unitized_alpha(first, second, length)
