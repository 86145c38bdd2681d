"""Every score of every task declares its kind, its better direction and its range."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.task import declared
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.report.numbers import Scale
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.answers.formula import ExtractionFormula
from fastcausal.tasks.claims.formula import ClaimFormula
from fastcausal.tasks.classification.choices.formula import ChoiceFormula
from fastcausal.tasks.classification.fincausal_task1 import TaskOneFormula
from fastcausal.tasks.classification.formula import LabelFormula
from fastcausal.tasks.crab.formula import (
    ChainFormula,
    FrameFormula,
    JudgedFormula,
    ScoredFormula,
)
from fastcausal.tasks.eci.formula import PairFormula
from fastcausal.tasks.fincausal.formula import WordFormula
from fastcausal.tasks.labels.coefficients import COEFFICIENTS
from fastcausal.tasks.labels.formula import RatingsFormula
from fastcausal.tasks.meta.judges import JudgeFormula
from fastcausal.tasks.meta.levels import LEVELS, SCALES
from fastcausal.tasks.qa.formula import QuestionFormula
from fastcausal.tasks.relations.formula import RelationFormula
from fastcausal.tasks.relations.scores import fields_read
from fastcausal.tasks.unicausal.formula import EntityFormula, OccurringFormula
from fastcausal.tasks.values.formula import ValueFormula

FORMULAE = {
    **{name: RelationFormula(name, fields_read(name), (), ("cause",), None) for name in KERNELS},
    "words": WordFormula(),
    "ratio": RatioFormula((("a", "b"),), ("cause",), ("alpha_unitized", "alpha", "em", "osb")),
    "ratings": RatingsFormula("nominal", ("a", "b"), ("no", "yes"), COEFFICIENTS),
    "claims": ClaimFormula(("ann",), False),
    "answers": ExtractionFormula("guide", ("cause",)),
    "qa": QuestionFormula(("f1", "sas", "judge"), ("why",)),
    "frames": FrameFormula(("f1", "em"), ("SD",)),
    "chains": ChainFormula(("f1", "em"), ("mediation",)),
    "labels": LabelFormula(("a", "macro"), False, None, None),
    "task 1": TaskOneFormula((0, 1), False, 1, 0.0),
    "choices": ChoiceFormula(("n", "y"), True, "y", None, ("cladder",), "wrong", "skip", True),
    "occurring": OccurringFormula((0, 1), True, 1, 0.0),
    "entities": EntityFormula(),
    "judge": JudgeFormula(("A", "B"), True, None, None),
    "judged": JudgedFormula(("A", "B"), True, None, None, "multiclass"),
    "scored": ScoredFormula(("A", "B"), True, None, None, "score"),
    "eci": PairFormula(("exists",), ("overall", "intra"), ("predicted", "gold"), True, None),
    "values": ValueFormula(("loss", "bleu"), lower=("loss",)),
    "sums": ValueFormula(("f1",), of="ratio"),
}
WITHOUT_JOB = ("judge",)  # its statistics are not written
# All that is not a share of which more is better, by the name of the score within its group.
LOWER = ("mae", "too_strong", "too_weak", "loss")
NEITHER = ("bias", "mean_difference")
OF_GOLD = ("nothing", "half", "every", "intra_every", "majority")  # groups that rate no system
CORRELATIONS = (
    "mcc", "alpha", "alpha_unitized", "spearman", "kappa", "sas", *COEFFICIENTS[1:],
)  # fmt: skip
POINTS = ("mae", "bias", "mean_difference", "judge")
RANGES = {"share": (0, 1), "correlation": (-1, 1), "none": None, "points": None}
BY_CLASS = [("macro", name) for name in ("precision", "recall", "f1")]  # means over classes
NOT_OF_UNITS = {
    "answers": [("relation", name) for _, name in BY_CLASS],
    "judge": [*BY_CLASS, ("overall", "agreement")],
    "choices": [*BY_CLASS, *(("rarer", name) for _, name in BY_CLASS)],
    "judged": [
        *BY_CLASS,
        *((f"direction{of}", n) for of in ("", "_A", "_B") for n in ("too_strong", "too_weak")),
    ],
}
NOT_OF_UNITS |= dict.fromkeys(("labels", "task 1", "occurring"), BY_CLASS)
NOT_OF_UNITS["scored"] = NOT_OF_UNITS["judged"]


def test_every_task_is_walked():
    walked = {type(f).job for kind, f in FORMULAE.items() if kind not in WITHOUT_JOB}
    assert walked == {task.job for task in declared() if task.formula}


@pytest.mark.parametrize("kind", FORMULAE)
def test_every_score_declares_its_scale(kind):
    formula = FORMULAE[kind]
    terms = np.zeros((1, 4))
    kinds: dict[str, set[str]] = {}
    for group, scores in formula.names().items():
        for name in scores:
            flat = formula.flat_name(group, name)
            scale = formula.scale_of(flat, terms)
            expected = "correlation" if name in CORRELATIONS else "points"
            assert scale.kind == (expected if name in (*CORRELATIONS, *POINTS) else "share"), flat
            is_none = name in NEITHER or group in OF_GOLD
            assert scale.better == ("none" if is_none else "lower" if name in LOWER else "higher")
            assert scale.range == ((1, 5) if name == "judge" else RANGES[scale.kind]), flat
            of_units = scale.kind == "share" and (group, name) not in NOT_OF_UNITS.get(kind, [])
            assert scale.of_units == of_units, flat
            kinds.setdefault(name, set()).add(scale.kind)
            if kind != "ratings" and name != "spearman":
                assert formula.only(flat).scale_of(flat, terms) == scale
    # tables look a score up by its name within a group
    assert {name: {scale.kind} for name, scale in formula.scales(terms).items()} == kinds


def test_every_figure_of_a_metric_declares_its_scale():
    metrics = fc.meta(sample.SCORES, sample.JUDGMENTS, n_resamples=10).metrics
    figures = {n for m in metrics.values() for level in LEVELS for n in getattr(m, level)}
    assert set(SCALES) == {name for name in figures if name not in ("n", "n_undefined")}
    assert [n for n, scale in SCALES.items() if scale.better != "higher"] == [
        "tie_threshold", "bias", "mae",
    ]  # fmt: skip
    assert {n for n, scale in SCALES.items() if scale.kind == "share"} == {
        "pairwise_accuracy", "auc", "calibrated_accuracy", "soft_pairwise_accuracy",
    }  # fmt: skip


def test_values_outside_0_to_1_are_of_an_unknown_kind():
    formula = FORMULAE["values"]
    rows = np.array([[0.2, 1, 31.0, 1], [0.4, 1, 0.5, 1]])
    assert formula.scale_of("loss", rows) == Scale("share", "lower", (0, 1), of_units=True)
    assert formula.scale_of("bleu", rows) == Scale("none", "higher", None, of_units=True)
    joint = Scale.joint([formula.scale_of("bleu", rows[k:]) for k in (1, 0, 1)])
    assert (joint.kind, joint.better, joint.range) == ("none", "higher", None)


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
    assert clustered.title == "B minus A: 12 clusters (id), worth 11.8; 6 differ"
