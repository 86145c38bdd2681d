"""Answers in everyday words are read if they are clear, and stay unread if they are ambiguous."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.crab.parse import READ, UNREADABLE, parse_column
from tests.support.cli import cli

SCORES = [
    "Causality score: {}", "**Causality score:** {}/100\nIn 2011 there were 30 dead.",
    "I would say **{}** out of 100", "I'd rate it {} out of 100.", "The score is {}.",
    "My estimate is {}%, since it rained in 2011.", "Rating: **{}**", "Answer: {}",
    "It is likely.\n\n**{}**", "Answer: {} because the storm came first", "score = {}",
    "The pair scores **{}/100**, so score: {}.",
]  # fmt: skip
LETTERS = [
    "Answer: {}", "**{}**", "The answer is {}.", "Answer: **{}. Medium**", "Choice: ({})",
    "It rained first.\n\n**{}: Medium**", "Final answer: {}", "Option: {}\n", "Class: [{}]",
    "I choose **({})** here", "The best option is clear. Answer: {}, since it rained",
    "Answer: {}. So **{}**",
]  # fmt: skip
WORDS = [
    "Answer: {}", "**{}**", "The answer is {}.", "Final answer: {}", "**{}**, it did.",
    "It rained.\n\n**{}.** Then it stopped", "Verdict: {}", "My answer: **{}**", "Answer = {}",
    "Answer: {}. So **{}**", "Answer: {}, because of the rain", "The answer is: {}",
]  # fmt: skip
TRUTH = {
    "score": (SCORES, [(str(k), float(k)) for k in range(0, 100, 4)]),
    "multiclass": (LETTERS, [(letter, float(k)) for k, letter in enumerate("ABCD")] * 6),
    "mcq": (LETTERS, [(letter, float(k)) for k, letter in enumerate("ABCD")] * 6),
    "binary": (WORDS, [("Yes", 1.0), ("no", 0.0), ("NO", 0.0), ("yes", 1.0)] * 6),
}
AMBIGUOUS = {
    "score": [
        "Score: 40-50", "Score: 40 – 50", "The score is 45 or 50", "between 40 and **45**",
        "Score: 4/10", "45 out of 10", "Score: 45. Or rather, score: 50", "Causality: 30 people",
        "30% of all houses fell", "In 2011, 45 died", "I cannot give a score.", "<Answer>Score: 45",
        "Score: 45,5", "the score is high", "Score: -5", "**2011** was dry",
    ],
    "mcq": [
        "Answer: B or C", "Answer: A/B", "**B**, then **C**", "The answer is A strong link",
        "I think B", "Answer: a", "Answer: E", "Option B is wrong, so is option C", "Answer: B, C",
        "<Answer>**B**", "Answers vary: A and B",
    ],
    "binary": [
        "Answer: yes or no", "Answer: Yes/No", "Perhaps. **No**? Answer: yes", "I'd say so",
        "Answer: not sure", "The answer is nowhere", "Answer: no-one knows",
    ],
}  # fmt: skip


@pytest.mark.parametrize("task", TRUTH)
def test_300_answers(task):
    ways, said = TRUTH[task]
    texts = [(way.format(word, word), value) for way in ways for word, value in said][:300]
    assert len(texts) >= 288
    values, reasons = parse_column(pa.array([text for text, _ in texts]), task)
    assert [(t, v) for (t, v), r in zip(texts, reasons.tolist(), strict=True) if r != READ] == []
    assert values.tolist() == [value for _, value in texts]


@pytest.mark.parametrize(("task", "text"), [(t, text) for t in AMBIGUOUS for text in AMBIGUOUS[t]])
def test_ambiguous_answers_stay_unread(task, text):
    assert fc.crab.parse_answer(text, task) is None


def test_a_score_above_100():
    _, reasons = parse_column(pa.array(["Score: 450"]), "score")
    assert reasons.tolist() == [3]


def test_patterns():
    said = pa.array(["so 45!", "so 45! so 45!", "so 45! so 50!", "45", None, " "])
    values, reasons = parse_column(said, "score", r"so (\d+)!")
    assert values[:2].tolist() == [45, 45]
    assert reasons.tolist() == [READ, READ, UNREADABLE, UNREADABLE, 1, 1]
    for pattern, why in (("x", "has 0 groups"), ("(a)(b)", "has 2 groups"), ("(", "no regular")):
        with pytest.raises(ValueError, match=why):
            parse_column(said, "score", pattern)


def test_a_pattern_on_the_command_line(tmp_path):
    gold = sample.FOLDER / "crab_gold.jsonl"
    rows = [
        *map(json.loads, (sample.FOLDER / "crab_scores_careful.jsonl").read_text().splitlines())
    ]
    for row in rows:
        row["prediction"] = f"[[{fc.crab.parse_answer(row['prediction'], 'score')}]] of 2011"
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain = cli("crab", "pairwise", gold, sample.FOLDER / "crab_scores_careful.jsonl", "--json")[0]
    own = cli("crab", "pairwise", gold, path, "--pattern", r"\[\[(.*)\]\]", "--json")[0]
    assert json.loads(own)["scores"] == json.loads(plain)["scores"]
    assert json.loads(own)["signature"].endswith(r"|pattern:\[\[(.*)\]\]")
