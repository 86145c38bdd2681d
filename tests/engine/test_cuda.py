"""Backend "cuda" on a GPU (``pytest -m gpu``), and everywhere on a CuPy that is played."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.decoding.spans import METHODS
from fastcausal.engine.device import cuda, scoring
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import run
from fastcausal.protocols import PROTOCOLS, RECESS, Protocol
from fastcausal.rows import Rows
from fastcausal.tasks.relations.types import Types, run_by_type
from tests.decoding.test_tags import LABELS
from tests.support import played_cupy
from tests.support.cli import cli
from tests.support.strategies import ROLES, random_side, rows_of

N = 800  # examples of the larger tests
PLANS = [
    *(replace(RECESS, name="test", kernel=kernel) for kernel in KERNELS),
    PROTOCOLS["cnc-2023"],
    Protocol("first", ties="first", surplus="truncate"),
]
plans = pytest.mark.parametrize("protocol", PLANS, ids=lambda p: f"{p.name}, {p.kernel}")


@pytest.fixture(scope="module", params=[pytest.param("gpu", marks=pytest.mark.gpu), "played"])
def gpu(request) -> Iterator[Any]:
    """CuPy."""
    with nullcontext() if request.param == "gpu" else played_cupy.instead():
        yield cuda.cupy()


def arrays_of(library: str, gpu: Any) -> Callable[[np.ndarray], Any]:
    """How to bring an array to the device."""
    if library == "cupy":
        return gpu.asarray
    if gpu is played_cupy.cupy:
        pytest.skip("torch has no device to play with")
    torch = pytest.importorskip("torch")
    return lambda array: torch.from_numpy(np.array(array)).cuda()


@pytest.fixture(scope="module")
def many() -> tuple[Rows, Rows]:
    """Most examples fit on a device, some have too many relations, some too many spans."""
    rng = np.random.default_rng(0)
    gold, pred = (random_side(rng, N, 4) for _ in range(2))
    for k in rng.choice(N, N // 3, replace=False):
        pred[k] = gold[k][::-1]
    for k in rng.choice(N, 10, replace=False):
        gold[k] = [[(0, 3 * t, 3 * t + 2) for t in range(int(rng.integers(20, 40)))]]
    return rows_of(gold, 200), rows_of(pred, 200)


def on_device(side: Rows, to) -> Rows:
    return cuda.rows(*map(to, (*side.arrays(), side.lengths)))


@pytest.mark.parametrize(
    "protocol",
    [p if k < 2 else pytest.param(p, marks=pytest.mark.slow) for k, p in enumerate(PLANS)],
    ids=lambda p: f"{p.name}, {p.kernel}",
)
def test_host_arrays(gpu, protocol, many):
    plan = protocol.plan(ROLES)
    groups = np.random.default_rng(1).integers(0, 5, N)
    for part in (8_000, scoring.PART):
        for arguments in ((), (groups, 5), (None, 1)):
            with patch.object(scoring, "PART", part):
                found = run(plan, *many, *arguments, backend="cuda")
            expected = run(plan, *many, *arguments)
            np.testing.assert_array_equal(found.partner, expected.partner)
            np.testing.assert_array_equal(found.counts, expected.counts)


@plans
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_device_arrays(gpu, protocol, many, library):
    plan, to = protocol.plan(ROLES), arrays_of(library, gpu)
    gold, pred = (on_device(side, to) for side in many)
    groups = np.random.default_rng(1).integers(0, 5, N)
    cuda.run_on_device(plan, gold, pred, n_groups=1)  # compiles
    for arguments in ((), (groups, 5)):
        given = (to(arguments[0]), 5) if arguments else ()
        with no_waiting(gpu):
            result = cuda.run_on_device(plan, gold, pred, *given)
        found, expected = result.get(), run(plan, *many, *arguments)
        np.testing.assert_array_equal(found.partner, expected.partner)
        np.testing.assert_array_equal(found.counts, expected.counts)


def test_many_groups_and_wide_counts(gpu):
    """The device counts groups that no block has room for, and totals beyond 32 bits."""
    last = 2**31 - 1
    gold = rows_of([[[(0, 0, last), (1, 5, last)]]] * 3000, last)
    pred = rows_of([[[(0, 0, last - 1), (2, 0, last)]]] * 3000, last)
    plan = replace(RECESS, name="test", kernel="span_overlap").plan(ROLES)
    for n_groups in (1, 7, 60, 3000):
        groups = np.arange(3000) % n_groups
        found = run(plan, gold, pred, groups, n_groups, "cuda")
        np.testing.assert_array_equal(found.counts, run(plan, gold, pred, groups, n_groups).counts)


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_label_ids(gpu, library, dtype):
    rng = np.random.default_rng(0)
    scheme = fc.TagScheme(LABELS["BIO"])
    batches = []
    for width in (0, 1, 40, 200):  # the last have more spans than fit
        gold = rng.integers(len(scheme.labels), size=(100, width)).astype(dtype)
        pred = np.where(rng.random(gold.shape) < 0.8, gold, 0).astype(dtype)
        gold[rng.random(gold.shape) < 0.1] = -100
        batches.append((gold, pred))
    to = arrays_of(library, gpu)
    host, device_ = fc.TagScorer(scheme), fc.TagScorer(scheme, backend="cuda")
    device_.update(gold=to(batches[0][0]), pred=to(batches[0][1]))  # compiles
    device_.reset()
    for gold, pred in batches:
        host.update(gold=gold, pred=pred)
        there = {"gold": to(gold), "pred": to(pred)}
        with no_waiting(gpu):
            device_.update(**there)
    assert device_.compute().to_dict() == host.compute().to_dict()


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("valid", [False, True])
def test_logits_to_label_ids(gpu, library, dtype, valid):
    rng = np.random.default_rng(0)
    to, scheme = arrays_of(library, gpu), fc.TagScheme(LABELS["IOBES"])
    scorer, on_host = fc.TagScorer(scheme, backend="cuda"), fc.TagScorer(scheme)
    for _ in range(2):  # the first compiles
        logits = rng.normal(size=(50, len(scheme.labels), 40)).astype(dtype).transpose(0, 2, 1)
        gold = rng.integers(len(scheme.labels), size=(50, 40))
        gold[rng.random(gold.shape) < 0.1] = -100
        there = to(logits), to(gold != -100), to(gold)
        with nullcontext() if not scorer._decoding.on_device.n_batches else no_waiting(gpu):
            ids = scheme.decode(*there[:2], valid=valid)
            scorer.update(gold=there[2], pred=ids)
        expected = scheme.decode(logits, gold != -100, valid=valid)
        np.testing.assert_array_equal(ids.get(), expected)
        on_host.update(gold=gold, pred=expected)
    assert scorer.compute().to_dict() == on_host.compute().to_dict()


@pytest.mark.parametrize("library", ["cupy", "torch"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_logits_to_relations(gpu, library, dtype):
    rng = np.random.default_rng(0)
    to = arrays_of(library, gpu)
    for method in METHODS:
        decoder = fc.SpanDecoder(method, min_score=-12.0)
        for waits in (nullcontext(), no_waiting(gpu)):  # the first compiles
            logits = rng.normal(size=(70, 30, 6)).astype(dtype)
            mask = rng.random((70, 30)) < 0.9
            words = np.cumsum(rng.random((70, 30)) < 0.7, axis=1)
            arrays = logits, mask, words, rng.random(70) < 0.5
            there = [to(array) for array in arrays]
            with waits:
                found = decoder.decode(*there)
            found, expected = found.get(), decoder.decode(*arrays)
            for name in ("values", "row_offsets", "relation_offsets", "lengths"):
                np.testing.assert_array_equal(
                    getattr(found.rows, name), getattr(expected.rows, name)
                )
            assert found.scores.tolist() == expected.scores.tolist()


def test_bfloat16(gpu):
    """Logits in bfloat16, a type that CuPy lacks, decode as on the host."""
    if gpu is played_cupy.cupy:
        pytest.skip("torch has no device to play with")
    torch = pytest.importorskip("torch")
    logits = torch.randn(3, 5, 7, dtype=torch.bfloat16)
    scheme = fc.TagScheme(LABELS["BIO"])
    ids = scheme.decode(logits.cuda().requires_grad_())
    np.testing.assert_array_equal(ids.get(), scheme.decode(logits))


def test_what_the_device_refuses(gpu):
    cp = gpu
    scorer = fc.TagScorer(fc.TagScheme(LABELS["BIO"]), backend="cuda")
    with pytest.raises(fc.InputError, match="gold: found ndarray in host memory, expected a dev"):
        scorer.update(gold=np.zeros((1, 1), np.int64), pred=np.zeros((1, 1), np.int64))
    with pytest.raises(fc.InputError, match="gold: found float64, expected int8, int16"):
        scorer.update(gold=cp.zeros((1, 1)), pred=cp.zeros((1, 1)))
    offsets = cp.zeros(1, np.int64)
    with pytest.raises(fc.InputError, match=r"values: found int64\[0, 3\], expected int32\[n, 3\]"):
        cuda.rows(cp.zeros((0, 3), np.int64), offsets, offsets, cp.zeros(0, np.int32))
    with pytest.raises(fc.InputError, match="lengths: its items lie apart"):
        cuda.rows(cp.zeros((0, 3), np.int32), offsets, offsets, cp.zeros(8, np.int32)[::2])


def test_doctor_sees_the_device(gpu):
    found = cuda.facts()
    assert found["missing"] is None
    assert re.fullmatch(r"\d+\.\d+", found["device"]["capability"])


WAIT = """
extern "C" __global__ void wait(volatile int* released) {
  for (const long long start = clock64(); !*released && clock64() - start < 10000000000LL;) {
  }
}"""


@contextmanager
def no_waiting(gpu: Any) -> Iterator[None]:
    """Keep the device busy for the block (5 seconds at most), which must not wait for it."""
    if gpu is played_cupy.cupy:  # all is done at once
        yield
        return
    memory = gpu.cuda.alloc_pinned_memory(4)
    released = np.frombuffer(memory, np.int32, 1)
    released[0] = 0
    gpu.RawKernel(WAIT, "wait")((1,), (1,), (np.uintp(memory.ptr),))
    done = gpu.cuda.get_current_stream().record()
    yield
    assert not done.done
    released[0] = 1


# ------------------------------------------------------------------------------- without a GPU


def _cupy_without(part: str, call: str, error: Exception) -> SimpleNamespace:
    """Return a CuPy with one call that fails."""

    def fails() -> None:
        raise error

    inner = {**vars(played_cupy.cupy.cuda)}
    inner[part] = SimpleNamespace(**{**vars(inner[part]), call: fails})
    return SimpleNamespace(**{**vars(played_cupy.cupy), "cuda": SimpleNamespace(**inner)})


MISSING = {
    "CuPy": (None, r"""backend "cuda" needs CuPy: pip install 'fastcausal\[cuda12\]' or"""),
    "GPU": (
        _cupy_without("runtime", "getDeviceCount", OSError("cudaErrorNoDevice: no CUDA-capable")),
        r'backend "cuda" found no GPU that this CuPy can use: cudaErrorNoDevice',
    ),
    "NVRTC": (
        _cupy_without("nvrtc", "getVersion", RuntimeError("CuPy failed to load libnvrtc.so.13")),
        r"""backend "cuda" needs the compiler NVRTC: pip install .* failed to load libnvrtc""",
    ),
}


@pytest.mark.parametrize(("cupy", "message"), MISSING.values(), ids=MISSING)
def test_what_is_missing_is_said(cupy, message):
    """A missing CuPy, GPU or NVRTC is an error at once, in any call that asks for the backend."""
    rows = rows_of([[]])
    with patch.dict(sys.modules, {"cupy": cupy}), patch.object(cuda, "cupy", cuda.cupy.__wrapped__):
        for call in (
            lambda: run(RECESS.plan(ROLES), rows, rows, backend="cuda"),
            lambda: fc.ExtractionScorer(backend="cuda"),
            lambda: fc.TagScorer(fc.TagScheme(["O"]), backend="cuda"),
            lambda: fc.score(sample.GOLD, sample.GOLD, backend="cuda"),
        ):
            with pytest.raises(fc.InputError, match=message):
                call()
        found = cuda.facts()
        files = [str(sample.GOLD), str(sample.SYSTEMS["hasty"])]
        _, err = cli("score", *files, "--backend", "cuda", expect=2)
    assert re.match(f"error: {message}", err)
    assert "pip install" in found["missing"]
    assert found["device"] is None
    assert found["cupy"] == (None if cupy is None else "14.2.0")


def test_options_name_the_entry_and_the_sources():
    options = cuda.options("labels_fair_spans")
    assert "-DFC_ONLY=FC_LABELS(fair_spans)" in options
    assert "-fmad=false" in options
    assert cuda.options("score_fair_spans") != options


def _nothing(gold, pred, length, params, counts): ...


def test_what_is_not_counted_on_a_device():
    """A device refuses kernels written in Python, and cnc-2022."""
    rows = rows_of([[]])
    own = Protocol("own", fc.kernel(fields=["tp", "fp", "fn"])(_nothing))
    with played_cupy.instead():
        for call in (
            lambda: run(own.plan(ROLES), rows, rows, backend="cuda"),
            lambda: fc.TagScorer(fc.TagScheme(["O"]), own, backend="cuda"),
        ):
            with pytest.raises(fc.InputError, match=r"_nothing.* is written in Python, which back"):
                call()
        with pytest.raises(ValueError, match="cnc-2022 is not counted on a GPU, use"):
            fc.score(sample.GOLD, sample.GOLD, "cnc-2022", backend="cuda")


def test_constants_of_a_machine_are_bounded():
    """A machine keeps the constants used last, and a plan its patterns."""
    rows = rows_of([[[(0, 0, 2)]]])
    plan = RECESS.plan(ROLES)
    with played_cupy.instead():
        machine = cuda.machine()
        expected = run(plan, rows, rows, backend="cuda").counts
        kept = machine.constant(np.arange(3))
        for k in range(2 * cuda.MAX_CONSTANTS):
            machine.constant(np.array([k]))
            assert machine.constant(np.arange(3)) is kept
        assert len(machine.constants) == cuda.MAX_CONSTANTS
        np.testing.assert_array_equal(run(plan, rows, rows, backend="cuda").counts, expected)


def test_a_report_from_the_device():
    """A report from the device equals the host's, and so do tables that it makes later."""
    with played_cupy.instead():
        host, device_ = (
            fc.score(sample.GOLD, sample.SYSTEMS["hasty"], "cnc-2023", backend=backend)
            for backend in ("cpu", "cuda")
        )
        assert device_.to_dict() == host.to_dict()
        assert device_.matches.equals(host.matches)
        assert device_.per_example.equals(host.per_example)


@plans
def test_relations_of_different_types_do_not_pair_there_either(gpu, many, protocol):
    plan, (gold, pred) = protocol.plan(ROLES), many
    rng = np.random.default_rng(1)
    types = Types(("a", "b"), *(rng.integers(3, size=rows.n_relations) for rows in many))
    there, here = (run_by_type(plan, gold, pred, types, backend=of) for of in ("cuda", "cpu"))
    assert (there.partner == here.partner).all()
    assert (there.counts == here.counts).all()
    assert (here.counts != run(plan, gold, pred).counts).any()
