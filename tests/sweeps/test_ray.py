"""Ray clusters give the folder and the counts of one process, whenever their workers are killed."""

from __future__ import annotations

import inspect
import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
import fastcausal.ray
from bench import corpus
from fastcausal.errors import OutputError
from tests.support.cli import cli
from tests.sweeps.runs import content, gold, write_runs
from tests.test_machines import MERGING, SECTIONS, counts_the_same, python, run
from tests.test_machines import folder as files_of_the_page  # noqa: F401

needs_ray = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs ray"),
]
on_data = [  # warnings of Ray about its own settings
    *needs_ray,
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\..*"),
]


def burner(fuses):
    """Return a function for workers: if a fuse has this name, the worker stays until it is killed.

    It is pickled by value, as workers need not find the tests.
    """

    def burn(name):
        for fuse in Path(fuses).glob(f"{name}.*"):
            try:
                fuse.rename(Path(fuses, f"victim.{os.getpid()}"))
            except FileNotFoundError:  # another worker took it
                continue
            time.sleep(600)

    return burn


def on_start(fuses):
    """Return a worker's setup: it burns fuses before and after the writing of a run's file."""
    burn = burner(fuses)

    def arm():
        from fastcausal.sweeps.folder import Folder

        keep = Folder.keep

        def keep_between_fuses(*args):
            burn("before")
            keep(*args)
            burn("after")

        Folder.keep = keep_between_fuses

    return arm


@pytest.fixture(scope="session")
def fuses(tmp_path_factory):
    return tmp_path_factory.mktemp("fuses")


@pytest.fixture(scope="session")
def cluster(fuses):
    """Two workers that die on demand; paths of sockets must be short."""
    import ray

    with tempfile.TemporaryDirectory(prefix="ray") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # which writes a token to the home folder
        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=200 * 2**20,
            log_to_driver=False,
            runtime_env={"worker_process_setup_hook": on_start(str(fuses))},
            _temp_dir=folder,
        )
        yield ray
        ray.shutdown()


@contextmanager
def killed(fuses, *names):
    """Kill a worker, from outside, at each fuse."""
    for k, name in enumerate(names):
        (fuses / f"{name}.{k}").touch()
    ended = threading.Event()

    def kill():
        while not ended.wait(0.01):
            for victim in fuses.glob("victim.*"):
                os.kill(int(victim.suffix[1:]), signal.SIGKILL)
                victim.unlink()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
        assert not [*fuses.iterdir()]
    finally:
        ended.set()
        killer.join()
        for fuse in fuses.iterdir():
            fuse.unlink()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return write_runs(tmp_path_factory.mktemp("runs"), 7)


@pytest.fixture(scope="module")
def alone(runs, tmp_path_factory):
    """The folder of a sweep in this process."""
    folder = tmp_path_factory.mktemp("alone")
    fc.sweep(gold(), runs, folder, columns=["doc_id"])
    return content(folder)


def swept(runs, folder, **options):
    return fastcausal.ray.sweep(gold(), runs, folder, columns=["doc_id"], **options)


def test_arguments_are_those_of_a_sweep():
    """Sweeps by Ray have all arguments of a sweep but jobs."""
    here, there = (inspect.signature(each).parameters for each in (fc.sweep, fastcausal.ray.sweep))
    assert [*there.values()] == [each for each in here.values() if each.name != "jobs"]


def test_ray_is_not_installed(runs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(fc.InputError, match=r'needs ray: pip install "fastcausal\[ray\]"'):
        swept(runs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class TestSweep:
    pytestmark = needs_ray

    def test_the_folder_is_that_of_one_process(self, cluster, runs, alone, tmp_path):
        done = []
        result = swept(runs, tmp_path, progress=lambda *numbers: done.append(numbers))
        assert content(tmp_path) == alone
        assert done == [(k, 7) for k in range(1, 8)]
        expected = fc.sweep(gold(), runs, tmp_path, columns=["doc_id"])
        assert (result.scored, expected.kept) == (7, 7)
        assert result.to_arrow() == expected.to_arrow()

    def test_shards_and_failed_runs(self, cluster, runs, tmp_path, monkeypatch):
        """Relative paths start at the caller's folder, in messages too."""
        (tmp_path / "bad.csv").write_text("no predictions")
        monkeypatch.chdir(tmp_path)
        given = [*runs[:2], Path("bad.csv")]
        results = [swept(given, "out", shard=(k, 2)) for k in (1, 0)]
        fc.sweep(gold(), given, "alone", columns=["doc_id"])
        assert content(Path("out")) == content(Path("alone"))
        assert [len(result.failed) for result in results] == [0, 1]

    def test_one_data_set(self, cluster, tmp_path):
        side = gold()
        table = pa.concat_tables(
            side.table.append_column("model", [[f"m{k}"] * len(side)]) for k in range(3)
        )
        pq.write_table(table, tmp_path / "all.parquet")
        options = {"run_column": "model", "unparsed": "empty"}
        fastcausal.ray.sweep(side, tmp_path / "all.parquet", tmp_path / "out", **options)
        fc.sweep(side, tmp_path / "all.parquet", tmp_path / "alone", **options)
        assert content(tmp_path / "out") == content(tmp_path / "alone")

    def test_killed_workers(self, cluster, runs, alone, fuses, tmp_path):
        """A sweep ends the same if workers die before or after writing the file of a run."""
        with killed(fuses, "before", "before", "after"):
            result = swept(runs, tmp_path)
        assert content(tmp_path) == alone
        assert (result.scored, result.kept) == (6, 1)

    def test_a_run_that_kills_each_worker(self, cluster, runs, alone, fuses, tmp_path, monkeypatch):
        monkeypatch.setattr(fastcausal.ray, "N_RETRIES", 1)
        with killed(fuses, "before", "before"):
            result = swept(runs[:1], tmp_path)
        error = "its worker died each time (WorkerCrashedError)"
        assert result.failed == ({"run": "run 0", "error": error},)
        assert swept(runs, tmp_path).scored == 7
        assert content(tmp_path) == alone

    def test_interrupted(self, cluster, runs, alone, tmp_path):
        def interrupt(*numbers):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            swept(runs, tmp_path, progress=interrupt)
        left = content(tmp_path)
        assert left.items() < alone.items()
        swept(runs, tmp_path)
        assert content(tmp_path) == alone

    @pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux")
    @pytest.mark.parametrize("hidden", ["out", "runs"])
    def test_paths_that_workers_do_not_see(self, cluster, runs, tmp_path, hidden):
        """A path that only this process sees is an error, and nothing is written."""
        (tmp_path / "runs").symlink_to(runs[0].parent)
        handle = os.open(tmp_path, os.O_RDONLY)
        places = {name: tmp_path / name for name in ("runs", "out")}
        places[hidden] = Path(f"/proc/self/fd/{handle}", hidden)
        with pytest.raises(fc.InputError, match=f"{hidden}.*: node .* does not see it"):
            swept(places["runs"], places["out"])
        os.close(handle)
        assert [path.name for path in tmp_path.iterdir()] == ["runs"]

    @pytest.mark.parametrize("sweep", [fc.sweep, fastcausal.ray.sweep])
    def test_a_file_that_cannot_be_written(self, cluster, runs, tmp_path, sweep):
        """A worker's error is the caller's."""
        sweep(gold(), runs[1:], tmp_path)
        (tmp_path / "runs" / "run 0.parquet").mkdir()
        with pytest.raises(OutputError, match=r"run 0.parquet: Is a directory"):
            sweep(gold(), runs, tmp_path)

    def test_a_folder_that_cannot_be_written(self, cluster, runs, tmp_path):
        (tmp_path / "out").write_text("")
        with pytest.raises(fc.InputError, match="out: File exists"):
            swept(runs, tmp_path / "out")


# -------------------------------------------------------------------------------------- Ray Data


def write_parts(folder):
    """Write sentences with both sides in columns, in parts; return gold and predictions."""
    rows, _ = corpus.sentences(600)
    pred = corpus.table_of(corpus.perturbed(rows, np.random.default_rng(1), corpus.Noise()))
    side = corpus.table_of(rows)
    table = side.table.append_column("predicted", pred.table["relations"])
    folder.mkdir()
    for k in range(6):
        pq.write_table(table[100 * k : 100 * (k + 1)], folder / f"part-{k}.parquet")
    return side, pred


class TestData:
    pytestmark = on_data

    def test_killed_workers(self, cluster, fuses, tmp_path):
        """Counts end the same if workers die while they count, or between writing and report."""
        import ray.data
        from ray.data._internal.datasource.parquet_datasink import ParquetDatasink

        burn = burner(str(fuses))

        def score(batch):
            burn("before")
            return fc.score_batch(batch)

        class MortalSink(ParquetDatasink):
            def write(self, *args):
                written = super().write(*args)
                burn("after")
                return written

        parts, counts = tmp_path / "parts", tmp_path / "counts"
        sides = write_parts(parts)
        with killed(fuses, "before", "before", "before", "after"):
            examples = ray.data.read_parquet(str(parts)).repartition(6)
            counted = examples.map_batches(score, batch_format="pyarrow", batch_size=None)
            counted.write_datasink(MortalSink(str(counts)))
        assert len([*counts.iterdir()]) == 6
        cli("merge", counts, "--out", tmp_path / "merged.parquet")
        fc.score(*sides, per_example=tmp_path / "alone.parquet")
        merged, alone = (pq.read_table(tmp_path / f"{n}.parquet") for n in ("merged", "alone"))
        assert merged.sort_by("id").equals(alone.sort_by("id"))
        assert merged.schema.metadata == alone.schema.metadata


@pytest.mark.usefixtures("cluster", "files_of_the_page")
class TestPage:
    """The blocks of docs/machines.md."""

    pytestmark = on_data

    def test_ray_data(self):
        ((_, code),) = SECTIONS["Ray Data"]
        exec(code, {})
        run(MERGING.partition(" --like")[0])
        counts_the_same(fc.Statistics.read("all.parquet"))

    def test_a_sweep(self, monkeypatch):
        """The page's sweep starts a cluster of its own, and ends it."""
        ((_, code),) = SECTIONS["A sweep on Ray"]
        with tempfile.TemporaryDirectory(prefix="ray") as place:
            monkeypatch.setenv("RAY_TMPDIR", place)
            monkeypatch.setenv("RAY_ADDRESS", "local")  # and not the other tests' cluster
            python(Path.cwd(), f"{code}\nimport ray\nassert not ray.is_initialized()")
        fc.sweep("gold.csv", "runs", "alone")
        assert content(Path("swept")) == content(Path("alone"))
