"""The metric on an emulated device, and on a GPU if there is one."""

from __future__ import annotations

import copy
import math
import pickle
from unittest.mock import patch

import numpy as np
import pytest

import fastcausal as fc
from tests.support import emulated

pytest.importorskip("torch")
pytest.importorskip("torchmetrics")
from tests.training.test_span_score import (
    SCHEME,
    SpanScore,
    labels,
    same,
    span_score,
    torch,
    torchmetrics,
    whole,
)

pytestmark = [
    pytest.mark.slow,  # imports PyTorch
    pytest.mark.filterwarnings("ignore:The ``compute`` method"),
]


@pytest.fixture
def device():
    """Treat tensors as if they were on a GPU, which is emulated."""
    with emulated.instead(), patch.object(span_score, "is_on_device", torch.is_tensor):
        yield


def pending(metric):
    return metric._taggers["cuda"]._decoding.on_device.waiting


@pytest.mark.usefixtures("device")
def test_device_counts_when_asked():
    rng = np.random.default_rng(9)
    batches = [labels(rng, 6) for _ in range(4)]
    gold, pred = (torch.cat(side) for side in zip(*batches, strict=True))
    looks = {
        "compute": lambda metric: metric,
        "state_dict": lambda metric: _resumed(metric.state_dict()),
        "pickle": lambda metric: pickle.loads(pickle.dumps(metric)),
        "copy": copy.deepcopy,
        "merge": lambda metric: _merged(metric),
    }
    for look in looks.values():
        metric = SpanScore(SCHEME)
        for batch_gold, batch_pred in batches:
            metric.update(batch_pred, batch_gold)
        assert len(pending(metric)) == 4
        assert not vars(metric)["counts"].any()
        same(look(metric), whole(gold, pred))
        metric.reset()
        metric.update(batches[0][1], batches[0][0])
        metric.reset()
        assert not metric.report().n_examples


@pytest.mark.usefixtures("device")
def test_device_is_not_waited_for():
    """Moving a metric and hashing its model, as Lightning does, do not wait for the device."""
    gold, pred = labels(np.random.default_rng(11), 6)
    metric = SpanScore(SCHEME)
    model = torch.nn.ModuleList([metric])
    for _ in range(3):
        metric.update(pred, gold)
        model.to("cpu")
        list(model.parameters())
    assert len(pending(metric)) == 3
    saved = SpanScore(SCHEME).state_dict()
    metric.load_state_dict(saved)  # in place of the device's counts
    assert not metric.report().n_examples


@pytest.mark.usefixtures("device")
def test_device_in_a_collection():
    """Metrics that share states see the counts of the first of them."""
    gold, pred = labels(np.random.default_rng(14), 6)
    collection = torchmetrics.MetricCollection(
        {"all": SpanScore(SCHEME), "f1": SpanScore(SCHEME, only="overall_f1")}
    )
    for _ in range(3):
        collection.update(pred, gold)
    assert len(collection.compute_groups) == 1
    thrice = whole(*(torch.cat([side] * 3) for side in (gold, pred)))
    assert collection.compute()["f1"].item() == thrice["overall"].f1
    assert [metric.report().n_examples for metric in collection.values()] == [18, 18]


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("protocol", ["relations", "depths"])
def test_protocols_without_a_kernel_count_in_host_memory(protocol):
    gold, pred = labels(np.random.default_rng(16), 6)
    metric = SpanScore(SCHEME, protocol)
    metric.update(pred, gold)
    assert metric._taggers.keys() == {"cpu"}
    assert metric.report().to_dict() == whole(gold, pred, protocol).to_dict()


@pytest.mark.gpu
def test_gpu():
    rng = np.random.default_rng(15)
    metric = SpanScore(SCHEME).to("cuda")
    batches = [labels(rng, 6) for _ in range(3)]
    for gold, pred in batches:
        metric.update(pred.cuda(), gold.cuda())
    gold, pred = (torch.cat(side) for side in zip(*batches, strict=True))
    assert metric.compute()["overall_f1"].is_cuda
    same(metric, whole(gold, pred))
    depths = SpanScore(SCHEME, "depths").to("cuda")
    depths.update(pred.cuda(), gold.cuda())
    assert depths.report().to_dict() == whole(gold, pred, "depths").to_dict()
    with pytest.raises(fc.InputError, match="preds is in a GPU, target in host memory, expected"):
        metric.update(pred.cuda(), gold)
    metric.update(pred.cuda() + 7, gold.cuda())
    with pytest.raises(fc.InputError, match="label id"):
        metric.compute()


@pytest.mark.usefixtures("device")
def test_device_forward_and_errors():
    rng = np.random.default_rng(10)
    metric = SpanScore(SCHEME, only="overall_f1")
    batches = [labels(rng, 6) for _ in range(3)]
    for gold, pred in batches:
        assert metric(pred, gold).item() == whole(gold, pred)["overall"].f1
    gold, pred = (torch.cat(side) for side in zip(*batches, strict=True))
    assert metric.compute().item() == whole(gold, pred)["overall"].f1
    with pytest.raises(fc.InputError, match="preds is in host memory, target in a GPU, expected"):
        metric.update(pred.numpy(), gold)
    with pytest.raises(fc.InputError, match="preds is in a GPU, target in host memory, expected"):
        metric.update(pred, gold.numpy())
    metric.update(pred + 7, gold)
    for _ in range(2):
        with pytest.raises(fc.InputError, match=r"batch 0: example 0, token \d+: label id"):
            metric.compute()
    metric.reset()
    assert math.isnan(metric.compute())


def _resumed(state):
    metric = SpanScore(SCHEME)
    metric.load_state_dict(state)
    return metric


def _merged(metric):
    empty = SpanScore(SCHEME)
    empty.merge_state(metric)
    return empty
