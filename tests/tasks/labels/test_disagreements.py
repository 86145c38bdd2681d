"""Units that raters labelled otherwise: every one of them, with every label, and no other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.tasks.labels.disagreements import differing, page, table_of
from fastcausal.tasks.labels.reading import read_ratings
from tests.support.markup import Reader
from tests.support.rated import COLUMNS, long_form, present, rated

VALUES = st.integers(0, 3) | st.sampled_from([0.5, 1e20, -2.0])
TEXTS = {0: "no", 1: "yes", 2: "<b>", 3: "ä"}


def expected(data: np.ndarray, text_of) -> list[tuple[str, list[str | None]]]:
    """The units of a matrix by number."""
    return [
        (str(k), [None if np.isnan(value) else text_of(value) for value in row])
        for k, row in enumerate(data)
        if len(set(present(row.tolist()))) > 1
    ]


def as_number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


@given(data=rated(VALUES))
def test_numbers_by_position(data):
    ratings = read_ratings(data)
    units = expected(data, as_number)
    assert list(differing(ratings)) == units
    raters = [str(k) for k in range(data.shape[1])]
    rows = [{"unit": name, **dict(zip(raters, row, strict=True))} for name, row in units]
    table = table_of(ratings)
    assert table.to_pylist() == rows
    assert table.column_names == ["unit", *raters]


@given(data=rated(st.integers(0, 3)), seed=st.integers(0, 9))
def test_texts_by_name(data, seed):
    """Units and raters follow the order of a long table, and labels may be text."""
    table = long_form(data, seed)
    names = [TEXTS.get(value) for value in table["said"].to_pylist()]
    table = table.set_column(2, "said", [pa.array(names, pa.string())])
    found = table_of(read_ratings(table, **COLUMNS))
    assert found.column_names == ["unit", *dict.fromkeys(table["who"].to_pylist())]
    wanted = {f"u{name}": row for name, row in expected(data, TEXTS.__getitem__)}
    order = [name for name in dict.fromkeys(table["item"].to_pylist()) if name in wanted]
    assert found.to_pylist() == [
        {"unit": name, **{who: wanted[name][int(who[1:])] for who in found.column_names[1:]}}
        for name in order
    ]


@pytest.mark.parametrize("data", [[["<b>", "no", None], ["no", "no", "no"], [None, "x", "y"]]])
def test_the_page_shows_what_the_table_has(data):
    ratings = read_ratings(data)
    written = page(ratings, "labels", "of this | signature")
    assert "labels: 2 to adjudicate" in written
    assert "of this | signature" in written
    assert Reader(written).rows == [
        ["unit", "0", "1", "2"],
        *([f"{k}", *(label or "" for label in data[k])] for k in (0, 2)),
    ]
