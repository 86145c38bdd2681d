"""Files of labels: one long table, or one file per rater."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import strings
from fastcausal.errors import InputError
from fastcausal.files.packed import stem_of
from fastcausal.files.records import Records, read_records

UNITS = ("unit", "id", "index", "item")
RATERS = ("rater", "annotator")


def read_rating_files(
    paths: Sequence[str],
    label: str,
    unit: str | None = None,
    rater: str | None = None,
    cluster: str | None = None,
    by: Sequence[str] = (),
) -> pa.Table:
    """Read ratings into a long table: ``unit``, ``rater``, ``label``, ``cluster`` if requested.

    Parameters
    ----------
    paths : sequence of str
        Sources of `fastcausal.files.records.read_records`. Each of several files has the ratings of
        one rater, whose name is the file's stem; a single file has a column of raters.
    label : str
        The column of labels: numbers or text. A column of CSV has numbers if every cell is a number
        or missing; an empty cell is missing.
    unit, rater : str, optional
        The columns of units and raters; by default unit, id, index or item, and rater or annotator.
        Their values are text: 01 and 1 are two units. By default, a column ``item`` beside a column
        ``system`` gives units such as ``brief/q01``.
    cluster : str, optional
        A column of clusters, as text.
    by : sequence of str
        Columns of subsets, as text; they follow by name.

    Returns
    -------
    pyarrow.Table
        Labels are float64 or string; all other columns are string.

    Raises
    ------
    InputError
        Two files have the same name; a file cannot be read, lacks a column or has it twice; or a
        row has no unit, no rater or a label of another kind than the rows before.
    """
    stems = [stem_of(path) for path in paths]
    if len(set(stems)) < len(stems):
        raise InputError(f"two files of the same name: {', '.join(paths)}")
    parts = []
    for stem, path in zip(stems, paths, strict=True):
        records = read_records(path)
        columns = {"unit": _units(records) if unit is None else records.keys(unit)}
        if len(paths) > 1:
            columns["rater"] = strings([stem] * len(records))
        else:
            columns["rater"] = records.keys(*(RATERS if rater is None else (rater,)))
        # A column without labels takes the type that labels have in other files.
        has_labels = records.has(records.require(label))
        columns["label"] = records.labels(label) if has_labels else pa.nulls(len(records))
        if cluster is not None:
            columns["cluster"] = records.keys(cluster)
        columns |= {name: records.texts(records.require(name)) for name in by}
        parts.append(pa.table(columns))
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(f'"{label}" is not of one type in all files: {error}') from error


def _units(records: Records) -> pa.Array:
    units = records.keys(*UNITS)
    if records.find(*UNITS) != "item" or "system" not in records:
        return units
    return pc.binary_join_element_wise(records.keys("system"), units, "/")
