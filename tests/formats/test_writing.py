"""A file is written whole, in its place, and over nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.files import replacing, replacing_together
from tests.support.cli import cli, command


def write(target, data=b"new"):
    with replacing(target) as file:
        file.write(data)


def failing_in(*targets):
    with replacing_together(*targets) as files:
        for file in files:
            file.write(b"new")
        raise KeyboardInterrupt


def test_links_are_followed_and_the_mode_is_kept(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "there").symlink_to("real")
    file, link, new = tmp_path / "real/file", tmp_path / "link", tmp_path / "new"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to("there/file")
    new.symlink_to("there/../there/later")
    write(link)
    write(new)
    assert link.is_symlink()
    assert new.is_symlink()
    assert file.read_bytes() == (tmp_path / "real/later").read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o640
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "real/later").stat().st_mode & 0o777 == 0o666 & ~umask
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(fc.InputError, match="loop: Too many levels of symbolic links"):
        write(loop)


def test_any_name_that_the_file_system_takes(tmp_path):
    longest = tmp_path / (246 * "a" + ".jsonl")[:255]
    assert fc.write(fc.read(sample.GOLD), longest, "jsonl")
    assert fc.read(longest, "jsonl").table.num_rows == 61
    with pytest.raises(fc.InputError, match="File name too long"):
        write(tmp_path / (256 * "a"))
    assert list(tmp_path.iterdir()) == [longest]


STREAM = """
import os, sys
from fastcausal.files.files import replacing
print("first", flush=True)
with replacing(sys.argv[1]) as file:
    file.write(b"second\\n")
print("third", flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("mode", ["w", "a"])
def test_a_stream_is_written_to_and_not_replaced(tmp_path, name, mode):
    """Writing to a stream goes on at its position: nothing is cut, overwritten or replaced."""
    out, link = tmp_path / "out", tmp_path / "link"
    out.write_text("zeroth\n")
    link.symlink_to("/proc/self/fd/1")
    target = link if name == "link" else name
    with out.open(mode) as stdout:
        subprocess.run([sys.executable, "-c", STREAM, str(target)], stdout=stdout, check=True)
    before = ["zeroth"] if mode == "a" else []
    assert out.read_text().split() == [*before, "first", "second", "third"]
    assert link.readlink() == Path("/proc/self/fd/1")
    done = subprocess.run([sys.executable, "-c", STREAM, str(target)], capture_output=True,
                          check=True)  # fmt: skip
    assert done.stdout.split() == [b"first", b"second", b"third"]


def test_a_device_and_a_pipe_are_written_directly(tmp_path):
    write("/dev/null")
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write, args=(pipe,))
    writer.start()
    assert pipe.read_bytes() == b"new"
    writer.join()
    assert pipe.is_fifo()


def test_writers_of_one_target_do_not_disturb_each_other(tmp_path):
    """All writers finish, and the file holds the content of one of them."""
    target = tmp_path / "file"
    contents = [bytes([65 + k]) * 100_000 for k in range(8)]
    ready = threading.Barrier(len(contents))

    def run(data):
        with replacing(target) as file:
            ready.wait()  # all partial files are there at once
            file.write(data)
        done.append(data)

    done: list[bytes] = []
    threads = [threading.Thread(target=run, args=(data,)) for data in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == contents
    assert target.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [target]


def test_a_killed_run_does_not_hinder_the_next(tmp_path):
    """A killed run's rest stops no later run, even one with the same process id."""
    killed = subprocess.run(
        [sys.executable, "-c",
         "import os, sys\nfrom fastcausal.files.files import replacing\n"
         "own, id = os.getpid(), int(sys.argv[2])\nos.getpid = lambda: id\n"
         "with replacing(sys.argv[1]) as file:\n    os.kill(own, 9)",
         str(tmp_path / "x"), str(os.getpid())], check=False,
    )  # fmt: skip
    assert killed.returncode == -9
    (rest,) = tmp_path.iterdir()
    assert rest.name.startswith(".")
    write(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == sorted([rest, tmp_path / "x"])


def test_files_that_belong_together(tmp_path):
    """Files written together all appear, or none does and the old ones stay."""
    a, b = tmp_path / "a", tmp_path / "b"
    with pytest.raises(KeyboardInterrupt):
        failing_in(a, b)
    assert not list(tmp_path.iterdir())
    for name in (a, b):
        name.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        failing_in(a, b)
    assert a.read_bytes() == b.read_bytes() == b"old"
    missing = tmp_path / "no" / "c"
    with pytest.raises(fc.InputError, match="No such file"), replacing_together(a, missing):
        pytest.fail("nothing may be written when one of the files cannot be")
    with replacing_together(a, b) as files:
        for file in files:
            file.write(b"new")
        assert a.read_bytes() == b.read_bytes() == b"old"
    assert a.read_bytes() == b.read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == [a, b]


def test_no_new_file_stands_beside_an_old_one(tmp_path, monkeypatch):
    """Whenever a process is killed between the renames: all old, some missing, or all new."""
    names = [tmp_path / name for name in "abc"]
    for name in names:
        name.write_bytes(b"old")
    seen = []

    def watching(act):
        def watched(self, *args, **kwargs):
            seen.append({name.read_bytes() for name in names if name.exists()})
            return act(self, *args, **kwargs)

        return watched

    for method in ("replace", "unlink"):
        monkeypatch.setattr(Path, method, watching(getattr(Path, method)))
    with replacing_together(*names) as files:
        for file in files:
            file.write(b"new")
    assert len(seen) == 5
    assert seen[0] == {b"old"}
    assert all(len(contents) == 1 for contents in seen), seen


def test_a_file_is_on_the_disk_before_it_has_the_name(tmp_path, monkeypatch):
    steps = []
    synced, replaced = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: (steps.append("sync"), synced(file)))
    monkeypatch.setattr(
        Path, "replace", lambda *paths: (steps.append("rename"), replaced(*paths))[1]
    )
    write(tmp_path / "x")
    assert steps == ["sync", "rename"]


# ------------------------------------------------------------------- targets against sources


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write gold in every form that a target could destroy; at the end no file has changed."""
    monkeypatch.chdir(tmp_path)
    gold = fc.read(sample.GOLD)
    gold = fc.Relations(gold.table.drop_columns(["tagged"]))
    for name in ("gold.parquet", "pred.parquet", "folder/part.parquet", "gold.jsonl", "marks.ann"):
        Path(name).parent.mkdir(exist_ok=True)
        fc.write(gold, name)
    Path("link.parquet").symlink_to("gold.parquet")
    Path("hard.parquet").hardlink_to("gold.parquet")
    Path("there").symlink_to("folder")
    before = contents(tmp_path)
    yield tmp_path
    assert contents(tmp_path) == before


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


DESTROYING = [
    "score gold.parquet pred.parquet --per-example gold.parquet",
    "score gold.parquet pred.parquet --per-example ./pred.parquet",
    "score gold.parquet pred.parquet --per-example link.parquet",
    "score link.parquet pred.parquet --matches gold.parquet",
    "score gold.parquet pred.parquet --matches hard.parquet",
    "score gold.parquet pred.parquet gold.jsonl --matches gold.jsonl",
    "score folder pred.parquet --per-example folder/part.parquet",
    "score folder pred.parquet --per-example there/new.parquet",
    "score gold.parquet pred.parquet --per-example x.parquet --matches x.parquet",
    "score gold.parquet pred.parquet --per-example x.parquet --matches there/../x.parquet",
    "agree gold.parquet pred.parquet --per-example gold.parquet",
    "agree gold.parquet pred.parquet --per-example x.parquet --matches ./x.parquet",
    "convert gold.parquet gold.parquet",
    "convert gold.jsonl gold.parquet --like link.parquet",
    "convert marks.ann marks.txt --to spans",
    "convert marks.txt marks.ann --from bio",
]


@pytest.mark.parametrize("command", DESTROYING)
def test_what_is_read_is_not_written_over(command, files):
    _, err = cli(*command.split(), expect=2)
    assert err.startswith("error: ")
    assert " is read, expected " in err or " have one file, " in err or " lies in " in err
    assert json.loads(cli(*command.split(), "--json", expect=2)[0])["error"]


@pytest.mark.parametrize("target", ["gold.parquet", "link.parquet", "pred.parquet"])
@pytest.mark.parametrize("pred", ["pred.parquet", Path("pred.parquet")])
def test_nor_is_it_in_python(target, pred, files):
    with pytest.raises(fc.InputError, match=f"^{target} is read, expected another file"):
        fc.score("gold.parquet", pred, per_example=target)


def test_standard_input_is_a_source_too(files):
    for target in ("gold.jsonl", "there/../gold.jsonl"):
        with Path("gold.jsonl").open() as stdin:
            _, err = command("score", "-", "pred.parquet", "--per-example", target,
                             stdin=stdin, expect=2)  # fmt: skip
        assert err == f"error: {target} is read, expected another file to write to\n"


def test_a_device_may_be_given_twice(files):
    cli("score", "gold.parquet", "pred.parquet", "--per-example", "/dev/null",
        "--matches", "/dev/null")  # fmt: skip


def test_the_sample_is_not_copied_over_other_files(tmp_path):
    cli("demo", "--copy-to", tmp_path)
    cli("demo", "--copy-to", tmp_path)
    (tmp_path / "careful.jsonl").write_text("mine")
    (tmp_path / "gold.csv").unlink()
    _, err = cli("demo", "--copy-to", tmp_path, expect=2)
    assert err == f"error: {tmp_path / 'careful.jsonl'} is there and is not the sample's\n"
    assert (tmp_path / "careful.jsonl").read_text() == "mine"
    assert not (tmp_path / "gold.csv").exists()
