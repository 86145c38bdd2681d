"""The runs of a sweep: their list, their names, and the digest that detects changes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import numbers
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import texts_of_column
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.keys import repeated
from fastcausal.files.packed import loaded, local, only_files, stem_of
from fastcausal.files.records import Records
from fastcausal.formats import opened, read_marked, refuse_untaken, stream
from fastcausal.formats.annotation import SUFFIX, TEXT_SUFFIX
from fastcausal.formats.ranked import split_file
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Opened
from fastcausal.options import TagReading
from fastcausal.recipe import Recipe
from fastcausal.relations import Relations
from fastcausal.tasks.relations.join import gold_for_reading

LONGEST_NAME = 200  # bytes, of the 255 that file systems allow
SAFE = " =+,@"  # characters of a file name, besides letters, digits and _.-~


@dataclass(frozen=True)
class Run:
    """Predictions of one system."""

    name: str
    # A file, a folder of parts, rows of a data set with ids not yet compared, or of any table
    source: Path | Relations | Source | Records

    def digest(self) -> str:
        """Return a digest of the predictions; raise InputError if they cannot be opened."""
        if isinstance(self.source, Relations):
            return _digest_of_rows(self.source)
        if isinstance(self.source, Source):  # rows of others are blank
            lines = (line for line in self.source.data.split(b"\n") if line.strip())
            return _digest([b"\n".join(lines)])
        if isinstance(self.source, Records):
            return _digest_of_table(self.source.table)
        try:
            return digest_of_files(self.source)
        except OSError as error:
            raise InputError(f"{self.source}: {error.strerror}") from error

    def read(self, gold: Relations, recipe: Recipe) -> Relations:
        """Read the predictions; raise InputError if that fails."""
        if isinstance(self.source, Relations):
            return Relations.trusted(self.source.table, self.source.reading)
        try:
            tags = recipe.protocol.tags
            like = gold_for_reading(gold, recipe.join)
            pred = read_marked(self.source, like=like, tags=tags, **recipe.of_pred)
            refuse_untaken((gold, pred), recipe.marking)
        except InputError:
            raise
        except ValueError as error:  # the format of this run does not take all of `Reads`
            raise InputError(f"{self.source}: {error}") from error
        return pred


def file_name(run: str) -> str:
    """Encode a run's name as a file name for any file system; `run_name` decodes it."""
    quoted = quote(run, safe=SAFE)
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted


run_name = unquote


def runs_of_files(sources: Sequence[str | os.PathLike[str]]) -> list[Run]:
    """List the runs in files and folders, in the order of their names."""
    # A file is a run; in a folder, every file at any depth is a run. Names are stems of files if
    # these differ, else paths below the common folder.
    paths = [path for source in sources for path in _listed(Path(source))]
    absolute = [Path(os.path.normpath(path.absolute())) for path in paths]
    if twice := repeated(absolute):
        raise InputError(f"{paths[twice[0]]} is given twice")
    names = [_text(_stem(path)) for path in paths]
    if _clash(names):
        common = os.path.commonpath([path.parent for path in absolute])
        names = [_text((p.parent / _stem(p)).relative_to(common).as_posix()) for p in absolute]
    if (clash := _clash(names)) is not None:
        first, second = (paths[k] for k in clash)
        raise InputError(f'{first} and {second} are two runs of one name, "{names[clash[0]]}"')
    _check_lengths(names)
    return [Run(*pair) for pair in sorted(zip(names, paths, strict=True))]


def _listed(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            raise InputError(f"{path}: not a file or folder of predictions")
        return [path]
    shown = (entry for entry in sorted(path.iterdir()) if not entry.name.startswith((".", "_")))
    entries = only_files(shown)
    marked = {entry.stem for entry in entries if entry.suffix.lower() == SUFFIX}
    runs = [e for e in entries if not (e.suffix.lower() == TEXT_SUFFIX and e.stem in marked)]
    if not runs:
        raise InputError(f"{path}: a folder without runs, expected files of predictions")
    return runs


def _stem(path: Path) -> str:
    return path.name if path.is_dir() else stem_of(path)


def _text(name: str) -> str:
    """Decode a file name that may not be UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _clash(names: Sequence[str]) -> tuple[int, int] | None:
    """Return two names that are equal on some file systems."""
    return repeated(file_name(name).casefold() for name in names)


def _check_lengths(names: Sequence[str]) -> None:
    for name in names:
        if not name or len(file_name(name)) > LONGEST_NAME:
            raise InputError(
                f'"{name}" as the name of a run has {len(file_name(name))} bytes, '
                f"expected 1 to {LONGEST_NAME}"
            )


class Files:
    """The runs of `runs_of_files`."""

    def __init__(self, sources: Sequence[str | os.PathLike[str]]) -> None:
        self._runs = {run.name: run for run in runs_of_files(sources)}
        self.names: list[str] = [*self._runs]

    def paths(self, wanted: Sequence[str]) -> list[Path]:
        """Return the files of these runs."""
        return [run.source for run in self.runs(wanted) if isinstance(run.source, Path)]

    def runs(self, wanted: Sequence[str]) -> Iterator[Run]:
        """Yield the runs with these names."""
        return (self._runs[name] for name in wanted)


def _order_names(source: str | os.PathLike[str], runs: Iterable[str]) -> list[str]:
    """Return the names of the runs of a file in order, each fit for a file of its own."""
    names = sorted(runs)
    if (clash := _clash(names)) is not None:
        raise InputError(f'{source}: two runs of one name, "{names[clash[1]]}"')
    _check_lengths(names)
    return names


class DataSet:
    """The runs of one data set, separated by a column."""

    def __init__(
        self, source: str | os.PathLike[str], column: str, tags: TagReading = "strict"
    ) -> None:
        self._source = source
        self._column = column
        self._tags = tags
        self.sizes: Counter[str] = Counter()
        """Examples of each run."""
        for _, names, codes in self._batches():
            counts = np.bincount(codes, minlength=len(names)).tolist()
            self.sizes.update(dict(zip(names, counts, strict=True)))
        self.names: list[str] = _order_names(source, self.sizes)

    def paths(self, wanted: Sequence[str]) -> list[Path]:
        """Return an empty list: the rows of a run come from `runs`."""
        return []

    def runs(self, wanted: Sequence[str]) -> Iterator[Run]:
        """Yield the runs with these names, each once its last example is read."""
        left = {name: self.sizes[name] for name in wanted}
        parts: dict[str, list[pa.Table]] = {name: [] for name in wanted}
        for batch, names, codes in self._batches():
            for k, name in enumerate(names):
                if name not in left:
                    continue
                part = batch.table.filter(numbers(codes == k))
                parts[name].append(part)
                left[name] -= len(part)
                if not left[name]:
                    table = pa.concat_tables(parts.pop(name)).combine_chunks()
                    yield Run(name, Relations.part(table, batch.reading))

    def _batches(self) -> Iterator[tuple[Relations, list[str], Any]]:
        """Yield batches with the names of their runs, and the index of each example's run."""
        for batch in _stream(self._source, self._tags).batches():
            if self._column not in batch.table.column_names:
                known = ", ".join(batch.table.column_names)
                raise InputError(f'{self._source}: no column "{self._column}", it has {known}')
            if batch.table[self._column].null_count:
                raise InputError(f'{self._source}: column "{self._column}" of runs has nulls')
            names, codes = texts_of_column(batch.table, self._column)
            yield batch, [name for name in names if name is not None], codes


class FileParts:
    """The runs of a table or log of any task, separated by a column."""

    def __init__(self, source: str | os.PathLike[str], column: str) -> None:
        self._parts = split_file(source, column)
        self.names: list[str] = _order_names(source, self._parts)

    def paths(self, wanted: Sequence[str]) -> list[Path]:
        """Return an empty list: the rows of a run come from `runs`."""
        return []

    def runs(self, wanted: Sequence[str]) -> Iterator[Run]:
        """Yield the runs with these names."""
        return (Run(name, self._parts[name].sources[0]) for name in wanted)


def holds_relations(source: str | os.PathLike[str], tags: TagReading) -> bool:
    """Return True for a data set of relations that is read batch by batch."""
    if Path(local(source)).is_dir():
        return True
    try:
        _stream(source, tags)
    except InputError:
        return False
    return True


def _stream(source: str | os.PathLike[str], tags: TagReading) -> Stream:
    """Stream a data set; ids may repeat between runs, so it is never read as a table."""
    file = opened(source)
    if not isinstance(file, Opened):
        examples = stream(file)
    elif file.format.stream is not None:
        examples = file.format.stream(replace(file, content=None), None, tags)
    else:
        examples = None
    if examples is None or examples.follows:
        raise InputError(
            f"{source}: runs are told apart by a column of relations in Parquet, Arrow or JSON "
            "lines alone"
        )
    return examples


def digest_of_files(path: Path) -> str:
    """Return the digest of a file, or of all files of a folder with their names."""

    def named(part: Path) -> bytes:
        name, data = os.fsencode(os.path.relpath(part, path.parent)), part.read_bytes()
        return b"%d %d " % (len(name), len(data)) + name + data

    return _digest(map(named, _parts(path)))


def _digest(parts: Iterable[Any]) -> str:
    """Return the digest of bytes, one after another."""
    from hashlib import blake2b  # loads OpenSSL

    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def digest_of_lines(path: str) -> int | None:
    """Return the digest of a file's lines in any order; None for folders and standard input."""
    if path == "-" or Path(local(path)).is_dir():
        return None
    _, data = loaded(path)
    return digest_of_texts(None, pa.array(data.rstrip(b"\n").split(b"\n"), pa.binary()))


def _parts(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.is_file())
    text = path.with_suffix(TEXT_SUFFIX)
    return [path, text] if path.suffix.lower() == SUFFIX and text.is_file() else [path]


def _digest_of_rows(relations: Relations) -> str:
    """Return the digest of a table; equal rows have equal bytes."""
    return _digest_of_table(
        relations.table.replace_schema_metadata({"": relations.reading.serialise()})
    )


def _digest_of_table(table: pa.Table) -> str:
    file = pa.BufferOutputStream()
    with pa.ipc.new_stream(file, table.schema) as sink:
        sink.write_table(table)
    return _digest([file.getvalue()])
