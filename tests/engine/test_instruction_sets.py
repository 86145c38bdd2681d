"""The drivers compiled for other instruction sets give the modules' results, bit for bit."""

from __future__ import annotations

import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fastcausal.decoding.spans import METHODS, SpanDecoder
from fastcausal.engine.cpu import READINGS
from fastcausal.engine.device.sources import csrc
from fastcausal.engine.run import run
from fastcausal.protocols import CNC_2023, RECESS, Protocol
from fastcausal.tasks.relations import official
from tests.support.strategies import ROLES, random_side, rows_of

pytestmark = pytest.mark.slow  # the native module is built anew

HERE = Path(__file__).parents[1] / "support"
X86 = platform.machine() in ("x86_64", "AMD64")
TARGETS = {
    # name: compiler, its options, the command that runs a program
    "native": ("g++", ["-march=native"], []),
    "sse2": ("g++", ["-O1", *(["-march=x86-64"] if X86 else [])], []),
    "plain": ("g++", ["-O1", "-DFASTCAUSAL_PLAIN"], []),  # no intrinsics
    "arm64": ("aarch64-linux-gnu-g++", ["-static"], ["qemu-aarch64-static"]),
}
PROTOCOLS = [
    RECESS,
    CNC_2023,
    *(Protocol(k, kernel=k) for k in ("exact_spans", "span_overlap", "partial_spans")),
]


@pytest.fixture(scope="module", params=TARGETS)
def program(request, tmp_path_factory):
    """Give a function that compiles a source of emulation/ and returns the command to run it."""
    compiler, options, runner = TARGETS[request.param]
    for needed in (compiler, *runner):
        if shutil.which(needed) is None:
            pytest.skip(f"no {needed}")
    folder = tmp_path_factory.mktemp(request.param)
    flags = ["-std=c++17", "-O3", "-ffp-contract=off", *options, f"-I{csrc()}", "-pthread"]
    flags += ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
    # Some releases of gcc report set arrays as unset when they vectorise wide.
    flags += ["-Wno-maybe-uninitialized"]

    @cache
    def compiled(name):
        source = str(HERE / "emulation" / f"{name}.cpp")
        subprocess.run([compiler, *flags, source, "-o", str(folder / name)], check=True)
        return [*runner, str(folder / name)]

    return compiled


@pytest.mark.parametrize("reading", [None, *READINGS])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_same_integers(program, protocol, reading, tmp_path):
    rng = np.random.default_rng(3)
    gold, pred = (rows_of(random_side(rng, 400, 6)) for _ in range(2))
    plan = protocol.plan(ROLES)
    for name, side in (("gold", gold), ("pred", pred)):
        for array in ("values", "row_offsets", "relation_offsets"):
            getattr(side, array).tofile(tmp_path / f"{name}_{array}")
    gold.lengths.tofile(tmp_path / "lengths")
    params, weights = plan.arrays
    params.tofile(tmp_path / "params")
    weights.tofile(tmp_path / "weights")
    plan.record(0, 0).tofile(tmp_path / "plan")
    number = 1 + READINGS.index(reading) if reading else 0
    command = [*program("driver"), str(tmp_path), plan.kernel.name, str(number)]
    subprocess.run(command, check=True)
    if reading:
        gold, pred = (official.apply_tagging(side, reading)[0] for side in (gold, pred))
    found = run(plan, gold, pred)
    counts = np.fromfile(tmp_path / "counts", np.int64).reshape(found.counts.shape)
    np.testing.assert_array_equal(counts, found.counts)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "partner", np.int64), found.partner)


@pytest.mark.parametrize("method", METHODS)
def test_same_relations_and_scores(program, method, tmp_path):
    rng = np.random.default_rng(4)
    logits = rng.normal(size=(60, 50, 6)) * rng.choice([0.1, 3, 40], (60, 1, 1))
    logits[:20] = logits[:20].round()  # ties
    decoder = SpanDecoder(method)
    logits.tofile(tmp_path / "logits")
    numbers = map(str, (50, *decoder._settings()[:3]))
    subprocess.run([*program("decoder"), str(tmp_path), *numbers], check=True)
    found = decoder.decode(logits)
    values = np.fromfile(tmp_path / "values", np.int32).reshape(-1, 3)
    np.testing.assert_array_equal(values, found.rows.values)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "scores"), found.scores)
