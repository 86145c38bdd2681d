"""Tokenizers of texts."""

from __future__ import annotations

from collections.abc import Mapping

from fastcausal.formats import words as tokenizers
from fastcausal.formats.words import Cut, Cutting
from fastcausal.marking import WordRule
from fastcausal.tasks.fincausal.nltk_rules import cut_words

NAMES: Mapping[str, Cut | None] = {"fincausal": cut_words, "blank": str.split}


def cutting(words: WordRule) -> Cutting:
    """Return a tokenizer.

    >>> cutting("fincausal").words_of('U.S. firms grew 3.5%. "Sales" rose.')
    ['U.S.', 'firms', 'grew', '3.5', '%', '.', '``', 'Sales', "''", 'rose', '.']
    """
    found = tokenizers.cutting(words, NAMES)
    assert found is not None  # every name has one
    return found
