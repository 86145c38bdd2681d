"""Runs of a small sweep, and the content of its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import fastcausal as fc
from bench import corpus

N = 40  # sentences


def gold(n: int = N) -> fc.Relations:
    """Sentences with a document each and gold relations."""
    rows, _ = corpus.sentences(n)
    table = corpus.table_of(rows).table
    documents = [f"d{k % 5}" for k in range(n)]
    return fc.Relations(table.append_column("doc_id", [documents]))


def write_runs(folder: Path, n_runs: int, n: int = N) -> list[Path]:
    """Write as many files of predictions, in several formats."""
    rows, _ = corpus.sentences(n)
    folder.mkdir(exist_ok=True)
    paths = []
    for k in range(n_runs):
        pred = corpus.perturbed(rows, np.random.default_rng(k), corpus.Noise())
        paths.append(folder / f"run {k}.{('jsonl', 'parquet', 'arrow')[k % 3]}")
        fc.write(corpus.table_of(pred), paths[-1])
    return paths


def content(folder: Path) -> dict[str, bytes]:
    """All files below a folder, hidden ones included."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
