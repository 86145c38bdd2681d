"""Words of all spans at once equal words taken one sentence at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.rows import Rows
from fastcausal.tasks.relations.sentences import sentences_of, words_of

WORDS = st.lists(st.sampled_from(["a", "é", "b\u3000c"]), min_size=1, max_size=4)
ODD = st.lists(st.sampled_from(["a", "", "b c", None]), max_size=4)
EXAMPLES = st.lists(
    st.tuples(
        st.none() | WORDS.map("  ".join), st.none() | WORDS | ODD, st.integers(-1, 4), st.data()
    ),
    max_size=5,
)


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
@given(examples=EXAMPLES, has_tokens=st.booleans())
def test_words_of(kind, examples, has_tokens):
    kinds = {"string": pa.string(), "large_string": pa.large_string()}
    kinds["dictionary"] = pa.dictionary(pa.int32(), pa.string())
    texts, tokens, lengths, drawn = zip(*examples, strict=True) if examples else ((), (), (), ())
    table = pa.table({"text": pa.array(texts, kinds[kind])})
    if has_tokens:
        table = table.append_column("tokens", pa.array(tokens, pa.list_(pa.string())))
    values, example = [], []
    for k, length in enumerate(lengths):
        if length > 0:
            start = drawn[k].draw(st.integers(0, length - 1))
            values.append((0, start, drawn[k].draw(st.integers(start + 1, length))))
            example.append(k)
    sizes = np.array(lengths, np.int32)
    offsets = np.searchsorted(example, np.arange(len(examples) + 1))
    rows = Rows(
        np.array(values, np.int32).reshape(-1, 3), np.arange(len(values) + 1), offsets, sizes
    )
    sentences = sentences_of(table, sizes)
    assert words_of(table, sizes, rows).to_pylist() == [
        sentences[k] and sentences[k].words(start, stop)
        for k, (_, start, stop) in zip(example, values, strict=True)
    ]
