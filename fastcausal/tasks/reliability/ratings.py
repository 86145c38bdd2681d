"""Ratings of units by raters as flat arrays: what every measure of reliability reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays import arrow as arrays
from fastcausal.arrays.arrow import joined
from fastcausal.errors import InputError

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Names = list[Any]

MOST = 2**31 - 1  # ratings: what the native code counts to


@dataclass(frozen=True)
class Ratings:
    """Ratings unit by unit.

    Attributes
    ----------
    values : float64[n]
        Numbers; or places in ``names``, where labels are no numbers. NaN is a missing rating.
    offsets : int64[n_units + 1]
        Ratings of unit u: ``values[offsets[u]:offsets[u + 1]]``.
    raters : int64[n] or None
        Who rated, from 0, nobody twice in a unit; None where a unit has one value for every rater.
    n_raters : int
        Raters in all.
    names : list or None
        The labels in ascending order, None for numbers.
    groups : int64[n_units] or None
        The group of each unit, from 0 in ascending order of what the groups are called.
    units : pyarrow.Array or None
        What the units are called, None where they are known by position.

    Examples
    --------
    >>> ratings = Ratings.of([["yes", "no"], [None, "yes"]])
    >>> ratings.values, ratings.names
    (array([ 1.,  0., nan,  1.]), ['no', 'yes'])
    """

    values: Float64
    offsets: Int64
    raters: Int64 | None
    n_raters: int
    names: Names | None = None
    groups: Int64 | None = None
    units: Any = None

    @classmethod
    def of(
        cls,
        data: Any,
        unit: str | None = None,
        rater: str | None = None,
        label: str | None = None,
        groups: Any = None,
    ) -> Ratings:
        """Read units × raters, or a long table with a row per rating.

        Parameters
        ----------
        data : array-like of two dimensions, or table
            A row per unit and a column per rater; None, NaN and null are missing ratings. Or, with
            the three names of columns, a table (pyarrow, pandas, polars, mapping of columns).
        unit, rater, label : str, optional
            Columns of a long table. Rows without label are missing ratings.
        groups : array-like, or str for a long table
            The group of each unit, or the column that holds it.

        Raises
        ------
        InputError
            No such shape or columns, ratings of mixed types or infinite, a unit that one rater
            rated twice, or a unit without group or in two groups.
        """
        columns = {"unit": unit, "rater": rater, "label": label}
        missing = [name for name, column in columns.items() if column is None]
        if len(missing) == 3:
            found = _wide(data, groups)
        elif missing:
            raise ValueError(f"a long table needs unit, rater and label: no {missing[0]} was given")
        else:
            found = _long(data, str(unit), str(rater), str(label), groups)
        infinite = np.isinf(found.values)
        if infinite.any():
            raise InputError(f"{found.where(int(np.argmax(infinite)))} is infinite")
        if len(found.values) > MOST:
            raise InputError(f"{len(found.values)} ratings, expected at most {MOST}")
        return found

    @property
    def n_units(self) -> int:
        """Number of units, with ratings or without."""
        return len(self.offsets) - 1

    def units_of(self) -> Int64:
        """The unit of each rating: int64[n]."""
        return np.repeat(np.arange(self.n_units), np.diff(self.offsets))

    def raters_of(self) -> Int64:
        """The rater of each rating: int64[n]."""
        return (
            np.tile(np.arange(self.n_raters), self.n_units) if self.raters is None else self.raters
        )

    def unit_name(self, unit: int) -> str:
        """How messages call a unit."""
        return f"unit {unit}" if self.units is None else f'unit "{self.units[unit]}"'

    def where(self, rating: int) -> str:
        """How messages call a rating."""
        unit = int(np.searchsorted(self.offsets, rating, side="right")) - 1
        return f"{self.unit_name(unit)}: a rating"

    def take(self, kept: npt.NDArray[np.bool_]) -> Ratings:
        """The units where ``kept`` is true; groups are numbered anew."""
        groups = self.groups
        if groups is not None:
            groups = numbered(groups[kept].astype(np.float64))[0]
        widths = np.diff(self.offsets)
        rows = np.repeat(kept, widths)
        return Ratings(
            self.values[rows],
            arrays.offsets(widths[kept]),
            None if self.raters is None else self.raters[rows],
            self.n_raters,
            self.names,
            groups,
            None if self.units is None else self.units.filter(pa.array(kept)),
        )


def positions(
    values: Float64, names: Names | None, labels: Sequence[Any] | None, ordered: bool
) -> tuple[Int64, int]:
    """The place of each rating among the labels, -1 for a missing one; and how many labels are.

    Parameters
    ----------
    values, names
        As in `Ratings`.
    labels : sequence, optional
        All labels in order; if not given those that occur, ascending.
    ordered : bool
        The order matters, so it may not be made up.

    Raises
    ------
    InputError
        A label is not among ``labels``, occurs there twice, or has no order.

    Examples
    --------
    >>> positions(np.array([2.0, np.nan, 5.0]), None, None, True)
    (array([ 0, -1,  1]), 2)
    """
    if labels is None and ordered and names:
        raise InputError("ratings are no numbers: weights need labels=[...], all labels in order")
    found, different = numbered(values)
    if labels is not None:
        place = {label: k for k, label in enumerate(labels)}
        if len(place) != len(labels):
            raise ValueError("a label occurs twice in labels")
        called = [v if names is None else names[int(v)] for v in different.tolist()]
        unknown = [label for label in called if label not in place]
        if unknown:
            raise InputError(f"rating {unknown[0]!r} is not among labels {list(labels)!r}")
        found = np.array([*(place[label] for label in called), -1])[found]  # [-1] is the last
    return found, len(different) if labels is None else len(labels)


def numbered(values: Float64) -> tuple[Int64, Float64]:
    """The place of each value among the different ones, -1 for NaN; and these, ascending.

    Examples
    --------
    >>> numbered(np.array([5.0, np.nan, 2.0]))
    (array([ 1, -1,  0]), array([2., 5.]))
    """
    places, different = _encoded(pa.array(values + 0.0, from_pandas=True))  # -0 is 0
    return places, different.to_numpy()


def numbers_of(*columns: Any, what: str = "ratings") -> tuple[Float64, Names | None]:
    """Numbers of columns end to end, or places in the ascending list of labels; NaN where missing.

    Examples
    --------
    >>> numbers_of(["b", None, "a"]), numbers_of([1], [None, 2.5])
    ((array([ 1., nan,  0.]), ['a', 'b']), (array([1. , nan, 2.5]), None))
    """
    first = columns[0]
    if len(columns) == 1 and isinstance(first, np.ndarray) and first.dtype == np.float64:
        return first, None
    try:
        column = _arrow(columns)
        if is_number(column.type):
            return column.cast(pa.float64()).to_numpy(zero_copy_only=False), None
        places, labels = _encoded(column)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{what} are neither all numbers nor all labels: {reason}") from error
    return np.where(places < 0, np.nan, places), labels.to_pylist()


def array_of(data: Any) -> Any:
    """An array of any kind; lists keep None and NaN apart from text."""
    if isinstance(data, np.ma.MaskedArray):
        cells = np.array(data.data, dtype=object)
        cells[np.ma.getmaskarray(data)] = None
        return cells
    return np.asarray(data) if hasattr(data, "__array__") else np.array(data, dtype=object)


def _arrow(columns: Sequence[Any]) -> Any:
    """Columns end to end, in the type that holds them all."""
    arrays = [c if isinstance(c, pa.Array) else pa.array(c, from_pandas=True) for c in columns]
    arrays = [a.cast(a.type.value_type) if pa.types.is_dictionary(a.type) else a for a in arrays]
    tables = [pa.table({"ratings": array}) for array in arrays]
    together = pa.concat_tables(tables, promote_options="permissive")["ratings"]
    return joined(together)


def _encoded(column: Any) -> tuple[Int64, Any]:
    """The place of each value among the different ones, -1 for null; and these, ascending."""
    encoded = column.dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary)
    place = np.append(np.argsort(order.to_numpy()), -1)  # [-1] is the last
    return place[encoded.indices.fill_null(-1).to_numpy()], encoded.dictionary.take(order)


def is_number(kind: Any) -> bool:
    """Tell whether ratings of an Arrow type are numbers."""
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_null, types.is_decimal)
    return any(test(kind) for test in tests)


def _wide(data: Any, groups: Any) -> Ratings:
    try:
        cells = array_of(data)
    except ValueError as error:
        raise InputError(f"rows of different lengths, expected units × raters: {error}") from error
    if cells.ndim != 2:
        raise InputError(f"ratings have {cells.ndim} dimensions, expected units × raters")
    n_units, n_raters = cells.shape
    values, names = numbers_of(cells.ravel())
    group = None
    if groups is not None:
        called = array_of(groups)
        if called.shape != (n_units,):
            raise InputError(
                f"groups or clusters have the shape {called.shape}, expected ({n_units},)"
            )
        group = _groups(numbers_of(called, what="groups")[0], None)
    offsets = np.arange(n_units + 1) * n_raters
    return Ratings(np.ascontiguousarray(values), offsets, None, n_raters, names, group)


def _long(data: Any, unit: str, rater: str, label: str, groups: Any) -> Ratings:
    if groups is not None and not isinstance(groups, str):
        raise ValueError("groups of a long table are the name of a column")
    try:
        table = data if isinstance(data, pa.Table) else pa.table(data)
        arrays.validate(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"not a table: {error}") from error
    units, unit_of_row = _keys(table, unit)
    raters, rater_of_row = _keys(table, rater)
    values, names = numbers_of(_column(table, label), what=f'column "{label}"')
    group = None
    if groups is not None:
        number = numbers_of(_column(table, groups), what=f'column "{groups}"')[0]
        first = np.unique(unit_of_row, return_index=True)[1]
        group = _groups(number[first], units)
        torn = (number != number[first][unit_of_row]) & ~np.isnan(number)
        if torn.any():
            name = units[unit_of_row[np.argmax(torn)]]
            raise InputError(f'unit "{name}" has two values in column "{groups}", expected one')
    rated = ~np.isnan(values)
    key = unit_of_row[rated] * len(raters) + rater_of_row[rated]
    values = values[rated]
    if not (key[1:] > key[:-1]).all():
        order = np.argsort(key, kind="stable")
        key, values = key[order], values[order]
        twice = key[1:] == key[:-1]
        if twice.any():
            k, who = divmod(int(key[np.argmax(twice)]), len(raters))
            raise InputError(f'unit "{units[k]}": rater "{raters[who]}" rated it twice')
    row_unit, row_rater = np.divmod(key, max(len(raters), 1))
    offsets = arrays.offsets(np.bincount(row_unit, minlength=len(units)))
    return Ratings(values, offsets, row_rater, len(raters), names, group, units)


def _column(table: Any, name: str) -> Any:
    if name not in table.column_names:
        raise InputError(f'no column "{name}": found {", ".join(table.column_names)}')
    if (n := table.column_names.count(name)) > 1:
        raise InputError(f'column "{name}" occurs {n} times')
    return joined(table[name])


def _keys(table: Any, name: str) -> tuple[Any, Int64]:
    """Different values of a column as they come, and which of them each row has."""
    column = _column(table, name)
    if column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise InputError(f'row {row} has no value in column "{name}"')
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        encoded = column.dictionary_encode()
    except pa.ArrowException as error:  # objects, lists
        raise InputError(
            f'column "{name}" is of type {column.type}, expected text or integers'
        ) from error
    return encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)


def _groups(values: Float64, units: Any) -> Int64:
    missing = np.isnan(values)
    if missing.any():
        k = int(np.argmax(missing))
        raise InputError(f"unit {k if units is None else units[k]} has no group")
    return numbered(values)[0]
