"""Tokenizers of texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.errors import InputError
from fastcausal.files.records import read_records
from fastcausal.tasks.fincausal.nltk_rules import cut_words

Words: TypeAlias = str | os.PathLike[str] | Callable[[str], Sequence[str]]
NAMES = ("fincausal", "blank", "nltk")


class Cutting(NamedTuple):
    """A tokenizer."""

    name: str  # Name in signatures
    cut: Callable[[str], Sequence[str]]  # Returns the words of a text

    def words_of(self, text: str) -> list[str]:
        """Cut one text.

        >>> cutting("fincausal").words_of('U.S. firms grew 3.5%. "Sales" rose.')
        ['U.S.', 'firms', 'grew', '3.5', '%', '.', '``', 'Sales', "''", 'rose', '.']
        """
        words: list[Any] = [*self.cut(text)] if text else []
        for word in words:
            if not isinstance(word, str) or not word:
                raise InputError(f"words {self.name}: a word is {word!r}, expected text")
        return words


def cutting(
    # A file has rows of ``text`` and ``words``, a list, for all texts, causes and effects
    words: Words,
) -> Cutting:
    """Return a tokenizer."""
    if callable(words):
        return Cutting(getattr(words, "__qualname__", type(words).__name__), words)
    if words == "fincausal":
        return Cutting(words, cut_words)
    if words == "blank":
        return Cutting(words, str.split)
    if words == "nltk":
        return _nltk()
    if isinstance(words, str) and not Path(words).exists() and not Path(words).suffix:
        raise ValueError(f'words is "{words}", expected one of {", ".join(NAMES)}, or a file')
    return _read_words(words)


def _nltk() -> Cutting:
    try:
        nltk = import_module("nltk")
        nltk.word_tokenize("A model is here.")
    except ImportError as error:
        raise InputError("words nltk: nltk is not installed, expected pip install nltk") from error
    except LookupError as error:
        model = "its model of sentences is not installed"
        hint = "expected python -m nltk.downloader punkt_tab"
        raise InputError(f"words nltk: {model}, {hint}") from error
    return Cutting(f"nltk-{nltk.__version__}", nltk.word_tokenize)


def _read_words(source: Any) -> Cutting:
    records = read_records(source, "words")
    texts = records.texts(records.require("text")).to_pylist()
    lists = [row.get("words") for row in records.objects()]
    known: dict[str, list[str]] = {}
    for row, (text, words) in enumerate(zip(texts, lists, strict=True)):
        if not isinstance(words, list) or text is None:
            raise InputError(f'{records.locate(row)}: expected "text" and a list of "words"')
        if known.setdefault(text, words) != words:
            raise InputError(f"{records.locate(row)}: other words than before of the same text")
    digest = digest_of_texts(strings([*known]), strings(["\n".join(w) for w in known.values()]))
    return Cutting(f"{digest:032x}", _Listed(records.name, known))


class _Listed:
    """Words from a file."""

    def __init__(self, name: str, known: Mapping[str, list[str]]) -> None:
        self.name, self.known = name, known

    def __call__(self, text: str) -> list[str]:
        if text not in self.known:
            raise InputError(f'{self.name}: no words of the text "{text[:80]}"')
        return self.known[text]
