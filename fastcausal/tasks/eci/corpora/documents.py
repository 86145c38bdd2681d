"""Documents of a corpus: mentions of events, their pairs, and the table of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.distinct import Int32
from fastcausal.errors import InputError, Problems, Warnings
from fastcausal.files.records import Records
from fastcausal.files.values import shown

NONE, UNKNOWN_DIRECTION = "NONE", "UNKNOWN"  # labels of no relation, and of one without direction
MAX_SENTENCES = 2**31
MAX_PAIRS = 3_000_000  # of mentions, in a corpus

Booleans = npt.NDArray[np.bool_]


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
    """A document of a corpus."""

    file: str  # The file, for messages
    id: str
    # Facts of the document, such as its topic
    columns: Mapping[str, str] = field(default_factory=dict)
    mentions: dict[str, Mention] = field(default_factory=dict)  # Events by id
    # Their ends are mentions, or clusters of mentions
    pairs: list[Pair] = field(default_factory=list)
    sentences: dict[int, str] = field(default_factory=dict)  # Texts by number
    # Mentions of each event that has several; a pair of events is one of all their mentions
    clusters: dict[str, list[str]] = field(default_factory=dict)
    n_left_out: int = 0  # Pairs of a chain of mentions with itself, which are left out

    def place(self, line: int) -> str:
        """Name a line in messages."""
        return f"{self.file}:{line}" if line else self.file


class PairRows(NamedTuple):
    """The rows of a corpus as numbers."""

    document: Int32  # int32[n]: The document of each row
    ends: Int32  # int32[n, 2]: The mentions of each row, -1 for none
    lines: Int32  # int32[n]: The line of each row, 0 if unknown


class Corpus(Records):
    """Table of the pairs of mentions in documents."""

    # A document without pairs is a row without mentions.

    def __init__(
        self,
        name: str,
        table: pa.Table,
        documents: Sequence[EventDocument],
        mentions: Sequence[tuple[int, str]],  # Document and id of each mention in a pair
        pairs: PairRows,  # The rows of the table
        is_maven: bool = False,  # True for MAVEN-ERE: gold lists all mentions of its documents
    ) -> None:
        super().__init__(name, table, places=_Places(documents, pairs))
        self.documents = documents
        self.mentions = mentions
        self.pairs = pairs
        self.is_maven = is_maven

    @property
    def n_pairs(self) -> int:
        """Number of rows with a pair."""
        return int((self.pairs.ends[:, 0] >= 0).sum())

    def only(self, kept: Booleans) -> Corpus:
        """Return the rows of a mask."""
        table = self.table.filter(arrow.numbers(kept))
        pairs = PairRows(*(numbers[kept] for numbers in self.pairs))
        return Corpus(self.name, table, self.documents, self.mentions, pairs, self.is_maven)

    def warn_of_self_pairs(self, name: str) -> Warnings:
        """Warn of chains of mentions that are paired with themselves."""
        n = sum(document.n_left_out for document in self.documents)
        texts = f"{name}: pairs of a chain of mentions with itself, left out: ", ""
        return {texts: (n,)} if n else {}


class _Places(Sequence[str]):
    """Places of rows in messages, made when they are asked for."""

    def __init__(self, documents: Sequence[EventDocument], pairs: PairRows) -> None:
        self._documents, self._pairs = documents, pairs

    def __len__(self) -> int:
        return len(self._pairs.lines)

    def __getitem__(self, row: Any) -> Any:
        document = self._documents[self._pairs.document[row]]
        return document.place(int(self._pairs.lines[row]))


def corpus_of(name: str, documents: Sequence[EventDocument], is_maven: bool = False) -> Corpus:
    """Join documents into one table."""
    problems = Problems()
    owners: dict[str, str] = {}
    for document in documents:
        owner = owners.setdefault(document.id, document.file)
        if owner != document.file:
            problems.add(f'{document.file}: document "{document.id}" is also in {owner}')
    problems.raise_if_any()
    mentions: list[tuple[int, str]] = []
    labels: dict[str | None, int] = {None: 0}
    members = [-1]  # mentions of clusters, one after the other
    links: list[tuple[int, ...]] = []
    n_rows = 0
    for k, document in enumerate(documents):
        ends: dict[str, tuple[int, int]] = {}
        codes: dict[str, int] = {}
        n_before = n_rows
        for a, b, label, line in document.pairs:
            for end in (a, b):
                if end not in ends:
                    of_end = document.clusters.get(end, [end])
                    ends[end] = len(members), len(of_end)
                    for mention in of_end:
                        if mention not in codes:
                            codes[mention] = len(mentions)
                            mentions.append((k, mention))
                        members.append(codes[mention])
            links.append((k, labels.setdefault(label, len(labels)), line, *ends[a], *ends[b]))
            n_rows += ends[a][1] * ends[b][1]
            if n_rows > MAX_PAIRS:
                raise InputError(
                    f"{document.place(line)}: {ends[a][1]} and {ends[b][1]} mentions of "
                    f"{shown(a)} and {shown(b)}: more than {MAX_PAIRS} pairs of mentions in "
                    f"{name}, expected at most so many"
                )
        if n_rows == n_before:
            links.append((k, 0, 0, 0, 1, 0, 1))
            n_rows += 1
    names = [*labels]
    table, pairs = _expanded(documents, mentions, names, members, links)
    return Corpus(name, table, documents, mentions, pairs, is_maven)


def _expanded(
    documents: Sequence[EventDocument],
    mentions: Sequence[tuple[int, str]],
    labels: Sequence[str | None],
    members: Sequence[int],
    # (document, label, line, first of a, mentions of a, first of b, of b); the first mentions are
    # places in ``members``
    links: Sequence[tuple[int, ...]],
) -> tuple[pa.Table, PairRows]:
    """Return the table of all pairs of mentions of linked clusters, and its rows as numbers."""
    document, label, line, a, n_a, b, n_b = np.array(links, np.int32).reshape(-1, 7).T
    link = np.repeat(np.arange(len(links), dtype=np.int32), n_a * n_b)
    starts = np.cumsum(n_a * n_b) - n_a * n_b
    within = np.arange(len(link), dtype=np.int32) - starts.astype(np.int32)[link]
    codes, width = np.array(members, np.int32), n_b[link]
    ends = np.stack([codes[a[link] + within // width], codes[b[link] + within % width]], 1)
    rows = PairRows(document[link], ends, line[link])
    names = [*(id for _, id in mentions), None]
    table = {
        "doc_id": _coded([each.id for each in documents], rows.document),
        "a": _coded(names, ends[:, 0]),
        "b": _coded(names, ends[:, 1]),
        "label": _coded(labels, label[link]),
    }
    sentences = [documents[k].mentions.get(id, Mention()).sentence for k, id in mentions]
    known = np.array([sentence is not None for sentence in (*sentences, None)])
    if any(mention.sentence is not None for d in documents for mention in d.mentions.values()):
        numbers = np.array([sentence or 0 for sentence in (*sentences, 0)], np.int32)
        for column, end in zip(("sentence_a", "sentence_b"), ends.T, strict=True):
            table[column] = arrow.numbers(numbers[end], known[end])
    for column in dict.fromkeys(name for each in documents for name in each.columns):
        table[column] = _coded([each.columns.get(column) for each in documents], rows.document)
    return pa.table(table), rows


def _coded(values: Sequence[str | None], rows: Int32) -> pa.DictionaryArray:
    """Return the values at places, -1 for the last, in a dictionary of texts."""
    names = {text: k for k, text in enumerate(dict.fromkeys(values)) if text is not None}
    names = {text: k for k, text in enumerate(names)}
    codes = np.array([-1 if text is None else names[text] for text in values], np.int32)[rows]
    return pa.DictionaryArray.from_arrays(arrow.numbers(codes, codes >= 0), arrow.strings([*names]))
