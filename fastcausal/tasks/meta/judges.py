"""Judges who give nominal labels, against the labels of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.counts.arithmetic import ScoresByName, accuracy, mean_defined, ratio
from fastcausal.counts.formula import Formula
from fastcausal.counts.labels import ConfusionFormula
from fastcausal.counts.units import sums_by
from fastcausal.options import Method
from fastcausal.report.numbers import CORRELATION, FRACTION, MEAN_SHARE, Range, Scale
from fastcausal.significance.corrections import adjusted
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import intervals_of
from fastcausal.significance.paired import n_differing, randomisation
from fastcausal.significance.sums import CountRows, sums_of
from fastcausal.significance.units import EXAMPLE, OneScore, Units
from fastcausal.tasks.labels.coefficients import kappa_of_counts
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.alt_test import AltTest, alt_test
from fastcausal.tasks.meta.estimates import (
    Estimate,
    PoweredDifference,
    differences_of,
    estimates_of,
)
from fastcausal.tasks.meta.files import JudgedScores, majority_of
from fastcausal.tasks.meta.intervals import Bounds, MetricIntervals, nested
from fastcausal.tasks.meta.reasons import Reasons, explain_judge
from fastcausal.tasks.meta.swaps import SwapTest

COMPARED = "overall.accuracy"  # the default score of tests
AnyEstimate = TypeVar("AnyEstimate", bound=Estimate)


@dataclass(frozen=True)
class JudgeFormula(ConfusionFormula):
    """Majority and label of the judge for each row, and people with and without that label."""

    # Majority and judge are indices of the labels, both -1 without a majority.

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("majority", "judge", "alike", "votes")

    def terms(self, rows: CountRows) -> CountRows:
        """Return the terms of labels, then people alike and all people."""
        return np.hstack([super().terms(rows[:, :2]), rows[:, 2:]])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of labels, kappa, and the share of people with the judge's label."""
        groups = super().groups_of(sums[:, :-2])
        more = {"kappa": self._kappa(sums), "agreement": self._agreement(sums)}
        return groups | {"overall": groups["overall"] | more}

    def scale(self, group: str, score: str) -> Scale:
        """Declare kappa, which is corrected for chance, and the share of people alike."""
        more = {"kappa": CORRELATION, "agreement": MEAN_SHARE}
        return more.get(score) or super().scale(group, score)

    def only(self, name: str) -> Formula | OneScore:
        """Return the formula of one score; overall scores are computed without classes."""
        alone = {
            "overall_accuracy": self._accuracy,
            "overall_kappa": self._kappa,
            "overall_agreement": self._agreement,
        }
        if name not in alone:
            return super().only(name)
        return OneScore(name, self.terms, alone[name], lambda terms: self.scale_of(name, terms))

    def _accuracy(self, sums: CountRows) -> Float64:
        hits, _, wanted = np.hsplit(sums[:, :-2], 3)
        shares: Float64 = accuracy(hits.sum(axis=1), wanted.sum(axis=1), self._zero)
        return shares

    def _kappa(self, sums: CountRows) -> Float64:
        parts = (part.tolist() for part in np.hsplit(sums[:, :-2], 3))
        each = zip(*parts, strict=True)
        return np.array([kappa_of_counts(sum(w) - sum(h), w, p) for h, p, w in each])

    def _agreement(self, sums: CountRows) -> Float64:
        shares: Float64 = ratio(sums[:, -2], sums[:, -1], self._zero)
        return shares


@dataclass(frozen=True)
class Judge:
    """All numbers of a judge, by the keys of the report; NaN if undefined."""

    # Of the groups ``overall``, ``macro``, ``weighted`` and ``class_LABEL``
    scores: dict[str, dict[str, float]]
    confusion: Int64  # int64[n_labels, n_labels]: Rows by majority and by the judge's label
    alt_test: AltTest
    # Share of each label by system; None if every row is judged
    estimates: dict[str, dict[str, Estimate]] | None
    # By label and ``B - A``; None also for one or very many systems
    differences: dict[str, dict[str, PoweredDifference]] | None
    intervals: Bounds | None  # Bounds by group and score; None unless requested
    # Scores that are undefined in many resamples
    unsure: tuple[str, ...] = field(default=(), repr=False)
    # Reason of each undefined number, by its place
    undefined: Reasons = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Judging:
    """Arguments that the numbers of judges depend on."""

    classes: tuple[str, ...]  # Names of the labels
    epsilon: float
    n_resamples: int
    seed: int
    method: Method | None  # of intervals; None for no intervals

    @property
    def formula(self) -> JudgeFormula:
        """The formula of the labels."""
        return JudgeFormula(self.classes, True, None, None)

    def require(self, compare: str) -> None:
        """Raise ValueError unless ``compare`` is the name of a group and a score."""
        known = [f"{group}.{n}" for group, names in self.formula.names().items() for n in names]
        if compare not in known:
            raise ValueError(f'compare is "{compare}", expected one of {", ".join(known)}')

    def judges(self, judged: JudgedScores) -> dict[str, Judge]:
        """Compute all numbers of all judges."""
        return {name: self._judge(judged, labels) for name, labels in judged.scores.items()}

    def _judge(self, judged: JudgedScores, labels: Float64) -> Judge:
        kept = _both(judged, labels)
        votes = judged.votes[:, kept]
        rows = rows_of(labels[kept], votes)
        scores = self.scores_of(rows)
        voted = rows[rows[:, 0] >= 0, :2]
        n = len(self.classes)
        confusion = np.bincount(voted @ [n, 1], minlength=n * n).reshape(n, n)
        scores["overall"] |= {"n": len(voted)}
        for k, name in enumerate(self.classes):
            counts = {"n": int(confusion[k].sum()), "n_judge": int(confusion[:, k].sum())}
            scores[f"class_{name}"] |= counts
        found = self._intervals(rows, judged.units[kept], judged.unit)
        judge = Judge(
            scores,
            confusion,
            alt_test(
                labels[kept], votes, self.epsilon, judged.units[kept], judged.unit, labels=True
            ),
            _by_class(judged, labels, estimates_of),
            _by_class(judged, labels, differences_of),
            *found,
        )
        return replace(judge, undefined=explain_judge(judge, votes, judged.n_systems))

    def scores_of(self, rows: CountRows) -> dict[str, dict[str, float]]:
        """Compute the scores of rows by group and name."""
        formula = self.formula
        sums = sums_of(formula.terms(rows), np.ones((1, len(rows)), np.int64))
        return {
            group: {name: float(values[0]) for name, values in scores.items()}
            for group, scores in formula.groups_of(sums).items()
        }

    def _intervals(self, rows: CountRows, drawn: Int64, unit: str) -> MetricIntervals:
        if self.method is None:
            return MetricIntervals()
        formula = self.formula
        units = _units(formula, formula.terms(rows), drawn, unit)
        draws = Draws(self.method, 0.95, self.n_resamples, self.seed)
        found = intervals_of(units, draws)
        groups = {
            f"{group}.{name}": found[formula.flat_name(group, name)]
            for group, names in formula.names().items()
            for name in names
        }
        return nested(groups, draws)

    def ceiling(self, judged: JudgedScores) -> dict[str, dict[str, float]]:
        """Average over raters the scores of each as a judge, against the others."""
        each = []
        for rater, labels in enumerate(judged.votes):
            rest = replace(judged, votes=np.delete(judged.votes, rater, axis=0))
            if (kept := _both(rest, labels)).any():
                each.append(self.scores_of(rows_of(labels[kept], rest.votes[:, kept])))
        return {
            group: {
                name: mean_defined([s[group][name] for s in each], [1] * len(each), np.nan)
                for name in names
            }
            for group, names in self.formula.names().items()
        }

    def tests(
        self,
        judged: JudgedScores,
        compare: str,  # GROUP.SCORE
    ) -> list[SwapTest]:
        """Compare every two judges by exchanging their labels, of an item or cluster at once."""
        group, _, score = compare.rpartition(".")
        formula = self.formula.only(self.formula.flat_name(group, score))
        assert isinstance(formula, OneScore)
        pairs = list(combinations(sorted(judged.scores), 2))
        results = [self._test(judged, pair, formula) for pair in pairs]
        corrected = adjusted([p for _, p in results], "holm").tolist()
        return [
            SwapTest(*pair, group, score, delta, p, after, judged.unit)
            for pair, (delta, p), after in zip(pairs, results, corrected, strict=True)
        ]

    def _test(
        self, judged: JudgedScores, pair: tuple[str, str], formula: OneScore
    ) -> tuple[float, float]:
        """Return the difference of two judges over their common rows, and its p."""
        sides = [judged.scores[name] for name in pair]
        kept = _both(judged, sides[0] + sides[1])
        terms = [formula.terms(rows_of(side[kept], judged.votes[:, kept])) for side in sides]
        units = _units(formula, np.hstack(terms), judged.units[kept], judged.unit)
        a, b = np.hsplit(sums_of(units.terms, units.times[None]), 2)
        delta = float(formula.value(a)[0] - formula.value(b)[0])
        return delta, randomisation(units, n_differing(units), self.n_resamples, self.seed)[0]


def rows_of(
    labels: Float64,  # [n]
    votes: Float64,  # [n_raters, n]
) -> CountRows:
    """Return a row of `JudgeFormula` for each label of a judge."""
    majority = majority_of(votes)
    labels_of_voted = np.where(np.isnan(majority), -1, labels)
    alike, n = (votes == labels).sum(axis=0), (~np.isnan(votes)).sum(axis=0)
    columns = [np.nan_to_num(majority, nan=-1.0), labels_of_voted, alike, n]
    return np.column_stack(columns).astype(np.int64)


def shares_of(
    judged: JudgedScores, labels: Float64
) -> Iterator[tuple[str, tuple[Float64, Float64]]]:
    """Yield each class with its share of people's labels, and 1 for rows with it by the judge."""
    # Both are float64[n], NaN without a label.
    assert judged.classes is not None
    n_votes = (~np.isnan(judged.votes)).sum(axis=0)
    for k, name in enumerate(judged.classes):
        people = np.where(n_votes > 0, (judged.votes == k).sum(axis=0), np.nan)
        people = people / np.maximum(n_votes, 1)
        yield name, (people, np.where(np.isnan(labels), np.nan, labels == k))


def _by_class(
    judged: JudgedScores,
    labels: Float64,
    estimate: Callable[[JudgedScores, Float64, Float64, Range], dict[str, AnyEstimate] | None],
) -> dict[str, dict[str, AnyEstimate]] | None:
    """Estimate the share of each class, by system or by two systems; None if there is none."""
    found = {}
    for name, (people, judge) in shares_of(judged, labels):
        estimates = estimate(judged, people, judge, FRACTION)
        if estimates is None:
            return None
        found[name] = estimates
    return found


def _both(judged: JudgedScores, labels: Float64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the rows with labels of people and of a judge."""
    return ~np.isnan(judged.votes).all(axis=0) & ~np.isnan(labels)


def _units(formula: JudgeFormula | OneScore, terms: CountRows, drawn: Int64, unit: str) -> Units:
    """Return the items or clusters as units, equal ones once; single rows are examples."""
    different, codes = np.unique(drawn, return_inverse=True)
    unit = EXAMPLE if len(different) == len(terms) else unit
    rows, place = distinct(sums_by(terms, np.arange(len(terms)), codes))
    return Units(formula, rows, np.bincount(place, minlength=len(rows)), unit)


def warnings_of(judged: JudgedScores, results: dict[str, Judge]) -> list[str]:
    """Warn of labels that do not vary or that no person gave, and of judges worse than chance."""
    assert judged.classes is not None
    warnings = []
    given = np.unique(judged.votes[~np.isnan(judged.votes)])
    if len(given) == 1:
        label = judged.classes[int(given[0])]
        warnings.append(f'constant: people give "{label}" on all rows')
    for name, labels in judged.scores.items():
        different, times = np.unique(labels[~np.isnan(labels)], return_counts=True)
        if len(different) == 1:
            label = judged.classes[int(different[0])]
            warnings.append(f'constant: judge "{name}" gives "{label}" on all {times[0]} rows')
        for k, n in zip(different.tolist(), times.tolist(), strict=True):
            if k not in given:
                label = judged.classes[int(k)]
                warnings.append(
                    f'unknown: judge "{name}" gives "{label}" on {n} rows, people never'
                )
        if results[name].scores["overall"]["kappa"] < 0:
            kappa = f"{results[name].scores['overall']['kappa']:.4f}"
            warnings.append(f'inverted: judge "{name}" has a kappa of {kappa}, below 0')
    return warnings
