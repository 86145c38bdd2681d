"""Submissions of the Causal News Corpus task: a line of tagged sentences per example.

::

    Source ──▶ native code, block by block ──▶ _Lines ──▶ joined by index ──▶ Relations
"""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import (
    is_utf8,
    joined,
    numbers,
    string_lists,
    strings,
    strings_at,
    texts_of,
)
from fastcausal.errors import FaultsError, InputError, Problems, counted, invalid_json
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.lines import Lines
from fastcausal.files.spelling import Spelling
from fastcausal.files.values import JSON, pause_gc
from fastcausal.formats import _native
from fastcausal.formats.cnc.copies import texts_like
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.tagged import Sentences, token_counts
from fastcausal.formats.reading.builder import ColumnBuilder, Int64, column, placed
from fastcausal.formats.words import WordCutter
from fastcausal.relations import Relations

BLOCK = 1 << 22  # bytes that become one chunk of an Arrow column
TEXT = 2  # kind of an index in csrc/readers/submission.hpp
KEYS = ("index", "prediction", "id", "length", "relations", "tagged")  # not further columns
PASSED_OVER = "predictions with values that are not text, where the official program does not look"
DISORDER = "index is not the line's position"
JOINED = "lines in another order, joined by index"


@dataclass
class _Predictions:
    """The tagged sentences of each line, and the ids of the lines, if any."""

    ids: Any  # strings, in a list or an Arrow column
    sentences: pa.Array | pa.ChunkedArray  # lists of strings
    notes: Mapping[str, int]
    lines: Sequence[int]
    columns: Mapping[str, pa.Array] = field(default_factory=dict)

    def arranged(self, order: Int64) -> _Predictions:
        """Return the lines in this order."""
        rows = numbers(order)
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        sentences, lines = self.sentences.take(rows), [self.lines[k] for k in order.tolist()]
        return replace(self, sentences=sentences, lines=lines, columns=columns)

    def relations(
        self,
        source: Source,
        like: Relations | None,
        tags: str,
        start: int,
        reasons: bool = True,
        by_letters: bool = False,  # As in `Sentences`
    ) -> Relations:
        """Make the table; the lines start at example ``start`` of the source."""
        n = len(self.sentences)
        rows, of_gold = placed(like, self.ids, n, source.name)
        columns = {**self.columns, **of_gold}
        if self.ids is not None and (like is None or like.ids is not None):
            columns["id"] = column(source.name, "id", self.ids)
        names = columns["id"] if "id" in columns else range(start, start + n)
        texts = texts_like(like, rows)
        by_letters |= WordCutter.choose(like=like).by_letters
        counts = token_counts(like, tags, rows)
        return Sentences(self.sentences, counts, tags, texts, by_letters=by_letters).table(
            source.name,
            columns,
            lambda k: f"{source.name}:{self.lines[k]}: example {names[k]}",
            noun="prediction",
            notes=self.notes,
            lines=self.lines,
            predicted=True,
            reasons=reasons,
        )


def read(source: Source, like: Relations | None, tags: str, by_letters: bool = False) -> Relations:
    """Read a submission, see `fastcausal.formats.cnc.read`."""
    predictions = _predictions(source, like, tags, 0)
    return predictions.relations(source, like, tags, 0, by_letters=by_letters)


def batches(
    source: str | os.PathLike[str],  # ``"-"`` is standard input
    golds: Iterable[Relations],  # Consecutive examples of gold, any number at a time
    tags: str = "strict",  # As in `fastcausal.formats.cnc.markup.parse`
    reasons: bool = True,  # False leaves out the column of reasons why sentences are unreadable
) -> Iterator[Relations]:
    """Read a submission of any size in step with gold, batch by batch."""
    # One batch of both is in memory at once. Each has the next lines, as many as gold has examples:
    # equal to the result of `fastcausal.formats.cnc.read`, without further columns, which would
    # have to be the same in all batches. If lines have ids, the caller compares them with gold's
    # and counts batches.
    with closing(Lines(source)) as lines:
        yield from _batches(lines, iter(golds), tags, reasons)


def line_batches(source: str | os.PathLike[str], n: int) -> Iterator[Relations]:
    """Read a submission of any size without gold, n examples at a time."""
    position = 0
    with closing(Lines(source)) as lines:
        while batch := lines.take(n):
            predictions = _predictions(batch, None, "strict", position)
            yield predictions.relations(batch, None, "strict", position)
            position += len(predictions.sentences)


def faults(
    source: str | os.PathLike[str], golds: Iterable[Relations], tags: str = "strict"
) -> Problems:
    """Collect the faults of all lines in step with gold, as `read` reports them.

    There are none if there are too many lines: `read` reports that.
    """
    problems = Problems()
    with closing(Lines(source)) as lines:
        for gold in golds:
            batch = None if problems.are_too_many else lines.take(len(gold))
            if batch is None:
                continue  # with gold, whose faults come first
            try:
                _read_lines(batch, gold, tags)
            except FaultsError as error:
                problems.add_all(error.faults)
        return Problems() if lines.take(1) and not problems.are_too_many else problems


def _batches(
    lines: Lines, golds: Iterator[Relations], tags: str, reasons: bool
) -> Iterator[Relations]:
    position, named = 0, False
    for gold in golds:
        batch = lines.take(len(gold))
        if batch is None and named:
            return
        predictions = None if batch is None else _predictions(batch, gold, tags, position)
        n = len(predictions.sentences) if predictions else 0
        named = predictions is not None and predictions.ids is not None and gold.ids is not None
        if not named and n != len(gold):
            expected = position + len(gold) + sum(map(len, golds))
            raise InputError(
                f"{lines.name} has {counted(position + n, 'example')}, expected {expected}"
            )
        assert batch is not None
        assert predictions is not None
        alone = replace(predictions, columns={})
        yield alone.relations(batch, gold, tags, position, reasons)
        position += n
    if rest := lines.take(sys.maxsize):
        n = sum(1 for _ in rest.filled_lines())
        raise InputError(
            f"{lines.name} has {counted(position + n, 'example')}, expected {position}"
        )


def _predictions(source: Source, like: Relations | None, tags: str, start: int) -> _Predictions:
    read = _read_lines(source, like, tags)
    ids, order = None, None
    if tags in OFFICIAL:
        read.notes[DISORDER] = read.count_misplaced(like, start)
    elif (read.kinds == TEXT).all():
        ids = read.texts_of_indexes()
    else:
        ids, order = _join_by_number(source.name, read, like, start)
    sentences = read.sentences
    if not (read.is_valid or _is_valid(sentences)):
        sentences = column(source.name, "tagged", [_decode(*each) for each in read.texts])
    columns = _further_columns(source.name, read)
    made = _Predictions(ids, sentences, read.notes, read.lines, columns)
    return made if order is None else made.arranged(order)


@dataclass
class _Lines:
    """The lines of a submission, as native code reads them."""

    texts: list[tuple[bytes, bytes]]  # Sentences of each block, and their ends
    sentences: pa.ChunkedArray  # Lists of these
    lines: Sequence[int]
    kinds: npt.NDArray[np.int8]  # Of the index of each example, as are numbers, names and places
    numbers: Int64
    names: bytes
    places: npt.NDArray[np.int32]
    further: dict[int, bytes]  # JSON of examples with further keys
    notes: Counter[str]
    is_valid: bool = False  # True if all texts are known to be UTF-8

    @classmethod
    def of(
        cls, blocks: list[tuple[bytes, ...]], further: dict[int, bytes], notes: Counter[str]
    ) -> _Lines:
        """Concatenate blocks."""
        texts, ends, counts, lines, kinds, numbers, names, places = (
            [block[k] for block in blocks] for k in range(8)
        )
        empty = [string_lists([], b"", bytes(4))]
        chunks = [string_lists(np.frombuffer(n, np.int32), text, stops)
                  for n, text, stops in zip(counts, texts, ends, strict=True)]  # fmt: skip
        sizes = [np.diff(np.frombuffer(each, np.int32)) for each in places]
        all_lines = b"".join(lines)
        return cls(
            [*zip(texts, ends, strict=True)],
            pa.chunked_array(chunks or empty),
            LineNumbers(lambda: np.frombuffer(all_lines, np.int32).tolist()),
            np.frombuffer(b"".join(kinds), np.int8),
            np.frombuffer(b"".join(numbers), np.int64),
            b"".join(names),
            np.cumsum(np.concatenate([[0], *sizes]), dtype=np.int32),
            further,
            notes,
        )

    def texts_of_indexes(self) -> Any:
        """Return the texts of all indexes; a list if half of a surrogate pair is among them."""
        texts = strings_at(self.names, self.places.tobytes())
        return texts if self.is_valid or _is_valid(texts) else _decode(self.names, self.places)

    def count_misplaced(self, like: Relations | None, start: int) -> int:
        """Count the lines that name another example: official readings use line order."""
        ids = strings([]) if like is None or like.ids is None else joined(like.ids)
        indexes = self.kinds, self.numbers, self.names, self.places
        return _native.count_misplaced(*indexes, start, *texts_of(ids))


def _is_valid(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Return True if texts are UTF-8, which native code does not check."""
    try:
        texts.validate(full=True)
    except pa.ArrowException:
        return False
    return True


def _decode(text: bytes, places: Any) -> list[str]:
    """Return texts among which is half of a surrogate pair."""
    ends = np.frombuffer(places, np.int32).tolist()
    return [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]


def _read_lines(source: Source, like: Relations | None, tags: str) -> _Lines:
    """Read all lines; raise FaultsError for invalid ones."""
    n_gold = np.zeros(0, np.int64)
    if tags in OFFICIAL and like is not None:
        n_gold = np.diff(like.arrays.relation_offsets)
    problems, notes = Problems(), Counter[str]()
    blocks: list[tuple[bytes, ...]] = []
    further: dict[int, bytes] = {}
    n, line, are_plain = 0, source.first, True
    whole = [(0, len(source.data))]
    for begin, end in whole if source.is_list else _blocks(source.data):
        block, places, n_passed, is_plain, faults, line = _native.read_submission(
            source.data, begin, end, line, n_gold[n + problems.count :], source.is_list
        )
        if are_plain and not is_plain:
            _ = source.text  # refuses bytes that are not UTF-8
        are_plain &= is_plain
        if faults[0]:
            _add_faults(problems, source, begin, *faults)
        further |= {n + k: source.data[begin + a : begin + b] for k, a, b in places}
        if n_passed:
            notes[PASSED_OVER] += n_passed
        blocks.append(block)
        n += len(block[4])
    problems.raise_if_any()
    read = _Lines.of(blocks, further, notes)
    read.is_valid = _is_valid(read.sentences) and is_utf8(read.names)
    if not read.is_valid and are_plain:
        _ = source.text
    return read


def _add_faults(
    problems: Problems,
    source: Source,
    begin: int,
    count: int,
    messages: list[bytes],
    invalid: list[tuple[int, int, int]],
    begins_invalid: bool,
) -> None:
    """Add the faults of a block; Python's own reader names invalid JSON."""
    if source.is_list:
        deque(source.items(), 0)
    elif begins_invalid and not problems.count:
        source.refuse_object()
    more = [(0, 0, 0)] * (len(messages) - len(invalid))
    for message, (line, start, stop) in zip(messages, invalid + more, strict=True):
        text = f"{source.name}:{message.decode('utf-8', 'surrogatepass')}"
        if line:
            try:
                JSON.decode(source.data[begin + start : begin + stop].decode())
            except (ValueError, RecursionError) as error:
                text = invalid_json(source.name, error, line)
        problems.add(text)
    problems.count += count - len(messages)
    if problems.are_too_many:
        problems.raise_if_any()


@pause_gc()
def _further_columns(name: str, read: _Lines) -> Mapping[str, pa.Array]:
    """Return the columns of further keys."""
    if not read.further:
        return {}
    columns, spelling, problems = ColumnBuilder(KEYS), Spelling(*KEYS[:2]), Problems()
    for k in range(len(read.kinds)):
        try:
            columns.add(spelling(JSON.decode(read.further.get(k, b"{}").decode())))
        except InputError:
            raise
        except (ValueError, RecursionError) as error:  # such as a number of 5000 digits
            problems.add(invalid_json(name, error, read.lines[k]))
    problems.raise_if_any()
    return columns.typed(name)


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of whole lines."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin + BLOCK) + 1 or len(data)
        yield begin, end
        begin = end


def _join_by_number(
    name: str, read: _Lines, like: Relations | None, start: int
) -> tuple[Any, Int64 | None]:
    """Return the ids of lines with a numbered index, or without ids in gold the lines in order."""
    has_ids = like is not None and like.ids is not None
    packed, n_misplaced, (n_faults, faults, is_list) = _native.join_by_number(
        read.kinds, read.numbers, read.names, read.places, start,
        -1 if like is None else len(like), has_ids,
    )  # fmt: skip
    if n_faults:
        problems = Problems()
        problems.count = n_faults
        for example, what, first in faults:
            where = name if example < 0 else f"{name}:{read.lines[example]}"
            other = "" if first < 0 else f"{name}:{read.lines[first]}"
            problems.first.append(f"{where}: {what.decode()}{other}")
        if not is_list:
            raise InputError(problems.first[0])
        problems.raise_if_any()
    if n_misplaced:
        read.notes[JOINED] = n_misplaced
    rows = np.frombuffer(packed, np.int64)
    if not len(rows):
        return None, None
    if like is None or like.ids is None:
        return None, rows
    return like.ids.take(numbers(rows)), None
