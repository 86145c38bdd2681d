"""Spans as rows (role, start, stop): the twin of csrc/fastcausal/row.h."""

from __future__ import annotations

from fastcausal.engine.kernel import Int32

ROLE, START, STOP = 0, 1, 2


def shared_tokens(a: Int32, b: Int32) -> int:
    """Count the tokens in both spans."""
    return int(max(0, min(a[STOP], b[STOP]) - max(a[START], b[START])))


def same_bounds(a: Int32, b: Int32) -> bool:
    """Return True if two spans have the same start and stop."""
    return bool(a[START] == b[START] and a[STOP] == b[STOP])
