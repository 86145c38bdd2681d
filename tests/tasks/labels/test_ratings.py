"""Every form of ratings that a call takes, and the errors for bad ones."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fastcausal.errors import InputError
from fastcausal.tasks.labels import _native
from fastcausal.tasks.labels.alpha import alpha_interval, krippendorff_alpha
from fastcausal.tasks.labels.kappas import cohen_kappa, mean_pairwise_kappa
from fastcausal.tasks.labels.reading import read_ratings
from fastcausal.tasks.labels.report import label_agreement
from fastcausal.tasks.labels.votes import majority_vote
from tests.support.rated import COLUMNS, WORKED, long_form


def test_kinds_of_data():
    expected = krippendorff_alpha(WORKED)
    text = [[None if math.isnan(v) else f"{v:g}" for v in row] for row in WORKED.tolist()]
    masked = np.ma.masked_invalid(WORKED)
    for data in (
        WORKED.tolist(),
        WORKED.astype(np.float32),
        np.asfortranarray(WORKED),
        np.repeat(WORKED, 2, axis=0)[::2],
        text,
        np.array(text, dtype=object),
        pd.DataFrame(text),
        pl.DataFrame(WORKED),
        masked,
        [["x" if v == 1 else v for v in row] for row in text],
    ):
        assert krippendorff_alpha(data) == expected
    whole = WORKED[:4].astype(np.int64)
    for kind in (np.int8, np.uint64, "U3"):
        assert krippendorff_alpha(whole.astype(kind)) == expected
    assert krippendorff_alpha([[True, True], [False, True]]) == krippendorff_alpha([[1, 1], [0, 1]])


def test_kinds_of_tables():
    table = long_form(WORKED)
    expected = krippendorff_alpha(WORKED, "ordinal")
    pandas = table.to_pandas()
    for data in (
        table,
        pandas,
        pl.from_arrow(table),
        table.to_pydict(),
        pa.concat_tables([table[:3], table[3:]]),
        pandas.astype({"item": "category", "who": "category"}),
    ):
        assert krippendorff_alpha(data, "ordinal", **COLUMNS) == expected
    categories = pandas.astype({"said": "category"})
    assert krippendorff_alpha(categories, "ordinal", **COLUMNS) == expected


def test_groups_of_a_table():
    table = long_form(np.concatenate([WORKED, 5 - WORKED]))
    story = ["b" if int(name[1:]) < len(WORKED) else "a" for name in table["item"].to_pylist()]
    table = table.append_column("story", pa.array(story))
    expected = [krippendorff_alpha(5 - WORKED, "ratio"), krippendorff_alpha(WORKED, "ratio")]
    assert krippendorff_alpha(table, "ratio", "story", **COLUMNS).tolist() == expected
    found = alpha_interval(table, "ratio", clusters="story", **COLUMNS)
    assert found.low <= found.alpha <= found.high


def test_no_table():
    empty = long_form(np.empty((0, 2)))
    assert math.isnan(krippendorff_alpha(empty, **COLUMNS))
    assert math.isnan(mean_pairwise_kappa(empty, **COLUMNS))
    assert majority_vote(empty, **COLUMNS).tolist() == []
    assert label_agreement(empty, "said", "item", "who").n_units == 0


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ([1, 2], {}, "ratings have 1 dimensions, expected units × raters"),
        ([[1, 2], [1]], {}, "expected units × raters"),
        ([[1, "x"]], {}, "ratings are neither all numbers nor all labels"),
        ([[[1], [2]], [[1], [3]]], {}, "ratings have 3 dimensions"),
        ([[1, math.inf]], {}, "unit 0: a rating is infinite"),
        ([[2**53 + 1, 1]], {}, "ratings are neither all numbers nor all labels: Integer value"),
        ([["a", "b"]], {"level": "ordinal"}, "ratings such as 'a' are nominal, level ordinal"),
        ([[1, 2], [3, -1]], {"level": "ratio"}, "unit 1: a rating is -1.0, level ratio has"),
        (
            [[1, 2]],
            {"groups": [1, 2]},
            r"clusters have the shape \(2,\), expected \(1,\)",
        ),
        ([[1, 2], [1, 1]], {"groups": ["a", None]}, "unit 1 has no group"),
        (7, COLUMNS, "not a table"),
        ({"item": [1], "who": [1]}, COLUMNS, 'no column "said": found item, who'),
        ({"item": [1, None], "who": [1, 2], "said": [1, 2]}, COLUMNS, "row 1 has no value in"),
        (
            {"item": ["u", "u"], "who": ["r", "r"], "said": [1, 1]},
            COLUMNS,
            'row 1: unit "u", rater "r" occurs twice, first in row 0',
        ),
        (
            {"item": ["u", "u"], "who": [1, 2], "said": [1, 1], "g": [1, 2]},
            {**COLUMNS, "groups": "g"},
            'unit "u" has two values in column "g", expected one',
        ),
        (
            {"item": ["u"], "who": [1], "said": [math.inf]},
            COLUMNS,
            'unit "u": a rating is infinite',
        ),
    ],
)
def test_errors(data, options, message):
    with pytest.raises(InputError, match=message):
        krippendorff_alpha(data, **options)


def test_too_many_ratings(monkeypatch):
    monkeypatch.setattr("fastcausal.tasks.labels.reading.MAX_RATINGS", 3)
    with pytest.raises(InputError, match="4 ratings, expected at most 3"):
        read_ratings([[1, 2], [1, 2]])


def test_native_arrays_are_checked():
    found = np.empty((1, 5))
    offsets = np.array([0, 2])
    with pytest.raises(TypeError, match="1-d array of float64"):
        _native.disagreements(0, np.array([1, 2]), offsets, None, None, found)
    with pytest.raises(TypeError, match="1-d array of int64"):
        _native.disagreements(0, np.ones(2), offsets.astype(float), None, None, found)


def test_columns_of_two_raters():
    expected = cohen_kappa(["x", "y", "x"], ["x", "x", "x"])
    for a, b in (
        (pd.Series(["x", "y", "x", None]), pl.Series(["x", "x", "x", "y"])),
        (pa.array(["x", "y", "x"]), pa.chunked_array([["x"], ["x", "x"]])),
        (pd.Series(["x", "y", "x"], dtype="category"), np.array(["x", "x", "x"])),
        (np.array([1, 2, 1], np.int8), [1.0, 1.0, 1.0]),
        ([None, "x", "y", "x"], [None, "x", "x", "x"]),
    ):
        assert cohen_kappa(a, b) == expected
    assert math.isnan(cohen_kappa(["x", "y"], [None, None]))


def test_labels_without_one():
    table = pa.table({"item": ["u"], "who": ["r"], "said": pa.array([None], pa.string())})
    found = label_agreement(table, "said", "item", "who", "ordinal")
    assert math.isnan(found.alpha)
    assert found.majority == {}
