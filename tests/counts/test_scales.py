"""Formulas declare which scores are shares of units, and the range of each score."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.counts.statistics import Statistics
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.answers.formula import ExtractionFormula
from fastcausal.tasks.claims.formula import ClaimFormula
from fastcausal.tasks.classification.formula import LabelFormula
from fastcausal.tasks.crab.formula import FrameFormula, JudgedFormula, ScoredFormula
from fastcausal.tasks.eci.formula import PairFormula
from fastcausal.tasks.labels.coefficients import COEFFICIENTS
from fastcausal.tasks.labels.formula import RatingsFormula
from fastcausal.tasks.qa.formula import QuestionFormula
from fastcausal.tasks.relations.formula import RelationFormula
from fastcausal.tasks.relations.scores import FORMULAS, fields_read
from fastcausal.tasks.values.formula import ValueFormula

GROUPS = ("overall", "cause")
AVERAGED = ("precision", "recall", "f1")
DIRECTIONS = ("too_strong", "too_weak", "mean_difference")
FORMULAE = {
    **{name: RelationFormula(name, fields_read(name), (), ("cause",), None) for name in FORMULAS},
    "ratio": RatioFormula((("a", "b"),), ("cause",), ("alpha_unitized", "alpha", "em", "osb")),
    "ratings": RatingsFormula("nominal", ("a", "b"), ("no", "yes"), COEFFICIENTS),
    "claims": ClaimFormula(("ann",), False),
    "answers": ExtractionFormula("guide", ("cause",)),
    "qa": QuestionFormula(("f1",), ("why",)),
    "frames": FrameFormula(("f1",), ("SD",)),
    "labels": LabelFormula(("a", "macro"), False, None, None),
    "judged": JudgedFormula(("A", "B"), True, None, None, "multiclass"),
    "scored": ScoredFormula(("A", "B"), True, None, None, "score"),
    "eci": PairFormula(("exists",), ("overall", "intra"), ("predicted", "gold"), True, None),
    "values": ValueFormula(("loss",)),
    "sums": ValueFormula(("f1",), of="ratio"),
}
NO_SHARES = {
    "span_overlap": [
        f"{subset}{group}_alpha" for subset in ("", "multi_relation_") for group in GROUPS
    ],
    "ratio": ["cause_alpha_unitized", "cause_alpha"],
    "ratings": [f"overall_{name}" for name in COEFFICIENTS if name != "percent_agreement"],
    "answers": [f"relation_{name}" for name in AVERAGED],
    "labels": ["overall_mcc", *(f"macro_{name}" for name in AVERAGED)],
    "judged": ["overall_mcc", *(f"macro_{name}" for name in AVERAGED)]
    + [f"{g}_{n}" for g in ("direction", "direction_A", "direction_B") for n in DIRECTIONS],
    "sums": ["f1"],
}
NO_SHARES["scored"] = ["score_mae", "score_spearman", "score_bias", *NO_SHARES["judged"]]
UNBOUNDED = {
    "judged": [f"{g}_mean_difference" for g in ("direction", "direction_A", "direction_B")],
}
UNBOUNDED["scored"] = ["score_mae", "score_bias", *UNBOUNDED["judged"]]
SIGNED = {name: NO_SHARES[name] for name in ("span_overlap", "ratio", "ratings")}
SIGNED |= {kind: ["overall_mcc"] for kind in ("labels", "judged")}
SIGNED["scored"] = ["overall_mcc", "score_spearman"]


@pytest.mark.parametrize("kind", FORMULAE)
def test_scores_are_declared(kind):
    formula = FORMULAE[kind]
    names = [formula.flat_name(g, n) for g, scores in formula.names().items() for n in scores]
    assert sorted(n for n in names if not formula.is_share(n)) == sorted(NO_SHARES.get(kind, []))
    terms = np.zeros((1, 2))
    ranges = {name: formula.range_of(name, terms) for name in names}
    expected = dict.fromkeys(names, (0, 1)) | dict.fromkeys(SIGNED.get(kind, []), (-1, 1))
    assert ranges == expected | dict.fromkeys(UNBOUNDED.get(kind, []))
    for name in names:
        if kind == "ratings" or name == "score_spearman":
            continue
        assert formula.only(name).range_of(name, terms) == ranges[name]


def values(numbers, name="mae"):
    """Statistics of a value of each example."""
    rows = np.column_stack([np.asarray(numbers, float), np.ones(len(numbers))])
    units = pa.table({"id": [str(k) for k in range(len(numbers))]})
    return Statistics.of_units(ValueFormula((name,)), "values", rows, units)


@pytest.mark.parametrize("name", ["mae", "loss", "f1"])
def test_a_mean_of_values_above_1_has_plain_bounds(name):
    numbers = [0.1, 0.2, 0.0, 1.5, 0.3, 0.1]
    interval = values(numbers, name).interval(name)
    mean = np.mean(numbers)
    assert interval.high - mean == pytest.approx(mean - interval.low)
    assert interval.low < 0
    alone = values(numbers, name).intervals().scores["overall"][name]
    assert alone[:2] == interval[:2]


def test_a_mean_of_values_between_0_and_1_stays_there():
    numbers = [0.1, 0.2, 0.0, 1.0, 0.3, 0.1]
    interval = values(numbers).interval("mae")
    assert 0 < interval.low < np.mean(numbers) < interval.high < 1


def test_a_distance_below_1_has_plain_bounds():
    gold = [{"story_id": 1, "event1": f"a{k}", "event2": "b", "gt_score": 50} for k in range(6)]
    rows = np.array([[0, 0, 50, 50 + k / 4] for k in range(6)])
    units = pa.table({"id": [row["event1"] for row in gold]})
    counted = Statistics.of_units(FORMULAE["scored"], "crab", rows, units)
    for name in ("score_mae", "score_bias"):
        interval = counted.interval(name)
        assert interval.high - 0.625 == pytest.approx(0.625 - interval.low)


def test_a_coefficient_stays_between_minus_1_and_1():
    """Intervals of weak correlations hold 0, and turn around with the sign of the numbers."""
    rng = np.random.default_rng(1)
    gold, pred = rng.permutation(100)[:12], rng.permutation(100)[:12]
    rows = np.column_stack([[0, 1] * 6, [0, 1] * 4 + [1, 0] * 2, gold, pred]).astype(float)
    units = pa.table({"id": [str(k) for k in range(12)]})
    formula = FORMULAE["scored"]
    counted = Statistics.of_units(formula, "crab", rows, units)
    for name in ("score_spearman", "overall_mcc"):
        interval, value = counted.interval(name), counted.scores()[name][0]
        assert -1 < interval.low < min(0, value)
        assert max(0, value) < interval.high < 1
    turned = Statistics.of_units(formula, "crab", rows * [1, 1, 1, -1] + [0, 0, 0, 100], units)
    before, after = (each.interval("score_spearman") for each in (counted, turned))
    assert (after.low, after.high) == pytest.approx((-before.high, -before.low))


def test_titles_name_the_units_of_a_formula():
    gold = [{"doc_id": k, "a": "x", "b": "y", "label": "CAUSE"} for k in range(12)]
    pred = [row | {"label": "CAUSE" if row["doc_id"] % 2 else "NONE"} for row in gold]
    a, b = fc.eci(gold, gold), fc.eci(gold, pred)
    options = {"n_resamples": 100}
    comparison = fc.compare(a, b, "exists_f1", **options)
    assert (comparison.unit, comparison.title) == (
        "document",
        "B minus A: 6 of 12 documents differ",
    )
    board = fc.leaderboard({"a": a, "b": b}, "exists_f1", **options)
    assert board.title == "exists_f1 of 2 systems on 12 documents"
    assert a.statistics.intervals().title == "95% confidence intervals, jackknife: 12 documents"
    verdict = fc.gate(a, b, score="exists_f1", min_delta=0.0, **options)
    assert verdict.legend[1].endswith("6 of 12 documents differ")
    clustered = fc.compare(a, b, "exists_f1", cluster="id", **options)
    assert clustered.title == "B minus A: 6 of 12 clusters (id) differ"
