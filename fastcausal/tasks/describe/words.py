"""Words of running text, cut by the conventions of the Penn Treebank.

These are the words of most published word counts. Choices that the conventions leave open follow
NLTK's ``word_tokenize`` up to version 3.9.1, with which the RECESS paper counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import texts_of
from fastcausal.arrays.letters import kinds_of
from fastcausal.engine.kernel import Int64
from fastcausal.tasks.describe import _words


def treebank_words(text: str) -> list[str]:
    """Cut text into words and punctuation marks."""
    # Brackets, quotes and the marks ; @ # $ % & ? ! * stand alone, as do -- and ...; commas and
    # colons too, unless a digit follows.
    # Clitics are cut off: do n't, she 's, the boys '; so are the halves of cannot, gonna and their
    # like.
    # A period belongs to its word. At the end of a sentence it stands alone. A sentence ends at the
    # end of the text, and before white space and a word that does not start in lower case. It does
    # not end after a title, a month or another common abbreviation, or a one-letter initial.
    # (Longer initials, as in V.K. Rao, do end it, as mostly in NLTK's trained splitter.)
    data = text.encode("utf-8", "surrogatepass")
    bounds = iter(_words.word_bounds(data, kinds_of(data)))
    return [text[start:stop] for start, stop in zip(bounds, bounds, strict=True)]


def count_words(
    texts: pa.Array,  # [n]
) -> Int64:  # [n]
    """Return the number of `treebank_words` of each text."""
    counts = np.empty(len(texts), np.int64)
    _words.count_words(*_text_and_kinds(texts), counts)
    return counts


def count_tagged_words(sentences: pa.Array) -> tuple[list[int], list[int], list[int]]:
    """Return the numbers of words between the tags of causes, effects and signals.

    >>> import pyarrow as pa
    >>> count_tagged_words(pa.array(["<ARG0>Heavy <SIG0>rain</SIG0></ARG0> fell"]))
    ([8], [], [1])
    """
    return _words.count_tagged_words(*_text_and_kinds(sentences))


def _text_and_kinds(texts: pa.Array) -> tuple[Any, Any, Any]:
    data, places = texts_of(texts)
    return data, places, kinds_of(memoryview(data)[places[0] : places[-1]])
