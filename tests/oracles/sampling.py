"""Philox4x32-10 and single draws in plain Python.

Source: Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3",
section 3.3 and the known answers of its library; Lemire (2019), "Fast random integer generation in
an interval", algorithm 5.
"""

from __future__ import annotations

from collections.abc import Iterator

WORD = 2**32


def philox(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """Four words of a counter of four words, after ten rounds."""
    a, b, c, d = counter
    left, right = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q // WORD) ^ b ^ left, q % WORD, (p // WORD) ^ d ^ right, p % WORD
        left, right = (left + 0x9E3779B9) % WORD, (right + 0xBB67AE85) % WORD
    return a, b, c, d


def words(seed: int, resample: int) -> Iterator[int]:
    block = 0
    key, number = (seed % WORD, seed // WORD), (resample % WORD, resample // WORD)
    while True:
        yield from philox((block % WORD, block // WORD, *number), key)
        block += 1


def below(n: int, random: Iterator[int]) -> int:
    while True:
        product = next(random) * n
        if product % WORD >= WORD % n:
            return product // WORD


def singly(times: list[int], seed: int, resample: int) -> list[int]:
    """How often each row is drawn, one unit after the other."""
    row_of = [row for row, n in enumerate(times) for _ in range(n)]
    random = words(seed, resample)
    drawn = [row_of[below(len(row_of), random)] for _ in row_of]
    return [drawn.count(row) for row in range(len(times))]
