"""A sweep gives the results of scoring each run, and its folder depends on nothing else."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.sweeps import scoring
from fastcausal.sweeps.folder import about_of, counts_of_runs
from fastcausal.sweeps.scores import scores_of_runs
from tests.support.cli import cli
from tests.sweeps.runs import content, gold, write_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return write_runs(tmp_path_factory.mktemp("runs"), 7)


@pytest.fixture(scope="module")
def alone(runs, tmp_path_factory):
    """The folder of a sweep that nothing disturbs."""
    folder = tmp_path_factory.mktemp("alone")
    fc.sweep(gold(), runs, folder, columns=["doc_id"], jobs=1)
    return content(folder)


def swept(runs, folder, **options):
    return fc.sweep(gold(), runs, folder, columns=["doc_id"], **options)


# ------------------------------------------------------------------------------------- the numbers


@pytest.mark.parametrize("by", [None, "doc_id"])
@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
def test_scores_are_those_of_each_run(runs, tmp_path, protocol, by):
    result = fc.sweep(gold(), runs, tmp_path / "out", protocol, by=by)
    for path in runs:
        report = fc.score(gold(), path, protocol, by=by)
        table = result.to_arrow().filter(pa.compute.field("run") == path.stem)
        assert table.drop_columns("run").equals(report.to_arrow())
        counted = fc.Statistics.read(tmp_path / "out" / "runs" / f"{path.stem}.parquet")
        assert np.array_equal(counted.rows, report.statistics.rows)
        assert counted.report(by) == report
        assert f"{counted.gold:032x}" == about_of(tmp_path / "out")["gold"]
        assert counted.system == path.stem
        assert counted.units.column_names[:1] == ["id"]
        assert "doc_id" in counted.units.column_names  # clusters by default
    assert fc.sweep(gold(), runs, tmp_path / "out", protocol, by=by).to_arrow() == result.to_arrow()


@pytest.mark.parametrize("policy", ["empty", "skip"])
@pytest.mark.parametrize("kept", [range(5, 40), range(0)])
def test_policies_are_those_of_scoring(tmp_path, policy, kept):
    """Policies act as in scoring, for missing, additional and unparsed examples of runs."""
    table = gold().table
    ids = pa.array([f"other {k}" if k == 39 else str(table["id"][k]) for k in kept], pa.string())
    table = table.take(pa.array(kept, pa.int64())).set_column(
        table.column_names.index("id"), "id", ids
    )
    lists = [
        [None, *row] if row and len(row) > 1 else row for row in table["relations"].to_pylist()
    ]
    column = pa.array(lists, table.schema.field("relations").type)
    table = table.set_column(table.column_names.index("relations"), "relations", column)
    fc.write(fc.Relations(table), tmp_path / "run.parquet")
    options = {"unparsed": policy, "unmatched": policy, "by": "doc_id"}
    for _ in range(2):
        result = fc.sweep(gold(), tmp_path / "run.parquet", tmp_path / "out", **options)
        report = fc.score(gold(), tmp_path / "run.parquet", **options)
        assert result.to_arrow().drop_columns("run").equals(report.to_arrow())
        counted = fc.Statistics.read(tmp_path / "out" / "runs" / "run.parquet")
        assert counted.report("doc_id") == report
    assert result.kept == 1


def test_the_result_in_all_its_forms(runs, tmp_path):
    (tmp_path / "bad.csv").write_text("no predictions")
    result = swept([*runs[:2], tmp_path / "bad.csv"], tmp_path / "out")
    assert result.to_dict() == {
        "n_runs": 3,
        "scored": 2,
        "kept": 0,
        "failed": [{"run": "bad", "error": result.failed[0]["error"]}],
        "out": str(tmp_path / "out"),
    }
    assert result.title == f"{tmp_path / 'out'}: 3 runs, 2 scored, 0 kept, 1 failed"
    text = str(result)
    assert "run 1" in text
    assert "failed: bad: " in text
    assert "<th>run 1</th>" in result._repr_html_()


# ------------------------------------------------------------------- nothing else decides the bytes


@given(st.permutations(range(7)), st.integers(1, 3))
def test_order_and_threads_change_no_byte(runs, alone, tmp_path_factory, order, jobs):
    folder = tmp_path_factory.mktemp("out")
    swept([runs[k] for k in order], folder, jobs=jobs)
    assert content(folder) == alone


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_shards_make_the_whole(runs, alone, tmp_path, n):
    results = [swept(runs, tmp_path, shard=(k, n)) for k in np.random.default_rng(n).permutation(n)]
    assert content(tmp_path) == alone
    assert sum(result.scored for result in results) == 7
    assert swept(runs, tmp_path, shard=(n, n)).kept == swept(runs, tmp_path, shard=(0, n)).kept


def test_a_shard_that_ends_while_another_writes_the_scores(runs, alone, tmp_path, monkeypatch):
    """The slower one sees the run that was scored anew."""
    copies = [tmp_path / path.name for path in runs]
    for path, copy in zip(runs, copies, strict=True):
        copy.write_bytes(path.read_bytes())
    copies[0].write_bytes(runs[3].read_bytes())
    out = tmp_path / "out"
    swept(copies, out, shard=(0, 2))
    assert not (out / "scores.parquet").exists()
    copies[0].write_bytes(runs[0].read_bytes())

    def meanwhile(sums):
        monkeypatch.setattr(scoring, "scores_of_runs", scores_of_runs)
        swept(copies, out, shard=(0, 2))
        return scores_of_runs(sums)

    monkeypatch.setattr(scoring, "scores_of_runs", meanwhile)
    swept(copies, out, shard=(1, 2))
    assert content(out) == alone


def test_the_same_call_again_scores_nothing(runs, alone, tmp_path):
    swept(runs, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*")}
    again = swept(runs, tmp_path)
    assert (again.scored, again.kept) == (0, 7)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*")}
    assert content(tmp_path) == alone


@given(st.data())
def test_a_damaged_file_is_scored_anew(runs, alone, tmp_path_factory, data):
    """A file with any changed byte, or cut anywhere, is scored anew."""
    folder = tmp_path_factory.mktemp("out")
    swept(runs, folder)
    file = data.draw(st.sampled_from(sorted(folder.glob("runs/*"))))
    content_of = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content_of) - 1))
    if data.draw(st.booleans()):
        content_of[place] ^= data.draw(st.integers(1, 255))
    else:
        del content_of[place:]
    file.write_bytes(content_of)
    assert swept(runs, folder).scored == 1
    assert content(folder) == alone


# ----------------------------------------------------------------------------- failures and changes


def test_a_failed_run_is_tried_again(runs, tmp_path):
    broken = tmp_path / "run.jsonl"
    for text, failed in (("nothing", 1), ("", 1), (runs[0].read_text(), 0), ("nothing", 1)):
        broken.write_text(text)
        result = swept([broken, runs[1]], tmp_path / "out")
        assert len(result.failed) == failed
        files = content(tmp_path / "out")
        assert ("failed/run.json" in files, "runs/run.parquet" in files) == (failed, not failed)
        names = set(result.to_arrow()["run"].to_pylist())
        assert names == ({"run 1"} if failed else {"run", "run 1"})
    said = json.loads(files["failed/run.json"])
    assert said["run"] == "run"
    assert said["error"].startswith(str(broken))


def test_a_changed_run_alone_is_scored_anew(runs, tmp_path):
    path = tmp_path / "run.jsonl"
    for source in (runs[0], runs[3]):
        path.write_bytes(source.read_bytes())
        result = swept([path, runs[1]], tmp_path / "out")
        assert result.to_arrow()["run"].unique().to_pylist() == ["run", "run 1"]
    assert (result.scored, result.kept) == (1, 1)


def test_more_runs_join_a_folder(runs, alone, tmp_path):
    for some in (runs[3:], runs[:2], runs[1:4]):
        swept(some, tmp_path)
    assert content(tmp_path) == alone


def test_what_killed_processes_left_is_removed(runs, alone, tmp_path):
    swept(runs[:2], tmp_path)
    (tmp_path / ".0123.partial").write_bytes(b"PAR1")
    (tmp_path / "runs" / ".4567.partial").write_bytes(b"PAR1")
    swept(runs, tmp_path)
    assert content(tmp_path) == alone


@pytest.mark.parametrize("n", range(1, 10))
def test_a_full_disk_leaves_whole_files(runs, alone, tmp_path, monkeypatch, n):
    """The n-th file cannot be written: those before are whole, and the rest follows later."""
    synced: list[int] = []

    def sync(handle):
        synced.append(handle)
        if len(synced) == n:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(fc.InputError, match="No space left on device"):
        swept(runs, tmp_path / "out", jobs=1)
    left = content(tmp_path / "out")
    assert len(left) == n - 1
    assert left.items() <= alone.items()
    assert (swept(runs, tmp_path / "out").kept) == max(0, n - 2)
    assert content(tmp_path / "out") == alone


# -------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "cnc-2023"}, 'has the protocol "recess", expected "cnc-2023"'),
        ({"unparsed": "empty"}, 'has the unparsed "error", expected "empty"'),
        ({"unmatched": "skip"}, 'has the unmatched "error", expected "skip"'),
        ({"by": "doc_id"}, 'has the by null, expected "doc_id"'),
        ({"columns": ["length"]}, "has the columns"),
        ({"gold": gold(39)}, "has the gold"),
    ],
)
def test_another_sweep_in_the_same_folder(runs, tmp_path, change, message):
    fc.sweep(gold(), runs[:1], tmp_path)
    before = content(tmp_path)
    with pytest.raises(fc.InputError, match=message):
        fc.sweep(**{"gold": gold(), "runs": runs, "out": tmp_path} | change)
    assert content(tmp_path) == before


def test_other_values_of_a_kept_column(runs, tmp_path):
    swept(runs[:1], tmp_path)
    table = gold().table
    table = table.set_column(table.column_names.index("doc_id"), "doc_id", [["d"] * len(table)])
    with pytest.raises(fc.InputError, match="has the columns"):
        fc.sweep(fc.Relations(table), runs, tmp_path, columns=["doc_id"])


@pytest.mark.parametrize("name", ["sweep.json", "thesis.tex"])
def test_a_folder_of_something_else(runs, tmp_path, name):
    (tmp_path / name).write_text("{}")
    with pytest.raises(fc.InputError, match=name):
        swept(runs, tmp_path)
    assert content(tmp_path) == {name: b"{}"}


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (2, "sweep 2, expected version 1; a newer fastcausal than"),
        (True, "sweep True, expected version 1$"),
        ("1", "sweep '1', expected version 1$"),
    ],
)
def test_a_folder_of_another_version(runs, tmp_path, version, message):
    swept(runs[:1], tmp_path)
    about = json.loads((tmp_path / "sweep.json").read_text())
    (tmp_path / "sweep.json").write_text(json.dumps(about | {"sweep": version}))
    before = content(tmp_path)
    with pytest.raises(fc.InputError, match=message):
        swept(runs, tmp_path)
    assert content(tmp_path) == before


def test_documented_keys(runs, tmp_path):
    """docs/reference/files.md lists the keys of sweep.json."""
    swept(runs[:1], tmp_path / "relations")
    fc.sweep(sample.PAIRS_GOLD, [sample.PAIRS["careful"]], tmp_path / "task", task="eci")
    keys = {
        kind: {*json.loads((tmp_path / kind / "sweep.json").read_text())}
        for kind in ("relations", "task")
    }
    page = (Path(__file__).parents[2] / "docs" / "reference" / "files.md").read_text()
    rows = re.findall(r"^\| (`.*`) \|.*\| (both|relations|another task) \|$", page, re.MULTILINE)
    listed: dict[str, set[str]] = {"both": set(), "relations": set(), "another task": set()}
    for names, of in rows:
        listed[of].update(re.findall(r"`(\w+)`", names))
    assert keys["relations"] == listed["both"] | listed["relations"] - {"reads"}
    assert keys["task"] == listed["both"] | listed["another task"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": "missing.csv"}, "missing.csv"),
        ({"runs": ["missing.csv"]}, "missing.csv"),
        ({"by": "nothing"}, 'no column "nothing"'),
        ({"columns": ["nothing"]}, 'no column "nothing"'),
        ({"run_column": "x"}, "7 data sets, expected one"),
        ({"protocol": "cnc-2022"}, "does not add up"),
        ({"shard": (3, 2)}, "shard is 3/2"),
        ({"shard": (0, 0)}, "shard is 0/0"),
        ({"jobs": 0}, "jobs is 0"),
    ],
)
def test_arguments_that_write_nothing(runs, tmp_path, change, message):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=message):
        fc.sweep(**{"gold": gold(), "runs": runs, "out": out} | change)
    assert not out.exists()


def test_the_folder_lies_elsewhere(runs, tmp_path):
    with pytest.raises(fc.InputError, match="which is read"):
        swept(runs[0].parent, runs[0].parent / "out")
    swept(runs[:1], tmp_path)
    with pytest.raises(fc.InputError, match="is read, but the sweep writes to"):
        swept([*counts_of_runs(tmp_path).values()], tmp_path)


# ------------------------------------------------------------------------------------ the command


def test_exit_statuses(runs, tmp_path):
    fc.write(gold(), tmp_path / "gold.parquet")
    (tmp_path / "bad.csv").write_text("no predictions")
    bad, out = tmp_path / "bad.csv", tmp_path / "out"
    args = ("sweep", tmp_path / "gold.parquet", "--out", out)
    assert cli(*args, runs[0])[0] == f"{out}: 1 run, 1 scored, 0 kept, 0 failed\n"
    printed, messages = cli(*args, runs[0], bad, expect=1)
    assert printed == f"{out}: 2 runs, 0 scored, 1 kept, 1 failed\n"
    assert messages.startswith("warning: bad: ")
    assert len(messages.splitlines()) == 1
    assert json.loads(cli(*args, bad, "--json", expect=2)[0])["failed"][0]["run"] == "bad"
    assert "expected I/N" in cli(*args, runs[0], "--shard", "1:2", expect=2)[1]
    assert "shard is 3/2" in cli(*args, runs[0], "--shard", "3/2", expect=2)[1]
