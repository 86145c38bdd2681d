"""A trainer: the loop's number equals the paper's, from the model's own configuration."""

from __future__ import annotations

import json

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")

pytestmark = pytest.mark.slow  # imports PyTorch

CONFIG = {"0": "O", "1": "B-Cause", "2": "I-Cause", "3": "B-Effect", "4": "I-Effect"}  # of JSON
KINDS = {"cause": 1, "effect": 3}


@pytest.fixture
def batches():
    """Logits and labels as a data loader and a model give them; some labels are missed."""
    gold = [e for e in fc.read(sample.GOLD).to_examples() if len(e["relations"]) == 1]
    width = max(example["length"] for example in gold)
    labels = torch.full((len(gold), width), -100)
    for row, example in zip(labels, gold, strict=True):
        row[: example["length"]] = 0
        for role, first in KINDS.items():
            for start, stop in example["relations"][0].get(role, ()):
                row[start:stop] = first + 1
                row[start] = first
    missed = torch.rand(labels.shape, generator=torch.Generator().manual_seed(1)) < 0.1
    answered = torch.where(missed | (labels < 0), 0, labels)
    logits = torch.nn.functional.one_hot(answered, 5).float()
    return [(logits[k : k + 8], labels[k : k + 8]) for k in range(0, len(gold), 8)]


def test_ten_lines(batches, tmp_path):
    from fastcausal.training import SpanScore

    metric = SpanScore(CONFIG)
    for logits, labels in batches:
        metric.update(logits, labels)
    logged = {f"val/{name}": value.item() for name, value in metric.compute().items()}

    assert "B-Cause" in repr(metric)
    assert not any("signal" in name for name in logged)
    assert all(value == value for value in logged.values())
    # The predictions, in a file that others can score: the same number to the last bit.
    scheme = fc.TagScheme(CONFIG)
    sides = {}
    for name, ids in (
        ("gold", [b[1] for b in batches]),
        ("pred", [b[0].argmax(-1) for b in batches]),
    ):
        there = torch.cat([labels for _, labels in batches]) >= 0
        rows = scheme.rows(torch.where(there, torch.cat(ids), -100))
        sides[name] = tmp_path / f"{name}.parquet"
        fc.write(rows.to_relations(), sides[name])
    report = json.loads(cli("score", sides["gold"], sides["pred"], "--json")[0])
    assert report["scores"]["overall"]["f1"] == logged["val/overall_f1"]


def test_the_trainer_of_transformers(batches):
    """The Trainer's batches are scored as they are, without further lines."""
    from fastcausal.training import SpanScore, compute_metrics

    metric = SpanScore(CONFIG)
    for logits, labels in batches:
        metric.update(logits, labels)
    function = compute_metrics(CONFIG)
    for logits, labels in batches[:-1]:
        assert function((logits, labels), compute_result=False) == {}
    assert function(batches[-1], compute_result=True) == {
        name: value.item() for name, value in metric.compute().items()
    }


def test_a_dataset_of_predictions():
    """Predictions in a column of a Dataset, as ``dataset.map(model)`` leaves them."""
    datasets = pytest.importorskip("datasets")
    gold = datasets.Dataset.from_list(fc.read(sample.GOLD).to_examples())

    def answer(example):
        words = example["text"].split()
        return {"relations": [{"cause": words[0], "effect": " ".join(words[-3:-1])}]}

    pred = gold.select_columns(["id", "text"]).map(answer)
    report = fc.score(gold, pred)
    assert report.n_examples == len(gold)
    assert report["overall"].tp > 0
