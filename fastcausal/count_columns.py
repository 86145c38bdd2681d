"""Columns of counts in a table of units: written from rows, and read back, checked in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.errors import InputError
from fastcausal.formulas import ConfusionFormula, Formula, Int64, Rows, classes_of

if TYPE_CHECKING:
    import pyarrow as pa

TIMES = "times"  # the column of a file without units
SYSTEM = "system"  # the column of a file of several systems


def require_free(columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise InputError if gold has a column that the file has for counts."""
    if clash := sorted({*columns} & {*names}):
        raise InputError(
            f'column "{clash[0]}" of gold has the name of a column of counts, expected another name'
        )


def table_of(
    formula: Formula, rows: Rows, units: pa.Table | None = None, times: Int64 | None = None
) -> pa.Table:
    """Return the table of a file: columns of the units, then counts; of sums, how often each is."""
    import pyarrow as pa

    units = pa.table({TIMES: times}) if units is None else units
    require_free(units.column_names, (*formula.fields, SYSTEM))
    columns = dict(zip(units.column_names, units.columns, strict=True))
    return pa.table(columns | columns_of(formula, rows))


def columns_of(formula: Formula, rows: Rows) -> dict[str, Any]:
    """Return the columns of a file by field: labels, or counts."""
    import pyarrow as pa

    columns = dict(zip(formula.fields, np.ascontiguousarray(rows.T), strict=True))
    if formula.gaps:
        return {name: pa.array(column, from_pandas=True) for name, column in columns.items()}
    if not isinstance(formula, ConfusionFormula):
        return columns
    answers = pa.array(formula.answers)  # without labels of type null
    return columns | {
        side: answers.take(pa.array(columns[side].astype(np.int64))) for side in ("gold", "pred")
    }


def parted(formula: Formula, table: pa.Table, name: str) -> tuple[pa.Table, pa.Table | None]:
    """Return the rows with counts, and those that a policy left out, which lack the last one."""
    import pyarrow.compute as pc

    last = formula.fields[-1] if formula.fields else ""  # of no raters
    if last not in table.column_names or not table[last].null_count:
        return table, None
    missing = pc.is_null(table[last])
    return table.filter(pc.invert(missing)), table.filter(missing)


def counts_of(
    formula: Formula, table: pa.Table, name: str, totals: bool = True
) -> tuple[Formula, Rows]:
    """Return the rows that columns hold, and their formula, to which labels may add.

    Raises
    ------
    InputError
        A column is missing, of another type, or has values that no count has.
    """
    for total in totals_in(formula, table) if totals else ():
        numbers(table, total, np.int64, name)
    fields, codes = formula.fields, list[Int64]()
    if isinstance(formula, ConfusionFormula):
        formula, codes = _labels(formula, table, name)
        fields = fields[2:]
    columns = [
        numbers(table, field, formula.dtype, name, formula.bounds, formula.gaps) for field in fields
    ]
    rows = np.array([*codes, *columns], formula.dtype)
    return formula, rows.reshape(len(formula.fields), len(table)).T


def totals_in(formula: Formula, table: pa.Table) -> list[str]:
    """Name what a file counts of each unit besides the fields; older files lack some."""
    later = [name for name in formula.later_totals if name in table.column_names]
    return [*formula.totals, *later]


def column_of(table: pa.Table, field: str, name: str) -> pa.ChunkedArray:
    """Return a column; InputError where there is none."""
    if field not in table.column_names:
        raise InputError(f'{name}: no column "{field}" of counts')
    return table[field]


def numbers(
    table: pa.Table,
    field: str,
    dtype: Any,
    name: str,
    bounds: tuple[int, int] = (0, 2**53),
    gaps: bool = False,
) -> Int64:
    """Return a column of counts, or of floats, from the first bound on and below the second.

    With ``gaps`` a float may be null, which is NaN here.
    """
    import pyarrow as pa

    from fastcausal.arrays.arrow import joined, values_of

    column = column_of(table, field, name)
    wanted = pa.from_numpy_dtype(np.dtype(dtype))
    if column.type != wanted:
        raise InputError(f'{name}: column "{field}" is {column.type}, expected {wanted}')
    missing = np.asarray(column.is_null()) if gaps else False
    if column.null_count and not gaps:
        raise InputError(f'{name}: column "{field}" has {column.null_count} nulls, expected none')
    values = values_of(joined(column.fill_null(np.nan) if gaps else column))
    if not (((values >= bounds[0]) & (values < bounds[1])) | missing).all():
        raise InputError(f'{name}: column "{field}" has values that no count has')
    return values


def _labels(
    formula: ConfusionFormula, table: pa.Table, name: str
) -> tuple[ConfusionFormula, list[Int64]]:
    """Return both places among the labels; of labels not given, those that occur."""
    import pyarrow as pa
    import pyarrow.compute as pc

    sides = [column_of(table, field, name) for field in ("gold", "pred")]
    kinds = {str(side.type) for side in sides}
    alike = kinds in ({"int64"}, {"string"}) or not len(table)
    if not alike or any(side.null_count for side in sides):
        raise InputError(f"{name}: labels are {', '.join(sorted(kinds))}, expected int64 or string")
    if not formula.given:
        labels = classes_of(*(pc.unique(side).to_pylist() for side in sides))
        formula = replace(formula, labels=labels)
    known = (formula.labels, formula.answers)
    codes = [
        pc.index_in(side, pa.array(classes, side.type))
        for side, classes in zip(sides, known, strict=True)
    ]
    if any(side.null_count for side in codes):
        raise InputError(f"{name}: a label is not among those given in the metadata")
    return formula, [np.asarray(side, np.int64) for side in codes]
