"""Scores of many small groups against scikit-learn, one group at a time."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import fastcausal as fc
from fastcausal.counts.confusions import confusions, group_scores, members_of


@st.composite
def grouped(draw, most_labels=20):
    """Gold, predicted labels and groups, in any order."""
    labels = draw(st.sampled_from([2, 4, 7, 8, most_labels]))
    group = st.integers(-3, 3) | st.sampled_from([2**40, 7])
    row = st.tuples(st.integers(0, labels - 1), st.integers(0, labels - 1), group)
    return draw(st.lists(row, min_size=1, max_size=60)), labels


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(grouped(), st.sampled_from([None, 0.0, 1.0]), st.booleans(), st.booleans())
def test_scikit_learn_group_by_group(case, undefined, all_labels, as_text):
    rows, n_labels = case
    gold, pred, groups = zip(*rows, strict=True)
    labels = [*range(n_labels)] if all_labels else None
    if as_text:
        gold, pred = ([f"{label:02}" for label in side] for side in (gold, pred))
        labels = labels and [f"{label:02}" for label in labels]
    table = fc.classify_groups(gold, pred, groups, labels, undefined)
    assert table["group"].to_pylist() == sorted({*groups})
    taken = labels or sorted({*gold, *pred})
    for row in table.to_pylist():
        a, b = zip(
            *((g, p) for g, p, k in zip(gold, pred, groups, strict=True) if k == row["group"]),
            strict=True,
        )
        if undefined is None:
            expected = f1_score(a, b, average="macro")
        else:
            expected = f1_score(a, b, labels=taken, average="macro", zero_division=undefined)
        assert row["macro_f1"] == pytest.approx(expected, abs=1e-12)
        assert row["exact_match"] == float(a == b)
        assert row["size"] == len(a)


@given(grouped(300), st.randoms(use_true_random=False))
def test_order_changes_no_bit(case, random):
    rows, _ = case
    columns = zip(*rows, strict=True)
    shuffled = zip(*random.sample(rows, len(rows)), strict=True)
    assert fc.classify_groups(*columns).equals(fc.classify_groups(*shuffled))


@given(grouped(9), st.integers(1, 40))
def test_one_count_stands_behind_all(case, times):
    """Groups of any size, left out members, and answers that name no label."""
    rows, n_labels = case
    gold, pred, groups = (np.repeat(side, times) for side in np.array(rows, np.int64).T)
    groups = groups % 5
    gold, pred = np.where(gold % 5 == 4, -1, gold), np.where(pred % 3 == 2, n_labels, pred)
    counts = confusions(gold, pred, groups, 5, n_labels)
    for g, p, k in {*zip(gold.tolist(), pred.tolist(), groups.tolist(), strict=True)}:
        if g >= 0:
            assert counts[k, g, p] == ((gold == g) & (pred == p) & (groups == k)).sum()
    assert counts.sum() == (gold >= 0).sum()
    n, f1, exact = group_scores(gold, pred, n_labels, *members_of(groups, 5))
    assert n.tolist() == counts.sum(axis=(1, 2)).tolist()
    for k in range(5):
        of_group = counts[k]
        if not n[k]:
            assert math.isnan(f1[k])
            assert math.isnan(exact[k])
            continue
        each = [
            2 * of_group[j, j] / both
            for j in range(n_labels)
            if (both := of_group[j].sum() + of_group[:, j].sum())
        ]
        assert f1[k] == pytest.approx(sum(each) / len(each), abs=1e-12)
        assert exact[k] == (of_group.diagonal().sum() == n[k])


def test_columns_of_any_kind():
    gold, pred, groups = ["x", "y", "y"], ["x", "x", "y"], ["b", "a", "b"]
    expected = fc.classify_groups(gold, pred, groups).to_pydict()
    assert expected["group"] == ["a", "b"]
    for kind in (pa.array, pd.Series, np.array):
        assert fc.classify_groups(*map(kind, (gold, pred, groups))).to_pydict() == expected
    empty = fc.classify_groups([], [], [])
    assert empty.num_rows == 0
    assert fc.classify_groups([-5, 7], [-5, -5], [1, 0])["exact_match"].to_pylist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [1, 2], [0, 0]), "gold has 1 values, groups has 2"),
        (([1, None], [1, 2], [0, 0]), "gold: example 1: null, expected a value"),
        (([1, 1], [None, 2], [0, 0]), "pred: example 0: null"),
        (([1, 1], [1, 2], [0, None]), "groups: example 1: null"),
        (
            ([1, 1], ["a", "b"], [0, 0]),
            "labels of gold are integers, and those of pred are str",
        ),
        (([1, 1], [1, 2], [0, 0], [0, 1]), "label 2, expected one of 0, 1"),
        (([1, 1], [1, 2], [0, 0], None, 0.5), "undefined is 0.5"),
        (([1, 1], [1, 2], [0, 0], []), "labels are , expected different"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        fc.classify_groups(*arguments)


def test_counts_outside_of_their_numbers():
    one = np.zeros(1, np.int64)
    for gold, pred, offsets, members in [
        (one + 2, one, [0, 1], None),
        (one, one + 3, [0, 1], None),
        (one - 2, one, [0, 1], None),
        (one, one, [0, 2], None),
        (one, one, [1, 0], None),
        (one, one, [0, 1], one + 1),
        (one, one, [0, 1], one - 1),
        (one, np.zeros(2, np.int64), [0, 1], None),
    ]:
        with pytest.raises(ValueError, match=r"place 0|reach|ascend|values"):
            group_scores(gold, pred, 2, np.array(offsets), members)
    with pytest.raises(ValueError, match="place 0"):
        confusions(one, one, one + 1, 1, 2)
    with pytest.raises(ValueError, match="groups reach"):
        members_of(one + 1, 1)


def test_bounds_of_a_mean_at_its_end_stay_in_its_range():
    """The only class of gold has no false positive, so the weighted precision is 1."""
    gold, pred = ([{"id": k, "label": label} for k, label in enumerate(side)]
                  for side in ((0, 0, 0), (0, 1, 1)))  # fmt: skip
    statistics = fc.classify(gold, pred).statistics
    for method in ("jackknife", "bca", "percentile"):
        intervals = statistics.intervals(method=method, n_resamples=50).flat()
        bounds = {bound for interval in intervals.values() for bound in interval[:2]}
        assert all(0 <= bound <= 1 for bound in bounds if bound == bound), method
    assert statistics.interval("weighted_precision")[:2] == (0, 1)
