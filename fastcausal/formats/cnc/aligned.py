"""Alignment of rewritten tagged sentences: their tags are moved into gold's text.

A model that writes text joins tokens (``floods.``), straightens quotes and changes white space. The
letters stay, and so do the places of tags among them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from fastcausal.files.values import shown
from fastcausal.formats.cnc.markup import TOKEN, holds_tags, pieces_of, strip_tags
from fastcausal.formats.sentences import Letters, fold_signs

NOTE = "sentence aligned by its letters"
SAME_LETTERS = "though all letters are the same"
# Letters that one form keeps: it drops white space, and makes a run of dashes one dash.
_KEPT = re.compile(r"[^\s\-\u2010-\u2015\u2212]+")
MAX_FORMS = 3  # letters that one letter becomes


def aligned(
    kept: Any,  # list<string> of each example
    # A sentence stays unchanged if its text is None, has the same tokens, or has other letters.
    texts: list[str | None],
) -> tuple[pa.ListArray, int]:
    """Move the tags of sentences into the texts of their examples, and count changed sentences."""
    rows = kept.to_pylist()
    n_changed = 0
    for sentences, text in zip(rows, texts, strict=True):
        if text is None:
            continue
        for k, sentence in enumerate(sentences):
            anew = onto(sentence, text)
            if anew is not None:
                sentences[k] = anew
                n_changed += 1
    return pa.array(rows, kept.type), n_changed


def onto(sentence: str, text: str) -> str | None:
    """Move the tags of a sentence into a text of the same letters and other tokens."""
    # White space and case are ignored; variants of quotes, dashes and the ellipsis are equal.
    # None if the tokens are equal already, the letters differ, or the text contains tags.
    plain = strip_tags(sentence)
    if _is_longer(plain, text):
        return None
    if TOKEN.findall(plain) == TOKEN.findall(text):
        return None
    own, letters = Letters.fold_text(plain, fold_signs), Letters.fold_text(text, fold_signs)
    if own.text != letters.text or holds_tags(text):
        return None
    pieces = pieces_of(sentence)
    copied: list[str] = []
    n_copied = n_read = 0
    for piece, tag in zip(pieces[:-1:2], pieces[1::2], strict=True):
        n_read += len(piece)
        place = _place(letters, bisect_left(own.starts, n_read), closes=tag.startswith("</"))
        copied += [text[n_copied:place], tag]
        n_copied = max(n_copied, place)
    return "".join([*copied, text[n_copied:]])


def _is_longer(plain: str, text: str) -> bool:
    """Return True if a sentence has too many letters for a text; stop at the first too many."""
    left = MAX_FORMS * len(text)
    if len(plain) <= left:
        return False
    for letters in _KEPT.finditer(plain):
        left -= len(letters[0])
        if left < 0:
            return True
    return False


def _place(letters: Letters, n: int, *, closes: bool) -> int:
    """Return the place of a tag after n letters: after the last one, or before the next."""
    if closes or n == len(letters.starts):
        return letters.stops[n - 1] if n else 0
    return letters.starts[n]


def difference(sentence: str, text: str) -> str:
    """Return the first token in which a tagged sentence differs from a text, for messages."""
    both = (TOKEN.finditer(each) for each in (strip_tags(sentence), text))
    pairs = zip_longest(*((token[0] for token in tokens) for tokens in both))
    same = f", {SAME_LETTERS}" if onto(sentence, text) is not None else ""
    for number, (token, expected) in enumerate(pairs, 1):
        if token != expected:
            got = "missing" if token is None else shown(token)
            wanted = "none" if expected is None else shown(expected)
            return f"token {number} is {got}, expected {wanted}{same}"
    return "all tokens are the same"
