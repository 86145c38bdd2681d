"""Arrow's functions without `pyarrow.compute`, whose import wraps all of them.

That takes longer than scoring a small file, so that a function is wrapped at its first use.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

KINDS = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


def dictionary_encode(values: Any) -> Any:
    """Return the distinct values, null included, and the index of each value among them.

    >>> dictionary_encode(pa.array(["a", None, "a"])).indices.to_pylist()
    [0, 1, 0]
    """
    from pyarrow._compute import DictionaryEncodeOptions, call_function

    return call_function("dictionary_encode", [values], DictionaryEncodeOptions("encode"))


def cast(values: Any, kind: pa.DataType, safe: bool = True) -> Any:
    """Cast the values to another type; return them unchanged if they have it.

    Unless ``safe``, values that the type cannot hold overflow.

    >>> cast(pa.array([1]), pa.string()).to_pylist()
    ['1']
    """
    from pyarrow._compute import CastOptions, call_function

    options = CastOptions.safe(kind) if safe else CastOptions.unsafe(kind)
    return values if values.type == kind else call_function("cast", [values], options)


def fill_null(values: Any, filling: Any) -> Any:
    """Replace nulls by a plain value or a scalar.

    >>> fill_null(pa.array([1, None], pa.int8()), 0).to_pylist()
    [1, 0]
    """
    from pyarrow._compute import call_function

    return call_function("coalesce", [values, cast(_scalar(filling), values.type)])


def index(values: Any, value: Any) -> Any:
    """Return the first place of a value as a scalar, -1 if it is absent.

    >>> index(pa.array([False, True]), True).as_py(), index(pa.array(["a"]), "b").as_py()
    (1, -1)
    """
    from pyarrow._compute import IndexOptions, call_function

    return call_function("index", [values], IndexOptions(cast(_scalar(value), values.type)))


def __getattr__(name: str) -> Any:
    """Return a function of Arrow, which takes its options behind the values, or by name.

    >>> __getattr__("take")(pa.array(["a", "b"]), pa.array([1, None])).to_pylist()
    ['b', None]
    >>> __getattr__("index_in")(pa.array(["a", None]), value_set=pa.array(["b", None])).to_pylist()
    [None, 1]
    """
    from pyarrow import _compute

    try:
        function = _compute.get_function(name.removesuffix("_"))  # and_ is a name of Python
    except KeyError as error:  # the import system asks for such names
        raise AttributeError(name) from error
    options: Any = getattr(_compute, function._doc.options_class, None)

    def call(*values: Any, **settings: Any) -> Any:
        n = len(values) if function.arity is ... else function.arity
        chosen = options(*values[n:], **settings) if values[n:] or settings else None
        return function.call([*map(_scalar, values[:n])], chosen)

    globals()[name] = call
    return call


def _scalar(value: Any) -> Any:
    """Return a plain value as a scalar of Arrow; ``pa.scalar`` imports pandas if it is there."""
    if type(value) not in KINDS:
        return pa.NULL if value is None else value
    texts = pa.lib.StringBuilder()
    texts.append(str(value))
    return cast(texts.finish()[0], KINDS[type(value)])
