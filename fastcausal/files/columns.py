"""One column of a flat table as keys, labels, text or numbers; faults name their row."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.distinct import code_texts
from fastcausal.arrays.numerals import are_whole, digits, plain, words_of
from fastcausal.errors import InputError, Problems
from fastcausal.files.cells import column_of, encodable
from fastcausal.files.keys import BY_NUMBER, numbered
from fastcausal.files.values import kind, shown
from fastcausal.files.words import MISSING

EXACT = 2**53  # below it, distinct integers are distinct floats
KEY, LABEL = "an integer or a string", "a number or a string"


@dataclass(frozen=True)
class Column:
    """A column of a table, with values of one kind in the end."""

    name: str
    array: pa.Array  # Its values as one array, dictionaries decoded; text if all are null
    is_mixed: bool  # True if values of several kinds were written as JSON again
    typed: bool  # False for cells of CSV, which are text
    where: Callable[[int], str]  # Returns the place of a row

    def keys(self) -> pa.Array:
        """Return the column as text without gaps: string[n]; integers as written, 1.0 as 1."""
        keys = self.texts(KEY)
        if keys.null_count:
            row = pc.index(pc.is_null(keys), True).as_py()
            raise InputError(f'{self.where(row)}: no "{self.name}", expected one in every row')
        return numbered(keys) if BY_NUMBER.get() else keys

    def texts(self, expected: str = "text") -> pa.Array:
        """Return the column as text: string[n] with nulls; integers as written, 1.0 as 1."""
        of = self.array.type
        if pa.types.is_floating(of):
            return self._whole(expected).cast(pa.string())
        if self.is_mixed or not (is_text(of) or pa.types.is_integer(of)):
            self._require_none(expected, (str, int))
        return pc.cast(self.answers(), pa.string())

    def answers(self) -> pa.Array:
        """Return values of any kind; a mixed column as text, NaN as null."""
        if not self.is_mixed:
            return self.array
        values = [None if value != value else value for value in self.values]  # NaN
        texts = [v if isinstance(v, str | None) else json.dumps(v) for v in values]
        return arrow.strings([text and encodable(text) for text in texts])

    def labels(self, whole: bool) -> pa.Array:
        """Return numbers or text: float64 or string[n]; or ``whole``, int64 or string[n]."""
        array = self.array
        if array.null_count == len(array):
            return pa.nulls(len(array), pa.int64() if whole else pa.float64())
        if self.is_mixed:
            read = self._written_labels(self.answers(), whole)
            if pa.types.is_floating(read.type) or (whole and are_whole(read.unique())):
                return read  # 1 and "1" are one label
            array = self._read_mixed(whole)
        if is_text(array.type) or (whole and pa.types.is_boolean(array.type)):
            return self._written_labels(pc.cast(array, pa.string()), whole)
        is_whole = pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)
        if not is_whole and not _is_number(array.type):
            self._require_none(KEY if whole else LABEL, ())
        if whole:
            return array.cast(pa.int64()) if is_whole else self._known()._whole(KEY)
        numbers = array.cast(pa.float64(), safe=False)
        if pa.types.is_integer(array.type):
            self._require_exact(numbers)
        return numbers

    def _written_labels(self, texts: pa.Array, whole: bool) -> pa.Array:
        """Return text as numbers if all of it is numbers or missing, else as labels."""
        # ``whole`` keeps text, of numbers alone with null for missing values.
        codes = self.codes if texts is self.array else code_texts(texts)
        values = words = words_of(codes.dictionary)
        known = pc.if_else(pc.is_in(words, arrow.strings(MISSING)), None, words)
        is_known = known.null_count < len(known)  # else perhaps None is the name of a label
        if whole and is_known and are_whole(known):
            values = known
        elif is_known and not whole and (numbers := _floats(digits(known))) is not None:
            values = numbers
            if pc.any(pc.greater_equal(pc.abs(numbers), EXACT)).as_py():
                integers = pc.match_substring_regex(known, "^[+-]?[0-9]+$")
                self._require_exact(pc.if_else(integers, numbers, None).take(codes.indices))
        return texts if values.equals(codes.dictionary) else values.take(codes.indices)

    @cached_property
    def codes(self) -> pa.DictionaryArray:
        """A column of text as places among the distinct ones."""
        return code_texts(self.array)

    def _read_mixed(self, whole: bool) -> pa.Array:
        """Return the labels of a mixed column; report each of another kind than the first."""
        allowed, expected = ((int, str), KEY) if whole else ((int, float, bool, str), LABEL)
        most = 2**63 if whole else EXACT
        problems, first = Problems(), None
        values = [int(v) if whole and type(v) is bool else v for v in self.values]
        for row, value in enumerate(values):
            if value is None:
                continue
            first = row if first is None else first
            wanted = expected
            if type(value) is int and abs(value) >= most:
                wanted = _below(most)
            elif type(value) in allowed:
                if kind(value) == kind(values[first]):
                    continue
                wanted = f"{kind(values[first])} as in {self.where(first)}"
            problems.add(str(self._fault(row, value, wanted)))
        problems.raise_if_any()
        return column_of(values)[0]

    def _require_exact(self, integers: pa.Array) -> None:
        """Refuse integers that are ambiguous as floats."""
        row = pc.index(pc.greater_equal(pc.abs(integers), EXACT), True).as_py()
        if row >= 0:
            where = self.where(row)
            raise InputError(
                f'{where}: "{self.name}" is {self.array[row]}, expected {_below(EXACT)}'
            )

    @cached_property
    def values(self) -> list[Any]:
        """Values as Python objects; None for null."""
        values = self.array.to_pylist()
        return [*map(json.loads, values)] if self.is_mixed else values

    def numbers(self) -> npt.NDArray[np.float64]:
        """Return the column as float64[n]; NaN for missing values."""
        array = self.array
        if is_text(array.type) and not self.is_mixed:
            array = self._parsed(pa.float64(), "a number")
        elif not _is_number(array.type):
            self._require_none("a number", (int, float))
        return arrow.values_of(array.cast(pa.float64(), safe=False), np.nan)

    def integers(self) -> npt.NDArray[np.int64]:
        """Return the column as int64[n]; whole numbers may be written as 1.0."""
        array = self.array
        if array.null_count:
            row = pc.index(pc.is_null(array), True).as_py()
            raise InputError(f'{self.where(row)}: "{self.name}" is missing, expected an integer')
        if is_text(array.type) and not self.is_mixed:
            array = self._parsed(pa.int64(), "an integer")
        elif pa.types.is_floating(array.type):
            array = self._whole("an integer")
        elif not pa.types.is_integer(array.type):
            self._require_none("an integer", (int, float))
        try:
            return np.asarray(array.cast(pa.int64()).to_numpy(zero_copy_only=False))
        except pa.ArrowException as error:
            raise InputError(f'{self.where(0)}: column "{self.name}": {error}') from error

    def _parsed(self, wanted: pa.DataType, expected: str) -> pa.Array:
        """Parse numbers in text; the message names the first other text."""
        texts = self.array
        for change in (None, pc.utf8_trim_whitespace, plain):
            texts = texts if change is None else change(texts)
            try:
                return texts.cast(wanted)
            except pa.ArrowException:
                continue
        row = next(k for k, cell in enumerate(texts) if not _is_written(cell, wanted))
        raise self._fault(row, self.array[row].as_py(), expected)

    def _require_none(self, expected: str, allowed: tuple[type, ...]) -> None:
        """Raise InputError for the first value of a kind not allowed, or else the first value."""
        for row, value in enumerate(self.values):
            if value is not None and not (self.is_mixed and type(value) in allowed):
                raise self._fault(row, value, expected)

    def _whole(self, expected: str) -> pa.Array:
        """Convert floats to integers; the message names the first other number."""
        array = self.array.cast(pa.float64())
        values = np.asarray(pc.fill_null(array, 0))
        odd = (values != np.trunc(values)) | (np.abs(values) > EXACT)
        if odd.any():
            row = int(odd.argmax())
            raise self._fault(row, array[row].as_py(), expected)
        return array.cast(pa.int64())

    def _known(self) -> Column:
        """Return the column with null for NaN."""
        array = self.array.cast(pa.float64(), safe=False)
        return replace(self, array=pc.if_else(pc.is_nan(array), None, array))

    def _fault(self, row: int, value: Any, expected: str) -> InputError:
        got = shown(value) if isinstance(value, str | int | float) else kind(value)
        return InputError(f'{self.where(row)}: "{self.name}" is {got}, expected {expected}')


def _floats(texts: pa.Array) -> pa.Array | None:
    """Parse numbers; None if a text is not a number."""
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _below(most: int) -> str:
    return f"integers below 2^{most.bit_length() - 1}"


def is_text(wanted: pa.DataType) -> bool:
    """Return True for a type of plain text; False for text in a dictionary."""
    return str(wanted) in ("string", "large_string", "string_view")


def is_coded_text(of: pa.DataType) -> bool:
    """Return True for text, also in a dictionary."""
    return is_text(of.value_type if pa.types.is_dictionary(of) else of)


def is_list(of: pa.DataType) -> bool:
    """Return True for lists of any width, but views."""
    types = pa.types
    return any(t(of) for t in (types.is_list, types.is_large_list, types.is_fixed_size_list))


def _is_number(wanted: pa.DataType) -> bool:
    types = pa.types
    return any(t(wanted) for t in (types.is_integer, types.is_floating, types.is_decimal))


def _is_written(cell: pa.Scalar, wanted: pa.DataType) -> bool:
    try:
        return bool(cell.cast(wanted).is_valid or not cell.is_valid)
    except pa.ArrowException:
        return False
