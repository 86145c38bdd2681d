"""Arrow arrays built from buffers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.arrays import arrow
from fastcausal.errors import InputError

texts = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5))


@given(texts)
def test_strings(values):
    array = arrow.strings(values)
    array.validate(full=True)
    assert array.to_pylist() == values


@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)))
def test_numbers(values):
    known = np.array([value or 0 for value in values], np.int32)
    valid = np.array([value is not None for value in values], bool)
    array = arrow.numbers(known, valid)
    array.validate(full=True)
    assert array.to_pylist() == values
    assert arrow.numbers(valid).to_pylist() == valid.tolist()


@given(st.lists(texts), st.data())
def test_lists(values, data):
    inner = arrow.strings([text for value in values for text in value])
    valid = np.array([bool(value) or data.draw(st.booleans()) for value in values], bool)
    array = arrow.lists(map(len, values), inner, valid)
    array.validate(full=True)
    assert array.to_pylist() == [
        value if known else None for value, known in zip(values, valid, strict=True)
    ]


def test_what_arrow_cannot_store():
    with pytest.raises(InputError, match="half of a surrogate pair"):
        arrow.strings(["\ud800"])
    with pytest.raises(OverflowError, match="4294967296 list items"):
        arrow.lists([2**32], arrow.strings([]))


def test_pandas_stays_where_it_is():
    code = (
        "import sys, numpy as np\n"
        "from fastcausal.arrays.arrow import lists, numbers, strings\n"
        "lists([1, 1], strings(['a', None]), np.array([True, False]))\n"
        "numbers(np.arange(3))\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_readers_in_threads_have_memory_of_their_own():
    """Arrow's threads may outlive the interpreter, so they read no memory of Python's objects."""
    root = Path(arrow.__file__).parents[1]
    for path in root.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        if path != Path(arrow.__file__):
            assert "py_buffer(" not in code, path
        assert not re.findall(r"BufferReader\((?!copy_to_arrow\(|buffer\))", code), path
        assert not re.findall(r"\.(?:PythonFile|input_stream)\(|read_csv\(io\.", code), path


@given(st.binary(max_size=99))
def test_owned_memory(data):
    buffer = arrow.copy_to_arrow(data)
    assert buffer.to_pybytes() == data
    assert buffer.parent is None
    for source in (buffer, buffer.slice(0, len(data) // 2)):
        reader = arrow.pa.BufferReader(source)
        assert reader.read() == source.to_pybytes()
