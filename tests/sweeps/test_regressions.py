"""Judging item by item, against plain dictionaries."""

from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given
from scipy.stats import fisher_exact

import fastcausal as fc
from fastcausal.sweeps.regressions import _p_of_loss
from fastcausal.tasks.values.reading import ValueReading
from tests.oracles import runs as oracle
from tests.sweeps.test_items import table


def read_under(missing):
    return ValueReading(missing=missing)


ANSWERS = st.lists(st.sampled_from([None, 0, 1, 1]), min_size=1, max_size=9)
OTHERS = st.lists(st.sampled_from([None, 0, 0, 1]), min_size=1, max_size=9)


@st.composite
def pairs(draw):
    """A baseline and a candidate: items of many answers, crashed ones, items of one side."""
    sides = []
    for answers, steady in ((ANSWERS, [1]), (OTHERS, [0])):
        values = answers | st.integers(1, 9).map(steady.__mul__)
        drawn = {"all": steady} | draw(
            st.dictionaries(st.integers(0, 9).map(str), values, min_size=6)
        )
        sides.append([(id, value) for id, values in drawn.items() for value in values])
    return sides


@given(pairs(), st.sampled_from(["skip", "zero"]), st.booleans(), st.sampled_from([0, 1, 3]))
def test_regressions_are_those_of_plain_dictionaries(pair, missing, allow_flaky, allow):
    found = fc.gate(
        *map(table, pair), no_regression=True, allow=allow, allow_flaky=allow_flaky,
        confidence=0.8, reading=read_under(missing),
    )  # fmt: skip
    level = Fraction(1, 5)
    assert {*found.regressions} == oracle.regressions(*pair, missing, level, allow_flaky)
    assert found.verdict == ("fail" if len(found.regressions) > allow else "pass")
    assert found.passed == (found.verdict == "pass")
    assert found.to_dict()["allowed"] == allow


@given(st.integers(0, 40), st.integers(0, 40), st.data())
def test_p_is_that_of_fishers_test(n_before, n_after, data):
    if not n_before or not n_after:
        return
    before, after = (data.draw(st.integers(0, n)) for n in (n_before, n_after))
    rows = [[before, n_before - before], [after, n_after - after]]
    found = _p_of_loss(before, after, n_before, n_after)
    assert found == pytest.approx(fisher_exact(rows, "greater").pvalue, rel=1e-9)


RIGHT = [{"id": k, "value": 1} for k in range(20)]
ONE_WRONG = [{"id": k, "value": k != 7} for k in range(20)]
CRASHED = [{"id": k, "value": None if k == 7 else 1} for k in range(20)]


def test_alone_it_passes_or_fails():
    same = fc.gate(RIGHT, RIGHT, no_regression=True)
    assert (same.verdict, same.regressions) == ("pass", [])
    one = fc.gate(RIGHT, ONE_WRONG, no_regression=True)
    assert (one.verdict, one.passed, one.regressions) == ("fail", False, ["7"])
    assert one.reason.startswith('1 item that the baseline had right fails ("7")')
    assert fc.gate(RIGHT, ONE_WRONG, no_regression=True, allow=1).passed
    assert fc.gate(ONE_WRONG, RIGHT, no_regression=True).passed
    assert '<failure type="fail"' in one.to_junit()


def test_flaky_items_of_one_side_are_no_tests():
    """4 of 5 right, then none, has p = .024: three more tests would hide it."""
    before = [("fallen", k > 0) for k in range(5)]
    lost = [(f"lost {n}", k > 0) for n in range(3) for k in range(5)]
    after = [("fallen", False)] * 5
    found = fc.gate(table(before + lost), table(after), no_regression=True,
                    reading=read_under("skip"))  # fmt: skip
    assert found.regressions == ["fallen"]
    shared = fc.gate(table(before + lost), table(after + lost), no_regression=True)
    assert shared.regressions == []


def test_beside_others_each_condition_fails_it():
    loss = {"min_delta": -0.5}
    assert fc.gate(RIGHT, ONE_WRONG, **loss).verdict == "pass"
    joint = fc.gate(RIGHT, ONE_WRONG, **loss, no_regression=True)
    assert (joint.verdict, joint.regressions) == ("fail", ["7"])
    assert joint.delta == pytest.approx(-0.05)
    assert fc.gate(RIGHT, ONE_WRONG, **loss, no_regression=True, allow=1).verdict == "pass"
    floor = fc.gate(RIGHT, ONE_WRONG, floors={"value": 0.99}, point=True, no_regression=True,
                    allow=1)  # fmt: skip
    assert floor.verdict == "fail"
    assert fc.gate(RIGHT, RIGHT, min_delta=0.0, no_regression=True).verdict == "unchanged"


def test_an_item_that_crashed_stops_or_fails():
    with pytest.raises(fc.InputError, match="1 of 20 answers without value"):
        fc.gate(RIGHT, CRASHED, no_regression=True)
    for missing, expected in (("zero", ["7"]), ("skip", [])):
        found = fc.gate(RIGHT, CRASHED, no_regression=True, reading=read_under(missing))
        assert found.regressions == expected
        lost = fc.gate(RIGHT, RIGHT[:7] + RIGHT[8:], no_regression=True,
                       reading=read_under(missing))  # fmt: skip
        assert lost.regressions == expected
    with pytest.raises(fc.InputError, match="expected the same ids"):
        fc.gate(RIGHT, RIGHT[1:], no_regression=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"baseline": None}, "of two runs, expected a baseline"),
        ({"unpaired": True, "min_delta": 0.0}, "expected no unpaired"),
        ({"looks": "looks.jsonl", "min_delta": 0.0}, "expected no looks"),
        ({"allow": -1}, "at least 0"),
        ({"no_regression": False, "allow": 1, "min_delta": 0.0}, "expected no_regression"),
    ],
)
def test_arguments_that_exclude_each_other(given, message):
    settings = {"baseline": RIGHT, "candidate": RIGHT, "no_regression": True} | given
    with pytest.raises(ValueError, match=message):
        fc.gate(**settings)


def test_scores_of_wrong_answers_are_refused():
    runs = [fc.statistics(RIGHT)] * 2
    with pytest.raises(ValueError, match="lower is better"):
        fc.gate(*runs, no_regression=True, lower_is_better=True)
