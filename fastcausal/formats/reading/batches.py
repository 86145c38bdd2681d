"""Sources of any size as batches of equal size, in bounded memory.

::

    read, of_reader, batch ──▶ canonical ──▶ cut ──▶ Relations.part

Batches are equal for any division of the source into row groups, record batches or files.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.validation import validate
from fastcausal.errors import InputError, Problems
from fastcausal.files import on_disk
from fastcausal.files.binary import DAMAGE, damaged
from fastcausal.files.schemas import require_plain
from fastcausal.relations import Reading, Relations, canonical, import_table

ROWS = 1 << 15  # examples at a time; half of it with their texts
WHOLE = 1 << 17  # most examples of a source that is read at once, without threads

ReadingBatch = tuple[Reading | None, pa.Table]
"""Reading and examples; the reading is None if an earlier batch of the same file has it."""
T = TypeVar("T")


class WholeError(InputError):
    """Batches cannot be read or compared; perhaps whole sources can."""


@dataclass
class Stream:
    """A sequence of examples, with their reading so far."""

    name: str  # The name of the source for messages
    # Starts at the first example; takes the batches of gold, which some predictions need
    read: Callable[[Iterator[Relations]], Iterable[ReadingBatch]]
    n_examples: int | None = None  # Their number, if known before reading
    # Size of its files, 0 in memory; None for a source that can be read only once
    n_bytes: int | None = 0
    # True if reading needs the batches of gold, which end together with batches of the
    # examples
    follows: bool = False
    relations: Relations | None = None  # All examples, if in memory
    # Takes the batches of gold; collects the faults of all lines, as reading them at once
    # would report them
    faults: Callable[[Iterator[Relations]], Problems] | None = None
    # Of all examples so far: notes are added up
    reading: Reading | None = field(default=None, init=False)
    # Of the schema of a single file of tables
    metadata: Mapping[bytes, bytes] = field(default_factory=dict, init=False)

    def batches(
        self, golds: Iterator[Relations] | None = None, n: int | None = None
    ) -> Iterator[Relations]:
        """Yield n examples (`ROWS`) at a time, then the rest; an empty batch if there are none."""
        # Notes and messages are in `reading` alone: repeated in every batch they would add up.
        for cut_off in cut(self._tables(golds or iter(())), n or ROWS):
            quiet = replace(self.reading or Reading(), notes={}, unread=())
            try:
                this = Relations.part(cut_off, quiet)
            except InputError as error:
                raise self._name_source(error) from error
            yield this

    @property
    def is_one_batch(self) -> bool:
        """True if the source surely has at most `WHOLE` examples, read as one batch."""
        return self.n_examples is not None and self.n_examples <= WHOLE

    def whole(self) -> Relations:
        """Return all examples in one table."""
        if self.relations is not None:
            self.reading = self.relations.reading
            return self.relations
        return self._relations(list(self._tables(iter(()))))

    def read_if_small(self) -> Relations | None:
        """Return all examples, None if there are more than `WHOLE`."""
        if self.n_examples is not None:
            return self.whole() if self.is_one_batch else None
        first, *more = islice(cut(self._tables(iter(())), WHOLE), 2)
        return None if more else self._relations([first])

    def _relations(self, tables: list[pa.Table]) -> Relations:
        try:
            return Relations.trusted(_joined(tables), self.reading)
        except InputError as error:
            raise self._name_source(error) from error

    def _tables(self, golds: Iterator[Relations]) -> Iterator[pa.Table]:
        self.reading = None
        for reading, table in self.read(golds):
            if reading is not None:
                self.reading = self._merge(reading)
            try:
                yield canonical(table.replace_schema_metadata(None))
            except InputError as error:
                raise self._name_source(error) from error
        if self.reading is None:
            raise InputError("the iterator has no examples")

    def _merge(self, more: Reading) -> Reading:
        """Merge the reading so far with that of another file, which may differ in notes only."""
        so_far = self.reading
        if so_far is None:
            return more
        for what in ("roles", "tags", "predicted", "words"):
            before, now = getattr(so_far, what), getattr(more, what)
            if before != now:
                raise InputError(f"{self.name}: {what} {now} after {what} {before}")
        notes = dict(Counter(so_far.notes) + Counter(more.notes))
        forms = tuple(sorted({*so_far.forms, *more.forms}))
        unread = (so_far.unread + more.unread)[: Problems.shown]
        return replace(so_far, notes=notes, forms=forms, unread=unread)

    def _name_source(self, error: InputError) -> InputError:
        return InputError(f"{self.name}: {error}") if self.name else error


def cut(tables: Iterable[pa.Table], n: int) -> Iterator[pa.Table]:
    """Yield tables of n rows and one with the rest; copy only tables made of several."""
    held: list[pa.Table] = []
    count, is_cut = 0, False
    for table in tables:
        held.append(table)
        count += len(table)
        if count < n:
            continue
        whole = _joined(held)
        for start in range(0, count - n + 1, n):
            yield whole.slice(start, n)
        is_cut, count = True, count % n
        # An empty slice would hold all memory of the table.
        held = [whole.slice(len(whole) - count) if count else arrow.no_rows(whole.schema)]
    if count or not is_cut:
        yield _joined(held)


def ahead(items: Iterator[T]) -> Generator[T]:
    """Yield the same items, computing the next one in another thread."""
    from concurrent.futures import ThreadPoolExecutor  # not needed by sources of one batch

    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def _joined(tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="default")
    except pa.ArrowException as error:
        raise InputError(f"columns change from one batch to another: {error}") from error


def stream_files(
    name: str, files: Mapping[Path, str], format: str, columns: Collection[str | None] | None
) -> Stream:
    """Stream Parquet or Arrow files; the mapping has the name of each for messages."""
    counts = [n_examples(file, format) for file in files]
    total = None if None in counts else sum(filter(None, counts))

    def read_all(_: Any) -> Iterator[ReadingBatch]:
        for file, label in files.items():
            yield from read(file, format, label, columns)

    return Stream(name, read_all, total, sum(file.stat().st_size for file in files))


def read_batches(reader: pa.RecordBatchReader) -> Iterator[ReadingBatch]:
    """Yield the record batches of a foreign reader."""
    try:
        for reading, table in read_file(reader.schema, reader):
            yield reading, import_table(table)
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"the Arrow data cannot be read: {reason}") from error


def batch(item: Any) -> ReadingBatch:
    """Convert an item of an iterator: Relations or Arrow data, with their own reading."""
    if isinstance(item, Relations):
        return item.reading, item.table
    if hasattr(item, "__arrow_c_stream__") or hasattr(item, "__arrow_c_array__"):
        table = import_table(item)
        return Reading.read(table.schema), table
    raise InputError(f"cannot read a {type(item).__name__}, expected Relations or Arrow data")


def read(
    path: str | os.PathLike[str],
    format: str,
    name: str,  # The name of the file for messages
    columns: Collection[str | None] | None = None,  # The only columns needed from a Parquet file
) -> Iterator[ReadingBatch]:
    """Yield the rows of a file in order, at least one batch."""
    # One record batch of an Arrow file, or some pages of a Parquet file, are in memory at once.
    try:
        schema, parts = on_disk.parts(path, format, ROWS, WHOLE, columns)
        require_plain(schema, name)
        for reading, table in read_file(schema, parts):
            validate(table)  # offsets of a damaged file may point anywhere
            yield reading, arrow.cast_to_plain(table)
    except InputError:
        raise
    except DAMAGE as error:
        raise damaged(name, format, error) from error


def read_file(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[ReadingBatch]:
    """Yield record batches with their reading; an empty one if there are none."""
    reading: Reading | None = Reading.read(schema)
    for each in batches:
        yield reading, pa.Table.from_batches([each])
        reading = None
    if reading is not None:
        yield reading, arrow.no_rows(schema)


def schema_of(path: str | os.PathLike[str], format: str, name: str) -> pa.Schema | None:
    """Return the schema of a file; None if it is damaged, which reading will report."""
    try:
        schema, _ = on_disk.parts(path, format, ROWS)
    except DAMAGE:
        return None
    require_plain(schema, name)
    return schema


def n_examples(path: str | os.PathLike[str], format: str) -> int | None:
    """Return the number of rows in a file; None if its header lacks it."""
    if format != "parquet":
        return None
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except DAMAGE:  # reading reports it
        return None
