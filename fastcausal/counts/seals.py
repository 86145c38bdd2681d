"""The seal of a file of counts: a digest of ids and counts in its rows, and one of its metadata.

The digest of rows adds, so neither order nor batches change it. Digests detect changed data, but no
forger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fastcausal.arrays.digests import added_digests, digest_of_numbers, digest_text
from fastcausal.counts.columns import TIMES, totals_in
from fastcausal.counts.formula import Formula
from fastcausal.errors import InputError
from fastcausal.significance.sums import Int64

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, SEAL = "rows", "seal"  # keys of the metadata: digest of ids and counts, digest of the rest
NULL = np.iinfo(np.int64).max  # not a count, nor the bits of a number


class Written(NamedTuple):
    """Number of the rows of a file, and the digest of their ids and counts."""

    n_rows: int = 0
    digest: int = 0

    @classmethod
    def of(cls, formula: Formula, table: pa.Table) -> Self:
        """Return the number and digest for the rows of one system."""
        present = {*table.column_names}
        known = (TIMES, *formula.fields, *totals_in(formula, table), *formula.if_empty)
        columns = [_numbers(table[name]) for name in known if name in present]
        ids = table["id"] if "id" in present else None
        return cls(len(table), digest_of_numbers(ids, columns, len(table)))

    def and_those(self, more: Written) -> Written:
        """Return the number and digest for the rows of both."""
        return Written(self.n_rows + more.n_rows, added_digests(self.digest, more.digest) or 0)


def sealed(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata with their seal; rows that an engine may join have none."""
    return {**about, SEAL: None if about["n_rows"] is None else _seal_of(about)}


def require_seal(about: Mapping[str, Any], name: str) -> None:
    """Raise InputError if the metadata do not match their seal."""
    seal = about.get(SEAL)
    if seal is not None and seal != _seal_of(about):
        raise InputError(f"{name}: the metadata was changed since it was sealed")


def require_digest(about: Mapping[str, Any], formula: Formula, table: pa.Table, name: str) -> None:
    """Raise InputError if a sealed file has the same number of rows, but not the same rows."""
    if about.get(SEAL) is None or about["n_rows"] != len(table):
        return
    if about.get(ROWS) != digest_text(Written.of(formula, table).digest):
        raise InputError(
            f"{name}: ids or counts were changed since the file was sealed, expected them as "
            "they were written"
        )


def _seal_of(about: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in about.items() if key != SEAL}
    return blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=16).hexdigest()


def _numbers(column: pa.ChunkedArray) -> Int64:
    """Return 64 bits for each value: a count or measure itself, a digest of a label."""
    import pyarrow as pa

    from fastcausal.arrays.arrow import is_valid, joined, values_of

    array = joined(column)
    if pa.types.is_null(array.type):
        return np.full(len(array), NULL)
    if pa.types.is_string(array.type):
        coded = array.dictionary_encode()
        texts = coded.dictionary.to_pylist()
        hashes = [blake2b(text.encode(), digest_size=8).digest() for text in texts]
        labels = np.frombuffer(b"".join([*hashes, bytes(8)]), "<i8")
        array, values = coded.indices, labels[values_of(coded.indices, -1)]
    else:
        values = np.asarray(values_of(array)).view(np.int64)
    return np.where(is_valid(array), values, NULL) if array.null_count else values
