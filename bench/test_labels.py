"""What models and Python programs hold, to rows: label ids, example dicts, tokens of a text."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from seqeval.metrics.sequence_labeling import get_entities

import fastcausal as fc
from bench import corpus
from fastcausal import _objects
from fastcausal.engine.objects import rows_of_examples
from fastcausal.engine.rows import Rows
from fastcausal.formats import bio
from fastcausal.formats.tags import TOKEN
from fastcausal.relations import ROLES

N, BATCH, WIDTH = 2_000, 32, 128
LABELS = ["O", *(f"{mark}-{role.capitalize()}" for role in ROLES for mark in "BI")]


def matrix(lists, dtype):
    """Label ids, filled up with -100 to one width."""
    number = {label: k for k, label in enumerate(LABELS)}
    ids = np.full((len(lists), WIDTH), -100, dtype)
    for line, tags in zip(ids, lists, strict=True):
        line[: len(tags)] = [number[tag] for tag in tags]
    return ids


@pytest.fixture(scope="module")
def tags():
    """One list of tags for each sentence; two sentences in one list where they fit."""
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


def test_tokens_of_a_text(race):
    texts = [f"Word{k} and others follow, é {'x' * (k % 9)}" * 4 for k in range(N)]

    def expressed():
        return [[match.span() for match in TOKEN.finditer(text)] for text in texts]

    def native():
        return list(map(_objects.token_bounds, texts))

    assert [list(zip(*bounds, strict=True)) for bounds in native()] == expressed()
    race("texts to token offsets", N, native, {"a regular expression": expressed}, 10)
