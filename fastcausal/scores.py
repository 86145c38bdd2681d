"""Every score formula: integer counts in, float64 out. All scores are fractions, not percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

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
    """Shares of pairs with EM, OSB, TO (RECESS, appendix A.3); token precision, recall and F1."""
    shares = {name: ratio(counts[name], counts["pairs"], undefined) for name in ("em", "osb", "to")}
    predicted = counts["tp"] + counts["fp"]
    wanted = counts["tp"] + counts["fn"]
    return shares | precision_recall_f1(counts["tp"], predicted, wanted, undefined, "token_")


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


FORMULAS: dict[str, Callable[[CountsByName, float], ScoresByName]] = {
    "fair_spans": fair,
    "exact_spans": exact,
    "span_overlap": overlap,
    "partial_spans": semeval,
}


def scores_of(kernel: str, counts: CountsByName, undefined: float | None) -> ScoresByName:
    """The scores that belong to a kernel's counts; none for a kernel of another name.

    ``undefined`` None makes 0/0 NaN.
    """
    formula = FORMULAS.get(kernel)
    return formula(counts, math.nan if undefined is None else undefined) if formula else {}
