"""Rows from any layout of the same Arrow data."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.run import run
from fastcausal.errors import InputError
from fastcausal.protocols import RECESS
from fastcausal.relations import RELATIONS, Relations
from fastcausal.rows import Rows
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, Relation, relations, rows_of

Examples = list[list[Relation | None]]
FIELDS = ("role", "start", "stop")
LARGE = pa.large_list(pa.large_list(pa.struct([(name, pa.int64()) for name in FIELDS])))
examples = st.lists(st.lists(st.none() | relations(), max_size=4), max_size=6)


def column(data: Examples, type_: pa.DataType = RELATIONS) -> pa.Array:
    spans = [
        [r if r is None else [dict(zip(FIELDS, s, strict=True)) for s in r] for r in example]
        for example in data
    ]
    return pa.array(spans, type_)


def table(relations_: pa.Array | pa.ChunkedArray) -> pa.Table:
    lengths = pa.array([LENGTH if k % 3 else None for k in range(len(relations_))], pa.int32())
    return pa.table({"relations": relations_, "length": lengths})


def rows_from(arrow: pa.Table) -> Rows:
    return Rows.of(Relations(arrow))


def plain(data: Examples) -> pa.Table:
    return table(column(data))


def large(data: Examples) -> pa.Table:
    return table(column(data, LARGE))


def sliced(data: Examples, type_: pa.DataType = RELATIONS) -> pa.Table:
    """Offsets start neither at the first list nor at the first span."""
    around: Examples = [[[(1, 0, 7)], None, [(0, 2, 3)]], [[]], [[(2, 1, 2)]]]
    whole = column([*around, *data, *around], type_)
    return table(whole.slice(len(around), len(data)))


def chunked(data: Examples) -> pa.Table:
    """Empty chunks too, and slices of a common array."""
    whole, cut = column(data), len(data) // 2
    return table(pa.chunked_array([whole[:0], whole[:cut], whole[cut:], whole[:0]], RELATIONS))


def hidden(data: Examples) -> pa.Table:
    """Values lie under the nulls, as Arrow allows."""
    inner = [r for example in data for r in example]
    filled = column([[[(1, 0, 3)] if r is None else r for r in inner]]).flatten()
    masked = pa.ListArray.from_arrays(
        filled.offsets, filled.values, mask=pa.array([r is None for r in inner], pa.bool_())
    )
    offsets = pa.array(np.cumsum([0, *map(len, data)]), pa.int32())
    return table(pa.ListArray.from_arrays(offsets, masked, type=RELATIONS))


LAYOUTS = [plain, large, sliced, partial(sliced, type_=LARGE), chunked, hidden]


@pytest.mark.parametrize("layout", LAYOUTS)
@trials(25)
@given(data=examples)
def test_layout_does_not_show(layout, data):
    arrow = layout(data)
    rows = rows_from(arrow)
    expected = rows_of([[r or [] for r in example] for example in data])
    np.testing.assert_array_equal(rows.values, expected.values)
    np.testing.assert_array_equal(rows.row_offsets, expected.row_offsets)
    np.testing.assert_array_equal(rows.relation_offsets, expected.relation_offsets)
    assert rows.lengths.tolist() == [LENGTH if k % 3 else -1 for k in range(len(data))]
    assert [a.dtype for a in (*rows.arrays(), rows.lengths)] == [
        *(np.int32, np.int64, np.int64),
        np.int32,
    ]
    known = rows_from(
        arrow.set_column(1, "length", pa.nulls(len(data), pa.int32()).fill_null(LENGTH))
    )
    plan = RECESS.plan(ROLES)  # the native module takes them as they are
    np.testing.assert_array_equal(
        run(plan, known, known).counts, run(plan, expected, expected).counts
    )


@trials(40)
@given(data=examples, at=st.integers(0, 8), n=st.integers(0, 8))
def test_slice_of_a_table(data, at, n):
    whole = Relations(plain(data))
    rows = rows_from(whole.table.slice(at, n))
    expected = rows_of([[r or [] for r in example] for example in data[at : at + n]])
    np.testing.assert_array_equal(rows.values, expected.values)
    np.testing.assert_array_equal(rows.row_offsets, expected.row_offsets)
    np.testing.assert_array_equal(rows.relation_offsets, expected.relation_offsets)


def test_an_example_without_a_list_is_one_unread_relation():
    lists = pa.array([None, [[{"role": 0, "start": 1, "stop": 2}], None], [], None], RELATIONS)
    for arrow in (lists, lists.cast(LARGE), pa.chunked_array([lists[:1], lists[1:]])):
        rows = rows_from(table(arrow))
        assert rows.relation_offsets.tolist() == [0, 1, 3, 3, 4]
        assert rows.row_offsets.tolist() == [0, 0, 1, 1, 1]
        assert rows.values.tolist() == [[0, 1, 2]]


def test_rows_are_sorted_within_relations_only():
    data = [
        [[(0, 5, 6), (1, 0, 9), (0, 0, 9), (2, 0, 1)], []],
        [[(2, 0, 1)], [(1, 1, 2), (0, 0, 3)]],
    ]
    rows = rows_from(plain(data))
    assert rows.values.tolist() == [
        *([2, 0, 1], [0, 0, 9], [1, 0, 9], [0, 5, 6]),
        [2, 0, 1],
        *([0, 0, 3], [1, 1, 2]),
    ]
    assert rows.example_of_relation().tolist() == [0, 0, 1, 1]
    assert [rows.relation(k).tolist() for k in (-1, 1, 2)] == [[], [], [[2, 0, 1]]]


@given(examples)
def test_back_to_relations(data):
    """Rows of parsed relations become relations again, and the same rows."""
    data = [[relation for relation in example if relation is not None] for example in data]
    relations_ = Relations(plain(data))
    rows = Rows.of(relations_)
    for back in (rows.to_relations(), rows.to_relations(relations_)):
        again = Rows.of(back)
        for mine, theirs in zip(again.arrays(), rows.arrays(), strict=True):
            assert mine.tolist() == theirs.tolist()
        assert again.lengths.tolist() == rows.lengths.tolist()
        assert again.tags == rows.tags


def test_back_to_other_examples():
    one, two = (Relations(plain([[]] * n)) for n in (1, 2))
    with pytest.raises(InputError, match="rows of 1 examples, expected 2"):
        Rows.of(one).to_relations(two)
