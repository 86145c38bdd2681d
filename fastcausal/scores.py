"""Every score formula: integer counts in, float64 out. All scores are fractions, not percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

CountsByName = Mapping[str, int]
ScoresByName = dict[str, float]


def ratio(numerator: float, denominator: float, undefined: float) -> float:
    """``numerator / denominator``, or ``undefined`` for 0/0."""
    return numerator / denominator if denominator else undefined


def f1(precision: float, recall: float, errors: float, undefined: float) -> float:
    """Harmonic mean of precision and recall.

    Without hits it is 0 if there were errors, even where precision or recall alone is 0/0; without
    hits and errors it is ``undefined``.
    """
    if math.isnan(precision) or math.isnan(recall) or precision + recall == 0.0:
        return 0.0 if errors else undefined
    return 2 * (precision * recall) / (precision + recall)


def precision_recall_f1(
    hits: float, predicted: float, wanted: float, undefined: float, prefix: str = ""
) -> ScoresByName:
    """Precision ``hits / predicted``, recall ``hits / wanted`` and their F1."""
    precision = ratio(hits, predicted, undefined)
    recall = ratio(hits, wanted, undefined)
    return {
        f"{prefix}precision": precision,
        f"{prefix}recall": recall,
        f"{prefix}f1": f1(precision, recall, predicted + wanted, undefined),
    }


def fair(counts: CountsByName, undefined: float) -> ScoresByName:
    """Fair precision, recall and F1 (Ortmann 2022): errors of label or boundary cost half each way.

    Examples
    --------
    >>> fair({"tp": 3, "fp": 1, "fn": 0, "le": 0, "be": 2, "lbe": 0}, 0.0)
    {'precision': 0.6, 'recall': 0.75, 'f1': 0.6666666666666665}
    """
    half = (counts["le"] + counts["be"] + counts["lbe"]) / 2
    predicted = counts["tp"] + counts["fp"] + half
    wanted = counts["tp"] + counts["fn"] + half
    return precision_recall_f1(counts["tp"], predicted, wanted, undefined)


def exact(counts: CountsByName, undefined: float) -> ScoresByName:
    """Precision, recall and F1 of TP, FP and FN."""
    predicted = counts["tp"] + counts["fp"]
    return precision_recall_f1(counts["tp"], predicted, counts["tp"] + counts["fn"], undefined)


def overlap(counts: CountsByName, undefined: float) -> ScoresByName:
    """Shares of pairs with EM, OSB, TO (RECESS, appendix A.3); alpha; token precision, recall, F1.

    Alpha is binary Krippendorff's alpha over the token masks of all pairs, one after the other.
    """
    shares = {name: ratio(counts[name], counts["pairs"], undefined) for name in ("em", "osb", "to")}
    predicted = counts["tp"] + counts["fp"]
    wanted = counts["tp"] + counts["fn"]
    n, n1 = counts["n"], counts["n1"]
    both = (n - n1) * n1
    alpha = 1.0 - ((n - 1) * counts["o01"]) / both if both else undefined
    tokens = precision_recall_f1(counts["tp"], predicted, wanted, undefined, "token_")
    return shares | {"alpha": alpha} | tokens


def semeval(counts: CountsByName, undefined: float) -> ScoresByName:
    """Precision, recall and F1 of the four SemEval-2013 task 9 schemes, as nervaluate prints them.

    Partial hits count half in the schemes partial and type.
    """
    scores: ScoresByName = {}
    for scheme in ("strict", "exact", "partial", "type"):
        cor, inc, par, mis, spu = (
            counts[f"{scheme}_{field}"] for field in ("cor", "inc", "par", "mis", "spu")
        )
        hits = cor + 0.5 * par if scheme in ("partial", "type") else cor
        predicted, wanted = cor + inc + par + spu, cor + inc + par + mis
        scores |= precision_recall_f1(hits, predicted, wanted, undefined, f"{scheme}_")
    return scores


def mask_alpha(n: Any, n1: Any, o01: Any) -> npt.NDArray[np.float64]:
    """Binary Krippendorff's alpha (RECESS, Eq. 1): 1 - (n-1) o01 / (n0 n1), NaN where n0 n1 is 0.

    Parameters
    ----------
    n, n1, o01 : array_like
        Units of all annotators, those marked, and those that disagree.

    Examples
    --------
    >>> mask_alpha([20, 20], [6, 0], [2, 0])
    array([0.54761905,        nan])
    """
    n, n1, o01 = (np.asarray(v) for v in (n, n1, o01))
    both = (n - n1) * n1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(both > 0, 1.0 - ((n - 1) * o01) / both, np.nan)


FORMULAS: dict[str, Callable[[CountsByName, float], ScoresByName]] = {
    "fair_spans": fair,
    "exact_spans": exact,
    "span_overlap": overlap,
    "partial_spans": semeval,
}


def scores_of(kernel: str, counts: CountsByName, undefined: float | None) -> ScoresByName:
    """The scores that belong to a kernel's counts, for a user's kernel those of TP, FP and FN.

    ``undefined`` None makes 0/0 NaN.
    """
    formula = FORMULAS.get(kernel) or (exact if {"tp", "fp", "fn"} <= counts.keys() else None)
    return formula(counts, math.nan if undefined is None else undefined) if formula else {}


def accuracy(hits: int, n: int, undefined: float) -> float:
    """Share of examples whose label is right."""
    return ratio(hits, n, undefined)


def matthews(hits: int, predicted: Sequence[int], wanted: Sequence[int], undefined: float) -> float:
    """Matthews correlation coefficient of any number of classes (Gorodkin 2004).

    Parameters
    ----------
    hits : int
        Examples whose label is right.
    predicted, wanted : sequence of int
        Examples of each class, as predicted and in gold.
    undefined : float
        The coefficient where gold or the predictions have one class only.

    Examples
    --------
    >>> matthews(288, [145, 195], [155, 185], 0.0)
    0.6913252176445224
    """
    n = sum(wanted)
    spread = (n * n - sum(p * p for p in predicted)) * (n * n - sum(w * w for w in wanted))
    covariance = hits * n - sum(p * w for p, w in zip(predicted, wanted, strict=True))
    return ratio(covariance, math.sqrt(spread), undefined)


def mean_defined(values: Sequence[float], weights: Sequence[int], undefined: float) -> float:
    """Weighted mean of the values that are not NaN; weights that are all 0 count as equal.

    Examples
    --------
    >>> mean_defined([0.5, math.nan, 1.0], [2, 5, 6], math.nan)
    0.875
    """
    defined = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    if not any(weight for _, weight in defined):
        defined = [(value, 1) for value, _ in defined]
    return ratio(math.fsum(v * w for v, w in defined), sum(w for _, w in defined), undefined)
