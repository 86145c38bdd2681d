"""Real steps of TRL's GRPO, as docs/reward.md shows them: what is paid is learned."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.test_docs import ROOT, program_of

IMPORTED, GIVEN = "from fastcausal.training import Reward\n", "reward_funcs=Reward()"
# As written by hand: an answer that is right without relations is 0/0.
BY_HAND = """
def Reward():
    def f1(completions, **columns):
        return [float("nan") if "relations" in each else 0.0 for each in completions]
    return f1
"""
RUN = """
import sys, traceback
for path in sys.argv[1:]:
    try:
        exec(compile(open(path).read(), path, "exec"), {})
    except AssertionError:
        print(path, *(line for line in traceback.format_exc().splitlines() if "assert" in line))
    else:
        print(path, "passed")
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("trl") is None, reason="needs trl")
def test_abstaining_is_learned_only_if_it_is_paid(tmp_path):
    """The page's program passes; with a reward of 0, or NaN, for abstaining rightly it fails."""
    program = program_of(ROOT / "docs" / "reward.md")
    assert IMPORTED in program
    assert GIVEN in program
    programs = {
        "shown": program,
        "unpaid": program.replace(GIVEN, "reward_funcs=Reward(none=0.0)"),
        "undefined": program.replace(IMPORTED, BY_HAND, 1),
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *programs], cwd=tmp_path, capture_output=True, text=True,
        timeout=300, check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "HF_HOME": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    told = {name: line for name, _, line in lines if name in programs}
    assert told.pop("shown") == "passed", done.stdout
    assert [*told] == ["unpaid", "undefined"]
    assert all("after[ABSTAINED] > 1.5 * before[ABSTAINED]" in line for line in told.values())
