"""The worked training script prints the scores that `fastcausal score` finds afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastcausal as fc
from tests.support.data import CNC

pytest.importorskip("torchmetrics")
pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parents[2] / "docs" / "train_tagger.py"
ENTRY = "from fastcausal.cli import main; main()"
EPOCH = re.compile(r"epoch (\d+)  loss ([\d.]+)  f1 ([\d.]+)  cause [\d.]+  effect [\d.]+  signal")


def run(*command):
    command = [sys.executable, *map(str, command)]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout


def trained(folder, *options):
    """F1 of every epoch, and the last one in full."""
    *lines, last = run(SCRIPT, "--out", folder, *options).splitlines()
    found = [float(match[3]) for match in map(EPOCH.match, lines[1:]) if match]
    assert len(found) == len(lines) - 1
    return found, float(last.removeprefix("overall_f1 "))


def scored(folder):
    printed = run("-c", ENTRY, "score", folder / "gold.parquet", folder / "pred.parquet", "--json")
    return json.loads(printed)["scores"]["overall"]["f1"]


def test_script(tmp_path):
    f1, last = trained(tmp_path, "--epochs", "2")
    assert len(f1) == 2
    assert last > 0.6  # it has learned something
    assert scored(tmp_path) == last


@pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
def test_script_with_a_corpus(tmp_path):
    corpus = fc.read(CNC / "train_subtask2_grouped.csv")
    fc.write(fc.Relations(corpus.table[:200]), tmp_path / "some.parquet")
    _, last = trained(tmp_path / "out", "--epochs", "1", "--corpus", tmp_path / "some.parquet")
    assert scored(tmp_path / "out") == last
    gold = fc.read(tmp_path / "out" / "gold.parquet")
    assert any(name.startswith("cnc_") for name in gold.ids.to_pylist())
