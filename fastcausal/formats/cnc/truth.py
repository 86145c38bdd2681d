"""Truth files of the Causal News Corpus task: a row per sentence, or per relation.

::

    Source ──▶ cells ──▶ native code, if every cell is plain ─────┐
                   └───▶ row by row in Python, with messages ─────┴──▶ Relations
"""

from __future__ import annotations

import ast
import csv
import io
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from contextlib import closing
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    drop_columns,
    flattened,
    is_valid,
    joined,
    lists,
    numbers,
    offsets_of,
    string_lists,
    strings,
    strings_at,
    texts_of,
)
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.cells import cells, delimiter_of
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.keys import GroupCodes, groups_of
from fastcausal.files.lines import CsvRows
from fastcausal.files.records import Records
from fastcausal.files.spelling import TEXT, notify_of_text, respell_columns, spelled
from fastcausal.formats import _native
from fastcausal.formats.cnc import tagged
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream, WholeError
from fastcausal.formats.reading.builder import Int64, column
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.reading.groups import find_changes, merge_groups
from fastcausal.relations import Relations

GROUPED = ("index", "text", "causal_text_w_pairs", "num_rs")
SINGLE = ("corpus", "doc_id", "sent_id", "index", "text", "text_w_pairs")
SENTENCE = ("corpus", "doc_id", "sent_id")
LONGEST = 1 << 20  # characters of a cell for Python to evaluate, in some 500 times their memory
COLUMNS: Sequence[str | tuple[str, ...]] = (TEXT, *dict.fromkeys((*GROUPED, *SINGLE)))
OTHER_TABLES = (
    'a row per relation with "id", "text", "cause" and "effect" would do, and of raw answers of a '
    "language model the name of their column"
)
PAIRS = ("index", "causal_text_w_pairs")
OF_A_RELATION = ("eg_id", "text_w_pairs", "pair_label")
RESERVED = ("id", "length", "relations", "tagged")
# Cells of the column corpus, and others, for tables that lack them: the official programs skip
# rows with empty cells.
STAND_INS = {
    f"no {', '.join(names)}": names
    for names in (SENTENCE[:1], SENTENCE[:2], SENTENCE, SENTENCE[::2])
}
_HEADER = re.compile(rb'[^"\r\n]+(?=[\r\n])')
_ONE_SENTENCE = re.compile(r"""\['[^'\\\n\r\0]*'\]|\["[^"\\\n\r\0]*"\]""")


def stream(source: Any, columns: Collection[str | None] | None, tags: str) -> Stream | None:
    """Stream a large file with a row per sentence; return None for any other source.

    Iteration raises `WholeError` if rows need each other, or one has a fault.
    """
    if not isinstance(source, Opened) or source.head is None or source.content is not None:
        return None
    header = _HEADER.match(source.head.data)
    names = {*header[0].decode(errors="replace").split(",")} if header else set()
    if not {*GROUPED} <= names or names & {*RESERVED}:
        return None

    def read_batches(_: Any) -> Iterator[batches.ReadingBatch]:
        return map(batches.batch, _batches(source.path, columns, tags))

    return Stream("", read_batches, n_bytes=source.size())


def _batches(
    path: str | os.PathLike[str], columns: Collection[str | None] | None, tags: str
) -> Iterator[Relations]:
    with closing(CsvRows(path)) as rows:
        while part := rows.take(max(1, batches.ROWS // 2)):
            try:
                made = read(part, tags, is_part=True)
            except InputError as error:
                raise WholeError(str(error)) from error
            if made.reading.unread and (columns is None or UNPARSED in columns):
                raise WholeError("messages on unread relations need the lines of the whole file")
            names = made.table.column_names
            left_out = [name for name in names if columns is not None and name not in columns]
            yield Relations.part(drop_columns(made.table, left_out), made.reading)


def has_pairs(columns: Container[str]) -> bool:
    """Return True for the columns of a truth file, as rows of a data set have them."""
    return any(column in columns for column in (GROUPED[2], SINGLE[-1]))


def write_rows(records: Records) -> Source:
    """Return rows of the columns of a truth file as such a file; sentences may be lists."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(records.names)
    for row in records.objects():
        cells = (row.get(name) for name in records.names)
        writer.writerow("" if cell is None else str(cell) for cell in cells)
    return Source(f"{records.name}", text.getvalue().encode())


def read(source: Source, tags: str, is_part: bool = False, by_letters: bool = False) -> Relations:
    """Read a truth file, see `fastcausal.formats.cnc.read`.

    In a part of a file, each row must be a sentence of its own.
    """
    file = cells(source, delimiter_of(source))
    table, lines = respell_columns(file.table, COLUMNS), file.lines
    for other in spelled(file.table.column_names, [TEXT]):
        if other.casefold() != TEXT[0]:
            notify_of_text(source.name, other)
    problems, notes = Problems(), Counter[str]()

    def where(row: int) -> str:
        return f"{source.name}:{lines[row]}: example {table['index'][row]}"

    groups = None
    if set(table.column_names) >= set(GROUPED):
        table, has_gaps = _fill_lists(table)
        if has_gaps and is_part:
            raise InputError(f"{source.name}: rows without a list belong to others")
        sentences = _plain_sentences(table)
        if sentences is None:
            sentences = _checked_sentences(table, where, tags, problems, notes)
        if has_gaps and set(table.column_names) >= set(SENTENCE):
            groups = group, first = groups_of([joined(table[name]) for name in SENTENCE])
            _require_same_text(table, groups, where, lines, problems)
            sentences = _join_groups(joined(sentences), group, len(first))
            lines = LineNumbers(lambda: (file.lines[row] for row in first))
    elif set(table.column_names) >= set(SINGLE):
        groups = group, first = groups_of([joined(table[name]) for name in SENTENCE])
        _require_same_text(table, groups, where, lines, problems)
        sentences = _grouped_sentences(table, group, len(first))
        lines = LineNumbers(lambda: (file.lines[row] for row in first))
    else:
        raise _missing_columns(file.header, file.table.column_names)
    columns = _columns(table, groups, notes)

    def name(k: int) -> str:
        return f"{source.name}:{lines[k]}: example {columns['id'][k]}"

    return tagged.read_gold(
        source.name, sentences, columns, tags, name, problems, notes, lines, by_letters
    )


def _missing_columns(header: str, names: Sequence[str]) -> InputError:
    """Return the error for a header that lacks columns."""
    wanted = GROUPED if "causal_text_w_pairs" in names else SINGLE
    missing = ", ".join(f'"{name}"' for name in wanted if name not in names)
    advice = ""
    if "text_w_pairs" not in names and "causal_text_w_pairs" not in names:
        missing, advice = '"causal_text_w_pairs" or "text_w_pairs"', f"; {OTHER_TABLES}"
    return InputError(f"{header}: no column {missing}: found {', '.join(names)[:200]}{advice}")


def _fill_lists(table: pa.Table) -> tuple[pa.Table, bool]:
    """Write empty lists into empty cells; return True if there are any.

    UniCausal leaves the cell empty, and has further rows of a sentence for its other pairs.
    """
    cells = joined(table["causal_text_w_pairs"])
    is_empty = _sizes(cells) == 0
    if not is_empty.any():
        return table, False
    at = table.column_names.index("causal_text_w_pairs")
    filled = pc.if_else(pa.array(is_empty), "[]", cells)
    return table.set_column(at, "causal_text_w_pairs", filled), True


def _join_groups(sentences: pa.ListArray, group: Int64, n_groups: int) -> pa.ListArray:
    """Join the lists of the rows of each group."""
    counts = np.diff(offsets_of(sentences))
    of_sentences = np.repeat(group, counts)
    order = np.argsort(of_sentences, kind="stable")
    each = flattened(sentences)[0].take(numbers(order))
    return lists(np.bincount(of_sentences, minlength=n_groups), each)


def _plain_sentences(table: pa.Table) -> pa.ChunkedArray | None:
    """Return the sentences of each row, None unless their number is always ``num_rs``."""
    try:
        chunks = [lists_in(chunk) for chunk in table["causal_text_w_pairs"].chunks]
    except ValueError:
        return None
    sentences = pa.chunked_array(chunks, pa.list_(pa.string()))
    counts = np.diff(offsets_of(joined(sentences)))
    return sentences if _state(joined(table["num_rs"]), counts) else None


def _state(cells: pa.Array, counts: Int64) -> bool:
    """Return True if cells equal these counts; cells of one digit are compared by byte."""
    data, places = texts_of(cells)
    if not cells.null_count and (np.diff(places) == 1).all():
        digits = np.frombuffer(data, np.uint8)[places[:-1]].astype(np.int64) - ord("0")
        return bool((digits == counts).all())
    return bool(pc.cast(numbers(counts), pa.string()).equals(cells))


def _checked_sentences(
    table: pa.Table,
    where: Callable[[int], str],
    tags: str,
    problems: Problems,
    notes: Counter[str],
) -> pa.ListArray:
    """Return the counted sentences of each row, and report its faults."""
    kept = []
    stated = table["num_rs"].to_pylist()
    for k, cell in enumerate(table["causal_text_w_pairs"].to_pylist()):
        try:
            kept.append(_trusted(strings_in(cell), stated[k], tags, notes))
        except ValueError as error:
            problems.add(f"{where(k)}: {error}")
            kept.append([])
    return column("truth file", "tagged", kept)


def _sizes(texts: pa.Array) -> npt.NDArray[np.int32]:
    """Count the bytes of each text."""
    return np.diff(texts_of(texts)[1])


def lists_in(cells: pa.Array) -> pa.ListArray:
    """Return `strings_in` of every cell; plain ones in native code."""
    data, places = texts_of(cells)
    widths = np.empty(len(cells), np.int32)
    text, stops = _native.string_lists(data, places, widths)
    plain = string_lists(np.maximum(widths, 0), text, stops)
    unusual = np.flatnonzero(widths < 0)
    if not len(unusual):
        return plain
    pieces, start = [], 0
    for k in unusual.tolist():
        evaluated = strings_in(cells[k].as_py())
        pieces += [plain.slice(start, k - start), lists([len(evaluated)], strings(evaluated))]
        start = k + 1
    return pa.concat_arrays([*pieces, plain.slice(start)])


def _require_same_text(
    table: pa.Table,
    groups: GroupCodes,
    where: Callable[[int], str],
    lines: Sequence[int],
    problems: Problems,
) -> None:
    """Report rows of a sentence with another text than its first row."""
    for row, first in find_changes(table["text"], groups):
        problems.add(
            f"{where(row)}: another text than line {lines[first]} has for the same sentence"
        )


def _grouped_sentences(table: pa.Table, group: Int64, n_groups: int) -> pa.ListArray:
    """Return the sentences of each group of rows, one per row with a pair."""
    pairs = joined(table["text_w_pairs"])
    marked = _sizes(pairs) > 0
    if "pair_label" in table.column_names:
        marked &= ~is_valid(pc.index_in(joined(table["pair_label"]), strings(["0", "0.0"])))
    rows = np.flatnonzero(marked)
    rows = rows[np.argsort(group[rows], kind="stable")]
    return lists(np.bincount(group[rows], minlength=n_groups), pc.take(pairs, numbers(rows)))


def _columns(table: pa.Table, groups: GroupCodes | None, notes: Counter[str]) -> dict[str, Any]:
    """Return the columns of examples, a row or a group of rows each; note dropped columns."""
    columns = {"id": table["index"], "text": table["text"]}
    of_relations = PAIRS if groups is None else (*PAIRS, *OF_A_RELATION, "num_rs")
    names = [name for name in SENTENCE if name in table.column_names]
    for name in (*names, *table.column_names):
        if name in RESERVED:
            notes[f"columns named as those of any table ({', '.join(RESERVED)}) left out"] += 1
        elif name not in of_relations:
            columns.setdefault(name, table[name])
    if groups is not None:
        columns = merge_groups(columns, groups, ("id", "text"), notes)
    return _drop_stand_ins(columns)


def _drop_stand_ins(columns: dict[str, Any]) -> dict[str, Any]:
    """Drop the stand-in columns of `fastcausal.formats.cnc.written.TruthRows`."""
    corpus = columns.get("corpus")
    if corpus is None or not len(corpus):
        return columns
    left_out = STAND_INS.get(corpus[0].as_py(), ())
    if not left_out or len(corpus.unique()) > 1:
        return columns
    return {name: column for name, column in columns.items() if name not in left_out}


def strings_in(cell: str) -> list[str]:
    """Evaluate a cell with a Python literal, a list of strings."""
    if cell == "[]":
        return []
    if _ONE_SENTENCE.fullmatch(cell):  # most cells, and ten times as fast
        return [cell[2:-2]]
    wanted = "causal_text_w_pairs: expected a list of strings"
    data, places = texts_of(strings([cell]))
    width = np.empty(1, np.int32)
    text, stops = _native.string_lists(data, places, width)
    if width[0] >= 0:
        return cast(list[str], strings_at(text, stops).to_pylist())
    if len(cell) > LONGEST:
        wanted += f" without escapes other than of quotes, as it has more than {LONGEST} characters"
        raise InputError(f"{wanted}, found {_short(cell)}")
    try:
        if "\\" in cell:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about unknown escapes
                value = ast.literal_eval(cell)
        else:
            value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(f"{wanted}, found {_short(cell)}") from error
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{wanted}, found {_short(cell)}")
    return value


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 60 else cell[:57] + "...")


def _trusted(sentences: list[str], num_rs: str, tags: str, notes: Counter[str]) -> list[str]:
    """Return the counted sentences: all, or the first ``num_rs`` under an official reading."""
    if not num_rs.isascii() or not num_rs.isdigit() or len(num_rs) > 9:
        raise InputError(f"num_rs is {_short(num_rs)}, expected a number")
    n = int(num_rs)
    if n == len(sentences):
        return sentences
    if tags not in OFFICIAL or n > len(sentences):
        raise InputError(f"num_rs is {n}, but the list has {len(sentences)} sentences")
    notes["sentences beyond num_rs left out"] += len(sentences) - n
    return sentences[:n]
