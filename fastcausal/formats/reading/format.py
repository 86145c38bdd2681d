"""The declaration of a format, and a file of known format."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastcausal.files.files import Source
from fastcausal.files.packed import name_of
from fastcausal.relations import Relations

if TYPE_CHECKING:
    from fastcausal.formats.reading.batches import Stream

ColumnNames = Collection[str | None] | None


class Late(NamedTuple):
    """A function of a format, whose module is loaded at the first call."""

    module: str
    name: str

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function."""
        return getattr(import_module(self.module), self.name)(*given, **named)


def late(module: str, *same: str, **fields: str) -> dict[str, Any]:
    """Return functions of a module by the field of `Format`, which is mostly their name."""
    return {field: Late(module, name) for field, name in ({n: n for n in same} | fields).items()}


@dataclass(frozen=True)
class Format:
    """The declaration of a format: everything for reading, writing and recognising its files."""

    # Functions are module-level, so it can be pickled.

    name: str  # The value of arguments named ``format``
    # Takes a `Source`, and the arguments in `takes` by name. None: written only.
    read: Callable[..., Relations] | None = None
    # Takes Relations, a path and `options` by name; returns messages on losses. None: read
    # only.
    write: Callable[..., list[str]] | None = None
    # Files with these suffixes have this format, whatever their content
    suffixes: tuple[str, ...] = ()
    written: tuple[str, ...] = ()  # Further suffixes for files to write, but not for files to read
    # The arguments of `read` among ``like`` (gold, Relations or None), ``tags`` (their
    # reading), ``answers``, ``occurrence``, ``id``, ``unplaced`` and ``links``
    takes: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()  # Suffixes of its files in a directory that is read as one source
    options: tuple[str, ...] = ()  # Arguments of `write` alone
    marks: tuple[bytes, ...] = ()  # First bytes of a binary file
    # In JSON lines: the key of every object, and a test that an object with this key can have
    # no other format. None: the key suffices.
    key: str | None = None
    is_row: Callable[[Mapping[str, Any]], bool] | None = None
    sniff: Callable[[Source], bool] | None = None  # Recognises other text by its content
    load: Callable[[str | os.PathLike[str]], Source] = Source.open  # Opens a path
    # Takes an `Opened`, the only columns needed and the reading of tags; returns the batches
    # of a file that may be larger than memory, None if it must be read at once
    stream: Callable[[Opened, ColumnNames, str], Stream | None] | None = None
    # Takes a `Source` and a `Marking`; returns the `Document`s of a file with separate spans
    # and links, one per annotator
    documents: Callable[[Source, Any], Iterable[Any]] | None = None
    empty: bool = True  # True if a file without examples can be read back


@dataclass(frozen=True)
class Opened:
    """A file of known format; made once and passed on instead of its path."""

    path: Any
    format: Format
    # The start of a file too large to load at once, if it decided the format
    head: Source | None = None
    content: Source | None = None  # All of it, if in memory

    @property
    def can_stream(self) -> bool:
        """True if the file may be larger than memory and can be read batch by batch."""
        may_be_large = self.head is not None or bool(self.format.marks)
        return may_be_large and self.content is None and self.format.stream is not None

    @property
    def name(self) -> str:
        """The name of the file for messages."""
        if self.content is not None:
            return self.content.name
        return self.path.name if isinstance(self.path, Source) else name_of(self.path)

    def source(self) -> Source:
        """Return all of the file; of a format of JSON lines, a line for each key of one object."""
        content = self.content or self.format.load(self.path)
        return content if self.format.key is None else content.lines_of_keys()

    def size(self) -> int:
        """Count the bytes of the file."""
        return Path(self.path).stat().st_size


def choose_format(source: Source, rivals: Sequence[Format]) -> Format:
    """Choose the format of a file among the formats of its suffix: the first if none matches."""
    return next((f for f in rivals if f.sniff is not None and f.sniff(source)), rivals[0])
