"""A cold start: whole processes, from the command to their end; and the memory they take."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fastcausal as fc
from fastcausal import sample

from . import corpus

CORPUS = "340 sentences of CNC"
ROUNDS = 7


def python(code, *arguments):
    """Run code in an interpreter of its own, and return its output."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True
    ).stdout


def test_version(race):
    command = "from fastcausal.cli import main; main()"
    assert fc.__version__ in python(command, "--version")
    others = {"pass": lambda: python("pass"), "import numpy": lambda: python("import numpy")}
    race("fastcausal --version", 0, lambda: python(command, "--version"), others, rounds=ROUNDS)


@pytest.mark.parametrize("name", ["recess", "cnc-2023"])
def test_score(race, name):
    what, gold, pred = "sample", sample.GOLD, sample.SYSTEMS["careful"]
    empty = ("--unparsed", "empty")  # both systems have some malformed predictions
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


PEAK = """
import resource, sys
from pathlib import Path
status = Path("/proc/self/status")  # of this program alone: what started it does not count
lines = status.read_text().splitlines() if status.exists() else []
found = [int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")]
unit = 1 if sys.platform == "darwin" else 1024
print(found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
"""
HELD = {
    "import of fastcausal, pyarrow": "import fastcausal as fc, pyarrow.parquet as pq",
    "pyarrow reads both files": "sides = [pq.read_table(path) for path in sys.argv[1:]]",
    "fastcausal scores them": "report = fc.score(*sys.argv[1:])",
}


def test_memory(benchmark, note, sentences, tmp_path):
    """Note the peak memory of scoring two Parquet files, and of only reading them."""
    paths = [tmp_path / "gold.parquet", tmp_path / "pred.parquet"]
    for path, side in zip(paths, sentences, strict=True):
        fc.write(corpus.table_of(side), path)
    first = "import sys; " + HELD["import of fastcausal, pyarrow"]

    def peak(code):
        return int(python(f"{first}; {code}{PEAK}", *map(str, paths)))

    found = {name: peak(code) for name, code in HELD.items()}
    assert 0 < found["import of fastcausal, pyarrow"] <= min(found.values())
    benchmark.pedantic(lambda: peak(HELD["fastcausal scores them"]), rounds=1)
    said = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in found.items())
    note(f"peak memory, {sentences[0].n_examples:,} sentences in Parquet: {said}")
