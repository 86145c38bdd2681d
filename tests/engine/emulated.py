"""A device that is none: csrc/device.cu compiled for the host, as a machine of engine/device.py."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from fastcausal.engine import device
from fastcausal.engine.kernel import Plan
from fastcausal.engine.sources import csrc

BLOCKS, THREADS = 3, 8  # few enough that every thread sees several examples
FLAGS = ("-std=c++17", "-O1", "-g", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pthread")


@cache
def library() -> ctypes.CDLL:
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", "c++"), "g++"))), None)
    if compiler is None:
        pytest.skip("no C++ compiler")
    target = Path(mkdtemp()) / "device.so"
    source = Path(__file__).parent / "emulation" / "grid.cpp"
    options = ("-D__CUDA_ARCH__=900", f"-I{csrc()}", "-fPIC", "-shared")
    subprocess.run([compiler, *FLAGS, *options, source, "-o", target], check=True)
    found = ctypes.CDLL(str(target))
    shutil.rmtree(target.parent)
    return found


class Queue:
    """Does nothing before it is waited for, so that what is read too early shows."""

    def __init__(self) -> None:
        self.work: list = []

    def upload(self, target, source):
        self.work.append(lambda: ctypes.memmove(target, source.ctypes.data, source.nbytes))

    def launch(self, kernel, task):
        self.work.append(
            lambda: library().launch(
                kernel.encode(), ctypes.c_void_p(task.ctypes.data), BLOCKS, THREADS
            )
        )

    def download(self, target, source):
        self.work.append(lambda: ctypes.memmove(target.ctypes.data, source, target.nbytes))

    def wait(self):
        work, self.work = self.work, []
        for call in work:
            call()


class Machine:
    """Memory of the "device" is memory of NumPy."""

    def __init__(self) -> None:
        self.kept: list = []

    def queue(self) -> Queue:
        return Queue()

    def pinned(self, n):
        return np.full(n, 0xA5, np.uint8)

    empty = pinned

    def address(self, array) -> int:
        return int(array.ctypes.data)

    def constants(self, plan: Plan) -> Mapping[str, int]:
        self.kept.append(plan)
        return {name: self.address(getattr(plan, name)) for name in ("params", "weights")}


def score(plan, gold, pred, groups=None, n_groups=1, most=device.PART):
    """As `run`, on the emulated device."""
    partner = np.full(gold.n_relations, -1, np.int64)
    counts = np.zeros((gold.n_examples if groups is None else n_groups, plan.n_fields), np.int64)
    device.score_host(Machine(), plan, gold, pred, groups, partner, counts, None, most)
    return partner, counts
