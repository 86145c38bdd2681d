"""Lazy access to `pyarrow.compute`, which is imported at the first use of one of its functions.

Its import wraps all functions, a tenth of the time of a command. Most calls avoid it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def take(values: Any, places: pa.Array) -> Any:
    """Return the values, or the rows of a table, at these places; null for a null place.

    >>> take(pa.array(["a", "b"]), pa.array([1, None])).to_pylist()
    ['b', None]
    """
    from pyarrow._compute import call_function

    return call_function("take", [values, places])


def filter(values: Any, chosen: pa.Array) -> Any:
    """Return the values, or the rows of a table, selected by the mask ``chosen``.

    >>> filter(pa.array(["a", "b"]), pa.array([False, True])).to_pylist()
    ['b']
    """
    from pyarrow._compute import call_function

    return call_function("filter", [values, chosen])


def index_in(values: Any, value_set: pa.Array) -> Any:
    """Return the place of each value in ``value_set``, null if it is absent.

    >>> index_in(pa.array(["a", None, "b"]), pa.array(["b", None])).to_pylist()
    [None, 1, 0]
    """
    from pyarrow._compute import SetLookupOptions, call_function

    options = SetLookupOptions(value_set=value_set, skip_nulls=False)
    return call_function("index_in", [values], options)


def dictionary_encode(values: Any) -> Any:
    """Return the distinct values, null included, and the index of each value among them.

    >>> dictionary_encode(pa.array(["a", None, "a"])).indices.to_pylist()
    [0, 1, 0]
    """
    from pyarrow._compute import DictionaryEncodeOptions, call_function

    return call_function("dictionary_encode", [values], DictionaryEncodeOptions("encode"))


def cast(values: Any, kind: pa.DataType) -> Any:
    """Cast the values to another type; return them unchanged if they have it.

    >>> cast(pa.array([1]), pa.string()).to_pylist()
    ['1']
    """
    from pyarrow._compute import CastOptions, call_function

    return (
        values if values.type == kind else call_function("cast", [values], CastOptions.safe(kind))
    )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # the import system asks for such names
        raise AttributeError(name)
    import pyarrow.compute

    return getattr(pyarrow.compute, name)


def binary_join(lists: Any, gap: pa.Scalar) -> Any:
    """Join the texts of each list; null for a null list and for one that holds a null.

    >>> binary_join(pa.array([["a", "b"], None]), pa.scalar("-")).to_pylist()
    ['a-b', None]
    """
    from pyarrow._compute import call_function

    return call_function("binary_join", [lists, gap])
