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
) -> pa.Table:
    """Read ratings into a long table of ``unit``, ``rater``, ``label`` and perhaps ``cluster``.

    Parameters
    ----------
    paths : sequence of str
        What `fastcausal.files.records.read_records` takes. Of several files each holds the ratings
        of one rater, who is called by the file's name; one file names its raters itself.
    label : str
        The column of labels: numbers or text. CSV holds numbers where every cell of the column is
        a number or missing; an empty cell is missing.
    unit, rater : str, optional
        Columns; found by the names unit, id, index or item, and rater or annotator, if not given.
        What they hold is text: 01 and 1 are two units. An ``item`` beside a ``system`` is a unit
        of both, such as ``brief/q01``.
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
        # Without any, they are of the type that other files have.
        has_labels = records.has(records.require(label))
        columns["label"] = records.labels(label) if has_labels else pa.nulls(len(records))
        if cluster is not None:
            columns["cluster"] = records.keys(cluster)
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
