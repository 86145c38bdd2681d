"""The seal of a file of counts: a digest of the values in its rows, and one of its metadata.

The digest of rows adds, so neither order nor batches change it. Digests detect changed data, but no
forger.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastcausal.arrays.digests import added_digests, digest_of_numbers, digest_text
from fastcausal.counts.columns import TIMES, totals_in
from fastcausal.counts.formula import Formula
from fastcausal.errors import InputError
from fastcausal.significance.sums import EXACT, Int64

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, COLUMNS, SEAL = "rows", "columns", "seal"
"""Keys of the metadata: digest of rows, its columns besides ids and counts, digest of the rest."""

BLOCK = 2**16  # rows whose texts are joined at once
NULL = np.iinfo(np.int64).max  # not a count, nor the bits of a number


class Written(NamedTuple):
    """Number of the rows of a file, and the digest of their values."""

    n_rows: int = 0
    digest: int = 0
    columns: tuple[str, ...] = ()  # Columns in the digest besides ids and counts

    @classmethod
    def seal(cls, formula: Formula, table: pa.Table, columns: Iterable[str] | None = None) -> Self:
        """Return the number and digest for the rows of one system."""
        # ``columns`` are in the digest besides ids and counts; None: all, except for nested ones.
        present = {*table.column_names}
        counts = (TIMES, *formula.fields, *totals_in(formula, table), *formula.empty_fields)
        known = [name for name in dict.fromkeys(counts) if name in present]
        if columns is None:
            columns = [
                field.name
                for field in table.schema
                if field.name not in {*known, "id"} and not _is_nested(field.type)
            ]
        columns = sorted(columns)
        digest = 0
        for start in range(0, len(table), BLOCK):
            part = table.slice(start, BLOCK)
            numbers = [_numbers(part[name]) for name in known]
            texts = [part["id"]] if "id" in present else []
            for name in columns:
                _add_column(part[name], numbers, texts)
            digest += digest_of_numbers(_join_texts(texts), numbers, len(part))
        return cls(len(table), digest % 2**128, tuple(columns))

    def and_those(self, more: Written) -> Written:
        """Return the number and digest for the rows of both."""
        digest = added_digests(self.digest, more.digest) or 0
        return Written(self.n_rows + more.n_rows, digest, more.columns or self.columns)


def sealed(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata with their seal; rows that an engine may join have none."""
    return {**about, SEAL: None if about.get("n_rows", 0) is None else _seal_of(about)}


def require_seal(about: Mapping[str, Any], name: str, what: str = "the metadata") -> None:
    """Raise InputError if the metadata do not match their seal."""
    seal = about.get(SEAL)
    if seal is not None and seal != _seal_of(about):
        raise InputError(f"{name}: {what} was changed since it was sealed")


def require_digest(about: Mapping[str, Any], formula: Formula, table: pa.Table, name: str) -> None:
    """Raise InputError if a sealed file has the same number of rows, but not the same rows."""
    if about.get(SEAL) is None or about["n_rows"] != len(table):
        return
    columns = about.get(COLUMNS) or ()
    held = {field.name for field in table.schema if not _is_nested(field.type)}
    lost = [column for column in columns if column not in held]
    if lost or about.get(ROWS) != digest_text(Written.seal(formula, table, columns).digest):
        what = (
            f'column "{lost[0]}" was left out or nested'
            if lost
            else "ids, counts or columns were changed"
        )
        raise InputError(
            f"{name}: {what} since the file was sealed, expected them as they were written"
        )


def _seal_of(about: Mapping[str, Any]) -> str:
    from hashlib import blake2b  # loads OpenSSL

    rest = {key: value for key, value in about.items() if key != SEAL}
    return blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=16).hexdigest()


def _is_nested(kind: pa.DataType) -> bool:
    """Return True for a type without texts or numbers, of which no subset or cluster is made."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return pa.types.is_nested(kind) or any(is_kind(kind) for is_kind in binary)


def _add_column(column: pa.ChunkedArray, numbers: list[Int64], texts: list[Any]) -> None:
    """Add a column to the numbers, or to the texts with their lengths to the numbers."""
    # The same number is the same in columns of integers and of floats, and so is a missing one.
    import pyarrow as pa

    from fastcausal.arrays import compute as pc
    from fastcausal.arrays.arrow import joined, values_of

    types, array = pa.types, joined(column)
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_boolean(array.type):
        array = pc.cast(array, pa.int8())
    if types.is_null(array.type) or types.is_integer(array.type):
        numbers.append(values_of(pc.cast(array, pa.int64(), safe=False), NULL))
    elif types.is_floating(array.type):
        values = values_of(pc.cast(array, pa.float64()), np.nan)
        whole = (values == np.rint(values)) & (np.abs(values) < EXACT)
        bits = np.where(whole, np.where(whole, values, 0).astype(np.int64), values.view(np.int64))
        numbers.append(np.where(np.isnan(values), NULL, bits))
    else:
        array = pc.cast(array, pa.string())
        numbers.append(values_of(pc.cast(pc.binary_length(array), pa.int64()), NULL))
        texts.append(array)


def _join_texts(texts: Sequence[Any]) -> Any:
    """Join the texts of each row; None without any."""
    import pyarrow as pa

    from fastcausal.arrays import compute as pc
    from fastcausal.arrays.arrow import joined

    if len(texts) < 2:
        return texts[0] if texts else None
    arrays = [pc.cast(joined(text), pa.string()) for text in texts]
    return pc.binary_join_element_wise(*arrays, "", null_handling="replace", null_replacement="")


def _numbers(column: pa.ChunkedArray) -> Int64:
    """Return 64 bits for each value: a count or measure itself, a digest of a label."""
    import pyarrow as pa

    from fastcausal.arrays.arrow import is_valid, joined, values_of

    array = joined(column)
    if pa.types.is_null(array.type):
        return np.full(len(array), NULL)
    if pa.types.is_string(array.type):
        from hashlib import blake2b

        coded = array.dictionary_encode()
        texts = coded.dictionary.to_pylist()
        hashes = [blake2b(text.encode(), digest_size=8).digest() for text in texts]
        labels = np.frombuffer(b"".join([*hashes, bytes(8)]), "<i8")
        array, values = coded.indices, labels[values_of(coded.indices, -1)]
    else:
        values = np.asarray(values_of(array)).view(np.int64)
    return np.where(is_valid(array), values, NULL) if array.null_count else values
