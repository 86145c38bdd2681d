"""Files: bytes with places for messages, and complete writing or none."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from fastcausal.errors import InputError, OutputError, Problems, invalid_json
from fastcausal.files.outputs import Output
from fastcausal.files.packed import loaded, plain_name
from fastcausal.files.values import JSON, find_most_common, kind, pause_gc, shown
from fastcausal.files.zips import Archive

LONGEST_CELL = 2**31 - 1  # characters of CSV: Python's own limit would refuse long sentences
UTF8_MARK = b"\xef\xbb\xbf"
_FILLED = re.compile(r"\S")
# An escape of JSON: of a whole surrogate pair, of half of one, or any other.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)
_LIST = re.compile(rb"\s*\[\s*\{")
_KEYED = re.compile(rb"\s*\{\s*\"(?:[^\"\\]|\\.)*\"\s*:\s*\{")  # an object whose first value is one
_KEY = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_OPENS, _GOES_ON = re.compile(r"\s*\[\s*"), re.compile(r"\s*,\s*")  # before an item of a list
JSON_SUFFIXES = (".jsonl", ".json", ".ndjson")


@dataclass(frozen=True)
class Source:
    """The content of a file or of standard input."""

    name: str  # The name for messages: the path as given, or ``<stdin>``
    data: bytes  # All of it, without a UTF-8 byte-order mark unless requested
    first: int = 1  # The number of its first line, for a part of a file
    # The zip that contains it; its name begins with the zip's
    archive: Archive | None = field(default=None, compare=False, repr=False)

    @classmethod
    def open(
        cls, source: str | os.PathLike[str] | Source, keep_mark: bool = False, most: int = -1
    ) -> Source:
        """Load a path, a URL, or ``"-"`` for standard input; return a `Source` unchanged."""
        # Packed files are unpacked. ``most`` limits the bytes read from a path; the result is then
        # the start of the file.
        if isinstance(source, Source):
            return source
        name, data = loaded(source, most)
        if not keep_mark:
            data = data.removeprefix(UTF8_MARK)
        if most < 0 and (not data or data.isspace()):
            raise InputError(f"{name} is empty")
        return cls(name, data)

    def beside(self, name: str) -> Source:
        """Open another file of the same directory or zip, with its byte-order mark if any."""
        path = Path(self.name).with_name(name)
        if self.archive is None:
            return Source.open(path, keep_mark=True)
        inside = path.relative_to(self.archive.name).as_posix()
        if inside not in self.archive.names:
            raise InputError(f"{self.archive.name}: no {inside} in it")
        return Source(path.as_posix(), self.archive.read(inside), archive=self.archive)

    @cached_property
    def is_json(self) -> bool:
        """True if the name or the first character indicates JSON."""
        is_named = plain_name(self.name).lower().endswith(JSON_SUFFIXES)
        return is_named or self.is_list or re.match(rb"\s*\{", self.data) is not None

    @cached_property
    def is_list(self) -> bool:
        """True for a file that begins as one JSON list of objects."""
        return self.first == 1 and _LIST.match(self.data) is not None

    @cached_property
    def text(self) -> str:
        """Decode the content; InputError names the line of the first byte that is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + self.first
            byte = self.data[error.start]
            raise InputError(f"{self.name}:{line}: byte 0x{byte:02x} is not UTF-8") from error

    def document(self) -> Any:
        """Decode the single JSON value of the file; raise InputError if it is invalid."""
        text = self.text
        try:
            with pause_gc():
                return JSON.decode(text)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from error
        except (ValueError, RecursionError) as error:  # RecursionError: deep nesting
            raise InputError(invalid_json(self.name, error)) from error

    def document_to_store(self) -> Any:
        r"""Decode the single JSON value of the file, whose texts go into tables and pages.

        >>> Source("a.json", b'[\n"\\\\ud800 \\ud83d\\ude00", "\\uD800"]').document_to_store()
        Traceback (most recent call last):
        fastcausal.errors.InputError: a.json:2: "\uD800" is half of a surrogate pair, expected ...
        """
        for escape in _ESCAPE.finditer(self.text):
            if half := escape["half"]:
                line = self.text.count("\n", 0, escape.start()) + self.first
                raise InputError(
                    f'{self.name}:{line}: "\\{half}" is half of a surrogate pair, '
                    "expected a whole character"
                )
        return self.document()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with their numbers; only a line feed ends a line."""
        number, start, text = self.first, 0, self.text
        while (end := text.find("\n", start)) >= 0:
            yield number, text[start:end]
            number, start = number + 1, end + 1
        yield number, text[start:]

    def filled_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, with their numbers."""
        number, start, text = self.first, 0, self.text
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            line = text[start:end]
            if line and not line.isspace():
                yield number, line
                number, start = number + 1, end + 1
            elif filled := _FILLED.search(text, end):  # fast over millions of blank lines
                following = text.rfind("\n", end, filled.start()) + 1
                number += text.count("\n", end, following)
                start = following
            else:
                return

    def rows(self, delimiter: str = ",") -> list[tuple[int, list[str]]]:
        """Return the rows of a CSV file with the number of their first line, all of one width."""
        # The first row is the header, without repeated columns.
        rows: list[tuple[int, list[str]]] = []
        line = 1
        if csv.field_size_limit() < LONGEST_CELL:  # process-wide: threads must not reset it
            csv.field_size_limit(LONGEST_CELL)
        try:
            text = io.StringIO(self.text, newline="")
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            for row in reader:
                if row:
                    rows.append((line, row))
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{self.name}:{line}: invalid CSV: {error}") from error
        first, header = rows[0]
        if again := find_most_common(header):
            raise InputError(f'{self.name}:{first}: column "{again[0]}" occurs {again[1]} times')
        width = len(header)
        for line, row in rows:
            if len(row) != width:
                raise InputError(f"{self.name}:{line}: {len(row)} columns, expected {width}")
        return rows

    def refuse_object(self) -> None:
        """Raise InputError for one JSON object over several lines."""
        try:
            value = JSON.decode(self.text)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            raise InputError(
                f"{self.name}: one JSON object over several lines, expected an object on each "
                "line, or a list of objects"
            )

    def lines_of_keys(self, column: str | None = None) -> Source:
        r"""Return a line for each object of one JSON object, its key as ``id``; else the source.

        >>> Source("a.json", b'{"x": {"label": 1},\n\n"y": {"label": 0}}').lines_of_keys().data
        b'{"id": "x", "label": 1}\n\n{"id": "y", "label": 0}\n'
        """
        # The objects have a key in common: one row of columns that hold objects has none, and one
        # with ``column`` is a row. A line has the number of the line of its key, if no two keys
        # share one.
        if self.first != 1 or not _KEYED.match(self.data):
            return self
        lines: list[str] = []
        common: set[str] | None = None
        text, stop, number = self.text, 0, 1
        while (key := _KEY.match(text, stop)) is not None:
            try:
                value, end = JSON.raw_decode(text, key.end())
            except (ValueError, RecursionError):  # InputError too: reading reports it
                return self
            if not isinstance(value, dict) or JSON.decode(key[1]) == column:
                return self
            common = {*value} if common is None else common & value.keys()
            number += text.count("\n", stop, key.end())
            rest = text[key.end() + 1 : end].replace("\r", " ").replace("\n", " ").lstrip()
            said = value.get("id", id := JSON.decode(key[1]))
            if str(said) != id:
                raise InputError(
                    f'{self.name}:{number}: "id" is {shown(said)}, its key {shown(id)}'
                )
            named = "" if "id" in value else f'"id": {key[1]}{", " * (rest != "}")}'
            lines += [""] * (number - 1 - len(lines)) + ["{" + named + rest]
            number += text.count("\n", key.end(), end)
            stop = end
        if not common or text[stop:].strip() != "}":
            return self
        return replace(self, data="".join(f"{line}\n" for line in lines).encode())

    def items(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of a JSON list, each with the number of its first line."""
        number, start, text = self.first, 0, self.text
        before = _OPENS.match(text)
        while before is not None:
            number += text.count("\n", start, before.end())
            try:
                value, stop = JSON.raw_decode(text, before.end())
            except InputError as error:
                raise InputError(f"{self.name}:{number}: {error}") from error
            except (ValueError, RecursionError):
                break
            yield number, value
            start, before = before.end(), _GOES_ON.match(text, stop)
        else:
            if text[stop:].strip() == "]":
                return
        self.document()  # names the fault

    def objects(self, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the JSON object of each line that is not blank, with its line number."""
        # A list of objects yields its items.
        if self.is_list:
            for number, value in self.items():
                if isinstance(value, dict):
                    yield number, value
                else:
                    problems.add(f"{self.name}:{number}: {kind(value)}, expected an object")
            return
        for number, line in self.filled_lines():
            try:
                value = JSON.decode(line)
            except InputError as error:
                problems.add(f"{self.name}:{number}: {error}")
            except (ValueError, RecursionError) as error:  # RecursionError: deep nesting
                if not problems.count:
                    self.refuse_object()
                problems.add(invalid_json(self.name, error, number))
            else:
                if isinstance(value, dict):
                    yield number, value
                else:
                    problems.add(f"{self.name}:{number}: {kind(value)}, expected an object")


class LineNumbers(Sequence[int]):
    """The line of each example, counted at the first use in a message."""

    # Pickled, it is a list.

    def __init__(self, count: Callable[[], Iterable[int]]) -> None:
        self._count = count

    @cached_property
    def _numbers(self) -> list[int]:
        return list(self._count())

    def __getitem__(self, example: Any) -> Any:
        return self._numbers[example]

    def __len__(self) -> int:
        return len(self._numbers)

    def __reduce__(self) -> tuple[type, tuple[list[int]]]:
        return list, (self._numbers,)


@contextmanager
def replacing(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Write a file that replaces the target once it is complete."""
    # Links are followed, and an existing file keeps its mode. Pipes, devices and everything below
    # /dev and /proc cannot be replaced and are written directly.
    with replacing_together(target) as (file,):
        yield file


@contextmanager
def replacing_together(*targets: str | os.PathLike[str]) -> Iterator[list[IO[bytes]]]:
    """Write files that belong together: all replace their targets at the end, see `replacing`."""
    # The other targets are removed before the first is replaced, so that even a killed process
    # leaves no new file beside an old one.
    outputs: list[Output] = []
    try:
        for target in targets:
            outputs.append(Output(target))
        yield [output.file for output in outputs]
        for output in outputs:
            output.complete()
        for output in outputs[1:]:
            output.make_way()
        for output in outputs:
            output.take_place()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        names = ", ".join(os.fspath(target) for target in targets)
        raise OutputError(f"{names}: {getattr(error, 'strerror', None) or error}") from error
    finally:
        for output in outputs:
            output.close()
