"""Pairs of events and candidates from tables and corpora.

::

    doc_id, a, b, label, sentence_a, sentence_b, ...     a row a pair
    doc_id, event, sentence                              candidates may be events
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Problems
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.records import Records, read_records
from fastcausal.tasks.eci.corpora import is_corpus, read_corpus
from fastcausal.tasks.eci.corpora.documents import Corpus, EventDocument
from fastcausal.tasks.eci.labels import LabelCodes, LabelScheme

GOLD, PRED, CANDIDATES = "gold", "pred", "candidates"
OWN = ("doc_id", "a", "b", "label", "sentence_a", "sentence_b", "event", "sentence", "score")


@dataclass(frozen=True, eq=False)
class EventPairs:
    """Rows of pairs, or of events, of one source.

    Attributes
    ----------
    records : Records
        The source, for messages and other columns.
    rows : int64[n] or None
        Rows of the source; None for all.
    doc, a, b : pyarrow.Array
        string[n]; ``b`` is None of a list of events.
    label : int8[n] or None
        Codes of `LabelScheme`; None of candidates.
    sentences : tuple of (pyarrow.Array or None)
        Sentence of a and of b.
    named : pyarrow.Array
        Documents that rows without a pair name.
    """

    records: Records
    rows: Any
    doc: pa.Array
    a: pa.Array
    b: pa.Array | None
    label: LabelCodes | None
    sentences: tuple[pa.Array | None, pa.Array | None]
    named: pa.Array

    def __len__(self) -> int:
        return len(self.doc)

    def where(self, row: int) -> str:
        """Name the place of a row in messages."""
        return self.records.where(int(row if self.rows is None else self.rows[row]))

    @property
    def documents(self) -> Sequence[EventDocument]:
        """Documents of a corpus, with their mentions; none of a table."""
        return self.records.documents if isinstance(self.records, Corpus) else ()

    def keep(self, rows: Any) -> EventPairs:
        """Return some of the rows, by number."""
        at = arrow.numbers(rows)
        of = [None if x is None else pc.take(x, at) for x in (self.doc, self.a, self.b)]
        of_a, of_b = (None if x is None else pc.take(x, at) for x in self.sentences)
        label = None if self.label is None else self.label[rows]
        return replace(
            self, rows=rows if self.rows is None else self.rows[rows], doc=of[0], a=of[1], b=of[2],
            label=label, sentences=(of_a, of_b),
        )  # fmt: skip


def read_pairs(
    source: Any, labels: LabelScheme, name: str = "gold", relation: str = "causal"
) -> EventPairs:
    """Read labelled pairs.

    Parameters
    ----------
    source : path, table, list of mappings or of documents
        What `read_records` takes, with the columns ``doc_id``, ``a``, ``b`` and ``label``, or
        what `read_corpus` takes. A row without a and b names a document without pairs.
    labels : LabelScheme
    name : str
        Names a source other than a file in messages.
    relation : {"causal", "temporal", "subevent"}
        The relation of MAVEN-ERE to read.

    Raises
    ------
    InputError
        It cannot be read, a label is unknown, or an event is paired with itself.

    Examples
    --------
    >>> rows = [{"doc_id": "d", "a": 1, "b": 2, "label": "CAUSE"}, {"doc_id": "e"}]
    >>> pairs = read_pairs(rows, LabelScheme())
    >>> pairs.a.to_pylist(), pairs.label, pairs.named.to_pylist()
    (['1'], array([4], dtype=int8), ['e'])
    """
    return pairs_of(open_table(source, relation, name), labels)


def read_candidates(source: Any, name: str = CANDIDATES) -> EventPairs:
    """Read pairs (``doc_id, a, b``), or events (``doc_id, event``) whose pairs are candidates.

    Raises
    ------
    InputError
        As `read_pairs`; or a table has neither.

    Examples
    --------
    >>> events = read_candidates([{"doc_id": "d", "event": "x", "sentence": 3}])
    >>> events.a.to_pylist(), events.b
    (['x'], None)
    """
    records = open_table(source, "causal", name)
    if "event" not in records:
        return pairs_of(records, None)
    doc, event = (records.texts(column) for column in ("doc_id", "event"))
    problems = Problems()
    _require(records, {"doc_id": doc, "event": event}, problems)
    sentence = _sentence(records, "sentence")
    return EventPairs(records, None, doc, event, None, None, (sentence, None), doc[:0])


def open_table(source: Any, relation: str = "causal", name: str = "rows") -> Records:
    """Read the rows of a table or of a corpus."""
    if isinstance(source, str) and source == "-":
        source = Source.open(source)
    if isinstance(source, Records):
        return source
    if is_corpus(source):
        return read_corpus(source, relation, name)
    if relation != "causal":
        raise InputError(f"{name}: relation {relation}, expected MAVEN-ERE JSON lines")
    return read_records(source, name, may_be_empty=name == PRED)


def is_pairs(source: str) -> bool:
    """Tell if a path is of a corpus, or of a table with the columns ``doc_id``, ``a`` and ``b``."""
    if source == "-":
        return False
    if is_corpus(source):
        return True
    try:
        head = Source.open(source, most=1 << 16)
        if head.is_json:
            return {"doc_id", "a", "b"} <= {*first_object(head)}
        if binary.sniff(head.data) is not None:
            return all(name in read_records(source) for name in ("doc_id", "a", "b"))
    except InputError:
        return False  # scoring says why
    names = re.split(rb"[,;\t\r\n]", head.data.partition(b"\n")[0])
    return {b"doc_id", b"a", b"b"} <= {name.strip(b'"') for name in names}


def pairs_of(records: Records, labels: LabelScheme | None) -> EventPairs:
    """Return the pairs of rows; labels None: of candidates."""
    if not len(records):
        none = pa.array([], pa.string())
        return EventPairs(records, None, none, none, none, np.zeros(0, np.int8), (None, None), none)
    doc, a, b = (records.texts(column) for column in ("doc_id", "a", "b"))
    problems = Problems()
    label = None if labels is None else labels.encode(records, problems)
    ends = _sentence(records, "sentence_a"), _sentence(records, "sentence_b")
    pairs = EventPairs(records, None, doc, a, b, label, ends, doc[:0])
    if a.null_count or b.null_count:
        pairs = _without_names(pairs)
    _require(pairs, {"doc_id": pairs.doc, "a": pairs.a, "b": pairs.b}, problems)
    same = pc.equal(pairs.a, pairs.b)
    if pc.any(same, min_count=0).as_py():
        for row in np.flatnonzero(np.asarray(same)).tolist():
            event = pairs.a[row].as_py()
            problems.add(f'{pairs.where(row)}: event "{event}" is paired with itself')
    problems.raise_if_any()
    return pairs


def _without_names(pairs: EventPairs) -> EventPairs:
    """Set apart rows that have a document alone; they name it."""
    empty = ~arrow.is_valid(pairs.a) & ~arrow.is_valid(pairs.b)
    if pairs.label is not None:
        empty &= pairs.label == 0
    named = pc.take(pairs.doc, arrow.numbers(np.flatnonzero(empty)))
    return replace(pairs.keep(np.flatnonzero(~empty)), named=named.drop_null())


def _require(place: Any, columns: dict[str, pa.Array], problems: Problems) -> None:
    for name, column in columns.items():
        if column.null_count:
            for row in np.flatnonzero(~arrow.is_valid(column)).tolist():
                problems.add(f'{place.where(row)}: no "{name}"')
    problems.raise_if_any()


def _sentence(records: Records, name: str) -> pa.Array | None:
    """Return a column of sentences: whole numbers as they are, else texts."""
    if name not in records:
        return None
    column = records.column(name)
    if pa.types.is_integer(column.type):
        return column
    return records.texts(name)
