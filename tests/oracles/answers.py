"""Exact match and F1 of answers, in fractions.

Source: Rajpurkar et al. 2016, section 6.1, and the definition of its normalisation. Shares nothing
with the package.
"""

from __future__ import annotations

import re
import string
from fractions import Fraction


def plain_words(text):
    """The definition, letter by letter."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    for article in ("a", "an", "the"):
        kept = re.sub(rf"(?<!\w){article}(?!\w)", " ", kept)
    return kept.split()


def reference(gold, pred):
    """Exact match and F1 as a fraction."""
    found = plain_words(pred)
    best = (0, Fraction(0))
    for answer in map(plain_words, gold):
        shared = sum(min(answer.count(word), found.count(word)) for word in {*answer})
        f1 = Fraction(0)
        if shared:
            precision, recall = Fraction(shared, len(found)), Fraction(shared, len(answer))
            f1 = 2 * precision * recall / (precision + recall)
        best = (max(best[0], int(answer == found)), max(best[1], f1))
    return best
