"""Whole numbers and booleans written as text: one reading for labels, sentences and subsets."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from fastcausal.arrays import compute as pc

_WHOLE = r"^(-?[0-9]{1,18}|true|false)$"


def plain(texts: pa.Array) -> pa.Array:
    """Write whole numbers without a decimal point.

    >>> plain(pa.array(["2021.0", "2021", "1.10", "v1.0", None])).to_pylist()
    ['2021', '2021', '1.10', 'v1.0', None]
    """
    return pc.replace_substring_regex(texts, r"^(-?[0-9]+)\.0+$", r"\1")


def words_of(texts: pa.Array) -> pa.Array:
    """Strip blanks around labels, write whole numbers `plain` and booleans in lower case.

    >>> words_of(pa.array([" 1", "1.0", "True", "Yes ", " "])).to_pylist()
    ['1', '1', 'true', 'Yes', None]
    """
    # An empty text becomes null. Letter case distinguishes all other labels.
    words = plain(pc.utf8_trim_whitespace(texts))
    words = pc.replace_substring_regex(words, "^T(rue|RUE)$", "true")
    words = pc.replace_substring_regex(words, "^F(alse|ALSE)$", "false")
    return pc.if_else(pc.equal(words, ""), None, words)


def are_whole(words: pa.Array) -> bool:
    """Return True if all `words_of` texts are whole numbers or booleans; null may be among them."""
    return bool(pc.all(pc.match_substring_regex(words, _WHOLE), min_count=0).as_py())


def digits(words: pa.Array) -> pa.Array:
    """Write the booleans among `words_of` texts as 1 and 0.

    >>> digits(pa.array(["true", "0", "false"])).to_pylist()
    ['1', '0', '0']
    """
    ones = pc.replace_substring_regex(words, "^true$", "1")
    return pc.replace_substring_regex(ones, "^false$", "0")


def each(change: Callable[[pa.Array], pa.Array], values: pa.Array) -> pa.Array:
    """Apply a function of text to a column, once to each distinct value.

    >>> each(plain, pa.array(["1.0", "2", "1.0"])).to_pylist()
    ['1', '2', '1']
    """
    codes = values.dictionary_encode()
    changed = change(codes.dictionary)
    return values if changed.equals(codes.dictionary) else changed.take(codes.indices)
