"""The GPU against all cores: rows on the device, rows in host memory, label ids to counts, logits
to label ids and rows, what counting adds to a training step. Skipped where there is no GPU."""

from __future__ import annotations

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine.device import cuda
from fastcausal.engine.run import run
from fastcausal.relations import ROLES

from . import ours

KERNELS = ["recess", "cnc-2023", *ours.KERNELS]
LABELS = ["O", *(f"{p}-{role.capitalize()}" for role in ROLES for p in "BI")]
BATCH, TOKENS = 32, 128
TAGGED = 100_000  # sequences of the large matrix


@pytest.fixture(scope="module")
def cupy():
    try:
        return cuda.cupy()
    except fc.InputError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", KERNELS)
def test_rows(race, sentences, cupy, name):
    """Summed counts. The first call compiles and is not timed."""
    plan = ours.BY_NAME[name].plan(ROLES)
    there = [cuda.rows(*map(cupy.asarray, (*s.arrays(), s.lengths))) for s in sentences]
    expected = run(plan, *sentences, n_groups=1).counts

    def on_device():
        result = cuda.run_on_device(plan, *there, n_groups=1)
        cupy.cuda.get_current_stream().synchronize()
        return result

    def on_host(backend):
        return run(plan, *sentences, n_groups=1, backend=backend, partners=False)

    assert (on_device().get().counts == expected).all()
    assert (on_host("cuda").counts == expected).all()
    race(
        f"{name}: rows on the device to counts",
        sentences[0].n_examples,
        on_device,
        {
            "cuda, rows in host memory": lambda: on_host("cuda"),
            "cpu, all cores": lambda: on_host("cpu"),
        },
    )


def tagged(rng, n):
    """Label ids of a tagger: runs of one role, one token in fifty predicted otherwise."""
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
    for scorer, pair in ((host, (gold, pred)), (device, there)):
        scorer.update(*pair)
    assert device.compute().to_dict() == host.compute().to_dict()

    def on_device():
        device.update(*there)
        cupy.cuda.get_current_stream().synchronize()

    race(
        f"label ids [{n}, {TOKENS}] on the device to counts",
        n,
        on_device,
        {
            "queued, not waited for": lambda: device.update(*there),
            "copied to the host, then cpu": lambda: host.update(there[0].get(), there[1].get()),
        },
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
    )


def test_training_step(race, cupy):
    """A step of a small transformer with counting against the same step without."""
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
            scorer.update(ids, logits.argmax(-1))

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
    )
