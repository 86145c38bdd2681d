"""Figures of the paper (Romanou et al. 2023, CRAB) that its tables give and our commands repeat."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastcausal as fc
from bench.stories import CROSS_DOCUMENT, IN_DOCUMENT, stories
from fastcausal import sample
from fastcausal.counts.arithmetic import mean_defined

# Table 1: percent of pairs of class A, B, C, D, and how many pairs there are.
TABLE_1 = {
    "in_document": (360, (44.4, 26.6, 25.0, 3.9)),
    "cross_document": (2370, (24.0, 25.3, 37.6, 13.1)),
    "all": (2730, (26.7, 25.5, 35.9, 11.9)),
}
# Table 6: frames of type SD, D, SC, C, M, N. Table 3: F1 of them, and of all frames.
N_FRAMES = (24, 18, 30, 98, 149, 33)
TABLE_3 = {
    "Flan-Alpaca": ((5.0, 19.8, 3.7, 8.0, 13.0, 6.4), 10.0, 10.2),
    "GPT-3": ((29.1, 30.5, 31.9, 31.0, 29.0, 19.3), 29.0, 28.8),
    "GPT-4": ((45.2, 39.8, 40.6, 38.3, 36.8, 39.4), 38.5, 38.9),
}


def test_counts_of_table_1():
    """The rows of the table become counts, which the command counts again."""
    counts = {name: [round(n * p / 100) for p in row] for name, (n, row) in TABLE_1.items()}
    assert counts["in_document"] == [*IN_DOCUMENT]
    assert counts["cross_document"] == [*CROSS_DOCUMENT]
    gold = []
    for article, name in enumerate(("in_document", "cross_document")):
        for letter, n in zip("ABCD", counts[name], strict=True):
            gold += [{"class": letter, "article_id_a": 0, "article_id_b": article}] * n
    gold = [
        {"topic_id": k // 500, "event_order_a": 0, "event_order_b": k + 1, **row}
        for k, row in enumerate(gold)
    ]
    report = fc.crab.pairwise(gold, [row["class"] for row in gold], "multiclass")
    for name, (n, percents) in TABLE_1.items():
        part = report if name == "all" else report.parts[name]
        support = [label["support"] for label in part.to_dict()["classes"]]
        assert sum(support) == n
        assert [100 * k / n for k in support] == pytest.approx(percents, abs=0.07)
    assert [label["support"] for label in report.to_dict()["classes"]] == [729, 696, 981, 324]


@pytest.mark.parametrize("model", TABLE_3)
def test_types_of_table_3_weighted_by_frames(model):
    """The weighted mean of types is near the paper's row of all frames, which has 12 more."""
    of_types, weighted, of_all = TABLE_3[model]
    mean = mean_defined(of_types, N_FRAMES, math.nan)
    assert round(mean, 1) == weighted
    assert abs(mean - of_all) < 0.5


@pytest.mark.parametrize("rule", ["figure", "mixed", "collapse"])
def test_all_frames_are_their_types_weighted_by_frames(rule):
    made = stories(20, 8, seed=1)
    scores = fc.crab.frames(made.records(), made.letters(), rule=rule).scores
    types = [scores[name] for name in scores if name != "overall" and scores[name]["n_scored"]]
    for name in ("f1", "em"):
        weights = [of_type["n_scored"] for of_type in types]
        mean = mean_defined([of_type[name] for of_type in types], weights, math.nan)
        assert scores["overall"][name] == pytest.approx(mean, abs=1e-12)


def test_stories_have_the_shares_of_table_1():
    made = stories(2000, 20)
    for inside, counts in ((True, IN_DOCUMENT), (False, CROSS_DOCUMENT)):
        classes = made.classes[made.in_document == inside]
        shares = np.bincount(classes, minlength=4) / len(classes)
        assert shares == pytest.approx(np.array(counts) / sum(counts), abs=0.01)
    assert (fc.crab.pairwise(made.records()[:500], made.letters()[:500], "multiclass")["overall"]
            .accuracy) == (made.classes == made.answers)[:500].mean()  # fmt: skip


def test_the_sample_has_every_type():
    frames = fc.crab.frames(sample.CRAB_GOLD, sample.CRAB_LETTERS)
    chains = fc.crab.chains(sample.CRAB_GOLD, sample.CRAB_LETTERS)
    assert min(group["n_frames"] for group in frames.scores.values()) >= 2
    assert min(group["n_chains"] for group in chains.scores.values()) >= 2
