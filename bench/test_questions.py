"""Exact match and F1 of answers against torchmetrics: equal, then timed."""

from __future__ import annotations

import random

import pytest

import fastcausal as fc

CORPUS = "made answers"

torch = pytest.importorskip("torch")
squad = pytest.importorskip("torchmetrics.functional.text").squad

WORDS = [
    "storm", "flooded", "harbour", ",", "ferries", "stopped", "visitors", "left", "cars", "along",
    "the", "coast", "road", "by", "a", "don't", "Café", "x-y", "two-hour", "delay", ".",
]  # fmt: skip


def answers(n: int) -> tuple[list[dict[str, object]], list[dict[str, str]]]:
    """Questions with one gold answer of up to 15 words; half of the predictions are right."""
    rng = random.Random(0)

    def text() -> str:
        return " ".join(["rain", *rng.choices(WORDS, k=rng.randrange(15))])

    gold = [
        {"id": str(k), "question": "Why?", "answers": {"text": [text()], "answer_start": [0]}}
        for k in range(n)
    ]
    pred = [
        {"id": q["id"], "prediction_text": rng.choice([q["answers"]["text"][0], text()])}
        for q in gold
    ]
    return gold, pred


@pytest.mark.parametrize("n", [2_000, 100_000])
def test_answers(race, n):
    torch.set_num_threads(1)
    gold, pred = answers(n)
    found = fc.qa(gold, pred)["overall"]
    others = {}
    if n <= 2_000:  # torchmetrics would take seconds a round for all
        expected = squad(pred, gold)
        assert 100 * found.f1 == pytest.approx(float(expected["f1"]), rel=1e-5)
        assert 100 * found.exact_match == pytest.approx(float(expected["exact_match"]), rel=1e-5)
        others["torchmetrics"] = lambda: squad(pred, gold)
    race(f"answers, {n} questions", n, lambda: fc.qa(gold, pred), others)
