"""Words of a text for comparison, as in the official scorer of SQuAD 1.1."""

from __future__ import annotations

import re
import string

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLES = re.compile(r"\b(?:an?|the)\b")


def words(text: str) -> list[str]:
    """Return the words for comparison: lower case, without punctuation and articles.

    Examples
    --------
    >>> words("The U.S. dollar's   rise")
    ['us', 'dollars', 'rise']
    """
    return _ARTICLES.sub(" ", _PUNCTUATION.sub("", text.lower())).split()


def f1(gold: list[str], pred: list[str]) -> float:
    """Compute F1 of two bags of words, not both empty: shared words twice over all words."""
    unmet: dict[str, int] = {}
    for word in gold:
        unmet[word] = unmet.get(word, 0) + 1
    shared = 0
    for word in pred:
        if unmet.get(word):
            unmet[word] -= 1
            shared += 1
    return 2 * shared / (len(gold) + len(pred))
