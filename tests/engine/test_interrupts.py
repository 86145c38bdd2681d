"""Ctrl-C ends native work that would take minutes, and later calls work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes cannot be sent SIGINT")

START = """
import os, sys, time
from pathlib import Path
import numpy as np
import fastcausal as fc

def rows(n_examples, n_relations, n_spans, shift):
    relation = np.arange(n_relations) % 7
    start = 4 * np.arange(n_spans) + relation[:, None] + shift
    role = np.broadcast_to(np.arange(n_spans) % 3, start.shape)
    one = np.stack([role, start, start + 1 + relation[:, None]], -1).astype(np.int32)
    values = np.tile(one.reshape(-1, 3), (n_examples, 1))
    row_offsets = np.arange(n_examples * n_relations + 1) * n_spans
    relation_offsets = np.arange(n_examples + 1) * n_relations
    return fc.Rows(values, row_offsets, relation_offsets, np.full(n_examples, 2**20, np.int32))

def tasks():  # how many threads there are, where that can be told
    folder = Path("/proc/self/task")
    return len(list(folder.iterdir())) if folder.exists() else 1
"""
WORK = {
    # Pairs of spans of one example, in this thread.
    "spans": "sides = rows(1, 1600, 40, 0), rows(1, 1600, 40, 1)\n"
    "work = lambda: fc.score(*sides, num_threads=1)",
    # Examples of few relations with many spans, in other threads too.
    "large": "sides = rows(3000, 3, 2000, 0), rows(3000, 3, 2000, 1)\n"
    "work = lambda: fc.score(*sides, num_threads=4)",
    # The assignment of one span to another, all of equal worth.
    "assign": "sides = rows(200, 1500, 1, 0), rows(200, 1500, 1, 1)\n"
    "work = lambda: fc.score(*sides, num_threads=2)",
    "pairs": "sides = rows(1, 1, 8000, 0), rows(1, 1, 8000, 1)\n"
    "from fastcausal.engine.run import count_pairs\n"
    "index = np.zeros(10_000, np.int64)\n"
    "plan = fc.Protocol('test').plan(('cause', 'effect', 'signal'))\n"
    "work = lambda: count_pairs(plan, *sides, index, index)",
    "labels": "scheme = fc.TagScheme(['O'] + ['B-Cause', 'I-Cause'] * 1500)\n"
    "logits = np.broadcast_to(np.zeros(3001, np.float32), (200_000, 64, 3001))\n"
    "work = lambda: scheme.decode(logits, valid=True)",
    "boundaries": "logits = np.broadcast_to(np.arange(500.0) % 7, (500_000, 500))\n"
    "decoder = fc.SpanDecoder()\n"
    "work = lambda: decoder.decode([logits] * 4)",
    "resamples": "from fastcausal.significance._sampling import resample\n"
    "none, light = np.zeros(0, np.int64), np.zeros(10_000_000, np.int32)\n"
    "weights = np.zeros((5000, 1), np.int64)\n"
    "work = lambda: resample(none, none, light, 0, 0, weights, 2)",
    "alpha": "data = np.random.default_rng(0).random((1_000_000, 2))\n"
    "fc.krippendorff_alpha(data[:9])\n"  # its imports have threads of their own
    "work = lambda: fc.krippendorff_alpha(data, 'ratio')",
    "ranks": "from fastcausal.significance import _ranks\n"
    "strays = np.random.default_rng(0).random((4000, 6400))\n"
    "work = lambda: _ranks.spreads(strays, np.zeros((4000, 4000)), 2)",
}
END = """
small = rows(2, 2, 2, 0)
fc.score(small, small)  # imports what later calls need: an interrupt there has other names
before = tasks()
print("ready", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("stopped", tasks() - before, flush=True)
else:
    print("finished", flush=True)
print(fc.score(small, small)["overall"].f1, flush=True)
"""

# One of each loop in a quick run: pairs, sequences, matrices.
QUICK = ("spans",)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in WORK]
)
def test_ctrl_c_ends_native_work(name):
    with subprocess.Popen(
        [sys.executable, "-c", "\n".join([START, WORK[name], END])],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with pytest.raises(subprocess.TimeoutExpired):  # it does take long
                process.wait(1)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)  # on a busy machine; else at once
        finally:
            process.kill()
    assert said == "stopped 0\n1.0\n"
