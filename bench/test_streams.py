"""Two Parquet files scored part by part, against pyarrow only reading both into memory.

The files of `--sentences 10000000` are written in pieces: only reading whole files needs memory for
all of it.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal.arrays import arrow

from . import corpus

CORPUS = "CNC"
PIECE = 500_000
SCORE = "from fastcausal.cli import main; main()"
READ = "import sys, pyarrow.parquet as pq; tables = [pq.read_table(path) for path in sys.argv[1:]]"


@pytest.fixture(scope="module")
def files(request, tmp_path_factory):
    """Gold and predictions of ``--sentences`` sentences, and this number."""
    noise = corpus.NOISES[request.param]
    n = request.config.getoption("--sentences")
    folder = tmp_path_factory.mktemp("streams")
    paths = [folder / f"{side}.parquet" for side in ("gold", "pred")]
    writers = {}
    for start in range(0, n, PIECE):
        ids = arrow.strings([str(k) for k in range(start, min(n, start + PIECE))])
        sides = corpus.sentences(len(ids), seed=start, noise=noise)
        for path, rows in zip(paths, sides, strict=True):
            table = corpus.table_of(rows, ids=False).table.append_column("id", ids)
            if path not in writers:
                writers[path] = pq.ParquetWriter(path, table.schema)
            writers[path].write_table(table)
    for writer in writers.values():
        writer.close()
    return n, paths


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


both_systems = pytest.mark.parametrize("files", corpus.NOISES, indirect=True)


@both_systems
def test_parquet(race, files):
    n, paths = files
    whole = fc.score(*map(fc.read, paths))
    assert fc.score(*paths) == whole

    def scored():
        return fc.score(*paths)

    reading = {"pyarrow reading both": lambda: [pq.read_table(path) for path in paths]}
    race("score GOLD.parquet PRED.parquet", n, scored, reading=reading)


@pytest.mark.parametrize("options", [[], ["--intervals"]], ids=" ".join)
@both_systems
def test_parquet_whole_process(race, files, options):
    n, paths = files

    def scored():
        return run(SCORE, "score", *paths, "--json", *options)

    assert json.loads(scored())["n_examples"] == n
    reading = {"pyarrow reading both": lambda: run(READ, *paths)}
    what = " ".join(["score GOLD.parquet PRED.parquet", *options]) + ", whole process"
    race(what, n, scored, rounds=3, reading=reading)


@both_systems
def test_per_example(race, files, tmp_path):
    """Race writing the counts of examples part by part against reading all and writing all."""
    n, paths = files
    target = tmp_path / "examples.parquet"

    def ours():
        return fc.score(*paths, per_example=target)

    def whole():
        report = fc.score(*map(fc.read, paths))
        pq.write_table(report.per_example, tmp_path / "whole.parquet")

    ours()
    whole()
    written = target, tmp_path / "whole.parquet"
    both = set.intersection(*(set(pq.read_schema(path).names) for path in written))
    assert both >= {"id", "cause_tp"}
    for column in both:
        a, b = (pq.read_table(path, columns=[column]) for path in written)
        assert a.equals(b), column
    race("score, counts of every example to Parquet", n, ours, {"read whole": whole}, rounds=3)
