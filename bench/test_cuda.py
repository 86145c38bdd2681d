"""The GPU against all cores: rows on the device, rows in host memory, label ids to counts, logits
to label ids and rows, the cost of counting in a training step. Skipped without a GPU."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine.device import cuda
from fastcausal.engine.run import run
from fastcausal.relations import ROLES

from . import corpus, ours
from .conftest import Clocks

KERNELS = ["recess", "cnc-2023", *ours.KERNELS]
LABELS = ["O", *(f"{p}-{role.capitalize()}" for role in ROLES for p in "BI")]
BATCH, TOKENS = 32, 128
CORPUS = "CNC"
TAGGED = 100_000  # sequences of the large matrix


@pytest.fixture(scope="module")
def cupy():
    try:
        return cuda.cupy()
    except fc.InputError as error:
        pytest.skip(str(error))


def test_machine(benchmark, cupy, note):
    """Name the device, and note the speed of reaching it."""
    found, machine, n = cuda.facts(), cuda.machine(), 1 << 28
    host, there, queue = machine.pinned(n), machine.empty(n), machine.current()
    host[:] = 1
    up = device_time(cupy, lambda: queue.upload(machine.address(there), host))
    down = device_time(cupy, lambda: queue.download(host, machine.address(there)))
    benchmark.pedantic(queue.wait, rounds=1)
    note(
        f"{found['device']['name']}, CUDA {found['driver']}, CuPy {found['cupy']}; copies of "
        f"page-locked memory: {n / up / 1e9:.0f} GB/s there, {n / down / 1e9:.0f} GB/s back."
    )


FIRST = """
import fastcausal as fc
from fastcausal import sample
fc.score(sample.GOLD, sample.SYSTEMS["careful"], backend="cuda")
"""


def test_first_call(benchmark, cupy, note, tmp_path):
    """Time a process that scores the sample, with an empty and a full cache of compiled kernels."""
    environment = os.environ | {"CUPY_CACHE_DIR": str(tmp_path)}

    def process():
        subprocess.run([sys.executable, "-c", FIRST], env=environment, check=True)

    empty, full = (Clocks.of(process).wall for _ in range(2))
    benchmark.pedantic(process, rounds=1)
    note(
        f"a process that scores the sample: {empty:.1f} s with an empty cache of compiled "
        f"kernels, {full:.1f} s with a full one."
    )


def device_time(cupy, call, rounds=5):
    """Measure the seconds of a call on the device, by its own clock."""
    times = []
    for _ in range(rounds):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end) / 1e3)
    return statistics.median(times)


@pytest.mark.parametrize("sentences", ["good", "bad"], indirect=True)
@pytest.mark.parametrize("name", KERNELS)
def test_rows(race, sentences, cupy, name):
    """Race summed counts and partners. The first call compiles and is not timed."""
    plan = ours.BY_NAME[name].plan(ROLES)
    there = [on_device(cupy, side) for side in sentences]
    expected = run(plan, *sentences, n_groups=1)

    def scored():
        return cuda.run_on_device(plan, *there, n_groups=1).get()

    def on_host(backend, num_threads=None):
        return run(plan, *sentences, n_groups=1, backend=backend, num_threads=num_threads)

    for found in (scored(), on_host("cuda")):
        assert (found.counts == expected.counts).all()
        assert (found.partner == expected.partner).all()
    race(
        f"{name}: rows on the device to counts and pairs",
        sentences[0].n_examples,
        scored,
        {
            f"cpu, {os.cpu_count()} cores": lambda: on_host("cpu"),
            "cpu, one core": lambda: on_host("cpu", 1),
            "cuda, rows in host memory": lambda: on_host("cuda"),
        },
    )


def on_device(cupy, side):
    return cuda.rows(*map(cupy.asarray, (*side.arrays(), side.lengths)))


@pytest.mark.parametrize("system", corpus.NOISES)
def test_ten_times(benchmark, request, cupy, note, system):
    """Note the time on the device alone for ten times ``--sentences``."""
    n = request.config.getoption("--sentences")
    sides = corpus.sentences(n, noise=corpus.NOISES[system])
    there = [on_device(cupy, corpus.drawn(side, np.tile(np.arange(n), 10))) for side in sides]
    found = []
    for name in KERNELS:
        plan = ours.BY_NAME[name].plan(ROLES)

        def call(plan=plan):
            return cuda.run_on_device(plan, *there, n_groups=1)

        left = len(call().left_out) / (10 * n)
        ms = 1e3 * device_time(cupy, call)
        found.append(f"{name} {ms:.2f} ms ({10 * n / ms / 1e6:.1f} billion a second; {left:.2%})")
    benchmark.pedantic(call, rounds=1)
    note(
        f"{10 * n:,} sentences on the device, {system} system, time of the device alone, and share "
        f"left to the host: {', '.join(found)}."
    )


def tagged(rng, n):
    """Draw label ids of a tagger: runs of one role; one token in fifty is predicted differently."""
    begins = rng.random((n, TOKENS)) < 0.05
    role = rng.integers(4, size=(n, TOKENS))
    segment = np.maximum.accumulate(np.where(begins, np.arange(TOKENS), 0), axis=1)
    role = np.take_along_axis(role, segment, axis=1)
    gold = np.where(role == 3, 0, 2 * role + 2 - begins)
    pred = np.where(rng.random(gold.shape) < 0.98, gold, rng.integers(len(LABELS), size=gold.shape))
    return gold.astype(np.int64), pred.astype(np.int64)


@pytest.mark.parametrize("n", [BATCH, TAGGED])
def test_label_ids(race, cupy, n):
    gold, pred = tagged(np.random.default_rng(0), n)
    there = cupy.asarray(gold), cupy.asarray(pred)
    scheme = fc.TagScheme(LABELS)
    host, device = fc.TagScorer(scheme), fc.TagScorer(scheme, backend="cuda")
    for scorer, (one, other) in ((host, (gold, pred)), (device, there)):
        scorer.update(gold=one, pred=other)
    assert device.compute().to_dict() == host.compute().to_dict()

    def on_device():
        device.update(gold=there[0], pred=there[1])
        cupy.cuda.get_current_stream().synchronize()

    race(
        f"label ids [{n}, {TOKENS}] on the device to counts",
        n,
        on_device,
        {
            "queued, not waited for": lambda: device.update(gold=there[0], pred=there[1]),
            "copied to the host, then cpu": lambda: host.update(
                gold=there[0].get(), pred=there[1].get()
            ),
        },
        corpus="drawn labels",
    )


def test_many_label_ids(benchmark, cupy, note):
    once = tagged(np.random.default_rng(0), TAGGED)
    gold, pred = (cupy.tile(cupy.asarray(ids), (100, 1)) for ids in once)
    scorer = fc.TagScorer(fc.TagScheme(LABELS), backend="cuda")
    scorer.update(gold=gold, pred=pred)
    seconds = device_time(cupy, lambda: scorer.update(gold=gold, pred=pred))
    benchmark.pedantic(scorer.update, kwargs={"gold": gold, "pred": pred}, rounds=1)
    note(
        f"label ids int64 {[*gold.shape]} on the device: {1e3 * seconds:.0f} ms of the device, "
        f"{len(gold) / seconds / 1e6:.0f} million sequences a second."
    )


@pytest.mark.parametrize("n", [BATCH, 1000])
@pytest.mark.parametrize("kind", ["labels", "valid labels", "boundaries"])
def test_logits(race, cupy, kind, n):
    n_columns = 6 if kind == "boundaries" else len(LABELS)
    logits = np.random.default_rng(0).normal(size=(n, TOKENS, n_columns)).astype(np.float32)
    there = cupy.asarray(logits)
    scheme, spans = fc.TagScheme(LABELS), fc.SpanDecoder()

    def decode(logits):
        if kind == "boundaries":
            return spans.decode(logits)
        return scheme.decode(logits, valid=kind == "valid labels")

    def values(found):
        return found.get().rows.values if kind == "boundaries" else cupy.asnumpy(found)

    def on_device():
        decode(there)
        cupy.cuda.get_current_stream().synchronize()

    np.testing.assert_array_equal(values(decode(there)), values(decode(logits)))
    race(
        f"logits of {kind} [{n}, {TOKENS}, {n_columns}] on the device",
        n,
        on_device,
        {
            "queued, not waited for": lambda: decode(there),
            "copied to the host, then cpu": lambda: decode(there.get()),
        },
        corpus="drawn logits",
    )


def test_training_step(race, cupy):
    """Race a step of a small transformer with counting against the same step without."""
    torch = pytest.importorskip("torch")
    gold, _ = tagged(np.random.default_rng(0), BATCH)
    ids = torch.from_numpy(gold).cuda()
    layer = torch.nn.TransformerEncoderLayer(256, 4, batch_first=True)
    model = torch.nn.Sequential(
        torch.nn.Embedding(len(LABELS), 256),
        torch.nn.TransformerEncoder(layer, 4),
        torch.nn.Linear(256, len(LABELS)),
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    scorer = fc.TagScorer(fc.TagScheme(LABELS), backend="cuda")

    def step(count):
        logits = model(ids)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if count:
            scorer.update(gold=ids, pred=logits.argmax(-1))

    def steps(count):
        for _ in range(20):
            step(count)
        torch.cuda.synchronize()

    steps(True)
    assert scorer.compute().n_examples == 20 * BATCH
    race(
        "20 training steps with counting",
        20 * BATCH,
        lambda: steps(True),
        {"without": lambda: steps(False)},
        corpus="drawn labels",
    )
