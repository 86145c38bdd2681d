"""The examples of each task of UniCausal: rows of its files, and the relations listed in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import Booleans
from fastcausal.errors import InputError, Warnings
from fastcausal.files.records import Records
from fastcausal.formats.cnc.truth import lists_in, strings_in
from fastcausal.significance.sums import Int64
from fastcausal.tasks.unicausal.files import (
    LIST,
    ROW,
    SIZE,
    numbered,
    texts_of_rows,
    zeros_and_ones,
)

SEQUENCE, PAIR, SPAN = "unicausal-seq", "unicausal-pair", "unicausal-span"
# Corpora that UniCausal does not score in a task.
UNUSED: dict[str, tuple[str, ...]] = {
    SEQUENCE: (),
    PAIR: ("esl", "esl2"),
    SPAN: ("esl", "esl2", "ctb", "semeval2010t8", "causenet"),
}
BY = ("corpus",)  # subsets by default
KEPT = (*BY, "doc_id", "sent_id")


@dataclass(frozen=True, eq=False)
class CorpusExamples:
    """The examples of a task."""

    name: str  # The source, for messages
    tables: Sequence[Records]
    # int64[n]: The table of each example, and its row there
    table: Int64
    row: Int64
    ids: pa.Array  # The ``index`` of each row; further relations of a row get numbers
    labels: Int64  # int64[n]
    texts: pa.Array  # Texts with the marks of pairs; null for sentences
    columns: pa.Table  # Corpus, document and sentence
    warnings: Warnings

    def plain(self) -> pa.Array:
        """Return the text of each example without marks."""
        starts = np.cumsum([0, *map(len, self.tables[:-1])])
        column = texts_of_rows(self.tables)
        assert column is not None
        return column.take(arrow.numbers(starts[self.table] + self.row))

    def locate(self, k: int) -> str:
        """Return the place of an example for messages."""
        place = self.tables[self.table[k]].locate(int(self.row[k]))
        return f'{place}: example "{self.ids[k]}"'


def examples_of(tables: Sequence[Records], task: str) -> CorpusExamples:
    """Choose the examples of a task.

    * Sentences: rows with ``eg_id`` 0; in grouped files rows with relations, and rows with
      ``eg_id`` 0 and neither label.
    * Pairs: all rows; in grouped files every listed text, and rows without a causal pair.
    * Spans: the causal ones of these pairs.
    """
    unused = arrow.strings(UNUSED[task])
    left_out: Counter[str] = Counter()
    found, parts = list[_Chosen](), list[pa.Table]()
    for records in tables:
        for name in ROW:
            records.require(name)
        chosen = _sentences(records) if task == SEQUENCE else _pairs(records, task)
        table = pa.table({n: records.texts(n) for n in KEPT} | {"id": records.keys("index")})
        table = _take_at(table, chosen.rows)
        is_used = ~_are_among(arrow.joined(table["corpus"]), unused)
        if not is_used.all():
            left_out.update(table["corpus"].filter(arrow.numbers(~is_used)).to_pylist())
            table = table.filter(arrow.numbers(is_used))
            chosen = _Chosen(
                chosen.rows[is_used],
                chosen.labels[is_used],
                chosen.texts.filter(arrow.numbers(is_used)),
            )
        found.append(chosen)
        parts.append(table)
    name, named = ", ".join(records.name for records in tables), ", ".join(sorted(left_out))
    sizes = [len(part) for part in parts]
    if not sum(sizes):
        raise InputError(f"{name}: {task} has no examples, expected rows of other corpora")
    whole = pa.concat_tables(parts)
    warning = f" rows of corpora that {task} does not score ({named}) are left out"
    return CorpusExamples(
        name,
        tables,
        np.repeat(np.arange(len(parts)), sizes),
        np.concatenate([chosen.rows for chosen in found]),
        numbered(arrow.joined(whole["id"])),
        np.concatenate([chosen.labels for chosen in found]),
        pa.concat_arrays([chosen.texts for chosen in found]),
        whole.select(KEPT),
        {("", warning): (sum(left_out.values()),)} if left_out else {},
    )


class _Chosen(NamedTuple):
    """Chosen rows of a table, an example each, with label and marked text."""

    rows: Int64
    labels: Int64
    texts: pa.Array


def _sentences(records: Records) -> _Chosen:
    """Choose the rows of sentences."""
    sequence, pair = _labels(records)
    is_first = _are_among(records.texts("eg_id"), arrow.strings(["0", "0.0"]))
    if SIZE in records:
        is_first = (pair == 1) | (is_first & (sequence == 0))
    rows = np.flatnonzero(is_first)
    return _Chosen(rows, sequence[rows], pa.nulls(len(rows), pa.string()))


def _pairs(records: Records, task: str) -> _Chosen:
    """Choose the rows of pairs, each once per listed relation."""
    _, pair = _labels(records)
    texts = records.texts("text_w_pairs")
    rows = np.flatnonzero((pair == 1) | (task != SPAN))
    listed = _listed(records, rows[pair[rows] == 1])
    sizes = _are_filled(texts)[rows].astype(np.int64)
    taken = _take_at(texts, rows)
    if listed is None:
        kept = sizes > 0
        return _Chosen(rows[kept], pair[rows][kept], _take_at(taken, np.flatnonzero(kept)))
    given, lists = listed
    at = np.searchsorted(rows, given)
    sizes[at] = np.diff(arrow.offsets_of(lists))
    own = np.ones(len(rows), np.bool_)
    own[at] = False
    # Texts of rows without a list, then texts in lists; then each at its place.
    pool = pa.concat_arrays([taken, lists.flatten()])
    source = np.repeat(np.arange(len(rows)), sizes)
    places = source.copy()
    places[~own[source]] = len(rows) + np.arange(int(sizes[at].sum()))
    return _Chosen(rows[source], pair[rows][source], pool.take(arrow.numbers(places)))


def _listed(records: Records, causal: Int64) -> tuple[Int64, pa.ListArray] | None:
    """Return the causal rows with a list of relations, and their lists; None without the column."""
    if LIST not in records:
        return None
    cells = records.texts(LIST).take(arrow.numbers(causal))
    given = causal[_are_filled(cells)]
    cells = records.texts(LIST).take(arrow.numbers(given))
    try:
        lists = lists_in(cells)
    except InputError:
        for row, cell in zip(given.tolist(), cells.to_pylist(), strict=True):
            try:
                strings_in(cell)
            except InputError as error:
                raise InputError(f"{records.locate(row)}: {error}") from None
        raise
    is_filled = np.diff(arrow.offsets_of(lists)) > 0
    return given[is_filled], lists.filter(arrow.numbers(is_filled))


def _labels(records: Records) -> tuple[Int64, Int64]:
    """Return labels of sentences and pairs; InputError for a causal pair of no causal sentence."""
    sequence, pair = (
        arrow.values_of(zeros_and_ones(records, f"{name}_label")) for name in ("seq", "pair")
    )
    wrong = np.flatnonzero(pair > sequence)
    if len(wrong):
        where = records.locate(int(wrong[0]))
        raise InputError(f'{where}: "pair_label" is 1, expected 0 as "seq_label" is')
    return sequence, pair


def _take_at(values: Any, rows: Int64) -> Any:
    """Return values, or rows of a table, at ascending places; unchanged if these are all places."""
    is_whole = len(rows) == len(values) and bool((rows == np.arange(len(rows))).all())
    return values if is_whole else values.take(arrow.numbers(rows))


def _are_among(texts: pa.Array, known: pa.Array) -> Booleans:
    """Return a mask of the texts that are known; null is unknown."""
    return arrow.is_valid(pc.index_in(texts, known))


def _are_filled(texts: pa.Array) -> Booleans:
    """Return a mask of the texts that are neither null nor empty."""
    return (np.diff(arrow.texts_of(texts)[1]) > 0) & arrow.is_valid(texts)
