"""The texts of spans, as Arrow arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import lists, numbers, strings, strings_at, texts_of
from fastcausal.engine.kernel import Int32
from fastcausal.formats import _native
from fastcausal.rows import Rows


class SpanTexts(NamedTuple):
    """The texts of the spans of some sentences."""

    texts: pa.Array  # The text of each row; tokens beyond its sentence are left out
    n_tokens: Int32  # int32[n_examples]: Tokens of each sentence


def span_texts(
    sentences: pa.Array,  # A text for each example
    rows: Rows,
    spaced: bool = False,  # True puts one blank between two tokens, False takes the text as it is
    by_letters: bool = False,  # True for tokens by letters, False between white space of ASCII
) -> SpanTexts:
    """Find the text of each row."""
    data, places = texts_of(sentences)
    n_tokens = np.zeros(len(sentences), np.int32)
    offsets = rows.row_offsets[rows.relation_offsets]
    found, ends = _native.span_texts(
        data, places, rows.values, offsets, spaced, by_letters, n_tokens
    )
    return SpanTexts(strings_at(found, ends, large=True), n_tokens)


def joined_by_relation(texts: pa.Array, rows: Rows, role: int, gap: str) -> pa.Array:
    """Join the texts of a role in each relation; null without texts, or if one is null."""
    chosen = rows.values[:, 0] == role
    before = np.concatenate([[0], np.cumsum(chosen)])[rows.row_offsets]
    widths = np.diff(before)
    joined = lists(widths, pc.filter(texts, numbers(chosen)), widths > 0)
    return pc.binary_join(joined, pc.cast(strings([gap]), texts.type)[0])
