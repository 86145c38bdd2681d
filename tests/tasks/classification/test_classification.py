"""Sentence classification against hand-worked numbers, the paper's table and scikit-learn."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from fastcausal.errors import InputError
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.scorer import ClassificationScorer, classify
from tests.support.cli import cli
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
words = st.sampled_from(["", "causal", "none", "ü"])


@given(
    pairs=st.one_of(
        *(st.lists(st.tuples(kind, kind), min_size=1, max_size=40) for kind in (integers, words))
    ),
    undefined=st.sampled_from([None, 0.0, 1.0]),
)
@pytest.mark.filterwarnings("ignore:A single label:UserWarning")
def test_equal_to_scikit_learn(pairs, undefined):
    gold, pred = zip(*pairs, strict=True)
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
    scorer.update([0, 1], [0, 1])
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
    whole = classify([g for g, _ in pairs], [p for _, p in pairs], **options)
    by_update = ClassificationScorer(**options)
    merged = ClassificationScorer(**options)
    for batch in reversed(batches):
        gold, pred = [g for g, _ in batch], [p for _, p in batch]
        by_update.update(gold, pred)
        shard = ClassificationScorer(**options)
        shard.update(gold, pred)
        merged.merge(pickle.loads(pickle.dumps(shard)))
    assert by_update.compute().to_dict() == merged.compute().to_dict() == whole.to_dict()


def test_reset_and_merge_of_strangers():
    scorer = ClassificationScorer()
    scorer.update([0, 1], [1, 1])
    scorer.reset()
    assert scorer.compute().n_examples == 0
    with pytest.raises(ValueError, match="cannot merge"):
        scorer.merge(ClassificationScorer(positive=0))
    scorer.update([0, 1], [1, 1])
    other = ClassificationScorer()
    other.update(["a"], ["b"])
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
    with pytest.raises(InputError, match=r"^pred: "):
        classify([0, 1], wrong)


# ------------------------------------------------------------------------------------------- files


def write(path, *rows):
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


@pytest.fixture
def gold(tmp_path):
    return write(tmp_path / "gold.csv", "index,text,label", 'x1,"Rain , so",1', "x2,Sun,0", "x3,,1")


def test_csv_against_json_lines(gold, tmp_path):
    by_position = write(
        tmp_path / "a.jsonl", '{"index": 0, "prediction": 1}', '{"index": 2, "prediction": 1}',
        '{"index": 1, "prediction": 1}',
    )  # fmt: skip
    by_name = write(
        tmp_path / "b.jsonl", '{"id": "x3", "label": true}', '{"id": "x1", "label": 1}', "",
        '{"id": "x2", "label": 1}',
    )  # fmt: skip
    in_order = write(tmp_path / "c.json", *['{"prediction": 1}'] * 3)
    table = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": ["x2", "x1", "x3"], "label": [1, 1, 1]}), table)
    csv = write(tmp_path / "e.csv", "id,prediction", "x2,1", "x1,1", "x3,1")
    for pred in (by_position, by_name, in_order, table, csv, [1, 1, 1]):
        report = classify(gold, pred)
        assert report.labels == (0, 1)
        assert report.confusion.tolist() == [[0, 1], [0, 2]]
    assert label_format.read(gold).texts.to_pylist() == ["Rain , so", "Sun", ""]


def test_csv_takes_the_kind_of_the_other_side(tmp_path):
    gold = write(tmp_path / "gold.csv", "index,label", "a,1", "b,2")
    assert classify(gold, ["1", "2"]).labels == ("1", "2")
    assert classify(gold, gold).labels == (1, 2)
    odd = write(tmp_path / "odd.csv", "index,label", "a,01", "b,-2")
    assert classify(odd, odd).labels == (-2, 1)
    plus = write(tmp_path / "plus.csv", "index,label", "a,1", "b,+2")
    assert classify(plus, plus).labels == ("+2", "1")
    mixed = write(tmp_path / "mixed.csv", "index,label", "a,1", "b,x")
    assert classify(gold, mixed).labels == ("1", "2", "x")
    assert classify(gold, mixed, labels=["1", "2", "x"]).n_examples == 2
    with pytest.raises(InputError, match=r'mixed.csv:3: example b: label "x", but .* pred are int'):
        classify(mixed, [1, 2])
    with pytest.raises(InputError, match=r"pred: example 0: label 1, but .* gold are strings"):
        classify(["a"], [1])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"index": 0}'], ':1: no "label" or "prediction"'),
        (['{"prediction": 1.0}'], ':1: "prediction" is 1.0, expected an integer or a string'),
        (['{"prediction": []}'], ':1: "prediction" is a list, expected an integer or a string'),
        (['{"index": true, "prediction": 1}'], ':1: "index" is a boolean, expected an integer'),
        (['{"prediction": 1}', '{"prediction": "1"}'], ":2: label is a string, expected a number"),
        (['{"index": 0, "label": 1}', '{"label": 1}'], ":2: no id, other rows have one"),
        (['{"id": "a", "label": 1}', '{"id": "a", "label": 0}'], ':2: id "a" occurs twice'),
        (["{"], ":1: invalid JSON"),
        (["[1]"], ":1: a list, expected an object"),
        (['{"prediction": 99999999999999999999}'], ": cannot be read as labels"),
    ],
)
def test_json_lines_that_cannot_be_read(lines, message, tmp_path):
    path = write(tmp_path / "pred.jsonl", *lines)
    with pytest.raises(InputError) as caught:
        label_format.read(path)
    assert f"pred.jsonl{message}" in str(caught.value)


def test_csv_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r'bad.csv:1: no column "label": found index, text'):
        label_format.read(write(tmp_path / "bad.csv", "index,text", "a,b"))
    with pytest.raises(InputError, match=r'twice.csv:3: id "a" occurs twice, first in 2'):
        label_format.read(write(tmp_path / "twice.csv", "id,label", "a,1", "a,0"))
    with pytest.raises(InputError, match=r"gold.csv:3: example b: no label"):
        classify(write(tmp_path / "gold.csv", "id,label", "a,1", "b,"), [1, 0])
    with pytest.raises(InputError, match="No such file"):
        label_format.read(tmp_path / "none.csv")


# ---------------------------------------------------------------------------------------- matching


def test_examples_that_one_side_lacks(gold):
    pred = pa.table({"id": ["x3", "x9", "x1"], "label": [0, 1, 1]})
    with pytest.raises(InputError) as caught:
        classify(gold, pred)
    assert str(caught.value) == (
        '1 examples of gold have no prediction ("x2"), 1 of pred are not in gold ("x9"); '
        'unmatched="skip" would leave them out'
    )
    report = classify(gold, pred, unmatched="skip")
    assert report.confusion.tolist() == [[0, 0], [1, 1]]
    assert report.warnings[0].startswith("unmatched=skip: 1 examples of gold")
    with pytest.raises(InputError, match=r"1 examples of gold have no prediction \(2\), 0 of pred"):
        classify(gold, [1, 0])


def test_predictions_without_a_label(gold, tmp_path):
    pred = write(tmp_path / "pred.jsonl", '{"label": 1}', '{"label": null}', '{"label": 0}')
    with pytest.raises(InputError, match=r"pred.jsonl:2: example 1: no label, nor have 0 more"):
        classify(gold, pred)
    report = classify(gold, pred, unparsed="skip")
    assert report.n_examples == 2
    assert report.to_dict()["warnings"] == [
        "unparsed=skip: 1 of 3 predicted examples have no label (33.3%) and are left out"
    ]
    for text in (str(report), report._repr_html_()):
        assert f"warning: {report.warnings[0]}" in text
    assert classify(["a"], [None], unparsed="skip").n_examples == 0


def test_examples_without_a_label_add_up_over_batches():
    scorer, other = ClassificationScorer(unparsed="skip"), ClassificationScorer(unparsed="skip")
    for _ in range(2):
        scorer.update([0, 1, 1], [0, None, 1])
    other.update([1], [None])
    scorer.merge(other)
    report = scorer.compute()
    assert report.n_unparsed == report.to_dict()["n_unparsed"] == 3
    assert report.warnings == (
        "unparsed=skip: 3 of 7 predicted examples have no label (42.9%) and are left out",
    )


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


def test_command(gold, tmp_path):
    pred = write(tmp_path / "pred.jsonl", *(f'{{"index": {k}, "prediction": 1}}' for k in range(3)))
    out, _ = cli("classify", str(gold), str(pred), "--json", "--labels", "0,1")
    found = json.loads(out)
    assert found["confusion"] == [[0, 1], [0, 2]]
    assert found["scores"]["overall"]["mcc"] is None
    out, _ = cli("classify", str(gold), str(pred), "--undefined", "0", "--positive", "0")
    assert "0 (positive)" in out
    assert "0/0:0.0" in out


def test_command_with_bad_input(gold, tmp_path):
    _, err = cli("classify", str(gold), str(tmp_path / "none.jsonl"), expect=2)
    assert "No such file" in err
    out, err = cli("classify", str(gold), str(gold), "--labels", "0,2", "--json", expect=2)
    assert "gold.csv:2: example x1: label 1, expected one of 0, 2" in json.loads(out)["error"]
    cli("classify", str(gold), str(gold), "--labels", "0,0", expect=2)


@pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
def test_released_labels():
    report = classify(CNC / "train_subtask1.csv", CNC / "train_subtask1.csv")
    assert report.confusion.tolist() == [[1451, 0], [0, 1624]]
    assert report["overall"].mcc == 1.0
