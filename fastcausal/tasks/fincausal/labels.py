"""Labels of words, as the published program gives them: by the longest chain of a span's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fastcausal.formats.fincausal import Int64, TextSlices
from fastcausal.formats.words import Cutting

WordBits = tuple[int, int]  # words of the cause, words of the effect: bits by place


class WordLabels(NamedTuple):
    """Labels of the words of each text."""

    sizes: Int64  # int64[n]: Words of each text
    gold: list[WordBits]
    pred: list[WordBits]
    # int64[n, 2, 2]: For gold and pred: words that the text lacks, and words of the longest
    # chain
    facts: Int64


class Chain(NamedTuple):
    """The words of a text that a span labels."""

    mark: int  # Bits by place
    n_unknown: int  # Words of the span that the text lacks
    length: int  # Words of the chain; 0 for a span of one known word, which labels all its places


def label_words(
    text: TextSlices, gold: Sequence[TextSlices], pred: Sequence[TextSlices], cut: Cutting
) -> WordLabels:
    """Label the words of texts by the causes and effects of both sides."""
    before = None
    sizes, labels, facts = [], [], []
    columns = [column.texts() for column in (text, *gold, *pred)]
    for of, *spans in zip(*columns, strict=True):
        if of != before:
            before, words = of, cut.words_of(of)
            places: dict[str, list[int]] = {}
            for place, word in enumerate(words):
                places.setdefault(word, []).append(place)
            known: dict[str, Chain] = {}
        for span in spans:
            if span not in known:
                known[span] = find_chain(cut.words_of(span), words, places)
        cause, effect, other_cause, other_effect = (known[span] for span in spans)
        sizes.append(len(words))
        labels.append([(cause.mark, effect.mark), (other_cause.mark, other_effect.mark)])
        facts.append(
            [
                (a.n_unknown + b.n_unknown, max(a.length, b.length))
                for a, b in ((cause, effect), (other_cause, other_effect))
            ]
        )
    return WordLabels(
        np.array(sizes, np.int64),
        [of_gold for of_gold, _ in labels],
        [of_pred for _, of_pred in labels],
        np.array(facts, np.int64).reshape(-1, 2, 2),
    )


def find_chain(
    span: Sequence[str], text: Sequence[str], places: Mapping[str, Sequence[int]]
) -> Chain:
    """Find the longest chain of a span's words: each next place is one or two further.

    >>> find_chain(["a", "b", "d", "c"], [*"abxca"], {"a": [0, 4], "b": [1], "x": [2], "c": [3]})
    Chain(mark=11, n_unknown=1, length=3)
    """
    # A word that the text lacks is looked for with a full stop, and else passed over. Of equally
    # long chains, the one whose places come first is taken.
    words = [word if word in places else f"{word}." for word in span]
    words = [word for word in words if word in places]
    n_unknown = len(span) - len(words)
    if not words:
        return Chain(0, n_unknown, 0)
    first = places[words[0]][0]
    if len(words) > 1 and text[first : first + len(words)] == words:
        # No other chain is longer, or comes before.
        return Chain(((1 << len(words)) - 1) << first, n_unknown, len(words))
    bits = {word: sum(1 << place for place in places[word]) for word in {*words}}
    if len(words) == 1:
        return Chain(bits[words[0]], n_unknown, 0)
    reached = [bits[words[0]]]
    for word in words[1:]:
        further = (reached[-1] << 1 | reached[-1] << 2) & bits[word]
        if not further:
            break
        reached.append(further)
    length = len(reached)
    for step in range(length - 2, -1, -1):  # keep places that lead to the end
        reached[step] &= reached[step + 1] >> 1 | reached[step + 1] >> 2
    place = (reached[0] & -reached[0]).bit_length() - 1
    mark = 1 << place
    for of in reached[1:]:
        place += 1 if of >> (place + 1) & 1 else 2
        mark |= 1 << place
    return Chain(mark, n_unknown, length)
