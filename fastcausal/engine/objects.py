"""Conversion of Python objects to rows, without a table in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastcausal.arrays._objects import example_rows
from fastcausal.relations import ROLES
from fastcausal.rows import Rows


def rows_of_examples(
    examples: Any, roles: Sequence[str] = ROLES
) -> tuple[Rows, list[str] | None] | None:
    """Return rows and ids of example dicts in the form of `Relations.from_examples`.

    Returns
    -------
    tuple of Rows and list of str, or None
        The ids are None if no example has an id. The result is None for unusual or invalid input:
        then `Relations.from_examples` reads the examples or reports the fault. Keys other than
        ``id``, ``relations``, ``length``, ``tokens`` and ``text`` are ignored.

    Examples
    --------
    >>> rows, ids = rows_of_examples([{"relations": [{"cause": (0, 2)}], "length": 5}])
    >>> rows.values, ids
    (array([[0, 0, 2]], dtype=int32), None)
    >>> rows_of_examples([{"relations": [{"cause": (0, 9)}], "length": 5}]) is None
    True
    """
    parts = example_rows(examples, {role: k for k, role in enumerate(roles)}, True)
    return None if parts is None else (Rows(*parts[:4]), parts[4])
