"""Whole relations from tables in memory, on one core, against the pairing of recess."""

from __future__ import annotations

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference import whole
from fastcausal.engine.reference.whole import WholeRules

from . import corpus

CORPUS = "CNC"
PLAIN = 2_000  # sentences that plain Python counts in a second


@pytest.mark.parametrize("sentences", corpus.NOISES, indirect=True)
def test_against_recess(race, sentences):
    gold, pred = (side.to_relations() for side in sentences)
    first = [rows.part(0, min(PLAIN, rows.n_examples)) for rows in sentences]
    rules = WholeRules(3, (0, 1), 1, 2)
    counts = np.zeros((1, rules.n_fields), np.int64)
    whole.run(rules, *first, None, CountGroups(None, 1), counts)
    assert fc.score(*first, "relations")["iou"].tp == counts[0, -1]
    race(
        "whole relations: tables to scores",
        sentences[0].n_examples,
        lambda: fc.score(gold, pred, "relations", num_threads=1).scores["exact"],
        {"recess": lambda: fc.score(gold, pred, num_threads=1).scores["overall"]},
        n_bytes=corpus.n_bytes(*sentences),
    )
