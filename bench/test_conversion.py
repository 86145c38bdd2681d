"""Relations with their sentences written to text files, against Python's own modules, and against
pyarrow writing only the columns of text."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.relations import ROLES, Reading

from . import corpus

CORPUS = "CNC"
TRAIN = corpus.CNC / "train_subtask2_grouped.csv"


@pytest.fixture(scope="module")
def relations(request) -> fc.Relations:
    """``--sentences`` sentences without tagged ones, so that tags must be made."""
    n = request.config.getoption("--sentences")
    real = fc.read(TRAIN if TRAIN.exists() else sample.GOLD)
    chosen = np.random.default_rng(0).integers(len(real), size=n)
    table = real.table.take(pa.array(chosen)).drop_columns(["tagged"])
    ids = pa.array([str(k) for k in range(n)])
    table = table.set_column(table.column_names.index("id"), "id", ids)
    return fc.Relations(table, Reading())


def test_peak_memory(note, relations, tmp_path):
    """Measure whole processes: the command, and the same with a quarter of the sentences."""
    files = ["gold.parquet", "gold.csv", "a.parquet", "gold.jsonl", "b.parquet"]
    for part in (relations.table.slice(0, len(relations) // 4), relations.table):
        fc.write(fc.Relations(part, relations.reading), tmp_path / files[0])
        for names in pairwise(files):
            paths = [str(tmp_path / name) for name in names]
            command = [sys.executable, "-c", PEAK, "convert", *paths]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            peak = int(done.stdout.split()[-1]) >> 10
            one, other = (name.partition(".")[2] for name in names)
            note(f"conversion of {len(part):,} from {one} to {other}: {peak} MB at most")


# Not ru_maxrss, which a process inherits from its parent.
PEAK = """
import atexit, re
from fastcausal.cli import main

@atexit.register
def tell():
    print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

main()
"""


def test_truth_file(race, relations, tmp_path):
    target = tmp_path / "gold.csv"
    assert fc.write(relations, target) == []
    columns = ("role", "start", "stop", "row_offsets", "relation_offsets")
    again = fc.read(target).arrays
    assert all(
        np.array_equal(np.sort(getattr(again, name)), np.sort(getattr(relations.arrays, name)))
        for name in columns
    )
    texts = relations.table.drop_columns(["relations", "length"])

    def by_pyarrow():
        pyarrow.csv.write_csv(texts, tmp_path / "texts.csv")

    race(
        "convert to CSV",
        len(relations),
        lambda: fc.write(relations, target),
        {"pyarrow writing the texts": by_pyarrow},
    )


def test_json_lines(race, relations, tmp_path):
    target, other = tmp_path / "gold.jsonl", tmp_path / "other.jsonl"

    def plain():
        with other.open("w") as file:
            for row in relations.table.to_pylist():
                row["relations"] = [
                    r and [{**span, "role": ROLES[span["role"]]} for span in r]
                    for r in row["relations"]
                ]
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    plain()
    fc.write(relations, target)
    assert target.read_bytes() == other.read_bytes()
    race(
        "convert to JSON lines",
        len(relations),
        lambda: fc.write(relations, target),
        {"json.dumps of every row": plain},
        rounds=3,
    )


@pytest.mark.parametrize("format", ["spans", "bio", "cnc"])
def test_other_lines(race, relations, tmp_path, format):
    target = tmp_path / "gold.lines"
    fc.write(relations, target, format)
    assert fc.read(target, format).n_relations == relations.n_relations
    race(f"convert to {format}", len(relations), lambda: fc.write(relations, target, format))
