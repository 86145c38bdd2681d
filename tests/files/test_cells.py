"""CSV split by native code: the cells of Python's reader, or Python reads them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.files import cells as module
from fastcausal.files.cells import cells
from fastcausal.files.files import Source
from tests.support.profiles import trials

PIECES = ['"', '""', ",", "\n", "\r\n", "\r", " ", "a", "é\U0001f600", "\0", "'", ';"', "x" * 40]


def read(source: Source) -> Any:
    """Return cells, lines and header, or the error."""
    try:
        found = cells(source)
    except fc.InputError as error:
        return str(error)
    return found.table.to_pydict(), [*found.lines], found.header


@trials(400)
@given(
    header=st.sampled_from(["a", "a,b", "a,b,c", 'a,"b"', "a,a", "é,b"]),
    rows=st.lists(st.sampled_from(PIECES), max_size=14),
    most=st.sampled_from([1, 4, 1 << 22]),
)
@example("a,b", ["\n", '"', "a", '""', '"', ",", "\r\n", "\n", "x", ",", '"', '"'], 1)
def test_cells_are_those_of_python(header, rows, most):
    source = Source("x.csv", f"{header}\n{''.join(rows)}".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS", most)
        found = read(source)
        patch.setattr(module, "_plain", lambda _: None)
        assert found == read(source)


@pytest.mark.parametrize(
    ("data", "is_plain"),
    [
        (b'a,b\n1,"x ""y"", z\n"\n\n2,', True),
        (b"a,b\n1,2", True),
        (b"a,b\r\n1,2\r\n", True),
        (b"a,b\n1,2,3\n", False),  # another width
        (b'a,b\n1,"2" \n', False),  # a quote within a cell
        (b'a,b\n1,"2\n', False),  # a quote that stays open
        (b"a,b\n1,\xe9\n", False),  # not UTF-8
        (b"a,b\n1,\0\n", False),
        (b"a,a\n1,2\n", False),  # a column twice
        (b'"a",b\n1,2\n', False),
        (b"a,b\n", False),  # no row
        (b"\na,b\n1,2\n", False),
    ],
)
def test_what_python_is_to_read(data, is_plain):
    assert (module._plain(Source("x.csv", data)) is not None) == is_plain
