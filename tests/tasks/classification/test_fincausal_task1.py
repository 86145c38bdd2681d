"""FinCausal 2020, task 1: the worked examples of its program."""

from __future__ import annotations

import pytest

import fastcausal as fc
from fastcausal.files.files import Source


def score(gold, pred):
    report = fc.classify(gold, pred, protocol="fincausal-task1")
    return tuple(report["weighted"][name] for name in ("precision", "recall", "f1"))


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ([0, 0, 0, 1, 1], [0, 0, 1, 1, 0], (0.6, 0.6, 0.6)),
        ([0, 0, 0, 0, 1], [0] * 5, (0.64, 0.8, 0.711111)),
        ([0, 1], [0, 2], (0.5, 0.5, 0.5)),
        ([0, 2, 1], [0, 2, 1], (1, 1, 1)),
        ([0, 0], [0, 0], (1, 1, 1)),
    ],
)
def test_worked_example(gold, pred, expected):
    assert score(gold, pred) == pytest.approx(expected, abs=1e-6)
    files = [
        Source(
            name,
            "\n".join(["h", *(f"1.{k}; a; b ; {x}" for k, x in enumerate(labels)), ""]).encode(),
        )
        for name, labels in (("gold", gold), ("pred", pred))
    ]
    assert score(*files) == score(gold, pred)


def test_class_1_is_beside_it():
    report = fc.classify([0, 0, 1], [0, 0, 0], protocol="fincausal-task1")
    assert report["positive"].f1 == 0
    assert report["weighted"].f1 > 0.5


@pytest.mark.parametrize("label", ["1.0", "", "x"])
def test_label_that_is_no_whole_number(label):
    file = Source("pred.csv", f"Index; Text; Gold\n1; a; 1\n2; b; {label}\n".encode())
    with pytest.raises(ValueError, match=r"pred\.csv:3: label .*, expected a whole number"):
        score([1, 0], file)


def test_rows_must_be_as_many():
    with pytest.raises(ValueError, match="expected 2 as in gold"):
        score([1, 0], [1])
    with pytest.raises(ValueError, match="expected one or more"):
        score([], [])
