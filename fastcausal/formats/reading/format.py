"""The declaration of a format, and a file whose format is known."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastcausal.files.files import Source
from fastcausal.files.packed import name_of
from fastcausal.relations import Relations

if TYPE_CHECKING:
    from fastcausal.formats.reading.batches import Stream

Columns = Collection[str | None] | None


@dataclass(frozen=True)
class Format:
    """The declaration of a format: all that reading, writing and telling files apart go by.

    Functions are those of modules, so that it can be pickled.

    Attributes
    ----------
    name : str
        The value of the arguments ``format``.
    read : callable, optional
        Takes a `Source`, and by name what `takes` says. None: written only.
    write : callable, optional
        Takes Relations, a path and `options` by name; returns what was lost. None: read only.
    suffixes : tuple of str
        Files named so are of this format, whatever they hold.
    written : tuple of str
        More suffixes that tell the format of a file to write, but not of one to read.
    takes : tuple of str
        Which of ``like`` (gold, Relations or None), ``tags`` (their reading), ``answers``,
        ``occurrence``, ``unplaced`` and ``links`` `read` takes.
    folder : tuple of str
        Suffixes of its files in a directory that is read as one source.
    options : tuple of str
        Arguments that `write` alone has.
    marks : tuple of bytes
        What a binary file begins with.
    key, is_row : str and callable, optional
        In JSON lines: the key that every object has, and whether an object that has it can be of
        no other format. None: the key alone tells.
    sniff : callable, optional
        Tells other text by its content.
    load : callable
        Opens a path.
    stream : callable, optional
        Takes an `Opened`, the only columns needed and the reading of tags; gives the batches of
        a file that may be larger than memory, None where it has to be read whole.
    documents : callable, optional
        Takes a `Source` and a `Marking`; gives the `Document`s of a file in which spans and links
        are marked one by one, each as one annotator marked it.
    empty : bool
        Whether a file without examples can be read back.
    """

    name: str
    read: Callable[..., Relations] | None = None
    write: Callable[..., list[str]] | None = None
    suffixes: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    marks: tuple[bytes, ...] = ()
    key: str | None = None
    is_row: Callable[[Mapping[str, Any]], bool] | None = None
    sniff: Callable[[Source], bool] | None = None
    load: Callable[[str | os.PathLike[str]], Source] = Source.open
    stream: Callable[[Opened, Columns, str], Stream | None] | None = None
    documents: Callable[[Source, Any], Iterable[Any]] | None = None
    empty: bool = True


@dataclass(frozen=True)
class Opened:
    """A file whose format is known; made once and passed on in place of its path.

    Attributes
    ----------
    path : path or Source
    format : Format
    head : Source or None
        Its start, where that told the format of a file too large to be loaded at once.
    content : Source or None
        All of it, where it is in memory.
    """

    path: Any
    format: Format
    head: Source | None = None
    content: Source | None = None

    @property
    def in_batches(self) -> bool:
        """Tell whether the file may be larger than memory and can be read batch by batch."""
        may_be_large = self.head is not None or bool(self.format.marks)
        return may_be_large and self.content is None and self.format.stream is not None

    @property
    def name(self) -> str:
        """The name of the file for messages."""
        if self.content is not None:
            return self.content.name
        return self.path.name if isinstance(self.path, Source) else name_of(self.path)

    def source(self) -> Source:
        """Return all of the file."""
        return self.content or self.format.load(self.path)

    def size(self) -> int:
        """Count the bytes of the file."""
        return Path(self.path).stat().st_size
