"""Files of the Causal News Corpus task: the truth as CSV, a submission as JSON lines."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from functools import partial

from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.files.cells import header_of
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.records import read_records
from fastcausal.formats.blockwise import Blockwise
from fastcausal.formats.cnc import submissions, truth
from fastcausal.formats.cnc.tagged import by_letters_alone
from fastcausal.formats.cnc.written import TaggedWriter
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.folders import LINE_FILES
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations


def read(
    source: str | os.PathLike[str] | Source,
    like: Relations | None = None,
    tags: str = "strict",
    marking: Marking = MARKING,
) -> Relations:
    """Read a truth file (CSV, a row per sentence or per relation) or a submission (JSON lines).

    Parameters
    ----------
    source : path
        CSV needs the columns ``index, text, causal_text_w_pairs, num_rs``, or ``corpus, doc_id,
        sent_id, index, text, text_w_pairs`` (``pair_label`` 0: no relation). JSON lines:
        ``{"index": ..., "prediction": [tagged sentence, ...]}``, line k for example k.
    like : Relations, optional
        For a submission: the gold side. Ids, text and lengths come from it.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The reading of tags, see `fastcausal.formats.cnc.markup.parse`. The official readings trust
        ``num_rs`` and the line order; the strict one requires ``num_rs`` to be the number of
        sentences, and joins lines by ``index``: positions from 0, or the ids of the examples.
    marking : Marking
        Its ``words`` are blank, or letters under a reading that is not official.

    Returns
    -------
    Relations
        With the known ones of ``id, text, corpus, doc_id, sent_id``, all others of the
        source, and ``tagged``. A file with a row per relation keeps the columns of sentences.
        Columns of CSV are text; other keys of JSON lines are text, numbers or booleans.

    Raises
    ------
    InputError
        The source deviates from this description; the message has file and line. An unreadable
        tagged sentence is no error: it becomes a null relation.
    """
    return _read(Source.open(source), like, tags, marking)


def _read(
    source: Source, like: Relations | None, tags: str, marking: Marking = MARKING
) -> Relations:
    by_letters = by_letters_alone(marking)
    if _is_table_in_json(source):
        source = truth.write_rows(read_records(source))
    elif source.is_json:
        return submissions.read(source, like, tags, by_letters)
    return truth.read(source, tags, by_letters=by_letters)


def _stream(source: Opened, columns: Collection[str | None] | None, tags: str) -> Stream | None:
    """Stream a submission; a truth file has a stream of its own, `truth.stream`."""
    if source.head is not None and not source.head.is_json:
        return None

    def read_batches(golds: Iterator[Relations]) -> Iterator[batches.ReadingBatch]:
        return map(batches.batch, submissions.batches(source.path, golds, tags, reasons))

    reasons = columns is None or UNPARSED in columns
    faults = partial(submissions.faults, source.path, tags=tags)
    # Without a name: messages of batches start with it already.
    return Stream("", read_batches, n_bytes=source.size(), follows=True, faults=faults)


def _is_truth(source: Source) -> bool:
    if source.is_json:
        return _is_table_in_json(source)
    return "text_w_pairs" in header_of(source).casefold()


def _is_table_in_json(source: Source) -> bool:
    """Return True for JSON lines with the columns of a truth file."""
    row = first_object(source) if source.is_json else {}
    return truth.has_pairs(row) and row.keys().isdisjoint(("prediction", "relations"))


FORMAT = Format(
    "cnc",
    _read,
    Blockwise(TaggedWriter),
    suffixes=(".csv",),
    folder=(".csv", *LINE_FILES),
    takes=("like", "tags", "words"),
    key="prediction",
    sniff=_is_truth,
    stream=_stream,
)
