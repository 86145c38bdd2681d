"""Reasons of invalid verdicts: the wrong side and the kind of error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.errors import InputError
from fastcausal.files.values import shown

Int8 = npt.NDArray[np.int8]

SIDES = ("cause", "effect", "both")
KINDS = ("meaning lost", "meaning added", "another event", "words not in the source")
NONE = -1


def reason_of(value: Any, where: Callable[[], str]) -> tuple[int, int]:
    """Parse a reason ``SIDE: KIND``, ``SIDE`` or ``KIND`` into indices of `SIDES` and `KINDS`.

    >>> [reason_of(text, str) for text in ("Effect: meaning  lost", "both", "another event", None)]
    [(1, 0), (2, -1), (-1, 2), (-1, -1)]
    """
    # The index of a missing part is -1; null and blank text have neither part.
    parts = [] if value is None else [_plain(part) for part in str(value).split(":")]
    match parts:
        case [] | [""]:
            return NONE, NONE
        case [side] if side in SIDES:
            return SIDES.index(side), NONE
        case [kind] if kind in KINDS:
            return NONE, KINDS.index(kind)
        case [side, kind] if side in SIDES and kind in KINDS:
            return SIDES.index(side), KINDS.index(kind)
    raise InputError(
        f"{where()}: reason {shown(value)}, expected SIDE, KIND or SIDE: KIND; "
        f"sides are {', '.join(SIDES)}; kinds are {', '.join(KINDS)}"
    )


def reason_text(side: int, kind: int) -> str | None:
    """Write a reason as text, or None if both indices are -1.

    >>> reason_text(0, 3), reason_text(-1, 1), reason_text(-1, -1)
    ('cause: words not in the source', 'meaning added', None)
    """
    parts = [names[k] for names, k in ((SIDES, side), (KINDS, kind)) if k != NONE]
    return ": ".join(parts) or None


def reasons_of(values: Sequence[Any], valid: Int8, where: Callable[[int], str]) -> Int8:
    """Parse the reasons of verdicts: side and kind of each."""
    # Result: [n, 2]. InputError if a reason has another form, or its verdict is not invalid.
    reasons = np.full((len(values), 2), NONE, np.int8)
    for k, value in enumerate(values):
        if value is None:
            continue
        reasons[k] = reason_of(value, lambda k=k: where(k))  # type: ignore[misc]
        if valid[k] != 0 and (reasons[k] != NONE).any():
            raise InputError(
                f"{where(k)}: reason {shown(value)} beside a verdict that is not invalid, "
                "expected none"
            )
    return reasons


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
