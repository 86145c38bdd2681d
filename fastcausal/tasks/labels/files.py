"""Files of labels: one long table, or one file per rater."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import joined, strings
from fastcausal.errors import InputError, Problems
from fastcausal.files.binary import load, sniff
from fastcausal.files.cells import cells, note_other_kinds
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.lines import first_object, objects
from fastcausal.files.packed import stem_of, suffix_of
from fastcausal.files.values import kind, most_common, shown
from fastcausal.tasks.labels.reading import is_number

UNITS = ("unit", "id", "index")
RATERS = ("rater", "annotator")
EXACT = 2**53  # below it no two integers are one float
EXPECTED_EXACT = "expected integers below 2^53"
# What may stand for a number that is not there: as pyarrow and pandas read CSV.
MISSING = ("", "#N/A", "#NA", "-NaN", "-nan", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null")
TYPES: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}


@dataclass(frozen=True)
class _File:
    """Columns of a file of ratings.

    Attributes
    ----------
    name : str
        For messages.
    names : collection of str
        All its columns.
    columns : mapping of str to pyarrow.ChunkedArray or list
        Those that may be wanted; lists of JSON values where these are to be checked.
    lines : sequence of int, optional
        The line of each row.
    typed : bool
        False where text is all that the file can hold (CSV), and empty text is missing.
    """

    name: str
    names: Collection[str]
    columns: Any
    lines: Sequence[int] | None = None
    typed: bool = True

    def where(self, row: int) -> str:
        return f"{self.name}: row {row}" if self.lines is None else f"{self.name}:{self.lines[row]}"


def read_rating_files(
    paths: Sequence[str],
    label: str,
    unit: str | None = None,
    rater: str | None = None,
    cluster: str | None = None,
) -> pa.Table:
    """Read ratings into a long table of ``unit``, ``rater``, ``label`` and perhaps ``cluster``.

    Parameters
    ----------
    paths : sequence of str
        CSV (with a header), JSON lines, Parquet or Arrow files. Of several files each holds the
        ratings of one rater, who is called by the file's name; one file names its raters itself.
    label : str
        The column of labels: numbers or text. CSV holds numbers where every cell of the column is
        a number or missing; an empty cell is missing.
    unit, rater : str, optional
        Columns; found by the names unit, id or index, and rater or annotator, if not given. What
        they hold is text: 01 and 1 are two units.
    cluster : str, optional
        Another column of text.

    Returns
    -------
    pyarrow.Table
        Labels are float64 or string, all else is string.

    Raises
    ------
    InputError
        A file cannot be read, lacks a column or has it twice, or a row has no unit, no rater or a
        label of another kind than the rows before.
    """
    names = {*UNITS, *RATERS, *(name for name in (label, unit, rater, cluster) if name)}
    files = [_load(Source.open(path), names) for path in paths]
    stems = [stem_of(path) for path in paths]
    if len(set(stems)) < len(stems):
        raise InputError(f"two files of the same name: {', '.join(paths)}")
    parts = []
    for stem, file in zip(stems, files, strict=True):
        labels = _labels(file, _column(file, label, (), "labels"))
        units = _ids(file, _column(file, unit, UNITS, "units"))
        if len(files) > 1:
            raters = strings([stem] * len(labels))
        else:
            raters = _ids(file, _column(file, rater, RATERS, "raters"))
        columns = {"unit": units, "rater": raters, "label": labels}
        if cluster is not None:
            columns["cluster"] = _ids(file, _column(file, cluster, (), "clusters"))
        if not len(labels):
            raise InputError(f"{file.name} holds no ratings")
        parts.append(pa.table(columns))
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(f'"{label}" is not of one type in all files: {error}') from error


def _column(file: _File, wanted: str | None, usual: Sequence[str], what: str) -> str:
    """Return the column that was asked for, or the first usual name that is there."""
    for name in (wanted,) if wanted is not None else usual:
        if name in file.names:
            return name
    expected = f'"{wanted}"' if wanted is not None else " or ".join(f'"{name}"' for name in usual)
    present = ", ".join(file.names)
    raise InputError(f"{file.name} has no column {expected} of {what}, it has {present[:200]}")


def _load(source: Source, names: Collection[str]) -> _File:
    """Read a file, of which columns of some names may be wanted."""
    if sniff(source.data) is not None:
        table = load(source)
        if again := most_common(table.column_names):
            raise InputError(f'{source.name}: column "{again[0]}" occurs {again[1]} times')
        return _File(source.name, table.column_names, table)
    suffix = suffix_of(source.name)
    if source.is_json:
        return _plain_lines(source) or _checked_lines(source, names)
    table, lines, _ = cells(source, "\t" if suffix == ".tsv" else ",")
    return _File(source.name, table.column_names, table, lines, typed=False)


def _plain_lines(source: Source) -> _File | None:
    """Return what `_checked_lines` does, or None where it is needed to tell."""
    kinds = {name: TYPES.get(type(value)) for name, value in first_object(source).items()}
    if not kinds or not set(kinds.values()) <= {pa.string(), pa.int64()}:
        return None
    table = objects(source, kinds)
    if table is None:
        return None
    lines = LineNumbers(lambda: (line for line, _ in source.filled_lines()))
    return _File(source.name, list(kinds), table, lines)


def _checked_lines(source: Source, names: Collection[str]) -> _File:
    """Read JSON values line by line."""
    problems = Problems()
    columns: dict[str, list[Any]] = {name: [] for name in names}
    present: dict[str, None] = {}
    lines = []
    for line, row in source.objects(problems):
        present |= dict.fromkeys(row)
        for name, column in columns.items():
            column.append(row.get(name))
        lines.append(line)
    problems.raise_if_any()
    return _File(source.name, present, columns, lines)


def _ids(file: _File, name: str) -> pa.Array:
    """Return a column as text, of which nothing is missing."""
    column = file.columns[name]
    if isinstance(column, list):
        _require_types(file, name, (int, str), "an integer or a string")
        column = _array(file, name, [str(v) if type(v) is int else v for v in column], pa.string())
    column = joined(column)
    missing = pc.is_null(column, nan_is_null=True) if file.typed else pc.equal(column, "")
    row = pc.index(missing, True).as_py()
    if row >= 0:
        raise InputError(f'{file.where(row)}: no "{name}"')
    return _cast(file, name, column, pa.string(), "text or integers")


def _labels(file: _File, name: str) -> pa.Array:
    """Return a column as numbers or as text: float64 or string."""
    column = file.columns[name]
    if isinstance(column, list):
        _require_types(file, name, (int, float, bool, str), "a number or a string")
        problems = Problems()
        note_other_kinds(file.name, file.lines or (), name, column, problems)
        problems.raise_if_any()
        column = _array(file, name, column)
    column = joined(column)
    if not file.typed:
        column = _numbers_or_text(file, name, column)
    if column.null_count == len(column):
        return pa.nulls(len(column))  # of the type that other files have
    if pa.types.is_integer(column.type):
        _require_exact(file, name, column, column.cast(pa.float64(), safe=False))
    type_ = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    wanted = pa.float64() if is_number(type_) else pa.string()
    return _cast(file, name, column, wanted, "numbers or text")


def _numbers_or_text(file: _File, name: str, column: pa.Array) -> pa.Array:
    """Read cells of CSV: numbers, if all are or are missing, else text; null where missing."""
    known = pc.if_else(pc.is_in(column, strings(MISSING)), None, pc.ascii_trim_whitespace(column))
    for type_ in (pa.float64(), pa.bool_()):
        try:
            numbers = known.cast(type_).cast(pa.float64())
        except pa.ArrowInvalid:
            continue
        whole = pc.match_substring_regex(known, "^[+-]?[0-9]+$")
        _require_exact(file, name, column, pc.if_else(whole, numbers, None))
        return numbers
    return pc.if_else(pc.equal(column, ""), None, column)


def _require_exact(file: _File, name: str, column: pa.Array, integers: pa.Array) -> None:
    """Refuse integers that, as floats, could not be told from others."""
    row = pc.index(pc.greater_equal(pc.abs(integers), EXACT), True).as_py()
    if row >= 0:
        raise InputError(f'{file.where(row)}: "{name}" is {column[row]}, {EXPECTED_EXACT}')


def _require_types(file: _File, name: str, types: Collection[type], expected: str) -> None:
    """Note every JSON value of a type that a column may not have."""
    problems = Problems()
    for row, value in enumerate(file.columns[name]):
        if value is not None and type(value) not in types:
            got = shown(value) if type(value) is float else kind(value)
            problems.add(f'{file.where(row)}: "{name}" is {got}, expected {expected}')
        elif type(value) is int and float in types and abs(value) >= EXACT:
            problems.add(f'{file.where(row)}: "{name}" is {shown(value)}, {EXPECTED_EXACT}')
    problems.raise_if_any()


def _array(file: _File, name: str, values: Sequence[Any], type_: Any = None) -> pa.ChunkedArray:
    try:
        return pa.chunked_array([pa.array(values, type_)])
    except (pa.ArrowException, UnicodeEncodeError) as error:  # half of a surrogate pair
        raise InputError(f'{file.name}: column "{name}" cannot be read: {error}') from error


def _cast(file: _File, name: str, column: pa.Array, type_: Any, expected: str) -> pa.Array:
    try:
        return column.cast(type_)
    except pa.ArrowException as error:
        raise InputError(
            f'{file.name}: column "{name}" is of type {column.type}, expected {expected}'
        ) from error
