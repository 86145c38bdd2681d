"""Digests of gold that add: the same for every format, order and split of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from fastcausal.arrays import _digests
from fastcausal.arrays.arrow import joined, strings, texts_of


def digest_of_texts(ids: Any, contents: Any) -> int:
    """Return the sum modulo 2^128 of a hash of each example, its id and its content.

    Parameters
    ----------
    ids : pyarrow.Array or ChunkedArray of string, or None
    contents : pyarrow.Array or ChunkedArray of string
        What gold says of each example.

    Examples
    --------
    >>> whole = digest_of_texts(strings(["a", "b"]), strings(["yes", "no"]))
    >>> parts = ("a", "yes"), ("b", "no")
    >>> a, b = (digest_of_texts(strings([id]), strings([text])) for id, text in parts)
    >>> added_digests(b, a) == whole
    True
    """
    return _digests.of_texts(_texts(ids), _texts(contents)) if len(contents) else 0


def digest_of_relations(rows: tuple[Any, Any, Any], roles: Sequence[str], ids: Any) -> int:
    """Return the sum modulo 2^128 of a hash of each example, its id and its relations by content.

    Relations of an example count in any order, those without spans not at all.

    Parameters
    ----------
    rows : int32[n, 3], int64[n_relations + 1], int64[n_examples + 1]
        As in `fastcausal.Rows`.
    roles : sequence of str
        Names of the roles.
    ids : pyarrow.Array or ChunkedArray of string, or None
    """
    return _digests.of_relations(*rows, _texts(strings(roles)), _texts(ids))


def added_digests(*digests: int | None) -> int | None:
    """Return the digest of all parts; None where one is unknown."""
    return None if None in digests else sum(filter(None, digests)) % 2**128


def digest_text(digest: int | None) -> str | None:
    """Write a digest as files and results have it."""
    return None if digest is None else f"{digest:032x}"


def _texts(values: Any) -> Any:
    return None if values is None else texts_of(joined(values).cast(pa.string()))
