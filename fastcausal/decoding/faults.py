"""Faults that native decoders return instead of a result."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """The first invalid place in a batch."""

    # Its place in the batch
    example: int
    token: int
    column: int = 0  # The column of boundary logits, or ``_native.WORD`` for a word out of order
