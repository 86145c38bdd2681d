"""The score of a single unit, against scoring that unit alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fastcausal as fc
from fastcausal import sample


def alone(statistics, name):
    """Score each unit by itself; 0/0 is NaN."""
    return [statistics.take(np.array([k])).scores()[name][0] for k in range(statistics.n_units)]


@pytest.mark.parametrize("protocol", ["recess", "relations", "cnc-2023"])
def test_relations_are_scored_one_by_one(protocol):
    pred = sample.SYSTEMS["hasty"]
    statistics = fc.score(sample.GOLD, pred, protocol, unparsed="empty").statistics
    formula, rows = statistics.formula, statistics.rows_of_units()
    undefined = replace(statistics, formula=replace(formula, undefined=None))
    wanted = alone(undefined, formula.main)
    assert 0 < np.nansum(wanted) < len(wanted)
    for zero in (None, 0.0):
        own = replace(formula, undefined=zero).own_scores(rows)
        np.testing.assert_allclose(own, np.where(np.isnan(wanted), 1, wanted), rtol=1e-15)


def test_equal_scores_are_equal_floats():
    """F1 of 4 of 5 twice is that of 2 of 2 and 2 of 3: the harmonic mean rounds apart."""
    own, reported = set(), set()
    for pred in sample.SYSTEMS.values():
        statistics = fc.score(sample.GOLD, pred, unparsed="empty").statistics
        own |= {*statistics.formula.own_scores(statistics.rows).tolist()}
        reported |= {*alone(statistics, statistics.formula.main)}
    assert len({round(each, 12) for each in own}) == len(own) < len(reported)


def test_nothing_wanted_and_nothing_found_is_right():
    empty = [{"length": 4, "relations": []}]
    wrong = [{"length": 4, "relations": [{"cause": (0, 2)}]}]
    gold, pred = (fc.Relations.from_examples(each) for each in (empty + empty, empty + wrong))
    statistics = fc.score(gold, pred).statistics
    assert statistics.formula.own_scores(statistics.rows_of_units()).tolist() == [1, 0]


def test_labels_are_equal_or_not():
    statistics = fc.classify([0, 1, 1], [0, 0, 1]).statistics
    own = statistics.formula.own_scores(statistics.rows_of_units())
    assert own.tolist() == [1, 0, 1]
