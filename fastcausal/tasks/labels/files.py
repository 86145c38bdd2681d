"""Files of labels: one long table, or one file per rater."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import strings
from fastcausal.arrays.strata import find_cluster, source_of
from fastcausal.errors import InputError, Remedy
from fastcausal.files.keys import repeated, strangers
from fastcausal.files.packed import stem_of
from fastcausal.files.records import Records, read_records
from fastcausal.options import AUTO, CLUSTERS

UNITS = ("unit", "id", "index", "item")
RATERS = ("rater", "annotator")


def read_rating_files(
    # sources of `read_records`; each of several has one rater's ratings, by its stem
    paths: Sequence[str],
    label: str,  # numbers or text; in one file "ann,ben" names a column a rater
    # by default unit, id, index or item; a column system beside item gives units as brief/q01
    unit: str | None = None,
    rater: str | None = None,  # by default rater or annotator
    cluster: str | None = None,  # a column; "auto" keeps all of `CLUSTERS` that all files have
    by: Sequence[str] = (),
) -> pa.Table:
    """Read ratings into a long table."""
    # Labels are float64 or string; all other columns are string, so that 01 and 1 are two units. A
    # column of CSV has numbers if every cell is a number or missing; an empty cell is missing.
    stems = [stem_of(path) for path in paths]
    if len(set(stems)) < len(stems):
        raise InputError(f"two files of the same name: {', '.join(paths)}")
    parts = []
    for stem, path in zip(stems, paths, strict=True):
        records = read_records(path)
        shared = {"unit": _units(records) if unit is None else records.keys(unit)}
        if cluster == AUTO:
            shared |= {name: records.texts(name) for name in CLUSTERS if name in records}
        elif cluster is not None:
            shared["cluster"] = records.keys(cluster)
        shared |= {name: records.texts(records.require(name)) for name in map(source_of, by)}
        for name in columns_of_raters(records, label):
            if len(paths) > 1 or name != label:
                raters = strings([stem if len(paths) > 1 else name] * len(records))
            else:
                raters = _raters(records, rater)
            # A column without labels takes the type that labels have in other columns.
            has_labels = records.has(records.require(name))
            labels = records.labels(name) if has_labels else pa.nulls(len(records))
            parts.append(pa.table({**shared, "rater": raters, "label": labels}))
    _require_common(parts, stems)
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(f'"{label}" is not of one type everywhere: {error}') from error


def find_cluster_of_units(table: pa.Table) -> str | None:
    """Return the first of `CLUSTERS` that clusters the units of a long table of ratings.

    >>> ratings = pa.table({"unit": ["1", "1", "2", "3"], "doc": ["a", "a", "a", "b"]})
    >>> find_cluster_of_units(ratings)
    'doc'
    """
    n_units = len(table["unit"].unique())
    for name in CLUSTERS:
        if name in table.column_names:
            pairs = table.group_by(["unit", name]).aggregate([])
            if len(pairs) == n_units and find_cluster(pairs.select([name])):
                return name
    return None


def columns_of_raters(records: Records, label: str) -> list[str]:
    """Return the columns of labels: ``ann,ben`` is two, unless one column has this name."""
    return [label] if label in records else [name.strip() for name in label.split(",")]


def _raters(records: Records, rater: str | None) -> pa.Array:
    """Return the column of raters."""
    if rater is not None or records.find(*RATERS):
        return records.keys(*(RATERS if rater is None else (rater,)))
    found = ", ".join(records.names)
    message = f'{records.header}: no column "rater" or "annotator": found {found}'
    remedy = Remedy("labels", ("A,B",), "would take the columns A and B of two raters")
    raise InputError(message, remedy=remedy)


def _require_common(parts: Sequence[pa.Table], stems: Sequence[str]) -> None:
    """Raise InputError if no unit is in two of several files."""
    units = [arrow.joined(part["unit"]) for part in parts if len(part)]
    if len(units) > 1 and repeated(pa.concat_arrays([each.unique() for each in units])) is None:
        raise strangers(units[0], units[1], f"{stems[1]}: ", ("unit", stems[0]))


def _units(records: Records) -> pa.Array:
    units = records.keys(*UNITS)
    if records.find(*UNITS) != "item" or "system" not in records:
        return units
    return pc.binary_join_element_wise(records.keys("system"), units, "/")
