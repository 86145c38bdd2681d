"""A played device: csrc/device/ compiled for the host, as a machine of engine/device/machine.py."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np
import pytest

from fastcausal.engine.device import cuda, scoring
from fastcausal.engine.device.sources import csrc
from fastcausal.engine.plan import Result
from fastcausal.engine.run import run
from tests.support.data import ROOT

BLOCKS = 3
FLAGS = (
    "-std=c++17",
    "-O1",
    "-g",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Werror",
    "-pthread",
)
GRID = Path(__file__).parent / "emulation" / "grid.cpp"
DEVICE = "-D__CUDA_ARCH__=900"


def compiled(source: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    """Compile a source for the host; without a compiler, skip the test."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", "c++"), "g++"))), None)
    if compiler is None:
        pytest.skip("no C++ compiler")
    command = [compiler, *FLAGS, f"-I{csrc()}", *options, source]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def diagnostics(text: str, folder: Path) -> str:
    """Return the compiler's messages about a text in namespace fastcausal, after csrc/device/."""
    source = folder / "checked.cpp"
    source.write_text(f'#include "{GRID}"\nnamespace fastcausal {{\n{text}\n}}\n')
    return compiled(source, DEVICE, "-fsyntax-only").stderr


def built(source: Path, *options: str | Path) -> Path:
    """Build a program, once for all processes and runs until a source changes; return its path."""
    way = crc32(" ".join(map(str, (*FLAGS, *options))).encode())
    target = ROOT / "build" / "tested-programs" / f"{source.stem}-{way:08x}"
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = [*csrc().rglob("*.*"), *source.parent.iterdir()]
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists() or written(target) <= max(map(written, sources)):
            done = compiled(source, *options, "-o", target)
            assert not done.returncode, done.stderr
    return target


def written(path: Path) -> int:
    return path.stat().st_mtime_ns


@cache
def library() -> ctypes.CDLL:
    return ctypes.CDLL(str(built(GRID, DEVICE, "-fPIC", "-shared")))


left_by_patterns: list[int] = []  # examples, by each launch that counts by patterns


class Queue:
    """A queue that works only when it is waited for, so that a read before shows old values."""

    def __init__(self) -> None:
        self.work: list = []

    def upload(self, target, source):
        self.work.append(lambda: ctypes.memmove(target, source.ctypes.data, source.nbytes))

    def launch(self, entry, task, n_items, n_counters=0):
        def play():
            library().launch(entry.encode(), ctypes.c_void_p(task.ctypes.data), BLOCKS)
            if entry == "packed":
                left_by_patterns.append(ctypes.c_int64.from_address(int(task["n_listed"])).value)

        self.work.append(play)

    def download(self, target, source):
        self.work.append(lambda: ctypes.memmove(target.ctypes.data, source, target.nbytes))

    def mark(self):
        passed = []
        self.work.append(lambda: passed.append(True))
        return lambda: bool(passed)

    def wait(self):
        work, self.work = self.work, []
        for call in work:
            call()


class Machine:
    """Memory of the "device" is memory of NumPy."""

    def __init__(self) -> None:
        self.kept: list = []
        self.lanes: list = []
        self.only = Queue()

    def current(self) -> Queue:
        return self.only

    def queue(self) -> Queue:
        return Queue()

    def pinned(self, n):
        return np.full(n, 0xA5, np.uint8)

    empty = pinned

    def array(self, shape, dtype):
        """Rubbish; kept, as whoever had it may let go of it before the work is done."""
        n = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.kept.append(np.full(n, 0xA5, np.uint8).view(dtype).reshape(shape))
        return self.kept[-1]

    def zeros(self, n):
        zeros = self.array(n, np.int64)
        self.only.work.append(lambda: zeros.fill(0))
        return zeros

    def offsets(self, sizes):
        found = self.array(len(sizes) + 1, np.int64)
        self.only.work.append(lambda: found.__setitem__(slice(None), [0, *np.cumsum(sizes)]))
        return found

    def address(self, array) -> int:
        return int(array.ctypes.data)

    def ids(self, name, value):
        return np.ascontiguousarray(value)

    def numpy(self, array):
        return array.copy()

    def take(self, array, items):
        return array[items]

    def constant(self, values):
        self.kept.append(values)
        return values


@contextmanager
def instead(part: int = scoring.PART) -> Iterator[None]:
    """Within it backend "cuda" is this machine, and takes parts of so many bytes."""
    with (
        patch.object(cuda, "cupy", lambda: None),
        patch.object(cuda, "machine", Machine),
        patch.object(scoring, "PART", part),
    ):
        yield


def score(*arguments: Any, part: int = scoring.PART, **options: Any) -> Result:
    """Score as `run` on a device, which the host emulates."""
    with instead(part):
        return run(*arguments, backend="cuda", **options)
