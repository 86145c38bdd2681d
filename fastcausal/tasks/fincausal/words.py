"""Tokenizers of texts, and abbreviations, which end no sentence."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.letters import kinds_of
from fastcausal.errors import InputError
from fastcausal.files.records import read_records
from fastcausal.formats.fincausal import TextSlices
from fastcausal.tasks.fincausal import _native

Words: TypeAlias = str | os.PathLike[str] | Callable[[str], Sequence[str]]
GIVEN, BLANK, SENTENCES = range(3)  # order of csrc
SEPARATOR = "\x1f"  # of given words
NATIVE = {"fincausal": SENTENCES, "blank": BLANK}
NAMES = (*NATIVE, "nltk")
ABBREVIATIONS = (
    "u.s st corp co aug sept oct nov l.p",
    "dr mr mrs ms messrs inc ltd no vs sen gov rep jr sr prof gen p.m a.m d.c u.k e.g i.e ph.d u.n",
    "jan feb mar apr jun jul dec",
    "ala ariz ark calif colo conn del fla ga ind kan ky la md mich minn mo mont neb nev okla pa",
    "tenn tex va vt wis wyo n.c n.d n.h n.j n.m n.y s.c s.d r.i w.va",
)  # without their last full stop; the published baseline depends on the first line


class Cutting(NamedTuple):
    """A tokenizer."""

    name: str  # Name in signatures
    kind: int  # Number in native code
    # Returns the words of a text; None if native code cuts texts
    cut: Callable[[str], Sequence[str]] | None = None

    def words_of(self, text: str) -> list[str]:
        """Cut one text.

        Examples
        --------
        >>> cutting("fincausal").words_of('U.S. firms grew 3.5%. "Sales" rose.')
        ['U.S.', 'firms', 'grew', '3.5', '%', '.', '``', 'Sales', "''", 'rose', '.']
        """
        [slices] = self.prepared([TextSlices.join([text])])
        kinds = kinds_of(slices.data)
        cut = _native.words(slices.data, kinds, abbreviations(), self.kind)
        return cut.decode().split(SEPARATOR)[:-1]

    def prepared(self, columns: Sequence[TextSlices]) -> list[TextSlices]:
        """Return the columns with given words joined; other texts stay as they are."""
        return [*columns] if self.cut is None else [self._joined(column) for column in columns]

    def _joined(self, column: TextSlices) -> TextSlices:
        assert self.cut is not None
        joined: dict[str, str] = {}
        for text in column.texts():
            if text in joined:
                continue
            words = [*self.cut(text)] if text else []
            for word in words:
                if not is_word(word):
                    raise InputError(f"words {self.name}: a word is {word!r}, expected text")
            joined[text] = SEPARATOR.join(words)
        return TextSlices.join([joined[text] for text in column.texts()])


def cutting(words: Words) -> Cutting:
    """Return a tokenizer.

    Parameters
    ----------
    words : {"fincausal", "blank", "nltk"}, path or callable
        A file has rows of ``text`` and ``words``, a list, for all texts, causes and effects.

    Raises
    ------
    InputError
        nltk or its model is not installed, or a file cannot be read.
    """
    if callable(words):
        return Cutting(getattr(words, "__qualname__", type(words).__name__), GIVEN, words)
    if isinstance(words, str) and words in NATIVE:
        return Cutting(words, NATIVE[words])
    if words == "nltk":
        return _nltk()
    if isinstance(words, str) and not Path(words).exists() and not Path(words).suffix:
        raise ValueError(f'words is "{words}", expected one of {", ".join(NAMES)}, or a file')
    return _of_file(words)


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
    return Cutting(f"nltk-{nltk.__version__}", GIVEN, nltk.word_tokenize)


def _of_file(source: Any) -> Cutting:
    records = read_records(source, "words")
    texts = records.texts(records.require("text")).to_pylist()
    lists = [row.get("words") for row in records.objects()]
    known: dict[str, list[str]] = {}
    for row, (text, words) in enumerate(zip(texts, lists, strict=True)):
        if not isinstance(words, list) or text is None:
            raise InputError(f'{records.where(row)}: expected "text" and a list of "words"')
        if known.setdefault(text, words) != words:
            raise InputError(f"{records.where(row)}: other words than before of the same text")
    digest = digest_of_texts(strings([*known]), strings(["\n".join(w) for w in known.values()]))
    return Cutting(f"{digest:032x}", GIVEN, _Listed(records.name, known))


def is_word(word: object) -> bool:
    """Return True if a word can be passed to native code."""
    return isinstance(word, str) and word != "" and SEPARATOR not in word


class _Listed:
    """Words from a file."""

    def __init__(self, name: str, known: Mapping[str, list[str]]) -> None:
        self.name, self.known = name, known

    def __call__(self, text: str) -> list[str]:
        if text not in self.known:
            raise InputError(f'{self.name}: no words of the text "{text[:80]}"')
        return self.known[text]


def abbreviations() -> bytes:
    """Return the abbreviations, a line each."""
    return "\n".join(" ".join(ABBREVIATIONS).split()).encode()
