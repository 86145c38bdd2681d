"""Keys against dicts and sorted lists: joins, keys that repeat, numbers of names."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.arrays import _ids
from fastcausal.errors import InputError, Remedy, warning_lines
from fastcausal.files import keys
from fastcausal.files.keys import encode, groups_of, match, places_of, repeated, require_unique

TEXTS = st.text("abé1", max_size=2)
NUMBERS = st.integers(-9, 9)


def array(values, of=TEXTS):
    """An array whose offset is not 0, as slices have."""
    kind = pa.string() if of is TEXTS or any(isinstance(v, str) for v in values) else pa.int64()
    filler = "x" if kind == pa.string() else 0
    return pa.array([filler, *values], kind).slice(1)


@st.composite
def two_sides(draw):
    of = draw(st.sampled_from([TEXTS, NUMBERS]))
    sides = st.lists(of, unique=True, max_size=8)
    gold, pred = draw(sides), draw(sides)
    if draw(st.booleans()):
        pred = draw(st.permutations(gold))
    kind = pa.string() if of is TEXTS else pa.int64()
    return gold, pred, pa.array(gold, kind), pa.array(pred, kind)


@given(two_sides(), st.sampled_from(["error", "empty", "skip"]), st.booleans())
def test_matches_are_those_of_dicts(sides, unmatched, extra):
    gold, pred, of_gold, of_pred = sides
    place = {key: row for row, key in enumerate(pred)}
    missing, surplus = ([k for k in a if k not in b] for a, b in ((gold, pred), (pred, gold)))
    if unmatched == "error" and (missing or surplus):
        with pytest.raises(InputError) as caught:
            match(of_gold, of_pred, unmatched)
        assert caught.value.problem.startswith(f"{len(missing)} examples of gold have no pred")
        assert str(caught.value).endswith('unmatched="empty" or "skip" would allow it')
        return
    wanted = [(key, row, place.get(key, -1)) for row, key in enumerate(gold)]
    if unmatched == "skip":
        wanted = [triple for triple in wanted if triple[2] >= 0]
    elif extra:
        wanted += [(key, -1, place[key]) for key in surplus]
    both = match(of_gold, of_pred, unmatched, extra=extra)
    rows = zip(both.keys.to_pylist(), both.gold.tolist(), both.pred.tolist(), strict=True)
    assert [*rows] == wanted
    assert bool(both.warnings) == bool(missing or surplus)
    for line in warning_lines(both.warnings):
        assert line.startswith(f"unmatched={unmatched}: {len(missing)} examples of gold have")
        assert f", {len(surplus)} of pred are not in gold" in line


def test_what_pred_alone_has_comes_last():
    both = match(pa.array([*"abc"]), pa.array([*"zbyx"]), "empty", extra=True)
    assert both.keys.to_pylist() == [*"abczyx"]
    assert both.gold.tolist() == [0, 1, 2, -1, -1, -1]
    assert both.pred.tolist() == [-1, 1, -1, 0, 2, 3]


def test_the_sentence_about_keys_that_one_side_lacks():
    gold, pred = pa.array([*"abcdef"]), pa.chunked_array([["x"], ["a"]])
    texts = ("questions have no answer", "answers have no question")
    where = "gold:{}".format, "pred:{}".format
    remedy = Remedy("unmatched", ("skip",), "would leave them out")
    with pytest.raises(InputError) as caught:
        match(gold, pred, "error", texts, remedy, where=where)
    assert str(caught.value) == (
        'pred:0: 5 questions have no answer ("b", "c", "d", ...), 1 answers have no question '
        '("x"); unmatched="skip" would leave them out'
    )
    with pytest.raises(InputError, match=r"^gold:1: 5 questions have .* 0 answers have no ques"):
        match(gold, pred.chunk(1), "error", texts, None, where=where)


@given(two_sides())
def test_places(sides):
    gold, pred, of_gold, of_pred = sides
    wanted = [pred.index(key) if key in pred else -1 for key in gold]
    assert places_of(of_gold, of_pred).tolist() == wanted
    assert keys.lacking(of_gold, of_pred).tolist() == [k for k, at in enumerate(wanted) if at < 0]


@given(st.lists(st.none() | TEXTS, max_size=9) | st.lists(NUMBERS, max_size=9), st.booleans())
def test_keys_that_repeat(values, collide):
    wanted = next(
        (
            (values.index(value), row)
            for row, value in enumerate(values)
            if value is not None and value in values[:row]
        ),
        None,
    )
    forms = [values, array(values, NUMBERS if None not in values else TEXTS)]
    forms.append(pa.chunked_array([forms[1][:2], forms[1][2:]]))
    if all(isinstance(value, int) for value in values):
        forms.append(np.array(values, np.int64))
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(_ids, "any_twice", lambda hashes: True)
        for form in forms:
            assert repeated(form) == wanted
            if wanted is None:
                require_unique(form)
    if wanted is not None:
        message = f'at {wanted[1]}: id "{values[wanted[1]]}" occurs twice, first in at {wanted[0]}'
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            require_unique(forms[1], "at {}".format)
        with pytest.raises(InputError, match=r"^it occurs twice$"):
            require_unique(forms[1], called=lambda row: "it")


def test_what_is_given_stays_as_it_was():
    numbers = np.array([3, 1, 2])
    numbers.flags.writeable = False
    require_unique(numbers)
    assert numbers.tolist() == [3, 1, 2]


@given(st.lists(st.none() | TEXTS, max_size=9) | st.lists(st.none() | NUMBERS, max_size=9))
def test_numbers_of_names_ascend(values):
    places, names = encode(array(values, NUMBERS))
    ordered = sorted({value for value in values if value is not None})
    assert names.to_pylist() == ordered
    wanted = [-1 if value is None else ordered.index(value) for value in values]
    assert places.tolist() == wanted


@given(st.lists(st.integers(-12, 120).map(str) | st.sampled_from(["01", "007", "-0"]), max_size=9))
def test_integers_are_ordered_by_number(values):
    places, names = encode(array(values), keys.order_by_number)
    ordered = sorted(set(values), key=lambda text: (int(text), text))
    assert names.to_pylist() == ordered
    assert places.tolist() == [ordered.index(value) for value in values]
    numbers = [int(value) for value in values]
    ascends = all(a < b for a, b in pairwise(numbers))
    assert keys.ascend(array(values)) == ascends
    texts = [f"{value}a" for value in values]
    assert encode(array(texts), keys.order_by_number)[1].to_pylist() == sorted(set(texts))


@given(st.lists(st.tuples(TEXTS, NUMBERS), min_size=1, max_size=9))
def test_groups_are_in_the_order_of_their_first_rows(rows):
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    group, first = groups_of(columns)
    different = [*dict.fromkeys(rows)]
    assert group.tolist() == [different.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in different]


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 40)), min_size=1, max_size=30))
def test_runs_are_numbered_as_their_values(runs):
    values = np.repeat(*np.array(runs).T)
    names, expected = np.unique(values, return_inverse=True)
    for kind in (pa.int64(), pa.int8()):
        places, found = encode(pa.array(values, kind))
        np.testing.assert_array_equal(places, expected)
        assert found.to_pylist() == names.tolist()
