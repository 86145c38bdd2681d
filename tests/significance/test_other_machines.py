"""Resamples, intervals and ranks have the same bits whatever the processor offers to NumPy."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Kernels of OpenBLAS with and without fused multiplications, in other orders of summation; NumPy's
# own loops without their wide registers. A build that knows none of these runs as it would anyway.
MACHINES = [
    {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
    {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "1"},
    {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"},
]
PROGRAM = """
import fastcausal as fc
from fastcausal import sample
systems = sample.SYSTEMS.items()
reports = {name: fc.score(sample.GOLD, path, unparsed="empty") for name, path in systems}
for report in reports.values():
    for method in ("bca", "percentile", "jackknife"):
        print(report.statistics.intervals(method=method, n_resamples=500).to_dict())
a, b, *_ = (report.statistics for report in reports.values())
print(fc.compare(a, b, n_resamples=500).to_dict())
statistics = {name: report.statistics for name, report in reports.items()}
print(fc.leaderboard(statistics, n_resamples=500, baseline="careful").to_dict())
print(fc.agree([str(path) for path in sample.ANNOTATORS.values()]).intervals(n_resamples=200))
print(fc.alpha_interval([[1, 1, 2], [2, 2, 2], [1, 2, 1], [3, 3, 1]], "ratio", n_resamples=200))
"""


def printed(machine: dict[str, str]) -> str:
    environment = {**os.environ, **machine}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.slow
def test_other_processors():
    first, *others = map(printed, MACHINES)
    assert first
    assert others == [first] * len(others)
