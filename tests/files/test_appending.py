"""Files to which tables are appended: all tables in order, or no file."""

from __future__ import annotations

import pyarrow as pa
import pytest

from fastcausal.errors import OutputError
from fastcausal.files.binary import ROW_SUFFIXES, appending, load

SCHEMA = pa.schema({"n": pa.int64(), "text": pa.string()})


def write(path, tables):
    with appending(path) as append:
        for table in tables:
            append(table)
    return load(path) if path.suffix in (".parquet", ".arrow") else path.read_bytes()


@pytest.mark.parametrize("suffix", ROW_SUFFIXES)
def test_tables_are_in_order(tmp_path, suffix):
    tables = [pa.table([range(k, 2 * k), ["x"] * k], schema=SCHEMA) for k in (3, 0, 1, 500, 2)]
    parts = write(tmp_path / f"parts{suffix}", tables)
    assert parts == write(tmp_path / f"whole{suffix}", [pa.concat_tables(tables)])


@pytest.mark.parametrize("n_after", [0, 1])
def test_a_table_that_does_not_fit_leaves_no_file(tmp_path, n_after):
    tables = [pa.table({"a": [1]}), pa.table({"a": ["x"]}), *[pa.table({"a": [2]})] * n_after]
    with pytest.raises(OutputError, match=r"rows\.arrow: cannot be written as arrow: "):
        write(tmp_path / "rows.arrow", tables)
    assert [*tmp_path.iterdir()] == []
