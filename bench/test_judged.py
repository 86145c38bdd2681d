"""Extracted causes and effects, against a loop in plain Python: equal, then timed from Parquet."""

from __future__ import annotations

import math
import random
import re
import string
from collections import Counter
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc

CORPUS = "made extractions"
WORDS = [
    "the",
    "a",
    "heavy",
    "rain",
    "floods",
    "prices",
    "rise",
    "because",
    "of",
    "weak",
    "harvest",
    "growers",
    "sold",
    "little",
    "fruit",
    "river",
    "town",
    "old",
    "mills",
    "winter",
    "port",
    "strike",
    "Café",
    "timber",
    "week",
    "ferry,",
    "delayed",
    "nurses'",
    "ward",
    "early",
    "power",
]
ROLES = ("cause", "effect")
MARKS = re.compile(r"\[(cause|effect|relation)\]", re.IGNORECASE)
PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")


def answers(n):
    """Draw sources, references and answers of one to three spans a role; a third is right."""
    rng = random.Random(0)

    def side():
        spans = (
            ["rain", *rng.choices(WORDS, k=rng.randint(1, 5))] for _ in range(rng.randint(1, 3))
        )
        return " | ".join(map(" ".join, spans))

    def text():
        relation = rng.choice(["cause", "enable", "prevent"])
        return f"[Cause] {side()} [Relation] {relation} [Effect] {side()}"

    different = []
    for _ in range(min(n, 20_000)):
        reference = text()
        answer = rng.choice([reference, text(), text()])
        different.append((" ".join(rng.choices(WORDS, k=25)), reference, answer))
    names = ("input", "gold", "output")
    texts = pa.table(dict(zip(names, map(pa.array, zip(*different, strict=True)), strict=True)))
    draws = np.random.default_rng(0)
    rows = texts.take(pa.array(draws.integers(0, len(different), n)))
    of_rows = dict(zip(names, rows.columns, strict=True))
    return pa.table({"id": np.arange(n), **of_rows, "valid": draws.random(n) < 0.6})


def words(text):
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


def parsed(text):
    _, *parts = MARKS.split(text)
    said = {name.lower(): part for name, part in zip(parts[::2], parts[1::2], strict=True)}
    spans = {role: [words(s) for s in said[role].split("|") if s.strip()] for role in ROLES}
    return spans, said["relation"].strip().lower()


def best_match(gold, pred):
    few, many = sorted((gold, pred), key=len)
    shared = [[(a & b).total() for b in many] for a in few]
    orders = permutations(range(len(many)), len(few))
    return max(sum(row[j] for row, j in zip(shared, order, strict=True)) for order in orders)


def in_python(path):
    """Compute sums of words, joint exact match, mean F1, accuracy, and answers within sources."""
    sums, f1 = Counter(), []
    for row in pq.read_table(path).to_pylist():
        (gold, relation), (pred, other) = parsed(row["gold"]), parsed(row["output"])
        both, of_roles = True, 0.0
        for role in ROLES:
            sides = [[Counter(span) for span in spans[role]] for spans in (gold, pred)]
            bags = [sum(side, Counter()) for side in sides]
            shared, wanted, predicted = (bags[0] & bags[1]).total(), *(b.total() for b in bags)
            same = sorted(gold[role]) == sorted(pred[role])
            counts = {"shared": shared, "wanted": wanted, "predicted": predicted}
            sums.update({f"{role}_{name}": value for name, value in counts.items()})
            sums[f"{role}_matched"] += best_match(*sides)
            both &= same
            of_roles += 2 * shared / (wanted + predicted)
        source = set(words(row["input"]))
        said = (word for role in ROLES for span in pred[role] for word in span)
        sums["contained"] += source.issuperset(said)
        sums["exact"] += both
        sums["right"] += relation == other
        f1.append(of_roles / 2)
    return sums, math.fsum(f1) / len(f1)


@pytest.mark.parametrize("n", [20_000, 1_000_000])
def test_answers(race, tmp_path, n):
    path = tmp_path / "answers.parquet"
    pq.write_table(answers(n), path)
    report = fc.answers(path)
    if n <= 20_000:
        sums, f1 = in_python(path)
        for role in ROLES:
            scores = report[role]
            for name in ("shared", "wanted", "predicted"):
                assert scores[name] == sums[f"{role}_{name}"]
            assert scores["matched_recall"] == sums[f"{role}_matched"] / scores["wanted"]
        assert report["joint"].f1 == f1
        assert report["joint"].exact_match == sums["exact"] / n
        assert report["relation"].accuracy == sums["right"] / n
        assert report["source"].contained == sums["contained"] / n
    small = n <= 20_000
    race(
        f"judged answers from Parquet, {n}",
        n,
        lambda: fc.answers(path),
        {"plain Python": lambda: in_python(path)} if small else {},
        reading={"pyarrow reading them": lambda: pq.read_table(path)},
        rounds=3 if small else 5,
    )
