"""The check of Parquet and Arrow schemas, before a reader takes the file."""

from __future__ import annotations

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.files.values import most_common


def require_plain(schema: pa.Schema, name: str) -> None:
    """Raise InputError for an invalid schema: two columns of one name, an unknown time zone."""
    if again := most_common(schema.names):
        raise InputError(f'{name}: column "{again[0]}" occurs {again[1]} times, expected once')
    for field in schema:
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            try:
                pa.array([0], pa.int64()).cast(field.type).cast(pa.string())
            except pa.ArrowException as error:
                raise InputError(
                    f'{name}: column "{field.name}" is {field.type}, expected a time zone that '
                    "is known here"
                ) from error
