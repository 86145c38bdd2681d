"""Arrays of a user's own instead of tables: the same numbers, and every broken rule refused."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import fastcausal as fc
from fastcausal import Rows
from tests.support.strategies import ROLES, Example, rows_of, sides
from tests.support.tables import table_of

EXAMPLES: list[Example] = [[[(0, 0, 2), (1, 3, 5)], [(2, 2, 3)]], [], [[(0, 1, 2)]]]
GOOD = Rows(
    np.array([[0, 0, 2], [1, 3, 5], [2, 2, 3], [0, 1, 2]], np.int32),
    np.array([0, 2, 3, 4]),
    np.array([0, 2, 2, 3]),
    np.array([6, 0, 4], np.int32),
)


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
@given(both=sides())
def test_rows_score_like_tables(protocol, both):
    rows, tables = map(rows_of, both), map(table_of, both)
    rows, tables = list(rows), list(tables)
    found, expected = fc.score(*rows, protocol), fc.score(*tables, protocol)
    assert found.to_json() == expected.to_json()
    assert found.matches.drop_columns("example").equals(expected.matches.drop_columns("example"))
    scorer = fc.ExtractionScorer(protocol)
    for gold, pred in (rows, tables):
        scorer.update(gold=gold, pred=pred)
    twice = scorer.compute()
    assert twice.n_examples == 2 * expected.n_examples
    assert pickle.loads(pickle.dumps(twice)) == twice


def test_tables_become_the_same_rows():
    again = Rows.of(table_of(EXAMPLES))
    for name in ("values", "row_offsets", "relation_offsets"):
        np.testing.assert_array_equal(getattr(again, name), getattr(GOOD, name))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"values": GOOD.values.astype(np.int64)},
            "gold: expected a contiguous 2-d array of int32",
        ),
        ({"values": GOOD.values[:, :2].copy()}, "gold: values has 2 columns, expected role, start"),
        ({"values": GOOD.values.T}, "gold: .*contiguous"),
        ({"row_offsets": np.array([0, 2, 3, 5])}, "gold: row_offsets fall, or lead outside"),
        ({"row_offsets": np.array([0, 3, 2, 4])}, "gold: row_offsets fall"),
        ({"row_offsets": np.array([-1, 2, 3, 4])}, "gold: row_offsets fall"),
        ({"relation_offsets": np.array([0, 2, 1, 3])}, "gold: relation_offsets fall"),
        ({"relation_offsets": np.array([0, 2, 2, 4])}, "gold: relation_offsets fall"),
        ({"relation_offsets": np.array([0, 2, 3])}, "gold: 3 relation_offsets and 3 lengths"),
        ({"lengths": np.array([4, 0, 4], np.int32)}, r"example 0: row 1 \[1, 3, 5\] ends after"),
        ({"lengths": np.array([6, 0, -1], np.int32)}, "pred has 4 tokens|length"),
    ],
)
def test_broken_arrays(change, message):
    broken = replace(GOOD, **change)
    if (broken.lengths < 0).any():  # unknown on one side: taken from the other
        assert fc.score(broken, GOOD)["overall"].f1 == 1.0
        with pytest.raises(fc.InputError, match="example 2 has no length"):
            fc.score(broken, broken)
        return
    with pytest.raises(fc.InputError, match=message):
        fc.score(broken, GOOD)
    with pytest.raises(fc.InputError, match=message.replace("gold", "pred")):
        fc.score(GOOD, broken)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([3, 0, 2], "has an unknown role"),
        ([-1, 0, 2], "has an unknown role"),
        ([0, -1, 2], "is empty or starts before the first token"),
        ([0, 2, 2], "is empty"),
        ([1, 4, 5], "does not follow the row before it"),
        ([0, 2**31 - 1, -(2**31)], "is empty"),
    ],
)
def test_broken_rows(row, message):
    values = GOOD.values.copy()
    values[0] = row
    with pytest.raises(fc.InputError, match=rf"gold: example 0: row [01] .*{message}"):
        fc.score(replace(GOOD, values=values), GOOD)


def test_sides_that_do_not_fit():
    fewer = replace(GOOD, relation_offsets=np.array([0, 2, 2]), lengths=GOOD.lengths[:2])
    with pytest.raises(fc.InputError, match="pred has 2 examples, expected 3"):
        fc.score(GOOD, fewer)
    with pytest.raises(fc.InputError, match="one side is Rows"):
        fc.score(GOOD, table_of(EXAMPLES))
    with pytest.raises(fc.InputError, match='no column "story"'):
        fc.score(GOOD, GOOD, by="story")
    other = replace(GOOD, lengths=np.array([7, 0, 4], np.int32))
    with pytest.raises(fc.InputError, match="example 0: pred has 7 tokens, expected 6"):
        fc.score(GOOD, other)


def test_scores_wait_until_they_are_asked_for():
    report = fc.score(GOOD, GOOD)
    assert list(report.scores) == ["overall", *ROLES]
    assert "cause" in report.scores
    assert "reason" not in report.scores
    with pytest.raises(KeyError):
        report["reason"]
    assert report["cause"] is report["cause"]
    assert report["overall"].tp == sum(report[role].tp for role in ROLES) == 4
