"""Words of running text, cut by the conventions of the Penn Treebank.

These are the words of most published word counts. Choices that the conventions leave open follow
NLTK's ``word_tokenize`` up to version 3.9.1, with which the RECESS paper counted.
"""

from __future__ import annotations

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
    data, places = texts_of(texts)
    counts = np.empty(len(texts), np.int64)
    _words.count_words(data, places, kinds_of(memoryview(data)[places[0] : places[-1]]), counts)
    return counts
