"""Reading text: span texts in lines, raw answers, words of matches and of a corpus; growth."""

from __future__ import annotations

import json

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.describe.describe import describe

CORPUS = "sentences of the sample"
SIZES = (12_500, 50_000, 200_000)
ROUNDS = 3


def repeated(n):
    """The sentences of the sample, again and again, with the texts of their spans."""
    examples = fc.read(sample.GOLD).to_examples()
    for k in range(n):
        of = examples[k % len(examples)]
        tokens = of["text"].split()
        relations = [
            {role: [" ".join(tokens[a:b]) for a, b in spans] for role, spans in relation.items()}
            for relation in of["relations"]
        ]
        yield {"id": f"e{k}", "text": of["text"], "relations": relations}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("n", SIZES)
def test_span_lines(race, tmp_path, n):
    path = written(tmp_path / "a.jsonl", repeated(n))
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [*map(json.loads, lines)]
    assert fc.read(path).table.equals(fc.read(rows, format="spans").table)
    others = {"json.loads of the lines": lambda: [*map(json.loads, lines)]}
    race(f"span texts in JSON lines, {n:,}", n, lambda: fc.read(path), others, ROUNDS)


@pytest.mark.parametrize("way", ["{}", "```json\n{}\n```", "Sure, here it is: {} I hope so."])
@pytest.mark.parametrize("n", SIZES)
def test_answer_lines(race, tmp_path, n, way):
    rows = list(repeated(n))
    for row in rows:
        row["output"] = way.replace("{}", json.dumps({"relations": row["relations"]}))
    spans = fc.read(rows, format="spans").table["relations"]
    path = written(tmp_path / "a.jsonl", [{**row, "relations": None} for row in rows])
    assert fc.read(path, answers="output").table["relations"].equals(spans)
    what = {"{": "clean", "`": "in a fence", "S": "in prose"}[way[0]]
    race(f"answers {what}, {n:,}", n, lambda: fc.read(path, answers="output"), {}, ROUNDS)


@pytest.mark.parametrize("n", SIZES)
def test_description(race, n):
    corpus = fc.read(list(repeated(n)), format="spans")
    assert describe(corpus).n_sentences == n
    race(f"describe, {n:,}", n, lambda: describe(corpus), {}, ROUNDS)


@pytest.mark.parametrize("n", SIZES)
def test_words_of_matches(race, n):
    corpus = fc.read(list(repeated(n)), format="spans")
    matches = fc.score(corpus, corpus).matches
    assert matches["gold_cause"].equals(matches["pred_cause"])
    race(f"matches with words, {n:,}", n, lambda: fc.score(corpus, corpus).matches, {}, ROUNDS)
