"""Parquet and Arrow files that no reader takes, or that pyarrow takes no rows of."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.binary import schema_of
from tests.support.cli import cli

GOLD = fc.read(sample.GOLD)
PRED = fc.read(sample.SYSTEMS["careful"], like=GOLD).table
RUNS = PRED.append_column("run", pa.array(["a"] * len(PRED)))


def written(path, table):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    return path


def swept(folder, table, suffix, expect):
    """Score runs that a column tells apart: standard error."""
    path = written(folder / f"runs{suffix}", table)
    return cli("sweep", sample.GOLD, path, "--run-column", "run", "--out", folder / "o",
               expect=expect)[1]  # fmt: skip


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", ["relations", "id", "run"])
def test_two_columns_of_one_name(tmp_path, suffix, name):
    twice = RUNS.append_column(name, RUNS[name])
    message = f'column "{name}" occurs 2 times, expected once'
    assert message in swept(tmp_path, twice, suffix, 2)
    path = tmp_path / f"runs{suffix}"
    assert message in cli("score", sample.GOLD, path, expect=2)[1]
    assert message in cli("score", path, sample.SYSTEMS["careful"], expect=2)[1]
    assert message in cli("describe", path, expect=2)[1]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("kept", [["id", "run"], ["id", "run", "text"]])
def test_runs_without_relations(tmp_path, suffix, kept):
    assert 'no column "relations"' in swept(tmp_path, RUNS.select(kept), suffix, 2)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", ["run", "id", "corpus"])
@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="a pyarrow without views")
def test_views_of_text(tmp_path, suffix, name):
    table = RUNS.append_column("corpus", RUNS["run"]) if name == "corpus" else RUNS
    k = table.column_names.index(name)
    swept(tmp_path, table.set_column(k, name, table[name].cast(pa.string_view())), suffix, 0)


ZONED = pa.array([0] * len(PRED), pa.timestamp("us", "UTC"))
NOWHERE = ZONED.cast(pa.timestamp("us", "Nowhere/Here"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (ZONED, None),
        (NOWHERE, 'column "when" is timestamp[us, tz=Nowhere/Here], expected a time zone'),
        (pa.array([b"\xff"] * len(PRED)), 'column "when" is binary, expected text or numbers'),
        (pa.array([[1]] * len(PRED)), 'column "when" is list<item: int64>, expected text'),
    ],
)
def test_columns_for_subsets(tmp_path, values, message):
    gold = written(tmp_path / "gold.arrow", GOLD.table.append_column("when", values))
    expect = 0 if message is None else 2
    arguments = ("score", gold, sample.SYSTEMS["careful"], "--by", "when")
    assert (message or "") in cli(*arguments, expect=expect)[1]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "arrows"])
def test_the_schema_of_a_file_without_its_rows(suffix, tmp_path):
    path, table = tmp_path / f"x.{suffix}", pa.table({"id": ["a"], "n": [1]})
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        make = pa.ipc.new_file if suffix == "arrow" else pa.ipc.new_stream
        with make(path, table.schema) as writer:
            writer.write_table(table)
    assert schema_of(path).names == ["id", "n"]
    path.write_bytes(path.read_bytes()[:20])
    assert schema_of(path) is None
    path.write_text("id,n\na,1\n")
    assert schema_of(path) is None
