"""Reading of ratings into flat arrays, from an array of units × raters or a long table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import cast_to_plain, drop_columns, joined, values_of
from fastcausal.arrays.numerals import each, words_of
from fastcausal.arrays.strata import By, columns_by, sorted_strata
from fastcausal.arrays.tensors import view_on_host
from fastcausal.arrays.validation import validate
from fastcausal.errors import InputError
from fastcausal.files.columns import is_text
from fastcausal.files.keys import encode, require_unique
from fastcausal.options import KappaWeights, check
from fastcausal.tasks.labels import _native
from fastcausal.tasks.labels.coefficients import MAX_RATINGS
from fastcausal.tasks.labels.ratings import Float64, Int64, Names, Ratings, numbered


def read_ratings(
    # [n_units, n_raters], or a long table with the next three columns; None, NaN and null are
    # missing ratings
    data: Any,
    unit: str | None = None,  # column of a long table
    rater: str | None = None,
    label: str | None = None,
    groups: Any = None,  # [n_units], or for a long table the name of its column
) -> Ratings:
    """Read ratings from an array of units × raters, or from a long table with a row per rating."""
    columns = {"unit": unit, "rater": rater, "label": label}
    missing = [name for name, column in columns.items() if column is None]
    if len(missing) == 3:
        ratings = _wide(data, groups)
    elif missing:
        raise ValueError(f"a long table needs unit, rater and label: no {missing[0]} was given")
    else:
        ratings = _long(data, str(unit), str(rater), str(label), groups)
    if math.isinf(_native.most_of(ratings.values)):
        infinite = int(np.argmax(np.isinf(ratings.values)))
        raise InputError(f"{ratings.locate(infinite)} is infinite")
    if len(ratings.values) > MAX_RATINGS:
        raise InputError(f"{len(ratings.values)} ratings, expected at most {MAX_RATINGS}")
    return ratings


def read_subsets(data: Any, unit: str, rater: str, label: str, by: By) -> dict[str, Ratings]:
    """Read the ratings of each subset of units in a long table, such as ``genre=news``."""
    table, subsets = _table(data), {}
    for column in columns_by(by):
        names, codes = sorted_strata(table, column)
        values = pa.array(names, pa.string()).take(pa.array(codes))
        named = drop_columns(table, [column]).append_column(column, values)
        ratings = read_ratings(named, unit, rater, label, column)
        group_of = np.asarray(ratings.groups)
        for k, name in enumerate(ratings.group_names.to_pylist()):
            subsets[f"{column}={name}"] = ratings.take(group_of == k)
    return subsets


def positions(
    values: Float64,  # [n], as in `Ratings`
    names: Names | None,
    weights: KappaWeights | None,  # of a kappa; if not None, the order of labels must be known
    labels: Sequence[Any] | None,  # all labels in order; by default those that occur, ascending
) -> tuple[Int64, int]:
    """Return the index of each rating among the labels, -1 if missing; and the number of labels.

    >>> positions(np.array([2.0, np.nan, 5.0]), None, "linear", None)
    (array([ 0, -1,  1]), 2)
    """
    if weights is not None:
        check("weights", weights, KappaWeights)
    if labels is None and weights and names:
        raise InputError("ratings are text: weights need labels=[...], all labels in order")
    places, different = numbered(values)
    if labels is None:
        return places, len(different)
    place = {label: k for k, label in enumerate(labels)}
    if len(place) != len(labels):
        raise ValueError("a label occurs twice in labels")
    called = [v if names is None else names[int(v)] for v in different.tolist()]
    if unknown := [label for label in called if label not in place]:
        raise InputError(f"rating {unknown[0]!r} is not among labels {list(labels)!r}")
    return np.array([*(place[label] for label in called), -1])[places], len(labels)  # -1 stays -1


def numbers_of(*columns: Any, what: str = "ratings") -> tuple[Float64, Names | None]:
    """Join columns end to end, as numbers or as indices of ascending labels; NaN if missing.

    >>> numbers_of(["b", None, "a"]), numbers_of([1], [None, 2.5])
    ((array([ 1., nan,  0.]), ['a', 'b']), (array([1. , nan, 2.5]), None))
    """
    first = columns[0]
    if len(columns) == 1 and isinstance(first, np.ndarray) and first.dtype == np.float64:
        return first, None
    try:
        column = _arrow(columns)
        if is_number(column.type):
            return values_of(column.cast(pa.float64()), np.nan), None
        if is_text(column.type):
            column = each(words_of, column)
        places, labels = encode(column)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{what} are neither all numbers nor all labels: {reason}") from error
    return np.where(places < 0, np.nan, places), labels.to_pylist()


def array_of(data: Any) -> Any:
    """Convert data to an array of any type; in lists None and NaN do not become text."""
    if isinstance(data, np.ma.MaskedArray):
        cells = np.array(data.data, dtype=object)
        cells[np.ma.getmaskarray(data)] = None
        return cells
    if hasattr(data, "__array__"):
        array = view_on_host("ratings", data) if hasattr(data, "detach") else np.asarray(data)
        return array.astype(array.dtype.newbyteorder("="), copy=False)  # as Arrow needs it
    if isinstance(data, list | tuple):  # NumPy drops the masks of rows, and refuses gradients
        data = [array_of(row).tolist() if _is_special(row) else row for row in data]
    return np.array(data, dtype=object)


def _is_special(row: Any) -> bool:
    """Return True for a masked array or a tensor of torch."""
    return isinstance(row, np.ma.MaskedArray) or hasattr(row, "detach")


def _arrow(columns: Sequence[Any]) -> Any:
    """Return columns end to end, in their common type."""
    arrays = [c if isinstance(c, pa.Array) else pa.array(c, from_pandas=True) for c in columns]
    arrays = [a.cast(a.type.value_type) if pa.types.is_dictionary(a.type) else a for a in arrays]
    tables = [pa.table({"ratings": array}) for array in arrays]
    together = pa.concat_tables(tables, promote_options="permissive")["ratings"]
    return joined(together)


def is_number(kind: Any) -> bool:
    """Return True if ratings of an Arrow type are numbers."""
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_null, types.is_decimal)
    return any(test(kind) for test in tests)


def _wide(data: Any, groups: Any) -> Ratings:
    try:
        cells = array_of(data)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"rows of different lengths, expected units × raters: {error}") from error
    if cells.ndim != 2:
        raise InputError(f"ratings have {cells.ndim} dimensions, expected units × raters")
    n_units, n_raters = cells.shape
    values, names = numbers_of(cells.ravel())
    offsets = np.arange(n_units + 1)
    offsets *= n_raters
    ratings = Ratings(np.ascontiguousarray(values), offsets, None, n_raters, names)
    if groups is None:
        return ratings
    called = array_of(groups)
    if called.shape != (n_units,):
        raise InputError(f"groups or clusters have the shape {called.shape}, expected ({n_units},)")
    return _grouped(ratings, *numbers_of(called, what="groups"))


def _long(data: Any, unit: str, rater: str, label: str, groups: Any) -> Ratings:
    if groups is not None and not isinstance(groups, str):
        raise ValueError("groups of a long table are the name of a column")
    table = _table(data)
    units, unit_of_row = _keys(table, unit)
    raters, rater_of_row = _keys(table, rater)
    values, names = numbers_of(_column(table, label), what=f'column "{label}"')
    rated = ~np.isnan(values)
    key = unit_of_row[rated] * len(raters) + rater_of_row[rated]
    values = values[rated]
    if not (key[1:] > key[:-1]).all():
        rows = np.flatnonzero(rated)

        def key_of(k: int) -> str:
            unit, rater = divmod(int(key[k]), len(raters))
            return f'unit "{units[unit]}", rater "{raters[rater]}"'

        require_unique(key, lambda k: f"row {rows[k]}", key_of)
        order = np.argsort(key, kind="stable")
        key, values = key[order], values[order]
    row_unit, row_rater = np.divmod(key, max(len(raters), 1))
    offsets = arrow.offsets(np.bincount(row_unit, minlength=len(units)))
    ratings = Ratings(
        values, offsets, row_rater, len(raters), names, units=units, rater_names=raters
    )
    if groups is None:
        return ratings
    number, called = numbers_of(_column(table, groups), what=f'column "{groups}"')
    first = np.unique(unit_of_row, return_index=True)[1]
    ratings = _grouped(ratings, number[first], called)
    torn = (number != number[first][unit_of_row]) & ~np.isnan(number)
    if torn.any():
        name = units[unit_of_row[np.argmax(torn)]]
        raise InputError(f'unit "{name}" has two values in column "{groups}", expected one')
    return ratings


def _table(data: Any) -> pa.Table:
    """Return a long table as an Arrow table, checked."""
    try:
        table = data if isinstance(data, pa.Table) else pa.table(data)
        validate(table)
        return cast_to_plain(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"not a table: {error}") from error


def _column(table: Any, name: str) -> Any:
    if name not in table.column_names:
        raise InputError(f'no column "{name}": found {", ".join(table.column_names)}')
    if (n := table.column_names.count(name)) > 1:
        raise InputError(f'column "{name}" occurs {n} times')
    return joined(table[name])


def _keys(table: Any, name: str) -> tuple[Any, Int64]:
    """Return the different values of a column in order of occurrence, and each row's index."""
    column = _column(table, name)
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise InputError(f'row {row} has no value in column "{name}"')
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        encoded = column.dictionary_encode()
    except pa.ArrowException as error:  # the column has objects or lists
        raise InputError(
            f'column "{name}" is of type {column.type}, expected text or integers'
        ) from error
    return encoded.dictionary, values_of(encoded.indices).astype(np.int64)


def _grouped(ratings: Ratings, values: Float64, names: Names | None) -> Ratings:
    """Return ratings with groups of units; ``values`` and ``names`` are as in `numbers_of`."""
    groups, different = numbered(values)
    if (groups < 0).any():
        raise InputError(f"{ratings.unit_name(int(np.argmin(groups)))} has no group")
    called = different if names is None else [names[int(k)] for k in different]
    return replace(ratings, groups=groups, group_names=pa.array(called))
