"""Sections from tables of every kind give the figures of the task's own files."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats.fincausal import read_rows

FILES = [sample.SECTIONS, sample.SECTIONED["careful"]]


def rows_of(path):
    rows = read_rows(Source.open(path))
    columns = {"index": rows.index.to_pylist()}
    columns |= {name: getattr(rows, name).texts() for name in ("text", "cause", "effect")}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def as_lines(rows, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_parquet(rows, path):
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


MAKE = {
    "dicts": lambda rows, _: rows,
    "pandas": lambda rows, _: pd.DataFrame(rows),
    "polars": lambda rows, _: pl.DataFrame(rows),
    "Arrow": lambda rows, _: pa.Table.from_pylist(rows),
    "JSON lines": lambda rows, path: as_lines(rows, path.with_suffix(".jsonl")),
    "Parquet": lambda rows, path: as_parquet(rows, path.with_suffix(".parquet")),
}


@pytest.mark.parametrize("kind", MAKE)
def test_tables_of_sections(kind, tmp_path):
    sides = [MAKE[kind](rows_of(path), tmp_path / path.stem) for path in FILES]
    found, expected = (fc.score(*each, "fincausal-2020").scores for each in (sides, FILES))
    assert found == expected


def test_a_table_without_a_column(tmp_path):
    path = as_lines([{"index": "1", "text": "Rain fell", "cause": "Rain"}], tmp_path / "x.jsonl")
    with pytest.raises(InputError, match='no column "effect": found index, text, cause'):
        fc.score(path, path, "fincausal-2020")
