"""Raters with the same labels throughout: found by plain loops, and named once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from fastcausal.tasks.labels.reading import read_ratings
from fastcausal.tasks.labels.suspicion import identical_raters, identical_warnings

NAMES = pa.array(["ann", "bob", "cy", "di"])


def drawn(seed: int) -> np.ndarray:
    """Labels of 16 to 26 units by four raters, some of whom copy another but for a few gaps."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, rng.integers(1, 4), (rng.integers(16, 27), 4)).astype(float)
    for k in range(1, 4):
        data[:, k] = data[:, rng.integers(k + 1)]
    data[rng.random(data.shape) < rng.choice([0, 0.02, 0.1])] = np.nan
    if rng.random() < 0.3:
        data[rng.integers(len(data)), rng.integers(4)] = 7
    return data


def plain(data: np.ndarray) -> list[tuple[int, int, int]]:
    found = []
    for a, b in combinations(range(data.shape[1]), 2):
        both = [(x, y) for x, y in data[:, [a, b]].tolist() if x == x and y == y]
        if len(both) >= 20 and all(x == y for x, y in both) and len(set(both)) > 1:
            found.append((a, b, len(both)))
    return found


def test_plain_loops():
    """Identical raters equal plain loops, for pairs around the limit of 20 shared labels."""
    found = [plain(drawn(seed)) for seed in range(300)]
    assert [identical_raters(read_ratings(drawn(seed))) for seed in range(300)] == found
    assert {n for pairs in found for *_, n in pairs} >= {20, 21, 26}
    assert sum(not pairs for pairs in found) > 50


def named(data: list[list[float]]) -> object:
    ratings = read_ratings(np.array(data))
    vars(ratings)["rater_names"] = NAMES[: ratings.n_raters]
    return ratings


COPIED = [[0, 0, 1], [1, 1, 1], [0, 0, 0]] * 8  # the first two raters
LAST = [[0, 1, 1], [1, 0, 0]] * 12


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({(): COPIED}, ['"ann" and "bob" gave the same 24 labels']),
        ({("s",): COPIED}, ['"ann" and "bob" gave the same 24 labels to system "s"']),
        # A warning about the whole is not repeated for its parts, at any depth.
        ({(): COPIED, ("s",): COPIED}, ['"ann" and "bob" gave the same 24 labels']),
        (
            {(): COPIED, ("s",): COPIED, ("s", "x"): COPIED, ("t", "x"): COPIED},
            ['"ann" and "bob" gave the same 24 labels'],
        ),
        (
            {(): LAST + COPIED, ("s",): COPIED, ("s", "x"): COPIED, ("s", "y"): COPIED},
            ['"ann" and "bob" gave the same 24 labels to system "s"'],
        ),
        # A part is no part of its neighbour.
        (
            {("s", "x"): COPIED, ("s", "y"): COPIED},
            [
                '"ann" and "bob" gave the same 24 labels to system "s", x',
                '"ann" and "bob" gave the same 24 labels to system "s", y',
            ],
        ),
        (
            {("s",): LAST + COPIED, ("s", "x"): COPIED, ("s", "y"): LAST, ("t",): COPIED},
            [
                '"ann" and "bob" gave the same 24 labels to system "s", x',
                '"bob" and "cy" gave the same 24 labels to system "s", y',
                '"ann" and "bob" gave the same 24 labels to system "t"',
            ],
        ),
    ],
)
def test_warned_of_once(parts, expected):
    ratings = {path: named(data) for path, data in parts.items()}
    assert identical_warnings(ratings) == [f"identical: raters {line}" for line in expected]


def test_raters_without_names_are_numbered():
    [warning] = identical_warnings({(): read_ratings(np.array(COPIED))})
    assert warning == 'identical: raters "0" and "1" gave the same 24 labels'
