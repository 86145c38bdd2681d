"""Reports from other processes print the same, and have the same tables."""

from __future__ import annotations

import pickle

import pytest

import fastcausal as fc

PAIRS = [
    {"topic_id": 1, "event_order_a": a, "event_order_b": b, "score": score}
    for a, b, score in [(1, 2, 90), (1, 3, 85), (2, 3, 90), (1, 4, 10), (2, 4, 70)]
]
LETTERS = ["A", "A", "D", "B", "A"]
MARKED = "[Cause] rain [Relation] cause [Effect] "
EXTRACTION = {"id": "a", "input": "Rain.", "gold": MARKED + "mud", "output": MARKED + "hail"}
CLAIMS = [
    {"topic": "t", "side": side, "claim": claim, "judgment": claim == "c"}
    for side in ("reference", "prediction")
    for claim in ("c", "d")
]
ITEMS = {"item": list("aabbcc"), "system": list("xyxyxy")}
MAKERS = {
    "answers": lambda: fc.answers([EXTRACTION | {"valid": True}]),
    "claims": lambda: fc.claims(CLAIMS),
    "meta": lambda: fc.meta(
        ITEMS | {"f1": [0.9, 0.2, 0.4, 0.3, 0.8, 0.7]}, ITEMS | {"label": [1, 0, 1, 0, 1, 1]}
    ),
    "pairwise": lambda: fc.crab.pairwise(PAIRS, LETTERS, task="multiclass"),
    "frames": lambda: fc.crab.frames(PAIRS, LETTERS),
    "chains": lambda: fc.crab.chains(PAIRS, LETTERS),
    "sweep": lambda: fc.crab.sweep(PAIRS, ["Yes", "yes", "No", "No", "yes"], [20, 60]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_reports_can_be_pickled(name):
    report = MAKERS[name]()
    again = pickle.loads(pickle.dumps(report))
    assert str(again) == str(report)
    assert again.to_json() == report.to_json()
    assert all(again.tables[table].equals(report.tables[table]) for table in report.tables)
