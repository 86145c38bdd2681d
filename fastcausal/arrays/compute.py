"""`pyarrow.compute`, imported when one of its functions is first used.

Its import makes wrappers of all functions, which takes a tenth of the time of a command. What most
calls need is had without.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def take(values: Any, places: pa.Array) -> Any:
    """Return the values, or the rows of a table, at these places; null at a null.

    Examples
    --------
    >>> take(pa.array(["a", "b"]), pa.array([1, None])).to_pylist()
    ['b', None]
    """
    from pyarrow._compute import call_function

    return call_function("take", [values, places])


def filter(values: Any, chosen: pa.Array) -> Any:
    """Return the values, or the rows of a table, that are chosen.

    Examples
    --------
    >>> filter(pa.array(["a", "b"]), pa.array([False, True])).to_pylist()
    ['b']
    """
    from pyarrow._compute import call_function

    return call_function("filter", [values, chosen])


def index_in(values: Any, value_set: pa.Array) -> Any:
    """Return the place of each value in a set, null where it is not there.

    Examples
    --------
    >>> index_in(pa.array(["a", None, "b"]), pa.array(["b", None])).to_pylist()
    [None, 1, 0]
    """
    from pyarrow._compute import SetLookupOptions, call_function

    options = SetLookupOptions(value_set=value_set, skip_nulls=False)
    return call_function("index_in", [values], options)


def dictionary_encode(values: Any) -> Any:
    """Return the distinct values, null as one of them, and the place of each among these.

    Examples
    --------
    >>> dictionary_encode(pa.array(["a", None, "a"])).indices.to_pylist()
    [0, 1, 0]
    """
    from pyarrow._compute import DictionaryEncodeOptions, call_function

    return call_function("dictionary_encode", [values], DictionaryEncodeOptions("encode"))


def cast(values: Any, kind: pa.DataType) -> Any:
    """Return the values as another type, or as they are.

    Raises
    ------
    pyarrow.ArrowInvalid
        A value cannot be had as that type.

    Examples
    --------
    >>> cast(pa.array([1]), pa.string()).to_pylist()
    ['1']
    """
    return values if values.type == kind else values.cast(kind)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # which the import of this module asks for
        raise AttributeError(name)
    import pyarrow.compute

    return getattr(pyarrow.compute, name)
