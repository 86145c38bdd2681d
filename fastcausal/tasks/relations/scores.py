"""Scores of relations from the counts of a kernel. All scores are fractions, not percent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from fastcausal.counts.arithmetic import Counts, ScoresByName, exact, precision_recall_f1, ratio
from fastcausal.significance.sums import max_abs


def fair(counts: Counts, undefined: float) -> ScoresByName:
    """Return fair precision, recall and F1 (Ortmann 2022).

    An error of label or boundary costs half a false positive and half a false negative.

    Examples
    --------
    >>> fair({"tp": 3, "fp": 1, "fn": 0, "le": 0, "be": 2, "lbe": 0}, 0.0)
    {'precision': 0.6, 'recall': 0.75, 'f1': 0.6666666666666665}
    """
    half = (counts["le"] + counts["be"] + counts["lbe"]) / 2
    predicted = counts["tp"] + counts["fp"] + half
    wanted = counts["tp"] + counts["fn"] + half
    return precision_recall_f1(counts["tp"], predicted, wanted, undefined)


def overlap(counts: Counts, undefined: float) -> ScoresByName:
    """Return EM, OSB, TO (RECESS, appendix A.3); alpha; token precision, recall and F1.

    Alpha is binary Krippendorff's alpha over the concatenated token masks of all pairs.
    """
    shares = {name: ratio(counts[name], counts["pairs"], undefined) for name in ("em", "osb", "to")}
    predicted = counts["tp"] + counts["fp"]
    wanted = counts["tp"] + counts["fn"]
    tokens = precision_recall_f1(counts["tp"], predicted, wanted, undefined, "token_")
    alpha = binary_alpha(counts["n"], counts["n1"], counts["o01"], undefined)
    return shares | {"alpha": alpha} | tokens


def semeval(counts: Counts, undefined: float) -> ScoresByName:
    """Return precision, recall and F1 of the four SemEval-2013 task 9 schemes, as nervaluate does.

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


def binary_alpha(n: Any, n1: Any, o01: Any, undefined: float) -> Any:
    """Return binary Krippendorff's alpha (RECESS, Eq. 1): 1 - (n-1) o01 / (n0 n1).

    Parameters
    ----------
    n, n1, o01 : int or int64 array
        Units of all annotators, marked units, and disagreeing units.
    undefined : float
        Alpha if n0 n1 is 0.

    Examples
    --------
    >>> binary_alpha(np.array([20, 20]), np.array([6, 0]), np.array([2, 0]), np.nan)
    array([0.54761905,        nan])
    """
    if isinstance(n, np.ndarray) and max_abs(n) >= 2**31:
        n, n1, o01 = (np.asarray(part, object) for part in (n, n1, o01))
    both = (n - n1) * n1
    observed = ratio((n - 1) * o01, both, math.nan)
    if isinstance(both, np.ndarray):
        return np.where(both > 0, 1.0 - observed, undefined)
    return 1.0 - observed if both else undefined


FORMULAS: dict[str, Callable[[Counts, float], ScoresByName]] = {
    "fair_spans": fair,
    "exact_spans": exact,
    "span_overlap": overlap,
    "partial_spans": semeval,
}


def scores_of(kernel: str, counts: Counts, undefined: float | None) -> ScoresByName:
    """Return the scores of a kernel's counts; for a user's kernel the scores of TP, FP, FN.

    ``undefined`` None makes 0/0 NaN.
    """
    formula = FORMULAS.get(kernel) or (exact if {"tp", "fp", "fn"} <= counts.keys() else None)
    return formula(counts, math.nan if undefined is None else undefined) if formula else {}


def fields_read(kernel: str) -> tuple[str, ...]:
    """Return the counts that the scores of a kernel depend on.

    Examples
    --------
    >>> fields_read("fair_spans")
    ('le', 'be', 'lbe', 'tp', 'fp', 'fn')
    """
    read: Counts = defaultdict(int)
    FORMULAS.get(kernel, exact)(read, math.nan)
    return tuple(read)
