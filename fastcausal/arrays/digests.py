"""Additive digests of gold: independent of format, order and split of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import _digests
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined, strings, texts_of

N_BYTES = 16  # of a digest


def digest_of_texts(
    ids: Any,  # pyarrow.Array or ChunkedArray of string, or None
    contents: Any,  # pyarrow.Array or ChunkedArray of string: The gold content of each example
) -> int:
    """Return the sum modulo 2^128 of a hash of each example's id and content."""
    digest = start = 0
    for part in contents.chunks if isinstance(contents, pa.ChunkedArray) else [contents]:
        own = None if ids is None else _texts(ids.slice(start, len(part)))
        digest += _digests.of_texts(own, texts_of(part)) if len(part) else 0
        start += len(part)
    return digest % 2**128


def digest_of_numbers(
    ids: Any,  # pyarrow.Array or ChunkedArray of string, or None
    columns: Sequence[Any],  # sequence of int64[n]
    n: int,
) -> int:
    """Return the sum modulo 2^128 of a hash of each row's id and numbers.

    >>> a, b = (digest_of_numbers(None, [np.array([k])], 1) for k in (1, 2))
    >>> digest_of_numbers(None, [np.array([2, 1])], 2) == added_digests(a, b)
    True
    """
    return _digests.of_numbers(_texts(ids), [*map(np.ascontiguousarray, columns)], n)


def digest_of_relations(
    # int32[n, 3], int64[n_relations + 1], int64[n_examples + 1]: As in `fastcausal.Rows`
    rows: tuple[Any, Any, Any],
    roles: Sequence[str],  # Names of the roles
    ids: Any,  # pyarrow.Array or ChunkedArray of string, or None
) -> int:
    """Return the sum modulo 2^128 of a hash of each example's id and relations."""
    # The order of relations within an example does not matter; relations without spans are ignored.
    return _digests.of_relations(*rows, _texts(strings(roles)), _texts(ids))


def digests_of_relations(rows: tuple[Any, Any, Any], roles: Sequence[str], ids: Any) -> pa.Array:
    """Return the digest of each example as 16 bytes; `sum_digests` adds them up."""
    # Parameters are as in `digest_of_relations`.
    n = len(rows[2]) - 1
    each = np.empty((n, 2), np.int64)
    _digests.of_relations(*rows, _texts(strings(roles)), _texts(ids), each)
    places = np.arange(0, N_BYTES * (n + 1), N_BYTES, dtype=np.int32)
    # Variable size: some engines lack fixed-size binary.
    return pa.Array.from_buffers(pa.binary(), n, [None, *map(pa.py_buffer, (places, each))])


def sum_digests(digests: pa.ChunkedArray) -> int:
    r"""Return the sum modulo 2^128 of digests of 16 bytes.

    >>> sum_digests(pa.chunked_array([[b"\x02" + bytes(15), b"\xff" * 16]]))
    1
    """
    if digests.null_count:
        raise pa.ArrowInvalid(f"{digests.null_count} nulls")
    array = joined(digests).cast(pa.binary(N_BYTES))
    data = array.buffers()[1] or b""
    quarters = np.frombuffer(data, "<u4", 4 * len(array), N_BYTES * array.offset).reshape(-1, 4)
    sums: list[int] = quarters.sum(axis=0, dtype=np.uint64).tolist()
    return sum(value << 32 * k for k, value in enumerate(sums)) % 2**128


def added_digests(*digests: int | None) -> int | None:
    """Add the digests of all parts; return None if one is unknown."""
    return None if None in digests else sum(filter(None, digests)) % 2**128


def digest_text(digest: int | None) -> str | None:
    """Format a digest for files and results."""
    return None if digest is None else f"{digest:032x}"


def _texts(values: Any) -> Any:
    return None if values is None else texts_of(pc.cast(joined(values), pa.string()))
