"""FinCausal's labels of words from two files against its rules in plain Python; growth, memory."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

import fastcausal as fc

from .conftest import Clocks, exponents

CORPUS = "made sections"
N = 1_000  # sections that plain Python scores in a second
ORACLE = Path(__file__).parents[1] / "tests" / "oracles" / "fincausal.py"
WORDS = (
    "the company said that profit fell by because of weak demand in markets and higher costs for "
    "shareholders while revenue rose from to a share as investors sold their stake after report "
    "would have been increased net income per quarter year on sales new loan tax"
)
RARE = ["3.5%", "$1,000", "U.S.", "company's", "(net)", '"growth"', "Inc.", "well-known", "planned"]


def text(rng):
    """Draw one to three sentences of some 20 words."""
    sentences = []
    for _ in range(rng.choice([1, 2, 2, 3])):
        words = rng.choices(WORDS.split(), k=rng.randint(12, 30))
        for _ in range(rng.randint(0, 3)):
            words[rng.randrange(len(words))] = rng.choice(RARE)
        words[rng.randrange(len(words) - 1)] += ","
        sentences.append(" ".join(words).capitalize() + ".")
    return " ".join(sentences)


def moved(rng, words, start, stop):
    start = max(0, start + rng.randint(-3, 3))
    return " ".join(words[start : max(start + 1, stop + rng.randint(-3, 3))])


def files(folder, n):
    """Write gold, and predictions with moved ends; a tenth of the sections has two rows."""
    rng = random.Random(0)
    gold, pred = folder / f"gold{n}.csv", folder / f"pred{n}.csv"
    with gold.open("w") as of_gold, pred.open("w") as of_pred:
        for file in (of_gold, of_pred):
            file.write("Index; Text; Cause; Effect\n")
        for k in range(n):
            of = text(rng)
            words, half = of.split(" "), of.count(" ") // 2
            indices = [f"{k // 100}.{k}"] if k % 10 else [f"{k // 100}.{k}.{j}" for j in range(2)]
            for index in indices:
                places = (0, half - rng.randint(0, 5)), (half + rng.randint(1, 5), len(words))
                for file, spans in (
                    (of_gold, [" ".join(words[slice(*place)]) for place in places]),
                    (of_pred, [moved(rng, words, *place) for place in places]),
                ):
                    file.write("; ".join([index, of, *spans]) + "\n")
    return gold, pred


def score(gold, pred):
    return fc.score(gold, pred, "fincausal-2020")


def counts(report):
    return {c: (of["hits"], of["predicted"], of["gold"]) for c, of in report.classes.items()}


def test_against_plain_python(race, tmp_path):
    if not ORACLE.exists():
        pytest.skip("the rules in plain Python are in a clone alone")
    spec = importlib.util.spec_from_file_location("plain_fincausal", ORACLE)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    paths = files(tmp_path, N)

    def rules():
        return plain.score(*(path.read_text() for path in paths))

    assert counts(score(*paths)) == rules().counts
    others = {"the rules in plain Python": rules}
    race("FinCausal's sections, files to report", N, lambda: score(*paths), others, 3)


def test_exponents(benchmark, note, request, tmp_path):
    """16n sections are ``--sentences``."""
    most = request.config.getoption("--sentences")
    least = []
    for n in (most // 16, most // 4, most):
        paths = files(tmp_path, n)
        score(*paths)
        least.append(min(Clocks.of(lambda paths=paths: score(*paths)).process for _ in range(3)))
    benchmark.pedantic(score, paths, rounds=1)
    note(
        f"{most:,} of FinCausal's sections: {least[-1]:.2f} s of CPU, "
        f"exponents to 4n and to 16n {exponents(least)}"
    )
