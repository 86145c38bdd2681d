"""Sentence classification against hand-worked numbers, the paper's table and scikit-learn."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from fastcausal.errors import InputError
from fastcausal.tasks.classification.classify import classify
from fastcausal.tasks.classification.count import ClassificationScorer
from tests.support.data import CNC

AVERAGED = ("precision", "recall", "f1")

# Gold a a a b b c, predicted a a b b c c: worked out by hand.
GOLD, PRED = list("aaabbc"), list("aabbcc")


# ----------------------------------------------------------------------------------------- numbers


def test_three_classes_by_hand():
    report = classify(GOLD, PRED)
    assert report.labels == ("a", "b", "c")
    assert report.confusion.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert dict(report.classes["a"]) == {
        "precision": 1.0, "recall": 2 / 3, "f1": 0.8, "support": 3, "tp": 2, "fp": 0, "fn": 1,
    }  # fmt: skip
    assert report.classes["b"].precision == report.classes["b"].recall == 0.5
    assert report.classes["c"].f1 == pytest.approx(2 / 3, abs=1e-15)
    assert report["overall"].accuracy == 4 / 6
    # n 6, right 4; gold 3 2 1, predicted 2 2 2: (24 - 12) / sqrt((36 - 12) (36 - 14))
    assert report["overall"].mcc == 12 / math.sqrt(24 * 22)
    assert report["macro"].precision == pytest.approx((1 + 0.5 + 0.5) / 3, abs=1e-15)
    assert report["weighted"].recall == pytest.approx(report["overall"].accuracy, abs=1e-15)
    assert "positive" not in report.scores


@pytest.mark.parametrize(
    ("tn", "fp", "fn", "tp", "published"),
    [
        (124, 31, 21, 164, (88.65, 84.10, 86.32, 84.71, 69.13)),
        (129, 26, 28, 157, (84.86, 85.79, 85.33, 84.12, 68.02)),
        (130, 49, 19, 154, (89.02, 75.86, 81.91, 80.68, 62.37)),
        (137, 42, 20, 153, (88.44, 78.46, 83.15, 82.39, 65.35)),
    ],
)
def test_table_7_of_the_recess_paper(tn, fp, fn, tp, published):
    """The four rows follow from these counts, which the class sizes of Table 3 determine."""
    gold = np.repeat([0, 0, 1, 1], [tn, fp, fn, tp])
    pred = np.repeat([0, 1, 0, 1], [tn, fp, fn, tp])
    report = classify(gold, pred)
    positive, overall = report["positive"], report["overall"]
    found = (positive.recall, positive.precision, positive.f1, overall.accuracy, overall.mcc)
    assert tuple(round(100 * value, 2) for value in found) == published


def test_undefined_scores():
    gold, pred = [0, 0, 2], [0, 0, 0]
    report = classify(gold, pred, labels=[0, 1, 2])
    assert math.isnan(report["positive"].f1)
    assert math.isnan(report.classes[2].precision)
    assert report.classes[2].f1 == 0.0  # something was missed
    assert math.isnan(report["overall"].mcc)
    assert report["macro"].precision == 2 / 3  # of class 0 alone
    plain = json.loads(report.to_json())
    assert plain["scores"]["positive"]["f1"] is None
    assert plain["classes"][2]["precision"] is None
    assert "undefined" in str(report)
    report = classify(gold, pred, labels=[0, 1, 2], undefined=1.0)
    assert report["positive"].f1 == 1.0
    assert report["macro"].recall == 2 / 3
    assert classify(gold, pred, undefined=0.0)["overall"].mcc == 0.0


def test_no_examples():
    report = classify([], [])
    assert report.n_examples == 0
    assert math.isnan(report["overall"].accuracy)
    assert json.loads(report.to_json())["labels"] == []
    assert str(report)
    assert classify([], [], labels=[0, 1]).confusion.tolist() == [[0, 0], [0, 0]]


def equal(found, expected):
    return found == pytest.approx(expected, rel=0, abs=1e-15, nan_ok=True)


integers = st.integers(-1, 3)
words = st.sampled_from(["Causal", "causal", "none", "ü"])


@given(
    pairs=st.one_of(
        *(st.lists(st.tuples(kind, kind), min_size=1, max_size=40) for kind in (integers, words))
    ),
    undefined=st.sampled_from([None, 0.0, 1.0]),
)
@pytest.mark.filterwarnings("ignore:A single label:UserWarning")
def test_equal_to_scikit_learn(pairs, undefined):
    gold, pred = zip(*pairs, strict=True)
    assume({*gold} & {*pred})
    report = classify(list(gold), list(pred), undefined=undefined)
    zero = math.nan if undefined is None else undefined
    names = list(report.labels)
    assert names == sorted({*gold, *pred})
    assert report.confusion.tolist() == metrics.confusion_matrix(gold, pred).tolist()
    assert equal(report["overall"].accuracy, metrics.accuracy_score(gold, pred))
    if undefined == 0.0:
        assert equal(report["overall"].mcc, metrics.matthews_corrcoef(gold, pred))
    *classes, support = metrics.precision_recall_fscore_support(gold, pred, zero_division=zero)
    for k, name in enumerate(names):
        scores = report.classes[name]
        assert equal([scores[s] for s in AVERAGED], [column[k] for column in classes])
        assert scores.support == support[k]
    for average in ("macro", "weighted"):
        *expected, _ = metrics.precision_recall_fscore_support(
            gold, pred, average=average, zero_division=zero
        )
        assert equal([report[average][s] for s in AVERAGED], expected)
    if 1 in names:
        assert dict(report["positive"]) == pytest.approx(dict(report.classes[1]), nan_ok=True)


def test_mcc_of_many_examples_is_exact():
    scorer = ClassificationScorer()
    scorer.update(gold=[0, 1], pred=[0, 1])
    scorer.confusion *= 10**15  # products beyond int64
    assert scorer.compute()["overall"].mcc == 1.0


# ---------------------------------------------------------------------------------- adding batches


@given(
    batches=st.lists(st.lists(st.tuples(integers, integers), max_size=8), max_size=5),
    given_labels=st.booleans(),
)
def test_any_split_and_order_gives_the_same_report(batches, given_labels):
    options = {"labels": [3, 2, 1, 0, -1]} if given_labels else {}
    pairs = [pair for batch in batches for pair in batch]
    assume(given_labels or not pairs or {g for g, _ in pairs} & {p for _, p in pairs})
    whole = classify([g for g, _ in pairs], [p for _, p in pairs], **options)
    by_update = ClassificationScorer(**options)
    merged = ClassificationScorer(**options)
    for batch in reversed(batches):
        gold, pred = [g for g, _ in batch], [p for _, p in batch]
        by_update.update(gold=gold, pred=pred)
        shard = ClassificationScorer(**options)
        shard.update(gold=gold, pred=pred)
        merged.merge(pickle.loads(pickle.dumps(shard)))
    assert by_update.compute().to_dict() == merged.compute().to_dict() == whole.to_dict()


def test_reset_and_merge_of_strangers():
    scorer = ClassificationScorer()
    scorer.update(gold=[0, 1], pred=[1, 1])
    scorer.reset()
    assert scorer.compute().n_examples == 0
    with pytest.raises(ValueError, match="cannot merge"):
        scorer.merge(ClassificationScorer(positive=0))
    scorer.update(gold=[0, 1], pred=[1, 1])
    other = ClassificationScorer()
    other.update(gold=["a"], pred=["b"])
    with pytest.raises(ValueError, match="integers and strings"):
        scorer.merge(other)


# ------------------------------------------------------------------------------------------ labels


def test_labels_and_positive():
    report = classify([0, 1], [0, 1], labels=[1, 0])
    assert report.labels == (1, 0)
    assert report.confusion.tolist() == [[1, 0], [0, 1]]
    assert classify(GOLD, PRED, positive="b")["positive"].recall == 0.5
    report = classify(GOLD, PRED, positive="z")
    assert report.positive is None
    assert report.warnings == ('no label "z"',)
    assert classify([2, 3], [2, 3]).warnings == ()
    with pytest.raises(InputError, match=r"pred: example 1: label 2, expected one of 0, 1"):
        classify([0, 1], [0, 2], labels=[0, 1])
    for wrong in ([], [0, 0], [0, "a"], [0.5]):
        with pytest.raises(ValueError, match="expected different integers or strings"):
            classify([0], [0], labels=wrong)
    with pytest.raises(ValueError, match='the positive label is "x", expected 0, 1'):
        classify([0], [0], labels=[0, 1], positive="x")
    with pytest.raises(InputError, match="3000 different labels"):
        classify(range(3000), range(3000))


def test_policies_are_checked():
    for wrong in ({"unparsed": "empty"}, {"unmatched": "x"}, {"undefined": 0.5}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is"):
            ClassificationScorer(**wrong)


@pytest.mark.parametrize(
    "column",
    [
        [1, 0, 1], (1, 0, 1), np.array([1, 0, 1], np.int8), np.array([True, False, True]),
        [True, False, True], pa.array([1, 0, 1], pa.uint8()), pa.chunked_array([[1], [0, 1]]),
        pd.Series([1, 0, 1]), pd.Series([1, 0, 1], dtype="category"), pl.Series([1, 0, 1]),
        pl.DataFrame({"label": [1, 0, 1]}), pd.DataFrame({"prediction": [1, 0, 1]}),
        pa.table({"index": [2, 1, 0], "label": [1, 0, 1]}),
    ],
    ids=lambda column: type(column).__name__,
)  # fmt: skip
def test_columns_of_all_kinds(column):
    assert classify([1, 0, 1], column)["overall"].accuracy == 1.0


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", "b"], pa.large_string()), np.array(["a", "b"]), pl.Series(["a", "b"]),
        pa.array(["a", "b"]).dictionary_encode(), pd.Series(["a", "b"], dtype="category"),
    ],
    ids=lambda column: type(column).__name__,
)  # fmt: skip
def test_columns_of_strings(column):
    assert classify(["a", "b"], column)["overall"].accuracy == 1.0


@pytest.mark.parametrize("wrong", [[0.5, 1.0], [[1], [0]], [object(), 1], 7, [1, "a"], [2**70]])
def test_columns_that_are_no_labels(wrong):
    with pytest.raises(InputError, match=r"^pred(:| is a number)"):
        classify([0, 1], wrong)


# ------------------------------------------------------------------------------------ presentation


def test_report_prints_and_flattens():
    report = classify([1, 1, 0, 0], [1, 0, 0, 0])
    lines = str(report).splitlines()
    assert lines[0] == "classification of 4 examples"
    assert lines[4].split() == [
        "1", "(positive)", "1.0000", "0.5000", "0.6667", "2", "1", "0", "1", "1", "1"
    ]  # fmt: skip
    assert lines[-1] == report.signature
    flat = report.to_flat("val/")
    assert flat["val/overall_accuracy"] == 0.75
    assert flat["val/class_0_fp"] == 1
    many = classify(range(8), range(8))
    assert "as 7" not in str(many)


@pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
def test_released_labels():
    report = classify(CNC / "train_subtask1.csv", CNC / "train_subtask1.csv")
    assert report.confusion.tolist() == [[1451, 0], [0, 1624]]
    assert report["overall"].mcc == 1.0
