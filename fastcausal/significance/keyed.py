"""Draws that depend only on a seed and a name: not on the order of data nor on other draws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

DrawKey = str | int
BITS = 128


def number_of(*key: DrawKey) -> int:
    """Return a pseudo-random number from 0 to 2^128 - 1 that depends only on the key.

    >>> number_of(0, "story 4") == number_of(0, "story 4"), number_of(0, "a") == number_of(1, "a")
    (True, False)
    """
    return int.from_bytes(blake2b(json.dumps(key).encode(), digest_size=BITS // 8).digest(), "big")


def shuffled(names: Sequence[str], *key: DrawKey) -> list[int]:
    """Return the places of distinct names, shuffled; the order of names depends only on the key."""
    return sorted(range(len(names)), key=lambda k: number_of(*key, names[k]))


def sampled(n: int, k: int, *key: DrawKey) -> list[int]:
    """Draw k distinct numbers below n; a larger k starts with the same draws."""
    # The shuffle of Fisher and Yates; only changed places are stored.
    moved: dict[int, int] = {}
    drawn = []
    for place in range(k):
        at = place + (number_of(*key, place) * (n - place) >> BITS)
        drawn.append(moved.get(at, at))
        moved[at] = moved.get(place, place)
    return drawn
