"""Pairs of events and candidates from tables and corpora.

::

    doc_id, a, b, label, sentence_a, sentence_b, ...     a row per pair
    doc_id, event, sentence                              candidates may be events

Columns may have other names, see `name_columns`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.distinct import Int32, number_texts
from fastcausal.arrays.numerals import each, plain
from fastcausal.errors import InputError, Problems
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.records import Records, read_records
from fastcausal.options import PairProtocolName, PairRelation
from fastcausal.tasks.eci.corpora import is_corpus, read_corpus
from fastcausal.tasks.eci.corpora.documents import NONE, Corpus
from fastcausal.tasks.eci.labels import LABEL, NO_RELATION, LabelCodes, LabelScheme, labels_of
from fastcausal.tasks.eci.protocols import pair_protocol

GOLD, PRED, CANDIDATES = "gold", "pred", "candidates"
DOCUMENTS = ("doc_id", "doc", "document")
ENDS = (("a", "b"), ("event1", "event2"), ("e1", "e2"), ("source", "target"), ("head", "tail"))
LABELS = (LABEL, "relation")  # and the name of the side
OWN = ("doc_id", "a", "b", "label", "sentence_a", "sentence_b", "event", "sentence", "score")


@dataclass(frozen=True, eq=False)
class EventPairs:
    """Rows of pairs, or of events, of one source."""

    records: Records  # The source, for messages and other columns
    rows: Any  # int64[n] or None: Rows of the source; None for all
    # int32[n]: Numbers of documents and mentions; ``b`` is None for a list of events
    doc: Int32
    a: Int32
    b: Int32 | None
    # Their ids, by number: string
    documents: pa.Array
    mentions: pa.Array
    label: LabelCodes | None  # int8[n] or None: Codes of `LabelScheme`; None for candidates
    sentences: tuple[pa.Array | None, pa.Array | None]  # Sentence of a and of b
    named: pa.Array  # Documents named by rows without a pair

    def __len__(self) -> int:
        return len(self.doc)

    def locate(self, row: int) -> str:
        """Name the place of a row in messages."""
        return self.records.locate(int(row if self.rows is None else self.rows[row]))

    def drop_rows(self) -> EventPairs:
        """Return only the source: columns of many rows take memory."""
        none = np.zeros(0, np.int32)
        return replace(self, rows=None, doc=none, a=none, b=none, label=None)

    def ids(self, row: int) -> tuple[str, str, str]:
        """Return the ids of document and both mentions in a row; an event's id twice."""
        ends = self.a, self.a if self.b is None else self.b
        a, b = (self.mentions[int(end[row])].as_py() for end in ends)
        return self.documents[int(self.doc[row])].as_py(), a, b


def read_pairs(
    # Any source of `read_records`, with the columns ``doc_id``, ``a``, ``b`` and ``label``, or any
    # source of `read_corpus`. A row without a and b names a document without pairs.
    source: Any,
    labels: LabelScheme,
    name: str = "gold",  # Name in messages of a source that is not a file
    relation: str = "causal",  # "causal", "temporal", "subevent": the relation of MAVEN-ERE to read
) -> EventPairs:
    """Read labelled pairs."""
    records = open_table(source, relation, name)
    return pairs_of(records, *labels.encode(records))


def read_candidates(source: Any, name: str = CANDIDATES) -> EventPairs:
    """Read candidates as pairs or as events.

    >>> events = read_candidates([{"doc_id": "d", "event": "x", "sentence": 3}])
    >>> events.ids(0), events.b
    (('d', 'x', 'x'), None)
    """
    # Pairs are ``doc_id, a, b``; of events ``doc_id, event`` all pairs are candidates.
    records = open_table(source, "causal", name)
    if "event" not in records:
        return pairs_of(records, None)
    doc, event = (records.encoded(column) for column in ("doc_id", "event"))
    _require(records.locate, {"doc_id": doc, "event": event}, Problems())
    (docs,), documents = number_texts([doc])
    (events,), mentions = number_texts([event])
    ends = _sentence(records, "sentence"), None
    return EventPairs(
        records, None, docs, events, None, documents, mentions, None, ends, documents[:0]
    )


def open_table(source: Any, relation: str = "causal", name: str = "rows") -> Records:
    """Read the rows of a table or of a corpus."""
    if isinstance(source, str) and source == "-":
        source = Source.open(source)
    if isinstance(source, Records):
        return source
    is_path = isinstance(source, str | os.PathLike)
    if is_corpus(source) or (is_path and Path(source).is_dir()):
        return read_corpus(source, relation, name)
    if relation != "causal":
        raise InputError(f"{name}: relation {relation}, expected MAVEN-ERE JSON lines")
    records = read_records(source, name, may_be_empty=name == PRED, encoded=True)
    name_columns(records, name)
    return records


def name_columns(records: Records, side: str) -> None:
    """Give the columns of a table their names: ``doc_id, a, b, label``.

    >>> rows = Records("p", [{"doc": "d", "head": "x", "tail": "y", "pred": "CAUSE"}])
    >>> name_columns(rows, "pred")
    >>> rows.names
    ['doc_id', 'a', 'b', 'label']
    """
    # A document may be ``doc`` or ``document``, the ends of a pair may have any names of `ENDS`,
    # and its label may be ``relation``, or ``gold`` or ``pred`` as the side.
    if not len(records):
        return
    labels = (*LABELS, side) if side in (GOLD, PRED) else ()
    found = [name for name in labels if name in records]
    if side in found[1:]:
        raise InputError(
            f'{records.header}: columns "{found[0]}" and "{side}" may both hold the labels of '
            f"{side}, expected one of them"
        )
    names = records.names
    wanted: list[tuple[str, ...]] = [DOCUMENTS]
    if labels or (side == CANDIDATES and "event" not in records):
        known = [both for both in ENDS if all(name in records for name in both)]
        wanted += zip(*(known[:1] or ENDS), strict=True)
    wanted += [labels] if labels else []
    missing = [words for words in wanted if records.find(*words) is None]
    if missing:
        columns = ", ".join(f'"{name}" ({" or ".join(others)})' for name, *others in missing)
        columns += ', nor "event"' if side == CANDIDATES else ""
        noun = "column" if len(missing) == 1 else "columns"
        raise InputError(f"{records.header}: no {noun} {columns}: found {', '.join(names)[:200]}")
    for words, name in zip(wanted, ("doc_id", "a", "b", LABEL), strict=False):
        records.spell((name, *words))


def read_gold(gold: Any, relation: str = "causal", **options: Any) -> tuple[Records, Records]:
    """Read gold for many runs; return it as gold and as predictions."""
    records = open_table(gold, relation, GOLD)
    return records, records


def public(
    gold: Any,
    candidates: Any = None,
    relation: PairRelation = "causal",
    protocol: PairProtocolName = "pairs",
    forward: Iterable[str] | str = (),
    backward: Iterable[str] | str = (),
    none: Iterable[str] | str = (),
    unknown: Iterable[str] | str = (),
    **options: Any,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]] | None:
    """Return the documents of gold, or its pairs if they are the candidates, without relations."""
    # None for a corpus, and if all candidates are related: they would reveal the answers.
    records = open_table(gold, relation, GOLD)
    if isinstance(records, Corpus):
        return None
    docs = records.texts("doc_id").to_pylist()
    empty = dict.fromkeys(("a", "b", LABEL))
    rows: list[dict[str, Any]] = [{"doc_id": doc, **empty} for doc in dict.fromkeys(docs)]
    if not (isinstance(candidates, str) and candidates == "listed"):
        return rows, rows
    given = (forward, backward, none, unknown)
    labels = labels_of(*given, relation, pair_protocol(protocol).ordered)
    if not any((codes == NO_RELATION).any() for codes in labels.encode(records)):
        return None
    names = [name for name in ("doc_id", "a", "b", "sentence_a", "sentence_b") if name in records]
    columns = [records.texts(name).to_pylist() for name in names]
    pairs = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    pairs = [{**row, LABEL: NONE} for row in pairs]
    return pairs, pairs


def is_pairs(source: str) -> bool:
    """Return True for a corpus, or a table of documents and pairs by any name of their columns."""
    if source == "-":
        return False
    if is_corpus(source):
        return True
    try:
        head = Source.open(source, most=1 << 16)
        if head.is_json:
            names = [*first_object(head)]
        elif binary.sniff(head.data) is not None:
            names = read_records(source).names
        else:
            cells = re.split(rb"[,;\t\r\n]", head.data.partition(b"\n")[0])
            names = [cell.strip(b'"').decode(errors="replace") for cell in cells]
    except InputError:
        return False  # scoring reports the error
    folded = {name.casefold() for name in names}
    return bool(folded & {*DOCUMENTS}) and any({*both} <= folded for both in ENDS)


def pairs_of(records: Records, label: LabelCodes | None) -> EventPairs:
    """Return the pairs of rows; ``label`` is None for candidates."""
    problems = Problems()
    columns, ends = _columns(records)
    rows, named = None, columns[0][:0]
    if any(column.null_count for column in columns[1:]):
        empty = ~(_are_valid(columns[1]) | _are_valid(columns[2]))
        empty &= True if label is None else label == 0
        rows = np.flatnonzero(~empty)
        named = pc.take(columns[0], arrow.numbers(np.flatnonzero(empty))).drop_null()
        columns = [pc.take(column, arrow.numbers(rows)) for column in columns]
        ends = [None if end is None else pc.take(end, arrow.numbers(rows)) for end in ends]
        label = None if label is None else label[rows]

    def where(row: int) -> str:
        return records.locate(int(row if rows is None else rows[row]))

    _require(where, dict(zip(("doc_id", "a", "b"), columns, strict=True)), problems)
    (doc,), documents = number_texts(columns[:1])
    (a, b), mentions = number_texts(columns[1:])
    for row in np.flatnonzero(a == b).tolist():
        event = mentions[int(a[row])].as_py()
        problems.add(f'{where(row)}: event "{event}" is paired with itself')
    problems.raise_if_any()
    of_a, of_b = ends
    names = arrow.joined(named.cast(pa.string()))
    return EventPairs(records, rows, doc, a, b, documents, mentions, label, (of_a, of_b), names)


def _columns(records: Records) -> tuple[list[pa.ChunkedArray], list[pa.Array | None]]:
    """Return documents and mentions, and sentences; predictions may have no rows."""
    if not len(records):
        return [pa.chunked_array([], pa.string())] * 3, [None, None]
    columns = [records.encoded(column) for column in ("doc_id", "a", "b")]
    return columns, [_sentence(records, f"sentence_{end}") for end in "ab"]


def _are_valid(column: pa.ChunkedArray) -> Any:
    return np.asarray(column.is_valid())


def _require(
    where: Callable[[int], str], columns: dict[str, pa.ChunkedArray], problems: Problems
) -> None:
    for name, column in columns.items():
        if column.null_count:
            for row in np.flatnonzero(~_are_valid(column)).tolist():
                problems.add(f'{where(row)}: no "{name}"')
    problems.raise_if_any()


def _sentence(records: Records, name: str) -> pa.Array | None:
    """Return a column of sentences: integers as they are, else texts; 1.0 is 1."""
    if name not in records:
        return None
    column = records.column(name)
    if pa.types.is_integer(column.type):
        return column
    return each(plain, records.texts(name))
