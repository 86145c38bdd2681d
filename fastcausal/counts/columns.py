"""Columns of counts in a table of units: written from rows, read back and checked in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from fastcausal.counts.formula import MAX_COUNT, Formula
from fastcausal.counts.labels import ConfusionFormula, classes_of
from fastcausal.counts.rules import UnitColumn
from fastcausal.errors import InputError
from fastcausal.significance.sums import CountRows, Int64

if TYPE_CHECKING:
    import pyarrow as pa

TIMES = "times"  # the column of a file without units
SYSTEM = "system"  # the column of a file of several systems


def require_free(columns: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a column of gold with the name of a count."""
    if clash := sorted({*columns} & {*names}):
        raise InputError(
            f'column "{clash[0]}" of gold has the name of a column of counts, expected another name'
        )


def table_of(
    formula: Formula, rows: CountRows, units: pa.Table | None = None, times: Int64 | None = None
) -> pa.Table:
    """Return the table of a file: columns of the units, then counts; for sums their frequency."""
    import pyarrow as pa

    units = pa.table({TIMES: times}) if units is None else units
    require_free(units.column_names, (*formula.fields, SYSTEM))
    columns = dict(zip(units.column_names, units.columns, strict=True))
    return pa.table(columns | columns_of(formula, rows))


def columns_of(formula: Formula, rows: CountRows) -> dict[str, Any]:
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


class Part(NamedTuple):
    """Rows of a file, with their names in messages."""

    name: str  # Name of the file
    table: pa.Table
    # int64[n_rows], optional: The file's row of each row; None: row k is row k
    places: Int64 | None = None

    def select(self, mask: pa.ChunkedArray) -> Part:
        """Return the rows selected by the mask."""
        places = np.flatnonzero(np.asarray(mask))
        before = self.places
        return Part(
            self.name, self.table.filter(mask), places if before is None else before[places]
        )

    def place(self, row: int) -> str:
        """Return the place of a row for messages."""
        return f"{self.name}: row {row if self.places is None else self.places[row]}"

    def column(self, field: str) -> pa.ChunkedArray:
        """Return a column; raise InputError if it is missing."""
        place = self.table.schema.get_field_index(field)
        if place < 0:
            raise InputError(f'{self.name}: no column "{field}" of counts')
        return self.table.column(place)

    def numbers(
        self,
        field: str,
        dtype: Any = np.int64,
        limits: tuple[float, float] = (0, MAX_COUNT),
        gaps: bool = False,
    ) -> CountRows:
        """Return a column of counts or floats within limits; with ``gaps`` null becomes NaN."""
        import pyarrow as pa

        from fastcausal.arrays.arrow import joined, values_of

        column = self.column(field)
        wanted = pa.from_numpy_dtype(np.dtype(dtype))
        if column.type != wanted:
            raise InputError(f'{self.name}: column "{field}" is {column.type}, expected {wanted}')
        if column.null_count and not gaps:
            missing = f"has {column.null_count} nulls, expected none"
            raise InputError(f'{self.name}: column "{field}" {missing}')
        values = values_of(joined(column.fill_null(np.nan) if gaps else column))
        least, most = limits
        outside = ~((values >= least) & (values <= most))
        if gaps:
            outside &= ~np.asarray(column.is_null())
        if outside.any():
            row = int(outside.argmax())
            self.refuse(row, field, values[row], f"{least:.16g} to {most:.16g}")
        return values

    def refuse(self, row: int, field: str, got: Any, expected: str) -> NoReturn:
        """Raise InputError for a value, by its row and column."""
        raise InputError(
            f'{self.place(row)}: column "{field}" has values that no count has: {got}, '
            f"expected {expected}"
        )


def parted(formula: Formula, part: Part) -> tuple[Part, Part | None]:
    """Split into rows with counts and rows left out by a policy, which lack the last count."""
    from fastcausal.arrays import compute as pc

    last = formula.fields[-1] if formula.fields else ""  # no raters, no fields
    if last not in part.table.column_names or not part.table[last].null_count:
        return part, None
    missing = pc.is_null(part.table[last])
    return part.select(pc.invert(missing)), part.select(missing)


def counts_of(formula: Formula, part: Part, totals: bool = True) -> tuple[Formula, CountRows]:
    """Return the rows in the columns, and the formula with the labels found in them."""
    if totals:
        check_totals(formula, part)
    fields, codes = formula.fields, list[Int64]()
    if isinstance(formula, ConfusionFormula):
        formula, codes = _labels(formula, part)
        fields = fields[2:]
    columns = [
        part.numbers(field, formula.dtype, formula.limits(field), formula.gaps) for field in fields
    ]
    rows = np.array([*codes, *columns], formula.dtype).reshape(len(formula.fields), len(part.table))
    _check_rules(formula, dict(zip(formula.fields, rows, strict=True)), part)
    return formula, rows.T


def check_totals(formula: Formula, part: Part) -> None:
    """Refuse an invalid column besides the fields: a total, or one that a report reads."""
    for name, expected in formula.unit_columns.items():
        if expected.required or name in part.table.column_names:
            _check_unit_column(part, name, expected)
    for total in totals_in(formula, part.table):
        part.numbers(total)
    present = {*part.table.column_names}
    for field in formula.empty_fields:
        if field in present:
            given = part.select(part.table[field].is_valid())
            given.numbers(field)


def _check_unit_column(part: Part, name: str, expected: UnitColumn) -> None:
    """Refuse a column of another type, or a value that it cannot have."""
    import pyarrow as pa

    from fastcausal.arrays import compute as pc

    column = part.column(name)
    if str(column.type) != expected.type:
        raise InputError(f'{part.name}: column "{name}" is {column.type}, expected {expected.type}')
    if column.null_count and not expected.nulls:
        missing = f"has {column.null_count} nulls, expected none"
        raise InputError(f'{part.name}: column "{name}" {missing}')
    if expected.texts:
        unknown = np.asarray(pc.invert(pc.is_in(column, pa.array(expected.texts))))
        if unknown.any():
            row = int(unknown.argmax())
            part.refuse(row, name, f'"{column[row]}"', f"one of {', '.join(expected.texts)}")
    elif expected.type == "int64":
        part.select(column.is_valid()).numbers(name)


def _check_rules(formula: Formula, columns: dict[str, CountRows], part: Part) -> None:
    """Refuse the first row that breaks a rule."""
    for small, large in formula.rules:
        less, more = (
            np.sum([np.maximum(columns[field], 0) for field in side], axis=0)
            for side in (small, large)
        )
        broken = less > more
        if broken.any():
            row = int(broken.argmax())
            raise InputError(
                f'{part.place(row)}: column "{" + ".join(small)}" is {less[row]}, '
                f"expected at most {' + '.join(large)}, {more[row]}"
            )


def totals_in(formula: Formula, table: pa.Table) -> list[str]:
    """Return the names of the totals in a file; older files lack some."""
    present = {*table.column_names}
    return [*formula.totals, *(name for name in formula.later_totals if name in present)]


def _labels(formula: ConfusionFormula, part: Part) -> tuple[ConfusionFormula, list[Int64]]:
    """Return gold and predicted places among the labels; by default, the labels that occur."""
    import pyarrow as pa

    from fastcausal.arrays import compute as pc

    sides = [part.column(field) for field in ("gold", "pred")]
    kinds = {str(side.type) for side in sides}
    alike = kinds in ({"int64"}, {"string"}) or not len(part.table)
    if not alike or any(side.null_count for side in sides):
        expected = "expected int64 or string"
        raise InputError(f"{part.name}: labels are {', '.join(sorted(kinds))}, {expected}")
    if not formula.given:
        labels = classes_of(*(pc.unique(side).to_pylist() for side in sides))
        formula = replace(formula, labels=labels)
    known = (formula.labels, formula.answers)
    codes = [
        pc.index_in(side, pa.array(classes, side.type))
        for side, classes in zip(sides, known, strict=True)
    ]
    for side, field, code in zip(sides, ("gold", "pred"), codes, strict=True):
        if code.null_count:
            row = int(np.asarray(code.is_null()).argmax())
            raise InputError(
                f'{part.place(row)}: column "{field}" has the label {side[row]}, '
                "expected one of those in the metadata"
            )
    return formula, [np.asarray(side, np.int64) for side in codes]
