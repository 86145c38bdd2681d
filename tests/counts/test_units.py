"""Units: equal ones once, in the order of their content; clusters are sums; pairs join by id."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from fastcausal.counts.joint import joint_units
from fastcausal.counts.labels import ConfusionFormula
from fastcausal.counts.means import MeanFormula
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.tasks.labels.formula import RatingsFormula
from fastcausal.tasks.relations.formula import RelationFormula

RELATIONS = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause", "effect"), None)
LABELS = ConfusionFormula(("a", "b", "c"), True, None, 0.0)
ANSWERS = MeanFormula(("exact_match", "f1"), ("why",))
RATINGS = RatingsFormula("ordinal", ("ann", "ben"), (1.0, 2.0), ("alpha", "cohen_kappa"))
FORMULAS = [RELATIONS, LABELS, ANSWERS, RATINGS]
N = 200


def statistics(formula, seed=0, n=N):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (n, len(formula.fields)))
    if formula is RELATIONS:
        rows[:, -1] = rows[:, 0] > 1
    if formula is ANSWERS:
        rows = np.where(rows == 2, 0.1, rows)
        rows[:, -1] = rows[:, -1] == 1
    ids = pa.array([f"s{k}" for k in range(n)])
    columns = {"id": ids, "doc": pa.array(rng.integers(0, 15, n))}
    return Statistics.of_units(formula, "s v1", rows.astype(formula.dtype), pa.table(columns))


def same(a, b):
    assert np.array_equal(a.terms, b.terms)
    assert np.array_equal(getattr(a, "unit_of", None), getattr(b, "unit_of", None))
    assert np.array_equal(a.times, b.times)


def equal(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], name)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("cluster", [None, "doc"])
class TestUnits:
    def test_all_of_them_are_the_whole(self, formula, cluster):
        whole = statistics(formula)
        units = whole.drawn(cluster)
        assert (units.unit, units.n_units) == ((cluster, 15) if cluster else ("example", N))
        equal(units.scores(units.times[None]), whole.scores())

    def test_all_but_one(self, formula, cluster):
        """The scores without a unit equal the scores of the other units' rows."""
        whole = statistics(formula)
        units = whole.drawn(cluster)
        found = units.score_without_each()
        codes = whole.clusters(cluster)
        without = whole.scores(1 - np.equal.outer(np.unique(codes), codes).astype(int))
        for name, values in found.items():
            every = np.repeat(values, units.times)
            assert np.sort(every) == pytest.approx(np.sort(without[name]), abs=1e-12, nan_ok=True)

    def test_no_order_counts(self, formula, cluster):
        whole = statistics(formula)
        order = np.random.default_rng(3).permutation(N)
        same(whole.drawn(cluster), whole.take(order).drawn(cluster))
        same(whole.drawn(cluster), whole.compressed().drawn(cluster))
        other = statistics(formula, 1)
        mixed = other.take(np.random.default_rng(4).permutation(N))
        if formula.adds:
            again = joint_units(whole.take(order), mixed, cluster)
            same(joint_units(whole, other, cluster), again)

    def test_a_score_draws_the_same(self, formula, cluster):
        """One score alone has the same draws, and so the same numbers, as among all scores."""
        whole = statistics(formula).drawn(cluster)
        weights = np.random.default_rng(0).multinomial(N, whole.times / whole.n_units, 5)
        for name, values in whole.scores(weights).items():
            units = statistics(formula).drawn(cluster, name)
            assert np.array_equal(units.times, whole.times)
            equal(units.scores(weights), {name: values})

    def test_pairs(self, formula, cluster):
        if formula is RATINGS:
            with pytest.raises(ValueError, match="depend on all ratings, not on sums"):
                joint_units(statistics(formula), statistics(formula, 1), cluster)
            return
        a, b = statistics(formula), statistics(formula, 1)
        units = joint_units(a, b, cluster)
        for side, terms in zip((a, b), np.hsplit(units.terms, 2), strict=True):
            total = (units.times[:, None] * terms).sum(axis=0)
            equal(formula.scores_of(total[None].round(9)), _rounded(side))
        assert len(np.unique(units.terms, axis=0)) == len(units.terms)


def _rounded(side):
    terms = side.formula.terms(side.rows).sum(axis=0)[None]
    return side.formula.scores_of(terms.round(9))


def test_counts_of_several_numbers_of_labels():
    """Units of two systems join, even if each side has labels of its own."""
    a = Statistics.of_units(
        ConfusionFormula((0, 1), False, None, None),
        "s",
        np.array([[0, 1]]),
        pa.table({"id": ["x"]}),
    )
    b = Statistics.of_units(
        ConfusionFormula((0, 2), False, None, None),
        "s",
        np.array([[0, 1]]),
        pa.table({"id": ["x"]}),
    )
    left, right = np.hsplit(joint_units(a, b).terms, 2)
    assert left.tolist() == [[0, 0, 0, 0, 1, 0, 1, 0, 0]]
    assert right.tolist() == [[0, 0, 0, 0, 0, 1, 1, 0, 0]]


def with_ids(ids, **columns):
    rows = np.ones((len(ids), 7), np.int64)
    table = pa.table({"id": pa.array(ids, pa.string())} | columns)
    return Statistics.of_units(RELATIONS, "s v1", rows, table)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (["x", "y"], ["x", "x"], 'B: id "x" occurs twice'),
        (["x", "y"], ["x"], r'B: 1 ids are missing \("y"\)'),
        (["x"], ["y", "x", "z"], r'A: 2 ids are missing \("y", "z"\)'),
    ],
)
def test_ids_that_do_not_join(a, b, message):
    with pytest.raises(InputError, match=message):
        joint_units(with_ids(a), with_ids(b))


def test_bad_units():
    some = with_ids(["x", "y"], doc=pa.array(["1", None]))
    with pytest.raises(InputError, match='column "doc" has 1 nulls'):
        some.drawn("doc")
    with pytest.raises(InputError, match="no column"):
        some.drawn("document")
    with pytest.raises(ValueError, match='unknown score "f1", expected one of overall_precision'):
        some.drawn(score="f1")
    with pytest.raises(InputError, match="statistics of sums alone have no units to draw"):
        some.without_units().drawn()
    no_ids = Statistics.of_units(
        RELATIONS, "s v1", np.ones((3, 7), np.int64), pa.table({"k": [1] * 3})
    )
    assert joint_units(no_ids, no_ids).n_units == 3
    with pytest.raises(InputError, match="A has no ids, B has ids to join by"):
        joint_units(no_ids, some)
    with pytest.raises(InputError, match="A has 3 units, B has 1, both without ids"):
        joint_units(no_ids, no_ids.take(np.array([0])))
