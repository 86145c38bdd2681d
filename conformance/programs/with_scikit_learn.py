"""Answers of scikit-learn: labels of both sides in lists, and Cohen's kappa."""

from __future__ import annotations

import warnings

import numpy as np
from answering import Case, RefusedError, UnknownError, Values, answer_lines, flat
from sklearn import metrics

NAMES = ("precision", "recall", "f1")


def classify(case: Case) -> Values:
    gold, pred = case["gold"], case["pred"]
    if not gold or isinstance(gold[0], dict):
        if case["protocol"] not in ("unicausal-seq", "unicausal-pair"):
            raise UnknownError("labels in two lists alone")
        column = {"unicausal-seq": "seq_label", "unicausal-pair": "pair_label"}[case["protocol"]]
        gold = [row[column] for row in gold]
    undefined = case.get("undefined", np.nan if case["protocol"] == "labels" else 0.0)
    values: Values = {"overall.mcc": metrics.matthews_corrcoef(gold, pred)} if (
        len(gold) == len(pred)
    ) else {}  # fmt: skip
    try:
        values["overall.accuracy"] = metrics.accuracy_score(gold, pred)
        for average in ("macro", "weighted"):
            found = metrics.precision_recall_fscore_support(
                gold, pred, average=average, zero_division=undefined
            )
            values |= flat(dict(zip(NAMES, found, strict=False)), f"{average}.")
        labels = sorted({*gold, *pred})
        each = metrics.precision_recall_fscore_support(gold, pred, zero_division=undefined)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    for k, label in enumerate(labels):
        of_label = {name: each[i][k] for i, name in enumerate(NAMES)}
        values |= flat(of_label, f"class.{label}.")
        if label == case.get("positive", 1):
            values |= flat(of_label, "positive.")
    return values


def labels(case: Case) -> Values:
    if "cohen_kappa" not in case["measures"]:
        raise UnknownError("Cohen's kappa alone")
    a, b = list(zip(*case["ratings"], strict=True))[:2]
    values: Values = {"cohen_kappa": metrics.cohen_kappa_score(a, b)}
    for weights in case.get("weights", ()):
        values[f"cohen_kappa.{weights}"] = metrics.cohen_kappa_score(a, b, weights=weights)
    return values


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answer_lines({"classify": classify, "labels": labels}, partial=True)
