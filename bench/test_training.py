"""A validation step of 32 × 128 tokens in a training loop: the metric's update, and its scores.

The rival is seqeval through evaluate, as in scripts for token classification: label ids become
tags, `add_batch` keeps them, `compute` scores the epoch. Here an epoch is one step.
"""

from __future__ import annotations

import numpy as np
import pytest
from seqeval.metrics import classification_report

import fastcausal as fc

from . import corpus
from .test_decoding import boundaries
from .test_labels import BATCH, LABELS, WIDTH, matrix

CORPUS = "32 × 128 random labels"

torch = pytest.importorskip("torch")
evaluate = pytest.importorskip("evaluate")
datasets = pytest.importorskip("datasets")
span_score = pytest.importorskip("fastcausal.training.span_score")

ROUNDS = 30
EXACT = fc.Protocol("exact", kernel="exact_spans")  # counts the same as seqeval


class Seqeval(evaluate.Metric):
    """The same as evaluate's own module for seqeval."""

    def _info(self):
        tags = datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description="",
            citation="",
            inputs_description="",
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(self, predictions, references):
        report = classification_report(
            y_true=references, y_pred=predictions, output_dict=True, zero_division=0
        )
        return {f"{group}_f1": scores["f1-score"] for group, scores in report.items()}


def batch():
    """Gold and predicted label ids of a corpus; one token in ten is predicted differently."""
    from fastcausal.formats import bio

    relations = corpus.table_of(corpus.single_relations(40 * BATCH)[0])
    tags = [tags for [tags] in bio.tag_lists(relations)[0] if len(tags) <= WIDTH]
    gold = matrix(tags[:BATCH], np.int64)
    rng = np.random.default_rng(0)
    wrong = rng.integers(len(LABELS), size=gold.shape)
    pred = np.where(rng.random(gold.shape) < 0.1, wrong, np.maximum(gold, 0))
    return torch.from_numpy(gold), torch.from_numpy(pred)


def tags_of(gold, pred):
    """Return lists of the tags of all tokens that are not padding."""
    pairs = [
        [(LABELS[g], LABELS[p]) for g, p in zip(*lines, strict=True) if g != -100]
        for lines in zip(gold.tolist(), pred.tolist(), strict=True)
    ]
    return [[[pair[side] for pair in line] for line in pairs] for side in (0, 1)]


@pytest.mark.parametrize("given", ["label ids", "logits", "label ids of chance"])
def test_tags(race, given, tmp_path):
    gold, pred = batch()
    if given == "label ids of chance":  # as at the start of a training: hundreds of spans
        drawn = np.random.default_rng(0).integers(len(LABELS), size=(2, BATCH, WIDTH))
        gold, pred = torch.from_numpy(drawn)
    logits = torch.nn.functional.one_hot(pred, len(LABELS)).float()
    metric = span_score.SpanScore(fc.TagScheme(LABELS), EXACT)
    rival = Seqeval(keep_in_memory=True, cache_dir=str(tmp_path))
    preds = logits if given == "logits" else pred

    def by_rival():
        labels = logits.argmax(-1) if given == "logits" else pred
        references, predictions = tags_of(gold, labels)
        rival.add_batch(references=references, predictions=predictions)
        return rival.compute()

    def step():
        metric.update(preds, gold)

    def epoch():
        step()
        found = metric.compute()
        metric.reset()
        return found

    found, wanted = epoch(), by_rival()
    assert found["overall_f1"].item() == pytest.approx(wanted["micro avg_f1"], abs=1e-12)
    for role in ("cause", "effect", "signal"):
        assert found[f"{role}_f1"].item() == pytest.approx(wanted[f"{role.capitalize()}_f1"])
    name = f"SpanScore, {given} {BATCH} × {WIDTH}"
    others = {"seqeval through evaluate": by_rival}
    race(f"{name}: a step", BATCH, step, others, ROUNDS)


def test_scores(race):
    gold, pred = batch()
    metric = span_score.SpanScore(fc.TagScheme(LABELS))

    def epoch():
        metric.update(pred, gold)
        metric.compute()
        metric.reset()

    race("SpanScore: update, compute, reset", BATCH, epoch, rounds=ROUNDS)


def test_boundaries(race):
    logits = torch.from_numpy(boundaries())
    decoder = fc.SpanDecoder(top_k=5)
    gold = decoder.decode(logits).rows
    gold = fc.Rows(*gold.arrays(), np.full(BATCH, WIDTH, np.int32))
    metric = span_score.SpanScore(decoder)
    metric.update(logits, gold)
    assert metric.compute()["overall_f1"] == 1
    step = f"SpanScore, boundary logits {BATCH} × {WIDTH}: a step with the beam of 5"
    race(step, BATCH, lambda: metric.update(logits, gold), rounds=ROUNDS)
