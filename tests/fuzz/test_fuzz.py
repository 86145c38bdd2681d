"""Whatever is in the files: exit 0, 1 or 2, one message, no crash, no hang.

``FASTCAUSAL_FUZZ_SECONDS`` makes it run for so long, and ``FASTCAUSAL_FUZZ_FIRST`` elsewhere. A
fault is told with the number of its run, which ``python -m tests.fuzz.runs NUMBER 1 60`` repeats.
Its file belongs into the corpus once it is mended.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.fuzz.runs import CORPUS, judged_run

ROOT = Path(__file__).parents[2]
SECONDS = os.environ.get("FASTCAUSAL_FUZZ_SECONDS")
FIRST = os.environ.get("FASTCAUSAL_FUZZ_FIRST", "0")
# The package may be another than that of the folder: the one that sanitizers watch.
START = """
import sys
sys.path.insert(1, sys.argv[1])
from tests.fuzz.runs import main
main(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
"""
RUNS = 400  # where the number of them decides, and not the time

# Every command of one kind of file, or of two.
OF_ONE = {
    "relations": ["check", "describe", "convert x.conll", "convert x.csv"],
    "ratings": ["agree --labels label"],
}
OF_TWO = {
    ("relations", "relations"): ["score", "score --protocol cnc-2022", "explain", "agree"],
    ("relations", "raw"): ["score --answers output --unparsed skip --unmatched skip"],
    ("labels", "labels"): ["classify"],
    ("questions", "answers"): ["qa"],
}


def test_mutated_files():
    """In a process of its own, which a crash or a hang ends."""
    count, seconds = (2**62, SECONDS) if SECONDS else (RUNS, "inf")
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", START, str(ROOT), FIRST, str(count), seconds],
        capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    last = next((line for line in reversed(lines) if line.isdigit()), "none")
    assert done.returncode == 0, f"run {last} ended with {done.returncode}\n{done.stderr[-3000:]}"
    faults = [line for line in lines if not line.isdigit()]
    assert not faults, "\n".join(faults)
    assert SECONDS or last == str(int(FIRST) + RUNS - 1)


def test_runs_are_told_by_their_number(tmp_path):
    from tests.fuzz.runs import Runs

    prepared = []
    for name in "ab":
        (tmp_path / name).mkdir()
        runs = Runs(tmp_path / name)
        for number in (5, 6, 7):
            files, options = runs.prepared(number)
            contents = [Path(arg).read_bytes() for arg in files if Path(arg).is_file()]
            shown = [arg.removeprefix(str(tmp_path / name)) for arg in (*files, *options)]
            prepared.append((shown, contents))
    assert prepared[:3] == prepared[3:]
    assert prepared[0] != prepared[1]


def commands():
    """Every file of the corpus through every command that takes its kind."""
    for kind, names in OF_ONE.items():
        yield from ((name, (file,)) for name, file in product(names, files(kind)))
    for (kind, other), names in OF_TWO.items():
        for name, file in product(names, files(kind)):
            yield from ((name, (file, f)) for f in (files(other) if kind != other else [file]))


def files(kind):
    return sorted((CORPUS / kind).iterdir())


@pytest.mark.parametrize(
    ("command", "sources"),
    [
        pytest.param(*case, id=f"{case[0]} {' '.join(p.name for p in case[1])}")
        for case in commands()
    ],
)
def test_the_corpus_as_it_is(command, sources, tmp_path):
    name, *more = command.replace("x.", f"{tmp_path}/x.").split()
    for options in ([],) if name == "convert" else ([], ["--json"]):
        assert judged_run([name, *map(str, sources)], [*more, *options]) is None
