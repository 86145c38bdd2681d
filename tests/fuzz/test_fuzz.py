"""Whatever is in the files: exit 0, 1 or 2, one message, no crash, no hang.

``FASTCAUSAL_FUZZ_SECONDS`` makes it run for so long, ``FASTCAUSAL_FUZZ_INPUTS`` on so many files,
and ``FASTCAUSAL_FUZZ_FIRST`` elsewhere. A fault is reported with the number of its run, which
``python -m tests.fuzz.runs NUMBER 1 60`` repeats. Its file belongs into the corpus once mended.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from fastcausal.cli import app
from fastcausal.cli.annotate import annotate
from fastcausal.cli.crab import crab
from tests.fuzz.commands import TAKES, WITHOUT_FILES, name_of
from tests.fuzz.runs import CORPUS, judged_run
from tests.support.profiles import trials

ROOT = Path(__file__).parents[2]
SECONDS = os.environ.get("FASTCAUSAL_FUZZ_SECONDS")
FIRST = os.environ.get("FASTCAUSAL_FUZZ_FIRST", "0")
# The package may be another than the folder's: the one built with sanitizers.
START = """
import sys
sys.path.insert(1, sys.argv[1])
from tests.fuzz.runs import main
main(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
"""
MAX_FAULTS = 50  # after which no more are looked for
RUNS = 400  # in a full run, which ends by number and not by time

# Every command of one kind of file, or of two.
OF_ONE = {
    "relations": ["check", "describe", "convert x.conll", "convert x.csv"],
    "ratings": ["agree --labels label"],
    "values": ["aggregate --missing skip", "leaderboard --missing zero"],
}
OF_TWO = {
    ("relations", "relations"): ["score", "score --protocol cnc-2022", "explain", "agree"],
    ("relations", "raw"): ["score --answers output --unparsed skip --unmatched skip"],
    ("labels", "labels"): ["classify"],
    ("questions", "answers"): ["qa"],
}


@pytest.mark.slow
@pytest.mark.drawn
def test_mutated_files():
    """Mutated files run in a process; after a crash, a hang or full memory another goes on."""
    first, end = int(FIRST), time.monotonic() + float(SECONDS or "inf")
    few = trials(RUNS).max_examples
    count = int(os.environ.get("FASTCAUSAL_FUZZ_INPUTS", "0")) or (2**62 if SECONDS else few)
    stop = first + count
    faults: list[str] = []
    while first < stop and time.monotonic() < end and len(faults) < MAX_FAULTS:
        left = str(end - time.monotonic())
        done = subprocess.run(
            [sys.executable, "-P", "-W", "error", "-c", START, str(ROOT), str(first),
             str(stop - first), left],
            capture_output=True, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        last = next((int(line) for line in reversed(lines) if line.isdigit()), first)
        faults += [line for line in lines if not line.isdigit()]
        first = last + 1
        if not done.returncode:
            break
        faults.append(f"run {last} ended with {done.returncode}\n{done.stderr[-3000:]}")
    assert not faults, "\n".join(faults)
    assert SECONDS or first == stop


def test_every_command_is_run():
    names = {name_of(takes) for takes in TAKES}
    assert names | {name.split()[0] for name in names} >= {*app.entries} - WITHOUT_FILES
    assert {name.split()[0] for name in names} <= {*app.entries}
    assert names >= {f"crab {name}" for name in crab.entries} | {
        f"annotate {name}" for name in annotate.entries
    }


@pytest.mark.slow
def test_runs_are_told_by_their_number(tmp_path):
    from tests.fuzz.runs import Runs

    prepared = []
    for name in "ab":
        (tmp_path / name).mkdir()
        runs = Runs(tmp_path / name)
        for number in (5, 6, 7):
            words, _ = runs.prepared(number)
            contents = [Path(arg).read_bytes() for arg in words if Path(arg).is_file()]
            shown = [arg.removeprefix(str(tmp_path / name)) for arg in words]
            prepared.append((shown, contents))
    assert prepared[:3] == prepared[3:]
    assert prepared[0] != prepared[1]


def commands():
    """Every command with all files of the corpus that it takes."""
    for kind, names in OF_ONE.items():
        yield from ((name, [(file,) for file in files(kind)]) for name in names)
    for (kind, other), names in OF_TWO.items():
        pairs = [(f, g) for f in files(kind) for g in (files(other) if kind != other else [f])]
        yield from ((name, pairs) for name in names)


def files(kind):
    return sorted((CORPUS / kind).iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("command", "cases"), [pytest.param(*c, id=c[0]) for c in commands()])
def test_the_corpus_as_it_is(command, cases, tmp_path):
    name, *more = command.replace("x.", f"{tmp_path}/x.").split()
    for sources, options in product(cases, ([],) if name == "convert" else ([], ["--json"])):
        assert judged_run([name, *map(str, sources), *more, *options]) is None
