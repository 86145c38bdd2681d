"""Names and digests of runs, and data sets that hold many."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.sweeps.runs import DataSet, file_name, run_name, runs_of_files
from tests.sweeps.runs import gold, write_runs


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_name_is_a_name_of_a_file(name):
    quoted = file_name(name)
    assert run_name(quoted) == name
    assert quoted.isascii()
    assert not {"/", "\\", "\0", ":"} & set(quoted)
    assert not quoted.startswith(".")


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return [folder / name for name in names]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.jsonl", "b.csv"], ["a", "b"]),
        (["b.csv", "x/a.v2.jsonl"], ["a.v2", "b"]),
        (["1/pred.csv", "2/pred.csv"], ["1/pred", "2/pred"]),
        (["1/seed 1/p.csv", "1/seed 2/p.csv", "2/q.csv"], ["1/seed 1/p", "1/seed 2/p", "2/q"]),
    ],
)
def test_names_are_stems_where_these_differ(tmp_path, files, names):
    paths = made(tmp_path, *files)
    for order in (paths, paths[::-1]):
        assert [run.name for run in runs_of_files(order)] == names


def test_a_folder_stands_for_its_files_and_subfolders(tmp_path):
    made(tmp_path, "a.csv", "x.ann", "x.txt", "parts/0.parquet", ".hidden", "_SUCCESS")
    assert [run.name for run in runs_of_files([tmp_path])] == ["a", "parts", "x"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a.csv", "a.jsonl"], 'are two runs of one name, "a"'),
        (["a.csv", "A.jsonl"], "are two runs of one name"),
        (["a.csv", "b.csv", "a.csv"], "a.csv is given twice"),
        (["missing"], "missing: not a file or folder of predictions"),
        (["empty"], "empty: a folder without runs"),
        (["n" * 230], "has 230 bytes, expected 1 to 200"),
    ],
)
def test_names_that_cannot_be(tmp_path, files, message):
    (tmp_path / "empty").mkdir()
    made(tmp_path, *(name for name in files if name not in ("missing", "empty")))
    with pytest.raises(fc.InputError, match=message):
        runs_of_files([tmp_path / name for name in files])


def test_a_digest_changes_with_the_predictions_alone(tmp_path):
    path = write_runs(tmp_path / "a", 1)[0]
    other = write_runs(tmp_path / "b", 1)[0]
    digest = runs_of_files([path])[0].digest()
    assert runs_of_files([other])[0].digest() == digest
    path.write_bytes(path.read_bytes().replace(b"cause", b"Cause", 1))
    assert runs_of_files([path])[0].digest() != digest


@pytest.fixture
def data_set(tmp_path):
    """Three runs in two files, the last run in both."""
    tables = []
    for k, path in enumerate(write_runs(tmp_path / "runs", 3)):
        table = fc.read(path).table.replace_schema_metadata(None)
        tables.append(table.append_column("model", pa.array([k] * len(table))))
    whole = pa.concat_tables(tables)
    (tmp_path / "set").mkdir()
    pq.write_table(whole.slice(0, 100), tmp_path / "set" / "0.parquet")
    pq.write_table(whole.slice(100), tmp_path / "set" / "1.parquet")
    return tmp_path / "set"


def test_a_data_set_holds_the_same_runs(data_set, tmp_path):
    runs = DataSet(data_set, "model")
    assert runs.sizes == {"0": 40, "1": 40, "2": 40}
    assert [run.name for run in runs.runs(["2", "0"])] == ["0", "2"]
    one = fc.sweep(gold(), data_set, tmp_path / "one", run_column="model")
    each = fc.sweep(gold(), tmp_path / "runs", tmp_path / "each")
    assert one.to_arrow().drop_columns("run") == each.to_arrow().drop_columns("run")
    again = fc.sweep(gold(), data_set, tmp_path / "one", run_column="model")
    assert (again.scored, again.kept) == (0, 3)


def test_one_run_of_a_data_set_changes(data_set, tmp_path):
    fc.sweep(gold(), data_set, tmp_path / "out", run_column="model")
    table = pq.read_table(data_set / "1.parquet")
    pq.write_table(table.slice(1), data_set / "1.parquet")
    result = fc.sweep(gold(), data_set, tmp_path / "out", run_column="model", unmatched="error")
    assert (result.kept, [each["run"] for each in result.failed]) == (2, ["2"])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("seed", 'no column "seed", it has id, '),
        ("half", 'column "half" of runs has nulls'),
        ("case", 'two runs of one name, "x"'),
    ],
)
def test_columns_that_name_no_runs(data_set, tmp_path, column, message):
    table = pq.read_table(data_set)
    table = table.append_column("half", pa.array([None if k else "x" for k in range(len(table))]))
    table = table.append_column("case", pa.array(["xX"[k % 2] for k in range(len(table))]))
    pq.write_table(table, tmp_path / "all.parquet")
    with pytest.raises(fc.InputError, match=message):
        fc.sweep(gold(), tmp_path / "all.parquet", tmp_path / "out", run_column=column)
    assert not (tmp_path / "out").exists()


def test_json_lines_and_submissions(tmp_path):
    relations = gold().table.append_column("run", [["a", "b"] * 20])
    fc.write(fc.Relations(relations), tmp_path / "all.jsonl")
    assert DataSet(tmp_path / "all.jsonl", "run").sizes == {"a": 20, "b": 20}
    (tmp_path / "pred.jsonl").write_text('{"index": 0, "prediction": []}\n')
    with pytest.raises(fc.InputError, match="runs are told apart by a column"):
        DataSet(tmp_path / "pred.jsonl", "run")
    with pytest.raises(fc.InputError, match="runs are told apart by a column"):
        DataSet(sample.GOLD, "run")
