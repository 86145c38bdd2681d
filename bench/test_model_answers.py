"""Raw answers of language models: clean JSON, against only json.loads; all answers to relations."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import fastcausal as fc
from fastcausal.formats.model_output.shapes import Notes
from fastcausal.formats.model_output.texts import relations_in

CORPUS = "made answers"

N = 20_000
CAUSES = ("the storm", "heavy rain on Friday", "a power cut", "salt in the cables")
EFFECTS = ("the ferries stopped", "the harbour was flooded", "the old bridge had to be closed")


def said(k: int) -> dict[str, object]:
    """Make an answer of none to two relations that fits the schema."""
    relation = {"cause": CAUSES[k % 4], "effect": EFFECTS[k % 3], "signal": ["so"]}
    return {"relations": [relation] * (k % 3)}


TEXT = " , so ".join((*CAUSES, *EFFECTS)) + " ."
ANSWERS = [said(k) for k in range(N)]
WAYS = {
    "clean": json.dumps,
    "in a fence": lambda answer: f"```json\n{json.dumps(answer, indent=2)}\n```",
    "in prose": lambda answer: f"Sure, here it is: {json.dumps(answer)} I hope this helps.",
}


@pytest.mark.parametrize("way", WAYS)
def test_parsing(race, way):
    texts = [WAYS[way](answer) for answer in ANSWERS]

    def parsed():
        notes: Counter[str] = Notes()
        return [relations_in(text, notes) for text in texts]

    assert parsed() == [answer["relations"] for answer in ANSWERS]
    clean = [json.dumps(answer) for answer in ANSWERS]
    race(
        f"answers parsed, {way}",
        N,
        parsed,
        rounds=3,
        reading={"json.loads of clean ones": lambda: [*map(json.loads, clean)]},
    )


def test_to_relations(race):
    rows = [{"text": TEXT, "output": json.dumps(answer)} for answer in ANSWERS]
    texts = [{"text": TEXT, **answer} for answer in ANSWERS]
    expected = fc.read(texts, format="spans")
    read = fc.read(rows, answers="output")
    assert read.table["relations"].equals(expected.table["relations"])
    race(
        "answers to relations",
        N,
        lambda: fc.read(rows, answers="output"),
        {"their spans alone": lambda: fc.read(texts, format="spans")},
        3,
    )
