"""Sources of any size as parts of equal size, so that not all has to be in memory.

::

    pieces ──▶ canonical ──▶ cut ──▶ Relations.part

A part has as many examples however its source is divided into row groups, record batches or files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pyarrow as pa

from fastcausal.errors import InputError, Problems
from fastcausal.formats.io import pieces
from fastcausal.formats.io.pieces import Piece
from fastcausal.relations import Reading, Relations, canonical, taken

T = TypeVar("T")


@dataclass
class Stream:
    """Examples one after another, and what is known of their reading so far.

    Attributes
    ----------
    name : str
        What messages call the source.
    pieces : callable
        Starts at the first example; takes the parts of gold, which some predictions refer to.
    n_examples : int or None
        How many there are, where that is known before they are read.
    n_bytes : int or None
        Size of its files, 0 in memory; None where what was read is gone.
    follows : bool
        Whether the parts of gold are needed, which end with those of the examples.
    reading : Reading or None
        Of all that was read: notes are added up.
    """

    name: str
    pieces: Callable[[Iterator[Relations]], Iterable[Piece]]
    n_examples: int | None = None
    n_bytes: int | None = 0
    follows: bool = False
    reading: Reading | None = field(default=None, init=False)

    def parts(self, golds: Iterator[Relations] | None = None) -> Iterator[Relations]:
        """`pieces.ROWS` examples at a time and then the rest; an empty part if there are none.

        Notes and messages are in `reading` alone: in every part they would add up.
        """
        for cut_off in cut(self._tables(golds or iter(())), pieces.ROWS):
            quiet = replace(self.reading or Reading(), notes={}, unread=())
            try:
                part = Relations.part(cut_off, quiet)
            except InputError as error:
                raise self._named(error) from error
            yield part

    def whole(self) -> Relations:
        """All examples in one table."""
        tables = list(self._tables(iter(())))
        try:
            return Relations.trusted(_joined(tables), self.reading)
        except InputError as error:
            raise self._named(error) from error

    def _tables(self, golds: Iterator[Relations]) -> Iterator[pa.Table]:
        self.reading = None
        for reading, found in self.pieces(golds):
            if reading is not None:
                self.reading = self._with(reading)
            try:
                yield canonical(found.replace_schema_metadata(None))
            except InputError as error:
                raise self._named(error) from error
        if self.reading is None:
            raise InputError("the iterator has no examples")

    def _with(self, more: Reading) -> Reading:
        """The reading so far and that of another file, which may differ in notes only."""
        so_far = self.reading
        if so_far is None:
            return more
        for what in ("roles", "tags", "predicted"):
            before, now = getattr(so_far, what), getattr(more, what)
            if before != now:
                raise InputError(f"{self.name}: {what} {now} after {what} {before}")
        notes = dict(Counter(so_far.notes) + Counter(more.notes))
        return replace(so_far, notes=notes, unread=(so_far.unread + more.unread)[: Problems.shown])

    def _named(self, error: InputError) -> InputError:
        return InputError(f"{self.name}: {error}") if self.name else error


def cut(tables: Iterable[pa.Table], n: int) -> Iterator[pa.Table]:
    """Tables of n rows and one with the rest, copied only where they span several of the given.

    Examples
    --------
    >>> [len(t) for t in cut([pa.table({"n": range(k)}) for k in (1, 5, 1)], 3)]
    [3, 3, 1]
    """
    held: list[pa.Table] = []
    count, some = 0, False
    for found in tables:
        held.append(found)
        count += len(found)
        if count < n:
            continue
        whole = _joined(held)
        for start in range(0, count - n + 1, n):
            yield whole.slice(start, n)
        some, count = True, count % n
        held = [whole.slice(len(whole) - count)]
    if count or not some:
        yield _joined(held)


def ahead(items: Iterator[T]) -> Generator[T]:
    """The same items, the next one made in another thread while one is in use."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def _joined(tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="default")
    except pa.ArrowException as error:
        raise InputError(f"columns change from one part to another: {error}") from error


def of_reader(reader: pa.RecordBatchReader) -> Iterator[Piece]:
    """The record batches of a reader that was made elsewhere."""
    try:
        for reading, found in pieces.of_one_file(reader.schema, reader):
            yield reading, taken(found)
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"the Arrow data cannot be read: {reason}") from error


def piece(item: Any) -> Piece:
    """What an iterator gives: Relations or Arrow data, with a reading of their own."""
    if isinstance(item, Relations):
        return item.reading, item.table
    if hasattr(item, "__arrow_c_stream__") or hasattr(item, "__arrow_c_array__"):
        found = taken(item)
        return Reading.of(found.schema), found
    raise InputError(f"cannot read a {type(item).__name__}, expected Relations or Arrow data")
