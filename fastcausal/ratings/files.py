"""Files of labels: one long table, or one file per rater."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fastcausal.errors import InputError

UNITS = ("unit", "id", "index")
RATERS = ("rater", "annotator")


def read_rating_files(
    paths: Sequence[str], label: str, unit: str | None = None, rater: str | None = None
) -> tuple[pa.Table, str, str]:
    """Ratings in long form, and the names of the columns of units and raters.

    Parameters
    ----------
    paths : sequence of str
        CSV (with a header), JSON lines, Parquet or Arrow files. Of several files each holds the
        ratings of one rater, who is called by the file's name; one file names its raters itself.
    label : str
        The column of labels.
    unit, rater : str, optional
        Columns; found by the names unit, id or index, and rater or annotator, if not given.

    Raises
    ------
    InputError
        A file cannot be read, or lacks a column.
    """
    tables = [_load(path) for path in paths]
    if len(tables) == 1:
        (table,), (path,) = tables, paths
        rater = _column(path, table, rater, RATERS, "raters")
        unit = _column(path, table, unit, UNITS, "units")
        _column(path, table, label, (), "labels")
        return table, unit, rater
    parts = []
    for path, table in zip(paths, tables, strict=True):
        units = table[_column(path, table, unit, UNITS, "units")]
        labels = table[_column(path, table, label, (), "labels")]
        name = pa.array([Path(path).stem] * len(table), pa.string())
        parts.append(pa.table({"unit": units.cast(pa.string()), "rater": name, label: labels}))
    names = {Path(path).stem for path in paths}
    if len(names) < len(paths):
        raise InputError(f"two files of the same name: {', '.join(paths)}")
    try:
        return pa.concat_tables(parts), "unit", "rater"
    except pa.ArrowInvalid as error:
        raise InputError(f'column "{label}" is not of one type in all files: {error}') from error


def _column(path: str, table: pa.Table, wanted: str | None, usual: Sequence[str], what: str) -> str:
    """The column that was asked for, or the first of the usual names that is there."""
    for name in (wanted,) if wanted is not None else usual:
        if name in table.column_names:
            return name
    expected = f'"{wanted}"' if wanted is not None else " or ".join(f'"{name}"' for name in usual)
    found = ", ".join(table.column_names)
    raise InputError(f"{path} has no column {expected} of {what}, it has {found}")


def _load(path: str) -> Any:
    suffix = Path(path).suffix.lower()
    try:
        if suffix in (".csv", ".tsv"):
            from pyarrow import csv

            options = csv.ParseOptions(delimiter="\t" if suffix == ".tsv" else ",")
            table = csv.read_csv(path, parse_options=options)
        elif suffix in (".json", ".jsonl", ".ndjson"):
            from pyarrow import json

            table = json.read_json(path)
        else:
            from fastcausal.formats.source import Source
            from fastcausal.formats.table import load

            table = load(Source.open(path))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if not len(table):
        raise InputError(f"{path} holds no ratings")
    return table
