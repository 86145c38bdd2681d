"""Precision, recall and F1 of the labels of words, weighted by the words of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.formula import Formula
from fastcausal.counts.rules import Rule, equal
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64
from fastcausal.significance.units import SECTION

CLASSES = {"-": "none", "C": "cause", "E": "effect"}
COUNTS = ("hits", "predicted", "gold")
OF_CLASSES = tuple(f"{name}_{count}" for name in CLASSES.values() for count in COUNTS)
OF_ROWS = ("rows", "exact", "exact_in_pairs")
OF_HALVES = ("half_cause", "half_cause_hits", "half_effect_hits", "half_exact")
BASELINES = ("nothing", "half")
FIELDS = (*OF_CLASSES, *OF_ROWS, *OF_HALVES, "nothing_exact")
Counts = tuple[CountRows, CountRows, CountRows]  # hits, predicted, gold


@dataclass(frozen=True)
class WordFormula(Formula):
    """Scores of FinCausal's task 2, from counts of sections."""

    job = "fincausal"
    unit = SECTION

    @property
    def main(self) -> str:
        """The published F1."""
        return "official_f1"

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns of rows."""
        return FIELDS

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules of hits within words, of equal numbers of words on both sides, of exact rows."""
        of = [tuple(f"{name}_{count}" for name in CLASSES.values()) for count in COUNTS]
        within = [
            Rule((f"{name}_hits",), (f"{name}_{count}",))
            for name in CLASSES.values()
            for count in COUNTS[1:]
        ]
        exact = [Rule((name,), ("rows",)) for name in FIELDS if "exact" in name]
        halves = [
            Rule(("half_cause_hits",), ("half_cause",)),
            Rule(("half_cause_hits",), ("cause_gold",)),
            Rule(("half_effect_hits",), ("effect_gold",)),
            Rule(("half_cause",), of[2]),
        ]
        return (*within, *equal(of[1], of[2]), *exact, *halves)

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Words of each class of gold, numbers of rows, and counts of guesses."""
        names = [name for name in FIELDS if name.endswith("_gold") or name.startswith("half")]
        return tuple((name,) for name in (*names, "rows", "nothing_exact"))

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: counts add."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of all classes, of spans, of pairs, of guesses, of each class."""
        of = dict(zip(FIELDS, sums.T, strict=True))
        counts = [tuple(of[f"{name}_{count}"] for count in COUNTS) for name in CLASSES.values()]
        official = weighted(counts)
        groups = {
            "official": {**official, "exact_match": ratio(of["exact"], of["rows"], 0.0)},
            "spans": weighted(counts[1:]),
            "pairs": {"exact_match": ratio(of["exact_in_pairs"], of["rows"], 0.0)},
        }
        for name, guess in zip(BASELINES, _guesses(of), strict=True):
            exact = ratio(of[f"{name}_exact"], of["rows"], 0.0)
            groups[name] = {**weighted(guess), "exact_match": exact}
        for label, each in zip(CLASSES, counts, strict=True):
            groups[f"class_{label}"] = scores_of_class(each)
        return groups

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares of words or of rows; those of guesses depend on gold alone."""
        return SHARE._replace(better="none") if group in BASELINES else SHARE


def _guesses(of: dict[str, CountRows]) -> tuple[list[Counts], list[Counts]]:
    """Return the counts of two guesses: no labels; the first half as cause, the rest as effect."""
    gold = [of[f"{name}_gold"] for name in CLASSES.values()]
    words, zero = gold[0] + gold[1] + gold[2], 0 * gold[0]
    nothing = [(gold[0], words, gold[0]), (zero, zero, gold[1]), (zero, zero, gold[2])]
    cause = of["half_cause"]
    half = [
        (zero, zero, gold[0]),
        (of["half_cause_hits"], cause, gold[1]),
        (of["half_effect_hits"], words - cause, gold[2]),
    ]
    return nothing, half


def scores_of_class(counts: Counts) -> ScoresByName:
    """Compute precision, recall and F1; 0/0 is 0."""
    hits, predicted, gold = counts
    return {
        "precision": ratio(hits, predicted, 0.0),
        "recall": ratio(hits, gold, 0.0),
        "f1": ratio(2 * hits, predicted + gold, 0.0),
    }


def weighted(classes: list[Counts]) -> ScoresByName:
    """Average the scores of classes, weighted by their words in gold.

    >>> one, all = np.array([1]), np.array([2])
    >>> weighted([(one, all, one), (one, one, all)])["recall"]
    array([0.66666667])
    """
    each = [scores_of_class(counts) for counts in classes]
    weights = [gold.astype(np.float64) for *_, gold in classes]
    means = {}
    for name in each[0]:
        total: Float64 = each[0][name] * weights[0]
        for scores, weight in zip(each[1:], weights[1:], strict=True):
            total = total + scores[name] * weight
        means[name] = np.asarray(ratio(total, sum(weights[1:], weights[0]), 0.0))
    return means
