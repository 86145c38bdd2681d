"""Texts of spans as Arrow arrays, against plain slices of Python."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.formats.span_texts import joined_by_relation, span_texts
from fastcausal.rows import Rows

TEXTS = st.text(alphabet="aé😀\u3000 \t\n\x0b\x1c", max_size=12)
SPANS = st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(1, 3))
EXAMPLES = st.lists(st.tuples(TEXTS, st.lists(st.lists(SPANS, max_size=3), max_size=2)), max_size=4)


@given(EXAMPLES, st.booleans(), st.sampled_from([pa.string(), pa.large_string()]))
def test_spans_of_sentences(examples, spaced, kind):
    relations = [relation for _, of_one in examples for relation in of_one]
    values = [(role, start, start + size) for spans in relations for role, start, size in spans]
    rows = Rows(
        np.array(values, np.int32).reshape(-1, 3),
        np.cumsum([0, *map(len, relations)]),
        np.cumsum([0, *(len(of_one) for _, of_one in examples)]),
        np.full(len(examples), -1, np.int32),
    )
    expected, by_relation = [], []
    for text, of_one in examples:
        tokens = [match.span() for match in re.finditer(r"[^ \t-\r]+", text)]
        for spans in of_one:
            texts = [sliced(text, tokens[at : at + size], spaced) for _, at, size in spans]
            ours = [each for each, (role, *_) in zip(texts, spans, strict=True) if role == 1]
            by_relation.append(" ... ".join(ours) if ours else None)
            expected += texts
    sentences = pa.array(["cut off", *(text for text, _ in examples)], kind).slice(1)
    found = span_texts(sentences, rows, spaced)
    assert found.texts.to_pylist() == expected
    assert found.n_tokens.tolist() == [len(text.encode().split()) for text, _ in examples]
    assert joined_by_relation(found.texts, rows, 1, " ... ").to_pylist() == by_relation


def sliced(text, tokens, spaced):
    if not tokens:
        return ""
    if spaced:
        return " ".join(text[start:stop] for start, stop in tokens)
    return text[tokens[0][0] : tokens[-1][1]]
