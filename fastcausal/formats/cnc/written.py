"""Rows of the two files of the Causal News Corpus task, and their writer."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import is_valid, numbers, strings
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.values import JsonTexts
from fastcausal.files.words import MISSING
from fastcausal.files.writing import (
    CSV,
    TEXTS,
    Strings,
    WrittenColumn,
    csv_rows,
    json_lines,
    json_texts,
    lists_of,
    plain,
)
from fastcausal.formats.cnc.tagging import require_texts, tagged_lists
from fastcausal.formats.cnc.truth import SENTENCE
from fastcausal.formats.examples import Block
from fastcausal.formats.reading.builder import messages, not_held
from fastcausal.relations import Reading, Relations

Int64 = npt.NDArray[np.int64]
MADE_UP = (*SENTENCE, "eg_id")  # columns of a truth file that a table may lack
OF_RELATIONS = ("index", "causal_text_w_pairs", "num_rs")
OWN = {"id", "length", "relations", "tagged", "text", UNPARSED, *OF_RELATIONS}


class TaggedWriter:
    """The writer of a truth file (target ends in ``.csv``) or a submission (any other target).

    Tagged sentences in the table are written unchanged, others are made from ``text`` and the
    spans. In a truth file, missing ``corpus``, ``doc_id`` or ``sent_id`` get stand-ins, which the
    official programs need and `read` removes.

    InputError if an example has relations but no text, or one of another length.
    """

    def __init__(self, relations: Relations, target: str | os.PathLike[str]) -> None:
        is_truth = str(target).lower().endswith(".csv")
        self._rows = rows = TruthRows(relations) if is_truth else SubmissionRows()
        self.header: bytes = rows.header
        self.checks: tuple[Callable[[Block], None], ...] = require_texts, rows.require
        self._missing = not_held(relations.table, rows.held, f"{rows.name} does not hold {{}}")
        self._lost = Problems()

    def rows(self, block: Block) -> bytes:
        """Return the rows of a block."""
        return self._rows.write(block, *tagged_lists(block, self._lost))

    def lost(self, reading: Reading) -> list[str]:
        """Return messages on columns, cells and spans."""
        return [*self._missing, *self._rows.changed, *messages(self._lost)]


class SubmissionRows:
    """Rows of a submission: JSON lines."""

    header = b""
    name = "a submission"
    held = frozenset({"length", "relations", "tagged", UNPARSED})
    changed: tuple[str, ...] = ()

    def require(self, block: Block) -> None:
        """Require nothing: `require_texts` has checked the texts."""

    def write(self, block: Block, sentences: Strings, places: Int64) -> bytes:
        """Return the lines of a block with these lists of tagged sentences."""
        row = {
            "index": _integers(_positions(block)),
            "prediction": WrittenColumn(lists_of(sentences, places, as_literals=False)),
        }
        return json_lines(row, len(block))


class TruthRows:
    """Rows of a truth file: CSV.

    Missing ``corpus``, ``doc_id`` or ``sent_id`` get stand-ins: each example is the only sentence
    of its own document.
    """

    name = "a truth file"

    def __init__(self, relations: Relations) -> None:
        names = relations.table.column_names
        self.held = frozenset({*names} - {"index", "causal_text_w_pairs"})
        self._columns = {name: _FurtherColumn(name) for name in names if name not in OWN}
        self._further = [name for name in self._columns if name not in MADE_UP]
        self._no_corpus = f"no {', '.join(name for name in SENTENCE if name not in self._columns)}"

    @property
    def header(self) -> bytes:
        """The line of the names."""
        names = [*MADE_UP, "index", "text", "causal_text_w_pairs", "num_rs", *self._further]
        columns = [WrittenColumn(Strings.take(strings([name])), CSV) for name in names]
        return csv_rows(columns, 1)

    @property
    def changed(self) -> list[str]:
        """Messages about cells that could not be kept."""
        return [message for column in self._columns.values() for message in column.changed()]

    def require(self, block: Block) -> None:
        """Raise InputError for a missing text."""
        if block.texts.null_count:
            k = int(is_valid(block.texts).argmin())
            raise InputError(f"example {block.names[k]}: a truth file needs its text")

    def write(self, block: Block, sentences: Strings, places: Int64) -> bytes:
        """Return the rows of a block with these lists of tagged sentences."""
        columns = [self._stand_in(name, block) for name in MADE_UP]
        columns += [
            _text_cells(block.names),
            _text_cells(block.texts),
            WrittenColumn(lists_of(sentences, places, as_literals=True), CSV),
            _integers(np.diff(places)),
        ]
        columns += [self._columns[name].cells(block.table[name]) for name in self._further]
        return csv_rows(columns, len(block))

    def _stand_in(self, name: str, block: Block) -> WrittenColumn:
        """Return a column, or stand-ins for a missing one."""
        if name in self._columns:
            return self._columns[name].cells(block.table[name])
        if name == "corpus":
            return _text_cells(strings([self._no_corpus] * len(block)))
        if name == "eg_id":
            return _integers(np.zeros(len(block), np.int64))
        return _integers(_positions(block))


class _FurtherColumn:
    """A column of a table as cells of CSV, with messages on losses."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._written = JsonTexts()
        self._missing: set[str] = set()  # texts that stand for a missing value
        self._has_nulls = self._has_others = False

    def cells(self, column: pa.ChunkedArray) -> WrittenColumn:
        """Return the cells of a block."""
        values = plain(column)
        self._has_nulls |= values.null_count > 0
        if values.type not in TEXTS:
            self._has_others |= values.null_count < len(values)
            values = json_texts(values, self._written)
        return _text_cells(self._add_brackets(values) if self.name in SENTENCE else values)

    def _add_brackets(self, texts: pa.Array) -> pa.Array:
        """Put texts in brackets that stand for a missing value."""
        odd = is_valid(pc.index_in(texts, pc.cast(strings(MISSING), texts.type))) | ~is_valid(texts)
        if not odd.any():
            return texts
        rows = [text or "" for text in texts.to_pylist()]
        self._missing |= {rows[k] for k in np.flatnonzero(odd)}
        return strings(
            [f"({row})" if is_odd else row for row, is_odd in zip(rows, odd, strict=True)]
        )

    def changed(self) -> list[str]:
        """Return messages about changed values."""
        found = []
        if self._has_others:
            found.append(f'values of the column "{self.name}" are written as text')
        if self._missing:
            found.append(
                f'"{min(self._missing)}" and the like in the column "{self.name}" are written in '
                "brackets: the official programs would take them for missing"
            )
        elif self._has_nulls:
            found.append(f'nulls in the column "{self.name}" are written as empty cells')
        return found


def _text_cells(texts: pa.Array) -> WrittenColumn:
    return WrittenColumn(Strings.take(texts), CSV)


def _integers(values: Int64) -> WrittenColumn:
    return WrittenColumn(Strings.take(pc.cast(numbers(values), pa.string())))


def _positions(block: Block) -> Int64:
    return np.arange(block.position, block.position + len(block))
