"""Spans as rows (role, start, stop): the twin of csrc/fastcausal/row.h."""

from __future__ import annotations

from fastcausal.engine.kernel import Int32

ROLE, START, STOP = 0, 1, 2


def shared_tokens(a: Int32, b: Int32) -> int:
    """Count the tokens that lie in both spans."""
    return int(max(0, min(a[STOP], b[STOP]) - max(a[START], b[START])))


def same_bounds(a: Int32, b: Int32) -> bool:
    """Tell whether two spans start and stop at the same tokens."""
    return bool(a[START] == b[START] and a[STOP] == b[STOP])
