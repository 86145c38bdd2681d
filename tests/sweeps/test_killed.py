"""A killed sweep goes on with its next run, and leaves no trace of the kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fastcausal as fc
from tests.sweeps.runs import content, gold, write_runs

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "jobs"), [(50, 1), (5, 2)])
def test_killed_at_random_moments(tmp_path, n, jobs):
    """A kill leaves no partial file, and a sweep that goes on ends with the same bytes."""
    runs, out = tmp_path / "runs", tmp_path / "out"
    write_runs(runs, 6)
    fc.write(gold(), tmp_path / "gold.parquet")
    out.mkdir()
    args = (tmp_path / "gold.parquet", runs, out, n, n, jobs)
    command = [sys.executable, "-m", "tests.sweeps.killed", *map(str, args)]
    subprocess.run(command, check=True, cwd=ROOT)
    alone = content(out / "alone")
    assert len(alone) == 8
    n_unfinished = 0
    for folder in (out / str(k) for k in range(n)):
        whole = {name: data for name, data in content(folder).items() if ".partial" not in name}
        assert whole.items() <= alone.items()
        n_unfinished += whole != alone
        fc.sweep(tmp_path / "gold.parquet", runs, folder)
        assert content(folder) == alone
    assert n_unfinished > n // 2
