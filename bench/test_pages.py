"""Pages of many examples: the time to make one, and its size."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.page import Page, html_of
from fastcausal.tasks.extraction.page import columns_of

from . import corpus

CORPUS = "CNC, good system"
MAX_BYTES = {10_000: 1.5e6, 100_000: 12e6}


def with_texts(n, seed=0):
    """Draw gold and predictions of n sentences with their texts, with replacement."""
    rng = np.random.default_rng(seed)
    train = corpus.CNC / "train_subtask2_grouped.csv"
    real = fc.read(train if train.exists() else sample.GOLD)
    ids = pa.array([f"train_{k:06d}_{n}" for k, n in enumerate(rng.integers(1_000_000, size=n))])
    drawn = real.table.take(pa.array(rng.integers(len(real), size=n))).select(
        ["text", "length", "relations"]
    )
    gold = fc.Relations(drawn.add_column(0, "id", ids))
    pred = corpus.perturbed(fc.Rows.of(gold), rng, corpus.Noise())
    return gold, pred.to_relations(gold)


@pytest.mark.parametrize("n", MAX_BYTES)
def test_page(race, note, n):
    gold, pred = with_texts(n)
    report = fc.score(gold, pred)
    columns = columns_of({"pred": report}, n)
    assert columns["texts"] == gold.table["text"].to_pylist()

    def page():
        return html_of(Page("", [], columns_of({"pred": report}, n)))

    size = len(page().encode())
    assert size <= MAX_BYTES[n]
    race(
        "columns of a page",
        n,
        lambda: columns_of({"pred": report}, n),
        {
            "a whole page": page,
            "per_example and matches": lambda: [fc.score(gold, pred).per_example,
                                                fc.score(gold, pred).matches],
        },
        rounds=2,
    )  # fmt: skip
    note(f"a page of {n:,} examples: {size / 1e6:.1f} MB")
