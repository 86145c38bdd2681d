"""Words and the sub-words of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.tensors import INTEGERS, misplaced_word, word_numbers
from fastcausal.errors import InputError, Problems


def word_ids_of(encoding: Any) -> npt.NDArray[np.int32]:
    """Return the word of each token.

    Parameters
    ----------
    encoding : BatchEncoding, or list of list of int or None
        Output of a fast tokenizer of transformers, or the ``word_ids()`` of each sentence. Pass
        words to the tokenizer (``is_split_into_words=True``), else the numbers count its own words.

    Returns
    -------
    int32[batch, tokens]
        -1 for a token without a word, and after the last token of shorter sentences.

    Raises
    ------
    InputError
        The tokenizer is slow, or a word number is invalid.

    Examples
    --------
    >>> word_ids_of([[None, 0, 1, 1, None], [None, 0, None]])
    array([[-1,  0,  1,  1, -1],
           [-1,  0, -1, -1, -1]], dtype=int32)
    """
    lines = encoding
    if hasattr(encoding, "encodings"):
        if encoding.encodings is None:
            raise InputError("the encoding has no word ids, expected one from a fast tokenizer")
        lines = [line.word_ids for line in encoding.encodings]
    try:
        numbers = [[-1 if word is None else word for word in line] for line in lines]
    except TypeError as error:
        raise InputError(f"word_ids: {error}, expected a list for each sentence") from error
    return word_numbers(padded("word_ids", numbers, -1))


def align_labels(
    labels: Sequence[Sequence[int]], word_ids: Any, ignore_index: int = -100
) -> npt.NDArray[np.int64]:
    """Turn labels of words into labels of tokens: each word's first token has the word's label.

    Parameters
    ----------
    labels : list of list of int
        A label id for each word; words that the tokenizer cut off may have one.
    word_ids : int[batch, tokens]
        The word of each token, -1 for none, from `word_ids_of`.
    ignore_index : int
        The label of all other tokens.

    Returns
    -------
    int64[batch, tokens]

    Raises
    ------
    InputError
        A word has no label, words are out of order, or the numbers of sentences differ.

    Examples
    --------
    >>> align_labels([[5, 6]], np.array([[-1, 0, 1, 1, -1]]))
    array([[-100,    5,    6, -100, -100]])
    """
    words = word_numbers(word_ids)
    if len(labels) != len(words):
        raise InputError(f"labels of {len(labels)} sentences, word_ids of {len(words)}")
    numbers = padded("labels", labels, ignore_index)
    before = np.maximum.accumulate(words, axis=1)[:, :-1]
    first = words >= 0
    first[:, 1:] &= words[:, 1:] > before
    _require_labels(words, before, np.array([len(line) for line in labels]))
    result = np.full(words.shape, ignore_index, np.int64)
    rows, tokens = np.nonzero(first)
    result[rows, tokens] = numbers[rows, words[rows, tokens]]
    return result


def _require_labels(
    words: npt.NDArray[np.int32], before: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]
) -> None:
    problems = Problems()
    for example in np.flatnonzero(words.max(1, initial=-1) >= counts):
        problems.add(
            f"example {example}: word {words[example].max()} has no label, "
            f"found labels of {counts[example]} words"
        )
    for example, token in np.argwhere((words[:, 1:] >= 0) & (words[:, 1:] < before)):
        problems.add(misplaced_word(words, example, token + 1))
    problems.raise_if_any()


def padded(name: str, lines: Sequence[Sequence[Any]], fill: int) -> npt.NDArray[np.int64]:
    """Return lists of integers as one matrix, with a fill after the end of shorter ones.

    >>> padded("labels", [[1, 2], []], -100)
    array([[   1,    2],
           [-100, -100]])
    """
    try:
        lengths = np.array([len(line) for line in lines], np.int64)
    except TypeError as error:
        raise InputError(f"{name}: {error}, expected a list for each sentence") from error
    items = np.array(list(chain.from_iterable(lines)))
    if len(items) and (items.dtype.name not in INTEGERS or items.ndim != 1):
        raise InputError(f"{name}: found {items.dtype}, expected lists of integers")
    result = np.full((len(lines), lengths.max(initial=0)), fill)
    result[np.arange(result.shape[1]) < lengths[:, None]] = items
    return result
