"""Tokenizers of texts, and the tokens of the examples of relations.

::

    words=, a column ``tokens`` ──▶ Cutting, WordCutter ──▶ SearchedSentence: tokens in characters
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.reading import LETTERS
from fastcausal.errors import InputError
from fastcausal.files.keys import Int64
from fastcausal.files.records import read_records
from fastcausal.files.values import kind
from fastcausal.formats.sentences import SearchedSentence
from fastcausal.marking import Marking, WordRule
from fastcausal.relations import Relations

Cut: TypeAlias = Callable[[str], Sequence[str]]
NAMES: Mapping[str, Cut | None] = {"blank": None, LETTERS: None}  # for relations


class Cutting(NamedTuple):
    """A tokenizer."""

    name: str  # Name in signatures
    cut: Cut  # Returns the words of a text

    def words_of(self, text: str) -> list[str]:
        """Cut one text.

        >>> Cutting("blank", str.split).words_of("Heavy rain")
        ['Heavy', 'rain']
        """
        words: list[Any] = [*self.cut(text)] if text else []
        for word in words:
            if not isinstance(word, str) or not word:
                raise InputError(f"words {self.name}: a word is {word!r}, expected text")
        return words


def cutting(
    # A file has rows of ``text`` and ``words``, a list, for all texts
    words: WordRule,
    named: Mapping[str, Cut | None],  # Tokenizers by name, besides "nltk"
) -> Cutting | None:
    """Return a tokenizer; None for a name without one."""
    if callable(words):
        return Cutting(getattr(words, "__qualname__", type(words).__name__), words)
    if words == "nltk":
        return _nltk()
    if isinstance(words, str) and words in named:
        cut = named[words]
        return None if cut is None else Cutting(words, cut)
    if isinstance(words, str) and not Path(words).exists() and not Path(words).suffix:
        names = ", ".join([*named, "nltk"])
        raise ValueError(f'words is "{words}", expected one of {names}, or a file')
    return _read_words(os.fspath(words), _stamp(words))


class WordCutter(NamedTuple):
    """The rule by which the texts of relations are cut into tokens."""

    name: str | None = None  # In signatures; None for blanks
    cutting: Cutting | None = None  # None for blanks and letters

    @classmethod
    def choose(cls, words: WordRule | None = None, like: Relations | None = None) -> WordCutter:
        """Return the rule of an option; gold read by letters extends it to predictions."""
        found = None if words is None else cutting(words, NAMES)
        if found is not None:
            return cls(found.name, found)
        by_letters = words == LETTERS or (like is not None and like.reading.words == LETTERS)
        return cls(LETTERS if by_letters else None)

    @property
    def by_letters(self) -> bool:
        """True if letters of scripts without blanks are tokens."""
        return self.name == LETTERS and self.cutting is None

    def tokens_of(self, text: str | None, tokens: Any = None) -> list[str] | None:
        """Return the tokens given for an example, else those of a tokenizer; None for others."""
        if tokens is not None:
            if not isinstance(tokens, list | tuple) or not all(isinstance(t, str) for t in tokens):
                raise InputError(f'"tokens" is {kind(tokens)}, expected a list of texts')
            return list(tokens)
        return None if self.cutting is None or text is None else self.cutting.words_of(text)

    def sentence(self, text: str, tokens: Sequence[str] | None) -> SearchedSentence:
        """Cut a text, whose tokens may be given."""
        return SearchedSentence(text, self.by_letters, tokens)


BLANK = WordCutter()


def read_examples(examples: Sequence[Mapping[str, Any]], marking: Marking) -> Relations:
    """Read examples with spans in tokens, see `Relations.from_examples`."""
    # Tokens of a text that lacks their number are counted by the rule. Given tokens that are not
    # those between the blanks of their text stay in a column.
    cutter = WordCutter.choose(marking.words)
    if cutter.name is None and not any("tokens" in example for example in examples):
        return Relations.from_examples(examples, marking.roles)
    tokens: list[list[str] | None] = [None] * len(examples)
    counted: list[Mapping[str, Any]] = []
    for k, example in enumerate(examples):
        text, given = example.get("text"), example.get("tokens")
        if isinstance(text, str) and given is None and cutter.name is not None:
            tokens[k] = given = cutter.tokens_of(text)
            if example.get("length") is None:
                n = len(cutter.sentence(text, given).starts)
                example = {**example, "length": n}
        elif isinstance(text, str) and isinstance(given, list) and len(given) != len(text.split()):
            tokens[k] = cutter.tokens_of(text, given)
        counted.append(example)
    made = Relations.from_examples(counted, marking.roles)
    for name, column in token_column(tokens).items():
        made = Relations.trusted(made.table.append_column(name, column), made.reading)
    return made.with_reading(words=cutter.name) if cutter.name is not None else made


def has_other_words(relations: Relations) -> bool:
    """Return True if blanks do not separate the tokens of texts."""
    names = relations.table.column_names
    are_given = "tokens" in names and pa.types.is_list(relations.table["tokens"].type)
    return relations.reading.words is not None or are_given


def tokens_like(like: Relations | None, rows: Int64) -> list[Any]:
    """Return the ``tokens`` of gold for each row of predictions, None without any."""
    # Lists of another number than gold's tokens are of another kind, such as parts of words.
    if like is None or "tokens" not in like.table.column_names:
        return [None] * len(rows)
    known, lengths = like.table["tokens"].to_pylist(), like.arrays.lengths.tolist()
    fits = [isinstance(t, list) and len(t) == n for t, n in zip(known, lengths, strict=True)]
    return [known[k] if k >= 0 and fits[k] else None for k in rows.tolist()]


def token_column(tokens: Sequence[Sequence[str] | None]) -> dict[str, pa.Array]:
    """Return the column of tokens; empty without any."""
    if all(given is None for given in tokens):
        return {}
    return {"tokens": pa.array(tokens, pa.list_(pa.string()))}


def join_tokens(tokens: Sequence[str]) -> str:
    """Join tokens by blanks."""
    return " ".join(tokens)


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


def _stamp(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:  # reading reports it
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4)  # every document of an annotation tool has its rule
def _read_words(source: str, stamp: tuple[int, int] | None) -> Cutting:
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
