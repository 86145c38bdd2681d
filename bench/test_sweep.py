"""A sweep of many runs of a development set, against a loop, and against a process for each run."""

from __future__ import annotations

import subprocess
import sys
from itertools import count

import numpy as np
import pytest

import fastcausal as fc

from . import corpus
from .test_start import HELD, PEAK, python

CORPUS = "340 sentences of CNC"

N_RUNS, N_SENTENCES = 1000, 340  # the size of CNC's development set
N_PROCESSES = 5
ROUNDS = 3


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Gold and the files of predictions."""
    return write(tmp_path_factory.mktemp("sweep"), N_RUNS, N_SENTENCES, "jsonl")


def write(folder, n_runs, n_sentences, suffix):
    rows, _ = corpus.sentences(n_sentences)
    fc.write(corpus.table_of(rows), folder / "gold.parquet")
    (folder / "runs").mkdir()
    for k in range(n_runs):
        pred = corpus.perturbed(rows, np.random.default_rng(k), corpus.Noise())
        fc.write(corpus.table_of(pred), folder / "runs" / f"{k}.{suffix}")
    return folder / "gold.parquet", sorted((folder / "runs").iterdir())


def test_sweep(race, note, files, tmp_path):
    gold, runs = files

    folders = (tmp_path / f"out-{k}" for k in count())

    def swept(**options):
        return fc.sweep(gold, runs, next(folders), **options)

    def looped():
        side = fc.read(gold)
        return [fc.score(side, run) for run in runs]

    def a_process_each():
        command = "from fastcausal.cli import main; main()"
        for run in runs[:N_PROCESSES]:
            args = [sys.executable, "-c", command, "score", gold, run, "--json"]
            subprocess.run(args, check=True, capture_output=True)

    f1 = [report["overall"].f1 for report in looped()]
    scores = swept().to_arrow().to_pylist()
    assert f1 == [r["f1"] for r in scores if (r["subset"], r["group"]) == ("all", "overall")]
    outcome = race(
        f"fc.sweep, {N_RUNS:,} runs of {N_SENTENCES} sentences",
        N_RUNS * N_SENTENCES,
        swept,
        {
            "fc.score in a loop, gold read once": looped,
            "fc.sweep, one thread": lambda: swept(jobs=1),
            "fc.sweep again, all runs kept": lambda: fc.sweep(gold, runs, tmp_path / "out-0"),
            f"{N_PROCESSES} processes of fastcausal score": a_process_each,
        },
        rounds=ROUNDS,
    )
    if outcome is not None:
        name = f"{N_PROCESSES} processes of fastcausal score"
        each = outcome.ratio(name) * N_RUNS / N_PROCESSES
        note(f"a process a run, {N_RUNS:,} runs: {each:,.0f} times the time of the sweep")


def test_memory(note, tmp_path):
    """Note the peak memory of 1,000 runs of 10,000 sentences: 20 files under 50 names each."""
    gold, runs = write(tmp_path, 20, 10_000, "parquet")
    for run in runs:
        for k in range(1, 50):
            (run.parent / f"{run.stem}-{k}.parquet").hardlink_to(run)
    code = f"import sys; {HELD['import of fastcausal, pyarrow']}; fc.sweep(*sys.argv[1:])"
    peak = int(python(f"{code}{PEAK}", gold, tmp_path / "runs", tmp_path / "out"))
    assert peak < 1 << 30
    note(f"peak memory of a sweep of 1,000 runs of 10,000 sentences: {peak / 1e6:.0f} MB")
