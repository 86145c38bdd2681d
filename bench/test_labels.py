"""Conversion to rows of logits, label ids, example dicts and character offsets."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from seqeval.metrics.sequence_labeling import get_entities

import fastcausal as fc
from fastcausal.arrays import _objects
from fastcausal.decoding import label_paths
from fastcausal.formats import bio, sentences, spans
from fastcausal.formats.cnc.markup import TOKEN
from fastcausal.relations import ROLES
from fastcausal.rows import Rows, rows_of_examples

from . import corpus

CORPUS = "random labels"

N, BATCH, WIDTH = 2_000, 32, 128
LABELS = ["O", *(f"{mark}-{role.capitalize()}" for role in ROLES for mark in "BI")]


def matrix(lists, dtype):
    """Return lists of label ids as a matrix, filled up with -100."""
    number = {label: k for k, label in enumerate(LABELS)}
    ids = np.full((len(lists), WIDTH), -100, dtype)
    for line, tags in zip(ids, lists, strict=True):
        line[: len(tags)] = [number[tag] for tag in tags]
    return ids


@pytest.fixture(scope="module")
def tags():
    """A list of tags for each sentence; two sentences share a list if they fit."""
    relations = corpus.table_of(corpus.single_relations(3 * N)[0])
    return [tags for [tags] in bio.tag_lists(relations)[0] if len(tags) <= WIDTH][: 2 * N]


@pytest.mark.parametrize("filled", ["padded", "full"])
@pytest.mark.parametrize("dtype", ["int8", "int64"])
@pytest.mark.parametrize("n", [BATCH, N])
def test_label_ids(race, tags, n, dtype, filled):
    if filled == "full":  # sequences as long as the matrix is wide
        flat = [tag for one in tags * WIDTH for tag in one][: n * WIDTH]
        tags = [flat[k : k + WIDTH] for k in range(0, len(flat), WIDTH)]
    tags = tags[:n]
    ids = matrix(tags, dtype)
    scheme = fc.TagScheme(LABELS)

    def from_ids():
        return [get_entities([LABELS[k] for k in line if k != -100]) for line in ids.tolist()]

    rows = scheme.rows(ids)
    sequence = np.repeat(rows.example_of_relation(), np.diff(rows.row_offsets)).tolist()
    found = [(s, *row) for s, row in zip(sequence, rows.values.tolist(), strict=True)]
    assert found == [
        (s, ROLES.index(role.lower()), start, last + 1)
        for s, spans in enumerate(from_ids())
        for role, start, last in spans
    ]
    assert rows.lengths.tolist() == list(map(len, tags))
    race(
        f"label ids to spans: {dtype}, {filled}",
        n,
        lambda: scheme.rows(ids),
        {
            "seqeval get_entities, from tags": lambda: list(map(get_entities, tags)),
            "seqeval get_entities, from ids": from_ids,
        },
        50 if n == BATCH else 10,
    )


def by_matrices(logits, may_follow):
    """Find the best valid sequences as NumPy programs do, with a matrix for each token."""
    costs = np.where(may_follow, 0.0, -np.inf)
    sums, back = logits[:, 0] + costs[0], []
    for token in logits[:, 1:].swapaxes(0, 1):
        paths = sums[:, :, None] + costs
        back.append(paths.argmax(1))
        sums = paths.max(1) + token
    ids = [sums.argmax(1)]
    for before in reversed(back):
        ids.append(np.take_along_axis(before, ids[-1][:, None], 1)[:, 0])
    return np.stack(ids[::-1], 1)


def test_logits(race):
    scheme = fc.TagScheme(LABELS)
    logits = np.random.default_rng(0).normal(size=(BATCH, WIDTH, len(LABELS))).astype(np.float32)
    np.testing.assert_array_equal(scheme.decode(logits), logits.argmax(-1))
    race(
        "logits to label ids: best labels",
        BATCH,
        lambda: scheme.decode(logits),
        {"numpy argmax": lambda: logits.argmax(-1)},
        50,
    )


def test_logits_to_valid_sequences(race):
    scheme = fc.TagScheme(LABELS)
    logits = np.random.default_rng(0).normal(size=(BATCH, WIDTH, len(LABELS)))
    marks = scheme.marks.tolist()
    may_follow = np.array(
        [[label_paths.may_follow(scheme.marks, a, b) for b in marks] for a in marks]
    )

    def ours():
        return scheme.decode(logits, valid=True)

    np.testing.assert_array_equal(ours(), by_matrices(logits, may_follow))
    race(
        "logits to label ids: best sequences",
        BATCH,
        ours,
        {"Viterbi of numpy matrices": lambda: by_matrices(logits, may_follow)},
        20,
    )


def test_example_dicts(race):
    examples = corpus.table_of(corpus.sentences(BATCH, seed=1)[0]).to_examples()

    def in_python():
        with mock.patch.object(_objects, "example_rows", return_value=None):
            return Rows.of(fc.Relations.from_examples(examples))

    rows, _ = rows_of_examples(examples)
    assert (rows.values == in_python().values).all()
    assert (rows.row_offsets == in_python().row_offsets).all()
    through_a_table = {"by way of Relations": lambda: Rows.of(fc.Relations.from_examples(examples))}
    others = {"the same in plain Python": in_python, **through_a_table}
    race("example dicts to rows", BATCH, lambda: rows_of_examples(examples), others, 50)


def test_character_offsets(race):
    relations = corpus.table_of(corpus.sentences(N)[0])
    examples = [with_offsets(example) for example in relations.to_examples()]

    def bounds(text, _by_letters):
        found = [match.span() for match in TOKEN.finditer(text)]
        return [start for start, _ in found], [stop for _, stop in found]

    def in_python():
        with (
            mock.patch.object(spans, "spans_of", return_value=None),
            mock.patch.object(sentences, "token_bounds", bounds),
        ):
            return spans.read(examples)

    assert spans.read(examples).table.equals(in_python().table)
    others = {"the same in plain Python": in_python}
    race("character offsets to Relations", N, lambda: spans.read(examples), others, 10)


def with_offsets(example):
    """Return the example with a text of words of one to nine letters, and spans in characters."""
    words = ["w" * (1 + (k * k) % 9) for k in range(example["length"])]
    stops = np.cumsum([len(word) + 1 for word in words]).tolist()
    return {
        "text": " ".join(words),
        "relations": [
            {
                role: [[stops[a] - 1 - len(words[a]), stops[b - 1] - 1] for a, b in found]
                for role, found in relation.items()
            }
            for relation in example["relations"]
        ],
    }
