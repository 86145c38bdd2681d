"""A cold start: whole processes, from the command to their end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench import corpus
from fastcausal import sample

ROUNDS = 7


def python(code, *arguments):
    """Run code in an interpreter of its own, and give what it printed."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("name", ["recess", "cnc-2023"])
def test_score(race, name):
    what, gold, pred = "sample", sample.GOLD, sample.SYSTEMS["careful"]
    empty = ("--unparsed", "empty")  # some predictions of either system are malformed
    if (corpus.CNC / "cases").exists():
        what = "dev"
        gold = corpus.CNC / "dev_subtask2_grouped.csv"
        pred = corpus.CNC / "cases" / "13_mix.submission.jsonl"
    command = "from fastcausal.cli import main; main()"

    def scored():
        return python(command, "score", str(gold), str(pred), "--protocol", name, *empty)

    assert name in scored()
    race(f"fastcausal score --protocol {name}, {what}", 0, scored, rounds=ROUNDS)


def test_import(race):
    code = "import fastcausal, sys; print('pyarrow' in sys.modules)"
    assert python(code).strip() == "False"
    race_of_imports(race, "import fastcausal", "pass", "import numpy")


def test_import_score(race):
    race_of_imports(
        race,
        "from fastcausal import score",
        "import numpy",
        "import numpy, pyarrow.compute",
        "import seqeval.metrics",
        "import nervaluate",
    )


def race_of_imports(race, ours, *others):
    calls = {code: lambda code=code: python(code) for code in (ours, *others)}
    race(ours, 0, calls.pop(ours), calls, ROUNDS)
