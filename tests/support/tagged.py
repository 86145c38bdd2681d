"""Random taggings for the tests of training."""

from __future__ import annotations

import numpy as np

import fastcausal as fc
from fastcausal.relations import ROLES

LABELS = ["O", *(f"{mark}-{role}" for role in ROLES for mark in "BI")]
SCHEME = fc.TagScheme(LABELS)
IGNORED = SCHEME.ignore_index


def label_ids(rng, n, width):
    """Runs of labels, some tokens that are not there, and others at the end of each line."""
    ids = np.repeat(rng.integers(len(LABELS), size=(n, width)), 2, axis=1)[:, :width]
    ids[rng.random(ids.shape) < 0.1] = IGNORED
    return np.where(np.arange(width) < rng.integers(width + 1, size=(n, 1)), ids, IGNORED)


def logits_near(rng, ids):
    """Draw logits whose greatest one often belongs to the label id."""
    logits = rng.normal(size=(*ids.shape, len(LABELS)))
    return logits + 2.0 * (np.arange(len(LABELS)) == ids[..., None])


def spans(tags):
    """The spans of a tagged sentence, by conlleval: (role, start, stop)."""
    found = []
    for k, (tag, before) in enumerate(zip(tags, ["O", *tags], strict=False)):
        role = tag[2:]
        if tag[:1] == "B" or (tag[:1] == "I" and before[2:] != role):
            found.append([role, k, k])
        if tag != "O":
            found[-1][2] = k + 1
    return found


def scored(gold, pred, protocol="recess"):
    """Lists of tags scored by `fastcausal.score`, all spans of a sentence as one relation."""
    sides = []
    for side in (gold, pred):
        examples = []
        for tags in side:
            relation = {}
            for role, start, stop in spans(tags):
                relation.setdefault(role, []).append((start, stop))
            examples.append({"length": len(tags), "relations": [relation] if relation else []})
        sides.append(fc.Relations.from_examples(examples))
    report = fc.score(*sides, protocol)
    return {
        f"{group}_{name}": report[group][name]
        for group in ("overall", *ROLES)
        for name in ("precision", "recall", "f1")
    }


def tags_of(ids, where):
    """Tags of the tokens that are there."""
    return [
        [LABELS[k] for k in line[there]] for line, there in zip(np.asarray(ids), where, strict=True)
    ]


def same(found, expected):
    """Compare two dicts of floats: equal names and values, NaN included."""
    assert list(found) == list(expected)
    assert {type(value) for value in found.values()} <= {float}
    return np.array_equal(list(found.values()), list(expected.values()), equal_nan=True)
