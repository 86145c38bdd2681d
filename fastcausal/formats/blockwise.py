"""Files written block by block, from relations in memory or from a stream.

::

    Relations ──────────────┐
                            ├─▶ blocks ──▶ Writer.checks ──▶ Writer.rows ──▶ file
    Stream ──▶ WrittenParts ┘   of rows
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Protocol, runtime_checkable

from fastcausal.errors import InputError
from fastcausal.files.files import replacing
from fastcausal.files.keys import SeenKeys
from fastcausal.formats.examples import Block, blocks
from fastcausal.formats.reading.batches import Stream, ahead
from fastcausal.relations import Reading, Relations

Progress = Callable[[int, int | None], None]


class Writer(Protocol):
    """The writer of one file, block by block; it collects messages on losses."""

    header: bytes  # Comes before the first block
    # Each takes a block, and raises InputError if the file cannot hold it
    checks: tuple[Callable[[Block], None], ...]

    def rows(self, block: Block) -> bytes:
        """Return the examples of a block as bytes of the file."""
        ...

    def lost(self, reading: Reading) -> list[str]:
        """Return messages on losses after the last block; ``reading`` is of all blocks."""
        ...


class Conversion(NamedTuple):
    """The examples of a stream that became a file."""

    reading: Reading
    # As of `Relations`
    n_examples: int
    n_relations: int
    n_unread: int
    lost: list[str]  # Messages on losses


@runtime_checkable
class StreamWrite(Protocol):
    """The `write` of a format whose files are also written from a stream."""

    def __call__(self, relations: Relations, target: str | os.PathLike[str]) -> list[str]:
        """Write relations in memory; return messages on losses."""
        ...

    def stream(
        self, examples: Stream, target: str | os.PathLike[str], progress: Progress | None
    ) -> Conversion:
        """Write the examples of a stream; memory holds some batches, and 8 bytes for every id."""
        ...


class WrittenParts:
    """The parts of a stream one after another, compared with each other and counted."""

    def __init__(self, examples: Stream, progress: Progress | None) -> None:
        self.examples, self.progress = examples, progress
        self.n_examples = self.n_relations = self.n_unread = 0  # of the parts before this one

    def read(self) -> Generator[Relations]:
        """Yield the parts; raise InputError if all examples at once would be another table."""
        seen, form, has_types = SeenKeys(), None, False
        with closing(ahead(self.examples.batches())) as parts:
            for part in parts:
                form = form or (part.table.schema, part.types is None)
                if (part.table.schema, part.types is None) != form:
                    raise InputError("the columns change")
                if part.ids is not None:
                    seen.add(part.ids)
                if part.types is not None:
                    has_types |= part.types.flatten().null_count < part.n_relations
                yield part
                self.n_examples += len(part)
                self.n_relations += part.n_relations
                self.n_unread += part.n_unread
                if self.progress is not None:
                    self.progress(self.n_examples, self.examples.n_examples)
        if seen.has_repeats():
            raise InputError("an id occurs twice")
        if form is not None and not (form[1] or has_types):
            raise InputError("no relation has a type")

    def done(self, lost: list[str]) -> Conversion:
        """Return the numbers of all parts, with these messages on losses."""
        assert self.examples.reading is not None
        counts = self.n_examples, self.n_relations, self.n_unread
        return Conversion(self.examples.reading, *counts, lost)


@dataclass(frozen=True)
class Blockwise:
    """The `write` of a format whose files are written block by block."""

    # Takes Relations, perhaps the first of several with the same columns, and the path of the
    # file; returns its `Writer`
    writer: Callable[[Relations, str | os.PathLike[str]], Writer]

    def __call__(self, relations: Relations, target: str | os.PathLike[str]) -> list[str]:
        """Write relations in memory; return messages on losses."""
        writer = self.writer(relations, target)
        _require(relations, writer, 0)  # first: a pipe would keep bytes written before an error
        with replacing(target) as file:
            file.write(writer.header)
            for block in blocks(relations):
                file.write(writer.rows(block))
        return writer.lost(relations.reading)

    def stream(
        self, examples: Stream, target: str | os.PathLike[str], progress: Progress | None
    ) -> Conversion:
        """Write the examples of a stream; memory holds some batches, and 8 bytes for every id."""
        parts = WrittenParts(examples, progress)
        with closing(parts.read()) as read, replacing(target) as file:
            first = next(read)
            writer = self.writer(first, target)
            file.write(writer.header)
            for part in chain([first], read):
                _require(part, writer, parts.n_examples)
                for block in blocks(part, parts.n_examples):
                    file.write(writer.rows(block))
        assert examples.reading is not None
        return parts.done(writer.lost(examples.reading))


def _require(relations: Relations, writer: Writer, before: int) -> None:
    """Raise InputError if a check of the writer refuses a block."""
    for check in writer.checks:
        for block in blocks(relations, before):
            check(block)
