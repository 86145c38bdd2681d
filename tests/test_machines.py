"""Every block of docs/machines.md runs if its library is installed, and counts the same."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.relations import RELATIONS
from tests.support.cli import cli

PAGE = (Path(__file__).parents[1] / "docs" / "machines.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADED = re.compile(r"^## (.*?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = {heading: BLOCK.findall(text) for heading, text in HEADED.findall(PAGE)}
(_, MERGED), (_, FILE_TO_BE_LIKE) = SECTIONS["Merge the counts"]
MERGING, AGGREGATING = MERGED.splitlines()
ENGINES = {"Spark": "pyspark", "Dask": "dask", "Daft": "daft"}
N_PARTS = 8


def both_sides() -> tuple[fc.Relations, fc.Relations]:
    """Return gold, and predictions with one unparsed answer."""
    gold = fc.read(sample.GOLD)
    table = fc.read(sample.SYSTEMS["hasty"], like=gold).table
    lists = [None, *table["relations"].to_pylist()[1:]]
    k = table.column_names.index("relations")
    return gold, fc.Relations(table.set_column(k, "relations", pa.array(lists, RELATIONS)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write both sides in parts, together as ``data`` and as ``gold`` and ``pred``, and runs."""
    monkeypatch.chdir(tmp_path)
    gold, pred = both_sides()
    both = gold.table.append_column("predicted", pred.table["relations"])
    both = both.append_column("unparsed", pred.table["unparsed"])
    for name, table in (("data", both), ("gold", gold.table), ("pred", pred.table)):
        Path(name).mkdir()
        for k in range(N_PARTS):
            pq.write_table(table.slice(8 * k, 8), f"{name}/part-{k}.parquet")
    Path("runs").mkdir()
    for system in ("careful", "hasty"):
        Path("runs", f"{system}.jsonl").write_bytes(Path(sample.SYSTEMS[system]).read_bytes())
    Path("gold.csv").write_bytes(Path(sample.GOLD).read_bytes())
    return tmp_path


def run(line: str, **variables: object) -> str:
    for name, value in variables.items():
        line = line.replace(f"${name}", str(value))
    program, *arguments = shlex.split(line)
    assert program == "fastcausal"
    return cli(*arguments)[0]


def python(folder: Path, code: str) -> None:
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(code))
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    if missing := [module for module in imported if find_spec(module) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    (folder / "program.py").write_text(code)
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def counts_the_same(merged: fc.Statistics) -> None:
    whole = fc.score(*both_sides(), unparsed="empty").statistics
    assert merged.report()["overall"] == whole.report()["overall"]
    assert merged.gold == whole.gold
    assert (merged.signature, merged.n_units) == (whole.signature, 61)


def test_the_package_knows_no_engine():
    known = re.compile(rf"^\s*(import|from) ({'|'.join(ENGINES.values())})\b", re.MULTILINE)
    sources = [*Path(fc.__file__).parent.rglob("*.py")]
    assert not [path for path in sources if known.search(path.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine(engine, folder):
    ((kind, code),) = SECTIONS[engine]
    assert kind == "python"
    assert re.search(rf"^(import|from) {ENGINES[engine]}\b", code, re.MULTILINE)
    python(folder, code)
    run(MERGING if Path("like.parquet").exists() else MERGING.partition(" --like")[0])
    counts_the_same(fc.Statistics.read("all.parquet"))
    assert "61 sentences" in run(AGGREGATING)


@pytest.mark.slow
def test_a_worker_of_spark_that_is_killed(folder):
    """If a worker dies after a batch, Spark counts its part again with the same result."""
    ((_, code),) = SECTIONS["Spark"]
    counting = '        yield from fc.score_batch(batch, "recess", unparsed="empty").to_batches()\n'
    dying = (
        '        if not os.path.exists("killed"):\n'
        '            open("killed", "w").close()\n'
        "            os.kill(os.getpid(), 9)\n"
    )
    assert code.count(counting) == code.count("local[2]") == 1
    python(folder, code.replace(counting, counting + dying).replace("local[2]", "local[2,4]"))
    assert Path("killed").exists()
    run(MERGING)
    counts_the_same(fc.Statistics.read("all.parquet"))


def test_a_file_to_be_like(folder):
    python(folder, FILE_TO_BE_LIKE)
    part = fc.score_batch(pq.read_table("data/part-1.parquet").slice(0, 1))
    Path("counted").mkdir()
    pq.write_table(part.replace_schema_metadata(None), "counted/x.parquet")
    assert "1 example, 1 part" in run(MERGING)


def test_batch_queues(folder):
    """Jobs of a queue count the same in any order, and if one runs twice."""
    (parts, sweep) = (code for kind, code in SECTIONS["Slurm"] if kind == "sh")
    Path("counted").mkdir()
    *_, name, line = parts.splitlines()
    for k in (3, 1, 0, 2, 7, 6, 5, 4, 3):
        part = name.partition("=")[2].replace("$SLURM_ARRAY_TASK_ID", str(k))
        run(line, part=part)
    assert f"0-{N_PARTS - 1}" in parts
    run(MERGING.partition(" --like")[0])
    counts_the_same(fc.Statistics.read("all.parquet"))
    for k in (2, 0, 3, 1, 0):
        run(sweep.splitlines()[-1], SLURM_ARRAY_TASK_ID=k)
    assert "0-3" in sweep
    assert len(fc.leaderboard("swept", n_resamples=100).to_dict()["systems"]) == 2
