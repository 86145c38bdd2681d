"""Truth files of the Causal News Corpus task: a row per sentence, or per relation.

::

    Source ──▶ pyarrow and native code, where every row is plain ──┐
           └─▶ row by row in Python, with messages ────────────────┴──▶ Relations
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import (
    is_valid,
    joined,
    lists,
    numbers,
    owned,
    strings,
    strings_at,
    texts_of,
    values_of,
)
from fastcausal.errors import InputError, Problems
from fastcausal.formats import _native
from fastcausal.formats.cnc import tagged
from fastcausal.formats.cnc.markup import count_tokens
from fastcausal.formats.io.builder import Builder, Int64
from fastcausal.formats.io.files import LineNumbers, Source
from fastcausal.relations import Relations

GROUPED = ("index", "text", "causal_text_w_pairs", "num_rs")
SINGLE = ("corpus", "doc_id", "sent_id", "index", "text", "text_w_pairs")
SENTENCE = ("corpus", "doc_id", "sent_id")
BLOCK = 1 << 20  # bytes that a thread parses at a time
LONGEST = 1 << 20  # characters of a cell that Python evaluates, in some 500 times their memory
PAIRS = ("index", "causal_text_w_pairs")
OF_A_RELATION = ("eg_id", "text_w_pairs", "pair_label")
RESERVED = ("id", "length", "relations", "tagged")
# Cells of the column corpus where a table lacks it, and perhaps others: the official programs
# leave out what is empty.
STAND_INS = {
    f"no {', '.join(names)}": names
    for names in (SENTENCE[:1], SENTENCE[:2], SENTENCE, SENTENCE[::2])
}
Groups = tuple[Int64, Int64]
"""The group of each row, and the first row of each group."""
_ONE_SENTENCE = re.compile(r"""\['[^'\\\n\r\0]*'\]|\["[^"\\\n\r\0]*"\]""")


def read(source: Source, tags: str) -> Relations:
    """Read a truth file, see `fastcausal.formats.cnc.read`."""
    return _read_plain(source, tags) or _read_rows(source, tags)


def _read_rows(source: Source, tags: str) -> Relations:
    """Read row by row, and say what is wrong with them."""
    (line, header), *rows = source.rows()
    if set(header) >= set(GROUPED):
        return _read_grouped(source, header, rows, tags)
    if set(header) >= set(SINGLE):
        return _read_single(source, header, rows, tags)
    wanted = GROUPED if "causal_text_w_pairs" in header else SINGLE
    missing = [name for name in wanted if name not in header]
    if "text_w_pairs" not in header and "causal_text_w_pairs" not in header:
        missing = ["causal_text_w_pairs", "or text_w_pairs"]
    raise InputError(
        f"{source.name}:{line}: no column {', '.join(missing)}: found {', '.join(header)[:200]}"
    )


def _read_plain(source: Source, tags: str) -> Relations | None:
    """Read as `_read_rows` does, or return None where that has to say what is wrong."""
    cells = plain_cells(source)
    if cells is None:
        return None
    given: tuple[Groups | None, Any] | None
    if set(cells.column_names) >= set(GROUPED):
        given = _plain_grouped(cells)
    elif set(cells.column_names) >= set(SINGLE):
        given = _plain_single(cells)
    else:
        return None
    if given is None:
        return None
    groups, sentences = given
    columns, notes = _columns(cells, groups)
    lengths = np.empty(len(columns["text"]), np.int32)
    tagged.count(columns["text"], tags, lengths)
    read = tagged.Sentences(sentences, lengths, tags, own=True)
    if tags == "strict" and read.misfits:
        return None
    notes[tagged.UNLIKE_TEXT] += int(np.count_nonzero(read.lengths != lengths))

    def lines() -> list[int]:
        starts = [line for line, _ in source.rows()[1:]]
        return starts if groups is None else [starts[row] for row in groups[1]]

    ids, numbered = columns["id"], LineNumbers(lines)
    return read.table(
        source.name,
        columns,
        lambda k: f"{source.name}:{numbered[k]}: example {ids[k]}",
        notes=notes,
        lines=numbered,
    )


def plain_cells(source: Source) -> pa.Table | None:
    """Return the cells as text, None where pyarrow may not find those that Python does."""
    import pyarrow.csv as pc_csv

    n = _native.csv_rows(source.data)
    header = re.match(rb'[^"\r\n]+(?=[\r\n])', source.data)
    if n < 2 or b"\0" in source.data or header is None:
        return None
    try:
        names = header[0].decode().split(",")
        cells = pc_csv.read_csv(
            pa.BufferReader(owned(source.data)),
            pc_csv.ReadOptions(block_size=BLOCK),
            pc_csv.ParseOptions(newlines_in_values=True),
            pc_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    same = cells.column_names == names and len(set(names)) == len(names)
    return cells if same and len(cells) == n - 1 else None


def _plain_grouped(cells: pa.Table) -> tuple[None, pa.ChunkedArray] | None:
    """Return the sentences of each row, None unless there are ``num_rs`` of them."""
    stated = joined(cells["num_rs"])
    if not pc.all(pc.ascii_is_decimal(stated)).as_py() or _sizes(stated).max() > 9:
        return None
    try:
        chunks = [_string_lists(chunk) for chunk in cells["causal_text_w_pairs"].chunks]
    except ValueError:
        return None
    sentences = pa.chunked_array(chunks)
    n = values_of(pc.cast(stated, pa.int32()))
    return (
        (None, sentences)
        if (n == values_of(joined(pc.list_value_length(sentences)))).all()
        else None
    )


def _sizes(texts: pa.Array) -> npt.NDArray[np.int32]:
    """Count the bytes of each text."""
    return np.diff(texts_of(texts)[1])


def _string_lists(cells: pa.Array) -> pa.ListArray:
    """Return `_sentences` of every cell; plain ones in native code."""
    data, places = texts_of(cells)
    widths = np.empty(len(cells), np.int32)
    text, stops = _native.string_lists(data, places, widths)
    plain = lists(np.maximum(widths, 0), strings_at(text, stops))
    unusual = np.flatnonzero(widths < 0)
    if not len(unusual):
        return plain
    evaluated = [_sentences(cells[int(k)].as_py()) for k in unusual]
    values = strings([sentence for sentences in evaluated for sentence in sentences])
    order = np.arange(len(cells))
    order[unusual] = len(cells) + np.arange(len(unusual))
    both = pa.concat_arrays([plain, lists(map(len, evaluated), values)])
    return both.take(numbers(order))


def _plain_single(cells: pa.Table) -> tuple[Groups, pa.ListArray] | None:
    """Return the groups of rows and the sentences of each, None where their texts differ."""
    group, first = _groups([joined(cells[name]) for name in SENTENCE])
    if not cells["text"].take(numbers(first[group])).equals(cells["text"]):
        return None
    pairs = joined(cells["text_w_pairs"])
    marked = _sizes(pairs) > 0
    if "pair_label" in cells.column_names:
        marked &= ~is_valid(pc.index_in(joined(cells["pair_label"]), strings(["0"])))
    rows = np.flatnonzero(marked)
    rows = rows[np.argsort(group[rows], kind="stable")]
    sentences = pairs.take(numbers(rows))
    return (group, first), lists(np.bincount(group[rows], minlength=len(first)), sentences)


def _groups(columns: list[pa.Array]) -> Groups:
    """Return the group of each row, equal in all columns, and the first row of each group."""
    group = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        encoded = column.dictionary_encode()
        group = group * len(encoded.dictionary) + values_of(encoded.indices)
        _, group = np.unique(group, return_inverse=True)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[group], first[order]


def _read_grouped(
    source: Source, header: list[str], rows: list[tuple[int, list[str]]], tags: str
) -> Relations:
    index, text, pairs, num_rs = map(header.index, GROUPED)
    problems = Problems()
    build = Builder(source.name)
    kept: list[list[str]] = []
    for line, row in rows:
        where = f"{source.name}:{line}: example {row[index]}"
        try:
            sentences = _sentences(row[pairs])
            sentences = _trusted(sentences, row[num_rs], tags, build)
        except ValueError as error:
            problems.add(f"{where}: {error}")
            continue
        _add_gold(build, where, sentences, row[text], tags, problems)
        kept.append(sentences)
    problems.raise_if_any()
    columns, notes = _columns(_table(header, rows))
    build.notes.update(notes)
    lines = [line for line, _ in rows]
    return build.table({**columns, "tagged": kept}, tags=tags, lines=lines)


def _read_single(
    source: Source, header: list[str], rows: list[tuple[int, list[str]]], tags: str
) -> Relations:
    key = [header.index(name) for name in SENTENCE]
    index, text, pair = map(header.index, ("index", "text", "text_w_pairs"))
    label = header.index("pair_label") if "pair_label" in header else None
    problems = Problems()
    groups: dict[tuple[str, ...], tuple[int, list[str], list[str]]] = {}
    for line, row in rows:
        first, cells, sentences = groups.setdefault(tuple(row[k] for k in key), (line, row, []))
        if cells[text] != row[text]:
            problems.add(
                f"{source.name}:{line}: example {row[index]}: another text than line {first} "
                "has for the same sentence"
            )
        if row[pair] and (label is None or row[label] != "0"):
            sentences.append(row[pair])
    build = Builder(source.name)
    for line, cells, sentences in groups.values():
        where = f"{source.name}:{line}: example {cells[index]}"
        _add_gold(build, where, sentences, cells[text], tags, problems)
    problems.raise_if_any()
    table = _table(header, rows)
    columns, notes = _columns(table, _groups([joined(table[name]) for name in SENTENCE]))
    build.notes.update(notes)
    columns["tagged"] = [sentences for _, _, sentences in groups.values()]
    return build.table(columns, tags=tags, lines=[line for line, _, _ in groups.values()])


def _add_gold(
    build: Builder, where: str, sentences: list[str], text: str, tags: str, problems: Problems
) -> None:
    mismatched = problems if tags == "strict" else None
    length = count_tokens(text, tags)
    if tags != "strict" and sentences:
        build.notes[tagged.UNLIKE_TEXT] += count_tokens(sentences[0], tags) != length
        length = count_tokens(sentences[0], tags)
    tagged.add(build, where, sentences, length, tags, mismatched=mismatched)


def _table(header: list[str], rows: list[tuple[int, list[str]]]) -> pa.Table:
    cells = [[row[k] for _, row in rows] for k in range(len(header))]
    return pa.table(dict(zip(header, map(strings, cells), strict=True)))


def _columns(cells: pa.Table, groups: Groups | None = None) -> tuple[dict[str, Any], Counter[str]]:
    """Return the columns of examples, each a row or a group of rows; and notes on the others."""
    notes: Counter[str] = Counter()
    columns = {"id": cells["index"], "text": cells["text"]}
    of_relations = PAIRS if groups is None else (*PAIRS, *OF_A_RELATION)
    names = [name for name in SENTENCE if name in cells.column_names]
    for name in (*names, *cells.column_names):
        if name in RESERVED:
            notes[f"columns named as those of any table ({', '.join(RESERVED)}) left out"] += 1
        elif name not in of_relations:
            columns.setdefault(name, cells[name])
    if groups is not None:
        group, first = groups
        for name, column in list(columns.items()):
            if name != "id" and not column.take(numbers(first[group])).equals(column):
                notes["columns that differ from row to row of a sentence left out"] += 1
                del columns[name]
        columns = {name: column.take(numbers(first)) for name, column in columns.items()}
    return _without_stand_ins(columns), notes


def _without_stand_ins(columns: dict[str, Any]) -> dict[str, Any]:
    """Leave out the columns that `fastcausal.formats.cnc.write` made up for want of them."""
    corpus = columns.get("corpus")
    if corpus is None or not len(corpus):
        return columns
    left_out = STAND_INS.get(corpus[0].as_py(), ())
    if not left_out or len(corpus.unique()) > 1:
        return columns
    return {name: column for name, column in columns.items() if name not in left_out}


def _sentences(cell: str) -> list[str]:
    """Evaluate the list of strings that a cell writes as a Python literal."""
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
                warnings.simplefilter("ignore")  # of escapes that Python does not know
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


def _trusted(sentences: list[str], num_rs: str, tags: str, build: Builder) -> list[str]:
    """Keep the sentences that count: all, or the first ``num_rs`` under an official reading."""
    if not num_rs.isascii() or not num_rs.isdigit() or len(num_rs) > 9:
        raise InputError(f"num_rs is {_short(num_rs)}, expected a number")
    n = int(num_rs)
    if n == len(sentences):
        return sentences
    if tags == "strict" or n > len(sentences):
        raise InputError(f"num_rs is {n}, but the list has {len(sentences)} sentences")
    build.notes["sentences beyond num_rs left out"] += len(sentences) - n
    return sentences[:n]
