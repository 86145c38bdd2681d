"""Signs of a copied file in ratings: two raters with the same labels throughout."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from fastcausal.tasks.labels.ratings import Ratings, numbered

MIN_SHARED = 20  # common labels of two raters; fewer may be equal by chance


def identical_raters(ratings: Ratings) -> list[tuple[int, int, int]]:
    """Return pairs of raters with the same labels on all common units, and the number of these."""
    # At least 20 common units. Pairs with a single label are ignored: such raters may just agree.
    labels = numbered(ratings.values)[0]
    rated = labels >= 0
    labels, units, raters = labels[rated], ratings.units_of()[rated], ratings.raters_of()[rated]
    of_rater = [np.flatnonzero(raters == k) for k in range(ratings.n_raters)]
    pairs = []
    for a, b in combinations(range(ratings.n_raters), 2):
        rows = of_rater[a], of_rater[b]
        if min(map(len, rows)) < MIN_SHARED:
            continue
        of_a, of_b = units[rows[0]], units[rows[1]]
        _, at_a, at_b = np.intersect1d(of_a, of_b, True, return_indices=True)
        of_a, of_b = labels[rows[0][at_a]], labels[rows[1][at_b]]
        if len(of_a) >= MIN_SHARED and (of_a == of_b).all() and (of_a != of_a[0]).any():
            pairs.append((a, b, len(of_a)))
    return pairs


def identical_warnings(
    # () for all systems, (system,), (system, part); wider parts come first
    parts: Mapping[tuple[str, ...], Ratings],
) -> list[str]:
    """Warn of `identical_raters` by name, once if they are identical in a part and in its whole."""
    warned: set[tuple[tuple[str, ...], Any, Any]] = set()
    warnings = []
    for path, ratings in parts.items():
        names = ratings.rater_names
        called = range(ratings.n_raters) if names is None else names.to_pylist()
        for a, b, n in identical_raters(ratings):
            if not any((path[:k], called[a], called[b]) in warned for k in range(len(path))):
                system = f' to system "{path[0]}"' if path else ""
                where = ", ".join([system, *path[1:]])
                pair = f'"{called[a]}" and "{called[b]}"'
                warnings.append(f"identical: raters {pair} gave the same {n} labels{where}")
            warned.add((path, called[a], called[b]))
    return warnings
