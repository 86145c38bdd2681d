"""Documents of a corpus: mentions of events, their pairs, and the table of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import Problems, Warnings
from fastcausal.files.records import Records

NONE, UNKNOWN_DIRECTION = "NONE", "UNKNOWN"  # labels of no relation, and of one without direction
MOST_SENTENCES = 2**31


class Mention(NamedTuple):
    """A mention: its sentence, the characters of its words, and True if it mentions an event."""

    sentence: int | None = None
    words: tuple[tuple[int, int], ...] = ()
    is_event: bool = True


class Pair(NamedTuple):
    """A labelled pair of mentions, with its line; 0 if the file has no line for each pair."""

    a: str
    b: str
    label: str
    line: int = 0


@dataclass
class EventDocument:
    """A document of a corpus.

    Attributes
    ----------
    file : str
        The file, for messages.
    id : str
    columns : mapping of str to str
        Facts of the document, such as its topic.
    mentions : dict of str to Mention
        Events by id.
    pairs : list of Pair
    sentences : dict of int to str
        Texts by number.
    clusters : set of str
        Ids of events whose mentions have their own ids.
    n_left_out : int
        Pairs of a chain of mentions with itself, which are left out.
    """

    file: str
    id: str
    columns: Mapping[str, str] = field(default_factory=dict)
    mentions: dict[str, Mention] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    sentences: dict[int, str] = field(default_factory=dict)
    clusters: set[str] = field(default_factory=set)
    n_left_out: int = 0

    def place(self, line: int) -> str:
        """Name a line in messages."""
        return f"{self.file}:{line}" if line else self.file


class Corpus(Records):
    """The pairs of documents as a table; a document without pairs is a row without mentions.

    Attributes
    ----------
    documents : sequence of EventDocument
    is_maven : bool
        True for documents of MAVEN-ERE: gold lists all of their mentions.
    """

    def __init__(
        self,
        name: str,
        table: pa.Table,
        places: Sequence[str],
        documents: Sequence[EventDocument],
        is_maven: bool = False,
    ) -> None:
        super().__init__(name, table, places=places)
        self.documents = documents
        self.is_maven = is_maven

    def left_out(self, name: str) -> Warnings:
        """Warn of chains of mentions that are paired with themselves."""
        n = sum(document.n_left_out for document in self.documents)
        return (
            {(f"{name}: pairs of a chain of mentions with itself, left out: ", ""): (n,)}
            if n
            else {}
        )


def corpus_of(name: str, documents: Sequence[EventDocument], is_maven: bool = False) -> Corpus:
    """Join documents into one table.

    Raises
    ------
    InputError
        Two documents have the same id.
    """
    problems = Problems()
    owners: dict[str, str] = {}
    for document in documents:
        owner = owners.setdefault(document.id, document.file)
        if owner != document.file:
            problems.add(f'{document.file}: document "{document.id}" is also in {owner}')
    problems.raise_if_any()
    rows = [row for document in documents for row in _rows(document)]
    table: dict[str, pa.Array] = {}
    texts = ("doc_id", "a", "b", "label")
    for at, column in enumerate(texts):
        table[column] = arrow.strings([row[at] for row in rows])
    if any(mention.sentence is not None for d in documents for mention in d.mentions.values()):
        for at, column in enumerate(("sentence_a", "sentence_b"), len(texts)):
            table[column] = _integers([row[at] for row in rows])
    widths = [max(1, len(document.pairs)) for document in documents]
    for column in dict.fromkeys(name for document in documents for name in document.columns):
        values = arrow.strings([document.columns.get(column) for document in documents])
        table[column] = values.take(arrow.numbers(np.repeat(np.arange(len(documents)), widths)))
    places = [row[-1] for row in rows]
    return Corpus(name, pa.table(table), places, documents, is_maven)


def _rows(document: EventDocument) -> Iterator[tuple[Any, ...]]:
    for a, b, label, line in document.pairs:
        ends = [document.mentions.get(mention, Mention()).sentence for mention in (a, b)]
        yield document.id, a, b, label, *ends, document.place(line)
    if not document.pairs:
        yield document.id, None, None, None, None, None, document.file


def _integers(values: list[int | None]) -> pa.Array:
    known = np.array([value is not None for value in values], bool)
    return arrow.numbers(np.array([value or 0 for value in values], np.int64), known)
