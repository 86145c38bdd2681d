"""Answers of models: a million, against compiled regular expressions; many thresholds at once."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

from fastcausal.tasks.crab.parse import parse_column
from fastcausal.tasks.crab.sweep import count

CORPUS = "made answers"

N, LENGTH, N_PAIRS = 1_000_000, 500, 10_000_000
REASONS = "The two events share a background, and the first one came long before the second. "
TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:%|/100)?\s*\.?")
LETTER = re.compile(r"\[?([A-D])\]?")
FIRST = re.compile(r"(yes|no)\b", re.IGNORECASE)
# The answers to each task, and the ends of these texts.
ENDINGS = {
    "score": [f"<Answer>{score}{unit}</Answer>" for score in range(101) for unit in ("", "%")],
    "multiclass": [f"<Answer>[{letter}]</Answer>" for letter in "ABCD"],
    "binary": [f"<answer> {word} </answer>" for word in ("Yes", "no")],
}


def by_expressions(texts: list[str], task: str) -> list[float]:
    """Return the values of tagged answers, all of them readable."""
    inside = [TAG.findall(text)[-1].strip() for text in texts]
    if task == "score":
        return [float(NUMBER.fullmatch(text)[1]) for text in inside]
    if task == "multiclass":
        return ["ABCD".index(LETTER.fullmatch(text)[1]) for text in inside]
    return [float(FIRST.match(text)[1].lower() == "yes") for text in inside]


@pytest.mark.parametrize("task", ENDINGS)
def test_tagged_answers(race, task):
    endings = [(REASONS * 7)[: LENGTH - len(e)] + e for e in ENDINGS[task]]
    column = pa.array([endings[k % len(endings)] for k in range(N)])
    texts = column.to_pylist()  # each text in its own memory
    values, reasons = parse_column(column, task)
    assert not reasons.any()
    assert values.tolist() == by_expressions(texts, task)
    race(
        f"answers of {LENGTH} characters: {task}",
        N,
        lambda: parse_column(column, task),
        {"compiled regular expressions": lambda: by_expressions(texts, task)},
        3,
    )


def test_marked_letters(race):
    """Without a tag the whole text is searched for another letter."""
    column = pa.array([f"[{'ABCD'[k % 4]}] {REASONS * 6}"[:LENGTH] for k in range(N)])
    texts = column.to_pylist()
    marked = re.compile(r"\[([A-D])\]|\(([A-D])\)|(?<!\w)([A-D])[.:)](?:\s|$)", re.IGNORECASE)

    def rival() -> list[float]:
        named = ({"".join(groups).upper() for groups in marked.findall(t)} for t in texts)
        return ["ABCD".index(letters.pop()) for letters in named]

    assert parse_column(column, "mcq")[0].tolist() == rival()
    race(
        f"answers of {LENGTH} characters: letter first",
        N,
        lambda: parse_column(column, "mcq"),
        {"compiled regular expressions": rival},
        1,
    )


def test_thresholds(race):
    random = np.random.default_rng(0)
    score = random.integers(0, 101, N_PAIRS).astype(np.float64)
    said = random.integers(-1, 3, N_PAIRS)
    limits = np.arange(0.5, 100)
    many = count(score, said, limits)
    assert all((count(score, said, limits[k : k + 1])[0] == many[k]).all() for k in (0, 49))
    is_yes, at = score > limits[49], many[49]
    assert at.tolist() == [
        [int(((said == answer) & (is_yes == gold)).sum()) for answer in range(3)]
        for gold in (False, True)
    ]
    race(
        "100 thresholds",
        N_PAIRS,
        lambda: count(score, said, limits),
        {"one threshold": lambda: count(score, said, limits[49:50])},
        3,
    )
