"""Large sources on the command line: interrupted, on a full disk, from a pipe, within memory."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from bench import corpus
from fastcausal import formats, sample
from fastcausal.arrays import arrow
from tests.support.cli import cli

SCORE = """
import itertools, os, signal, sys
from fastcausal.tasks.extraction import score as extraction
from fastcausal.cli import main
from fastcausal.formats.reading import batches
batches.ROWS = batches.WHOLE = 64  # many batches
if at := os.environ.get("INTERRUPTED_AT"):
    add, parts = extraction._Keeper.add, itertools.count(1)
    def interrupted(*args):
        if next(parts) == int(at):
            signal.raise_signal(signal.SIGINT)
        return add(*args)
    extraction._Keeper.add = interrupted
sys.argv = ["fastcausal", "score", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Gold and predictions of 100,000 sentences."""
    folder = tmp_path_factory.mktemp("pair")
    paths = []
    for side, rows in zip(("gold", "pred"), corpus.sentences(100_000), strict=True):
        paths.append(folder / f"{side}.parquet")
        formats.write(corpus.table_of(rows), paths[-1])
    return paths


def command(*args, **kwargs):
    return subprocess.Popen(
        [sys.executable, "-c", SCORE, *map(str, args)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("systems", [1, 2])
def test_an_interruption_leaves_nothing(pair, tmp_path, systems):
    preds = [pair[1]]
    if systems == 2:
        preds = [shutil.copy(pair[1], tmp_path / f"{k}.parquet") for k in "ab"]
    target, scratch = tmp_path / "out" / "examples.parquet", tmp_path / "scratch"
    target.parent.mkdir()
    scratch.mkdir()
    target.write_text("what was there before")
    n_parts = 100_000 // 64
    environment = os.environ | {"TMPDIR": str(scratch), "INTERRUPTED_AT": str(n_parts // 2)}
    if systems == 2:
        environment["INTERRUPTED_AT"] = str(n_parts * 3 // 2)  # amid the second
    with command(pair[0], *preds, "--per-example", target, env=environment) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert target.read_text() == "what was there before"
    assert list(target.parent.iterdir()) == [target]
    assert not list(scratch.iterdir())


@pytest.mark.slow
def test_a_full_disk_leaves_nothing(pair, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    target, scratch = tmp_path / "out" / "examples.parquet", tmp_path / "scratch"
    target.parent.mkdir()
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch)}
    args = (*pair, "--per-example", target)
    with command(*args, preexec_fn=limited, env=environment) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err == f"error: {target}: File too large\n"
    assert not list(target.parent.iterdir())
    with pair[1].open("rb") as stdin:  # which is copied first
        args = (pair[0], "-")
        with command(*args, stdin=stdin, preexec_fn=limited, env=environment) as process:
            out, err = process.communicate()
    assert (process.returncode, out, err) == (2, "", "error: <stdin>: File too large\n")
    assert not list(scratch.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device(pair):
    with command(*pair, "--per-example", "/dev/full") as process:
        _, err = process.communicate()
    assert process.returncode == 2
    assert err == "error: /dev/full: No space left on device\n"


# ------------------------------------------------------------------- the command from end to end


def test_several_systems_in_one_file(tmp_path):
    target = tmp_path / "examples.parquet"
    systems = [str(sample.SYSTEMS[name]) for name in ("hasty", "careful")]
    cli("score", sample.GOLD, *systems, "--per-example", target)
    found = pq.read_table(target)
    assert found.column_names[0] == "system"
    assert found["system"].to_pylist() == ["hasty"] * 61 + ["careful"] * 61
    gold = fc.read(sample.GOLD)
    for k, path in enumerate(systems):
        expected = fc.score(gold, fc.read(path, like=gold)).per_example
        counts = expected.drop_columns(["objective"])
        assert found.slice(61 * k, 61).select(counts.column_names).equals(counts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "arrows"])
def test_standard_input(pair, tmp_path, kind):
    """Either side may be standard input or a named pipe; no file stays behind."""
    if kind == "arrows":
        for path in pair:
            formats.write(fc.read(path), tmp_path / path.with_suffix(".arrows").name)
        pair = [tmp_path / path.with_suffix(".arrows").name for path in pair]
    expected = fc.score(*pair).to_json() + "\n"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = os.environ | {"TMPDIR": str(scratch)}
    for k, path in enumerate(pair):
        args = [*pair, "--json"]
        args[k] = "-"
        with path.open("rb") as stdin, command(*args, stdin=stdin, env=environment) as process:
            assert process.communicate() == (expected, "")
    os.mkfifo(tmp_path / "pipe")
    with command(pair[0], tmp_path / "pipe", "--json", env=environment) as process:
        (tmp_path / "pipe").write_bytes(pair[1].read_bytes())
        assert process.communicate() == (expected, "")
    assert not list(scratch.iterdir())


@pytest.mark.slow
def test_progress_on_a_terminal(pair):
    lead, follow = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    args = [sys.executable, "-c", SCORE, *map(str, pair), "--json"]
    with subprocess.Popen(args, stderr=follow, stdout=subprocess.PIPE, env=environment) as process:
        os.close(follow)
        shown = b""
        try:
            while more := os.read(lead, 65536):
                shown += more
        except OSError:  # the other end is closed
            pass
        out = process.stdout.read()
    os.close(lead)
    assert json.loads(out)["n_examples"] == 100_000
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown).decode()
    assert re.search(r"[0-9,]+ examples, [0-9,]+ per second +[0-9]:[0-9]{2}:[0-9]{2}", text)


# ------------------------------------------------------------------------------------------- memory

# VmHWM: the peak in getrusage begins with the size of the process that started this one.
PEAK = """
import re, sys
from pathlib import Path
import fastcausal as fc, pyarrow as pa
gold, pred, target = sys.argv[1:]
report = fc.score(gold, pred, per_example=target or None)
arrow = pa.default_memory_pool().max_memory() >> 20
found = re.search(r"VmHWM:\\s+([0-9]+) kB", Path("/proc/self/status").read_text())
print(report.n_examples, int(found[1]) >> 10, arrow)
"""


def peak(folder: Path, n: int, target: str, row_group: int) -> list[int]:
    """Megabytes that scoring n sentences takes at most, in all and for Arrow data."""
    step = 250_000
    for side, rows in zip(("gold", "pred"), corpus.sentences(step), strict=True):
        table = corpus.table_of(rows, ids=False).table
        schema = table.schema.append(pa.field("id", pa.string()))
        with pq.ParquetWriter(folder / f"{side}.parquet", schema) as writer:
            for start in range(0, n, step):
                ids = arrow.strings([str(k) for k in range(start, start + step)])
                writer.write_table(table.append_column("id", ids), row_group)
    args = [str(folder / f"{side}.parquet") for side in ("gold", "pred")]
    done = subprocess.run([sys.executable, "-c", PEAK, *args, target], capture_output=True,
                          text=True, check=True)  # fmt: skip
    n_examples, *megabytes = map(int, done.stdout.split())
    assert n_examples == n
    return megabytes


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
@pytest.mark.parametrize(("row_group", "target"), [(250_000, "examples.parquet"), (10_000, "")])
def test_memory_does_not_grow_with_the_file(tmp_path, row_group, target):
    """Memory grows with the file by 8 bytes an id only, 12 MB here."""
    target = target and str(tmp_path / target)
    few, many = (peak(tmp_path, n, target, row_group) for n in (500_000, 2_000_000))
    assert many[0] < min(few[0] + 100, 700)
    assert many[1] < few[1] + 25  # a part more or less under way, but not all 57 MB
