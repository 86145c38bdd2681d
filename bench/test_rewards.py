"""Rewards of raw answers, against `score` of each example: alone, and in batches of a trainer."""

from __future__ import annotations

import json
from itertools import cycle, islice
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.training import Reward

CORPUS = "raw answers of the sample"
ANSWERS = Path(sample.GOLD).with_name("raw_answers.jsonl")


def rows(n: int) -> dict[str, list]:
    """Return n answers with their texts and gold; the sample is repeated."""
    gold = fc.read(sample.GOLD)
    known = dict(zip(gold.ids.to_pylist(), gold.to_examples(), strict=True))
    said = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    chosen = [*islice(cycle(said), n)]
    return {
        "completions": [row["output"] for row in chosen],
        "text": [known[row["id"]]["text"] for row in chosen],
        "relations": [known[row["id"]]["relations"] for row in chosen],
    }


@pytest.mark.parametrize("n", [64, 2048])
def test_batch(race, n):
    columns, reward = rows(n), Reward()
    assert len(reward(**columns)) == n
    race(f"rewards of {n} answers", n, lambda: reward(**columns), rounds=30)


def test_alone(race):
    columns, reward = rows(61), Reward()
    examples = [
        {"text": text, "relations": relations}
        for text, relations in zip(columns["text"], columns["relations"], strict=True)
    ]
    pairs = [*zip(columns["completions"], examples, strict=True)]

    def by_score():
        for answer, example in pairs:
            fc.score([example], [{"output": answer}], answers="output", unparsed="empty")

    def one_by_one():
        for answer, example in pairs:
            reward.score(answer, example)

    race("rewards one by one", 61, one_by_one, {"score of each": by_score}, 30)
