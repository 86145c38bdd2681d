"""Files written block by block, from relations in memory or from a stream.

::

    Relations ──┐
                ├─▶ blocks ──▶ Writer.checks ──▶ Writer.rows ──▶ file
    Stream ─────┘   of rows
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import IO, NamedTuple, Protocol

import numpy as np

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
        with closing(ahead(examples.batches())) as parts, replacing(target) as file:
            first = next(parts)
            writer = self.writer(first, target)
            counts = _write_parts(chain([first], parts), file, writer, examples, progress)
        assert examples.reading is not None
        return Conversion(examples.reading, *counts, writer.lost(examples.reading))


def _write_parts(
    parts: Iterator[Relations],
    file: IO[bytes],
    writer: Writer,
    examples: Stream,
    progress: Progress | None,
) -> tuple[int, int, int]:
    """Write parts one after another; return the numbers of examples, relations, unread ones."""
    counts = np.zeros(3, np.int64)
    seen, schema = SeenKeys(), None
    file.write(writer.header)
    for part in parts:
        schema = schema or part.table.schema
        if part.table.schema != schema:
            raise InputError("the columns change")
        if part.ids is not None:
            seen.add(part.ids)
        before = int(counts[0])
        _require(part, writer, before)
        for block in blocks(part, before):
            file.write(writer.rows(block))
        counts += len(part), part.n_relations, part.n_unread
        if progress is not None:
            progress(int(counts[0]), examples.n_examples)
    if seen.has_repeats():
        raise InputError("an id occurs twice")
    n_examples, n_relations, n_unread = counts.tolist()
    return n_examples, n_relations, n_unread


def _require(relations: Relations, writer: Writer, before: int) -> None:
    """Raise InputError if a check of the writer refuses a block."""
    for check in writer.checks:
        for block in blocks(relations, before):
            check(block)
