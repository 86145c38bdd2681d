"""The metric for evaluate: its scores, its ways in, and loading it without a network."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import fastcausal as fc
from tests.support.tagged import IGNORED, LABELS, label_ids, logits_near, same, scored, tags_of

pytest.importorskip("evaluate")

from fastcausal.training import TagMetric, tag_metric_path

pytestmark = pytest.mark.slow


def sides(n=12):
    """Gold and predicted label ids, and both as tags."""
    rng = np.random.default_rng(n)
    gold = label_ids(rng, n, 9)
    pred = logits_near(rng, gold).argmax(-1)
    return gold, pred, tags_of(gold, gold != IGNORED), tags_of(pred, gold != IGNORED)


@pytest.fixture
def made(tmp_path):
    return lambda **settings: TagMetric(cache_dir=str(tmp_path), **settings)


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023", fc.Protocol("b", kernel="exact_spans")])
@pytest.mark.parametrize("in_memory", [False, True])
def test_equals_score(made, protocol, in_memory):
    gold_ids, pred_ids, gold, pred = sides()
    expected = scored(gold, pred, protocol)
    assert 0 < expected["overall_f1"] < 1
    tags = made(protocol=protocol, keep_in_memory=in_memory)
    ids = made(labels=LABELS, protocol=protocol, keep_in_memory=in_memory)
    for _ in range(2):
        for metric, references, predictions in ((tags, gold, pred), (ids, gold_ids, pred_ids)):
            assert same(metric.compute(predictions=predictions, references=references), expected)
            metric.add(prediction=predictions[0], reference=references[0])
            metric.add_batch(predictions=predictions[1:5], references=references[1:5])
            metric.add_batch(predictions=predictions[5:], references=references[5:])
            assert len(metric) == len(gold)
            assert same(metric.compute(), expected)
    of_pad = made(labels=LABELS, ignore_index=-1, protocol=protocol, keep_in_memory=in_memory)
    references = np.where(gold_ids == IGNORED, -1, gold_ids)
    found = of_pad.compute(predictions=pred_ids.tolist(), references=references.tolist())
    assert same(found, expected)


def test_many_labels_as_tags(made):
    """The metric takes tags of any scheme, name and case."""
    gold = [["S-ARG0", "O", "b-c", "E-C"][:2], ["B-ARG1", "I-effect", "E-E", "sig"]]
    found = made().compute(predictions=gold, references=gold)
    assert found["overall_f1"] == found["cause_f1"] == found["signal_f1"] == 1.0


@pytest.mark.parametrize(
    ("labels", "references", "predictions", "message"),
    [
        (
            None,
            [["O"], ["O", "B-C"]],
            [["O"], ["O"]],
            "example 1: found 1 predicted tags, exp",
        ),
        (None, [["B-Person"]], [["O"]], "unknown label 'B-Person'"),
        (None, [["O", None]], [["O", "O"]], "unknown label 'None'"),
        (LABELS, [[1, 2]], [[1, 9]], "example 0, token 1: label id 9, expected 0 to 6"),
        (LABELS, [[1, 2]], [[1, IGNORED]], "example 0: the prediction ignores a token"),
        (LABELS, [[1, None]], [[1, 1]], "references: found object, expected lists of integers"),
        (LABELS, [["O"]], [["O"]], "don't match the expected format"),
        (None, [[1]], [[1]], "don't match the expected format"),
    ],
)
def test_mistakes(made, labels, references, predictions, message):
    metric = made(labels=labels, keep_in_memory=True)
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=predictions, references=references)


def test_arguments(made):
    with pytest.raises(TypeError, match="TagMetric takes no argument protocl"):
        made(protocl="recess")
    with pytest.raises(ValueError, match='protocol is "rcess"'):
        made(protocol="rcess")
    with pytest.raises(ValueError, match="cnc-2022 does not add up"):
        made(protocol="cnc-2022")


def test_loads_without_a_network(tmp_path):
    """The metric loads by its path, without a network or a cache."""
    code = """
import socket, sys
def refused(*arguments):
    raise OSError("no network")
socket.socket.connect = socket.getaddrinfo = refused
import evaluate
from fastcausal.training import tag_metric_path
tags = evaluate.load(tag_metric_path(), protocol="cnc-2023")
pred, gold = ["B-C", "I-C", "O"], ["B-C", "I-C", "B-E"]
print(tags.compute(predictions=[pred], references=[gold])["overall_f1"])
ids = evaluate.load(tag_metric_path(), module_type="metric", labels=["O", "B-C"], ignore_index=-1)
print(ids.compute(predictions=[[1, 0, 1]], references=[[1, 1, -1]])["cause_recall"])
print(evaluate.combine({"a": tags}).compute(predictions=[["B-C"]], references=[["B-C"]]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
            "HF_HOME": str(tmp_path),
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("0.6666666666666666", "0.5")
    assert third.startswith("{'overall_precision': 1.0, ")
    assert tag_metric_path().endswith("evaluation.py")
