"""Faults that native decoders return in place of a result."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """The first place where arrays cannot be used.

    Attributes
    ----------
    example, token : int
        Where it is in the batch.
    column : int
        The column of boundary logits, or ``_native.WORD`` for a word out of order.
    """

    example: int
    token: int
    column: int = 0
