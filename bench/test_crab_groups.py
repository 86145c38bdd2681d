"""Macro-F1 and exact match of a million groups of 1 to 18 labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

import fastcausal as fc

CORPUS = "random groups"

GROUPS, FEW = 1_000_000, 200


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 19, GROUPS)
    n = sizes.sum()
    return rng.integers(0, 4, n), rng.integers(0, 4, n), np.repeat(np.arange(GROUPS), sizes)


def whole_arrays(gold, pred, groups):
    """Score all groups at once, in NumPy."""
    cells = np.bincount((groups * 4 + gold) * 4 + pred, minlength=16 * GROUPS).reshape(-1, 4, 4)
    hits, both = np.einsum("gii->gi", cells), cells.sum(axis=1) + cells.sum(axis=2)
    f1 = np.divide(2 * hits, both, out=np.zeros(both.shape), where=both > 0)
    return f1.sum(axis=1) / (both > 0).sum(axis=1), hits.sum(axis=1) == cells.sum(axis=(1, 2))


def one_by_one(gold, pred, groups):
    """Score the first groups one by one, as a script would."""
    n = int(np.searchsorted(groups, FEW))
    starts = np.flatnonzero(np.diff(groups[:n])) + 1
    parts = zip(np.split(gold[:n], starts), np.split(pred[:n], starts), strict=True)
    return [f1_score(a, b, average="macro") for a, b in parts]


def test_a_million_groups(race, rows, note):
    table = fc.classify_groups(*rows)
    f1, exact = whole_arrays(*rows)
    assert np.allclose(table["macro_f1"], f1, rtol=0, atol=1e-12)
    assert (table["exact_match"].to_numpy() == exact).all()
    assert np.allclose(table["macro_f1"][:FEW], one_by_one(*rows), rtol=0, atol=1e-12)
    outcome = race(
        "macro-F1 and exact match of groups of 1 to 18",
        GROUPS,
        lambda: fc.classify_groups(*rows),
        {
            "numpy, all groups at once": lambda: whole_arrays(*rows),
            f"scikit-learn, {FEW} of the groups": lambda: one_by_one(*rows),
        },
    )
    if outcome is not None:
        ratio = outcome.ratio(f"scikit-learn, {FEW} of the groups") * GROUPS / FEW
        note(f"groups of 1 to 18: {ratio:,.0f} times as fast as scikit-learn, by group")


def test_a_million_groups_in_any_order(race, rows):
    order = np.random.default_rng(1).permutation(len(rows[0]))
    shuffled = [side[order] for side in rows]
    assert fc.classify_groups(*shuffled).equals(fc.classify_groups(*rows))
    race(
        "the same in any order", GROUPS, lambda: fc.classify_groups(*shuffled),
        {"numpy, all groups at once": lambda: whole_arrays(*shuffled)}, rounds=3,
    )  # fmt: skip
