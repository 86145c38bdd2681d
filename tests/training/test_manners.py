"""Training metrics take labels in any form, refuse bad ones at once, and have a full repr."""

from __future__ import annotations

import copy
import pickle

import pytest

import fastcausal as fc

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")

from torchmetrics import MetricCollection  # noqa: E402

from fastcausal.training import SpanScore, compute_metrics  # noqa: E402

pytestmark = pytest.mark.slow  # imports PyTorch

LABELS = ["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"]
BY_ID = dict(enumerate(LABELS))
BY_NAME = {name: k for k, name in reversed(BY_ID.items())}
GOLD = torch.tensor([[1, 2, 0, 3, 4, -100], [0, 3, 0, 1, 2, 0]])
PRED = torch.tensor([[1, 2, 0, 3, 0, 0], [0, 3, 0, 1, 0, 0]])


@pytest.mark.parametrize("labels", [LABELS, tuple(LABELS), BY_ID, BY_NAME], ids=str)
def test_labels(labels):
    metric, expected = SpanScore(labels), SpanScore(fc.TagScheme(LABELS))
    for each in (metric, expected):
        each.update(PRED, GOLD)
    assert metric.compute() == expected.compute()
    assert metric.report().scores == expected.report().scores
    metric.merge_state(expected)  # they count alike
    shared = MetricCollection({"a": SpanScore(labels), "b": SpanScore(fc.TagScheme(LABELS))})
    shared.update(PRED, GOLD)
    shared.compute()
    assert len(shared.compute_groups) == 1
    by_labels = compute_metrics(labels)((PRED.numpy(), GOLD.numpy()))
    assert by_labels == compute_metrics(fc.TagScheme(LABELS))((PRED.numpy(), GOLD.numpy()))


@pytest.mark.parametrize("decoder", ["labels", 3, torch.nn.Linear(1, 1), {1, 2}])
def test_what_is_refused_when_it_is_made(decoder):
    with pytest.raises(ValueError, match="expected a TagScheme, a SpanDecoder, or labels"):
        SpanScore(decoder)


@pytest.mark.parametrize("labels", [["O", "B-Person"], {0: "O", 2: "B-Cause"}, [3]])
def test_labels_that_are_refused_when_it_is_made(labels):
    with pytest.raises((fc.InputError, ValueError)):
        SpanScore(labels)


def test_repr():
    metric = SpanScore(LABELS, "cnc-2023", only="overall_f1")
    text = 'SpanScore(O B-Cause I-Cause B-Effect I-Effect, protocol="cnc-2023", only="overall_f1")'
    assert repr(metric) == text
    assert repr(pickle.loads(pickle.dumps(metric))) == repr(copy.deepcopy(metric)) == text
    assert text in repr(torch.nn.ModuleDict({"f1": metric}))
    assert repr(SpanScore()) == 'SpanScore(protocol="recess")'
    assert "SpanDecoder" in repr(SpanScore(fc.SpanDecoder()))


@pytest.mark.filterwarnings("ignore:The ``compute`` method")
@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
def test_roles_that_no_label_names(protocol):
    lacking, all_roles = SpanScore(LABELS, protocol), SpanScore([*LABELS, "B-Signal"], protocol)
    for metric in (lacking, all_roles):
        names = {*metric.compute()}
        metric.update(PRED, GOLD)
        assert {*metric.compute()} == names  # the same in every epoch
    left_out = {*all_roles.compute()} - {*lacking.compute()}
    assert left_out == {f"signal_{score}" for score in ("precision", "recall", "f1")}
    assert lacking.report()["signal"].tp == 0
    assert {*compute_metrics(LABELS, protocol)((PRED.numpy(), GOLD.numpy()))} == {
        *lacking.compute()
    }
    with pytest.raises(ValueError, match='unknown score "signal_f1"'):
        SpanScore(LABELS, protocol, only="signal_f1")
    assert "signal_f1" in SpanScore(protocol=protocol).compute()
