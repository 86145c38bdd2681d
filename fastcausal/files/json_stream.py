"""JSON of a file of any size, decoded value by value: a window of its text is in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from fastcausal.errors import InputError

WINDOW = 1 << 22  # bytes read at a time
NEAR = 16  # characters before the end of a window: a number or word that ends there may go on
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonStream:
    """The values of a file of JSON, in order."""

    # Every method raises ValueError with line and column for invalid JSON, and InputError for a
    # byte that is not UTF-8.

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self._name, self._file = name, file
        self._decoder = json.JSONDecoder()
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._place = "", 0
        self._line, self._column = 1, 1  # of the first character of the window
        self._is_read = False

    def names(self) -> Iterator[Any]:
        """Yield the keys of the object that begins here; the caller takes their values."""
        self._take("{")
        while self.peek() != "}":
            key = self.value()
            self._take(":")
            yield key
            if self.peek() != "}":
                self._take(",")
        self._take("}")

    def items(self) -> Iterator[Any]:
        """Yield the values of the list that begins here."""
        self._take("[")
        while self.peek() != "]":
            yield self.value()
            if self.peek() != "]":
                self._take(",")
        self._take("]")

    def require_end(self) -> None:
        """Raise ValueError unless only white space is left."""
        if self.peek():
            raise self._error("Extra data", self._place)

    def peek(self) -> str:
        """Return the next character that is not white space; "" at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._place)
            assert match is not None
            self._place = match.end()
            if self._place < len(self._text):
                return self._text[self._place]
            if self._is_read:
                return ""
            self._more()

    def value(self) -> Any:
        """Return the next value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string")
                is_cut = is_cut or error.pos > len(self._text) - NEAR
                if self._is_read or not is_cut:
                    raise self._error(error.msg, error.pos) from None
            else:
                if self._is_read or end <= len(self._text) - NEAR:  # else a number may go on
                    self._place = end
                    return value
            self._more()

    def _take(self, mark: str) -> None:
        if self.peek() != mark:
            raise self._error(f"Expecting '{mark}'", self._place)
        self._place += 1

    def _more(self) -> None:
        """Drop the text before this place, and read at least as much as is left."""
        self._line, self._column = self._locate(self._place)
        left = self._text[self._place :]
        data = self._file.read(max(WINDOW, len(left)))
        self._is_read = not data
        try:
            more = self._utf8.decode(data, final=self._is_read)
        except UnicodeDecodeError as error:
            line = self._line + left.count("\n") + error.object.count(b"\n", 0, error.start)
            byte = error.object[error.start]
            raise InputError(f"{self._name}:{line}: byte 0x{byte:02x} is not UTF-8") from error
        self._text, self._place = left + more, 0

    def _locate(self, place: int) -> tuple[int, int]:
        """Return the line and the column of a place in the window."""
        lines = self._text.count("\n", 0, place)
        if not lines:
            return self._line, self._column + place
        return self._line + lines, place - self._text.rindex("\n", 0, place)

    def _error(self, message: str, place: int) -> json.JSONDecodeError:
        error = json.JSONDecodeError(message, "", 0)
        error.lineno, error.colno = self._locate(place)
        return error
