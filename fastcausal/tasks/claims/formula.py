"""Scores of claims of two articles, each judged by the other, topic by topic."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, f1, ratio
from fastcausal.counts.formula import MAX_COUNT, Formula
from fastcausal.counts.means import mean_of_pairs
from fastcausal.counts.rules import Rule, UnitColumn, ascending
from fastcausal.options import Side
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64, Int64

SIDES: tuple[Side, ...] = get_args(Side)
COUNTS = ("supported", "judged")
AVERAGED = ("precision", "recall", "f1")
ABSENT = -1  # judged claims of a rater who was not asked


@dataclass(frozen=True)
class ClaimFormula(Formula):
    """Supported and judged claims of a topic, on both sides, by rater."""

    # Precision is the supported share of the prediction's claims, recall of the reference's claims.
    # Both are 0 without claims, and undefined without judged claims. Scores are means over the
    # raters for whom they are defined.

    job = "claims"

    raters: tuple[str, ...]  # Ascending
    by_majority: bool  # True if scores follow the majority's judgments, which have columns too

    @property
    def voices(self) -> tuple[str, ...]:
        """Names of the judging voices, as in columns."""
        majority = ("majority",) if self.by_majority else ()
        return (*(f"rater_{name}" for name in self.raters), *majority)

    @property
    def unit_columns(self) -> dict[str, UnitColumn]:
        """The ids of topics."""
        return {"id": UnitColumn("string")}

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: claims, nulls, then supported and judged claims of each voice."""
        each = (f"{v}_{side}_{count}" for v in self.voices for side in SIDES for count in COUNTS)
        return ("n_prediction", "n_reference", "n_unjudged", *each)

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value; a rater's counts may be `ABSENT`."""
        return (0 if field in self.fields[:3] else ABSENT), MAX_COUNT

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Supported claims are judged, judged claims are claims."""
        return tuple(
            rule
            for voice in self.voices
            for side in SIDES
            for rule in ascending(*(f"{voice}_{side}_{c}" for c in COUNTS), f"n_{side}")
        )

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares of claims."""
        return SHARE

    def choose_rater(self, rater: str, rows: CountRows) -> tuple[ClaimFormula, CountRows]:
        """Return the formula of a single rater, with its rows."""
        k = 3 + 4 * self.raters.index(rater)
        return ClaimFormula((rater,), False), np.hstack([rows[:, :3], rows[:, k : k + 4]])

    def values(self, rows: CountRows) -> Float64:
        """Compute precision, recall and F1 of every row: float64[n_rows, 3]."""
        return mean_of_pairs(self._score_voices(rows).swapaxes(0, 1))

    def terms(self, rows: CountRows) -> CountRows:
        """Return the additive terms of each scored voice, then the claims of both sides."""
        # Terms of a voice are its defined values, 1 for each defined value, its supported and
        # judged claims, and 1 if it was asked.
        values, counts = self._score_voices(rows), self._counts(rows)
        defined = ~np.isnan(values)
        supported, judged = counts[..., 0], np.maximum(counts[..., 1], 0)
        asked = counts[..., 1] != ABSENT
        parts = [np.where(defined, values, 0.0), defined, supported, judged, asked]
        joined = np.concatenate(parts, axis=2)
        return np.hstack([joined.reshape(len(rows), 12 * joined.shape[1]), rows[:, :2]])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute means over topics, ratios of summed claims, and F1 of the mean shares."""
        voices = sums[:, :-2].reshape(len(sums), -1, 12)
        totals, defined, supported, judged, asked = np.split(voices, (3, 6, 8, 10), axis=2)
        topic = ratio(totals, defined, math.nan)
        of_none = np.where((sums[:, None, -2:] == 0) & (asked > 0), 0.0, math.nan)
        claim = _append_f1(np.where(judged > 0, ratio(supported, judged, math.nan), of_none))
        means = _append_f1(topic[..., :2])
        groups = {"topic": topic, "claim": claim, "means": means}
        named = {
            group: dict(zip(AVERAGED, mean_of_pairs(values.swapaxes(0, 1)).T, strict=True))
            for group, values in groups.items()
        }
        return named | {"means": {"f1": named["means"]["f1"]}}

    def union(self, other: Formula) -> ClaimFormula:
        """Return the formula with the raters of both."""
        if not isinstance(other, ClaimFormula) or self.by_majority != other.by_majority:
            return super().union(other)
        return replace(self, raters=tuple(sorted({*self.raters, *other.raters})))

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Move raters to the columns of a union; new raters were not asked."""
        assert isinstance(formula, ClaimFormula)
        converted = np.tile(np.array([0, ABSENT] * (2 * len(formula.voices))), (len(rows), 1))
        for k, voice in enumerate(self.voices):
            at = 4 * formula.voices.index(voice)
            converted[:, at : at + 4] = rows[:, 3 + 4 * k : 7 + 4 * k]
        return np.hstack([rows[:, :3], converted])

    def _counts(self, rows: CountRows) -> Int64:
        """Return the counts of the scored voices: int64[n_rows, n_voices, 2, 2]."""
        counts: Int64 = rows[:, 3:].reshape(len(rows), len(self.voices), 2, 2)
        return counts[:, -1:] if self.by_majority else counts

    def _score_voices(self, rows: CountRows) -> Float64:
        """Compute precision, recall and F1 of every row and voice: float64[n_rows, n_voices, 3]."""
        counts = self._counts(rows)
        of_none = np.where(rows[:, None, :2] == 0, 0.0, math.nan)
        of_none = np.where(counts[..., 1] == ABSENT, math.nan, of_none)
        shares = ratio(counts[..., 0], np.maximum(counts[..., 1], 0), math.nan)
        return _append_f1(np.where(counts[..., 1] > 0, shares, of_none))


def _append_f1(shares: Float64) -> Float64:
    """Append F1 to precision and recall: 0 if both are 0, undefined if one is."""
    precision, recall = shares[..., 0], shares[..., 1]
    means = f1(precision, recall, np.zeros_like(precision), 0.0)
    undefined = np.isnan(precision) | np.isnan(recall)
    return np.dstack([shares, np.where(undefined, math.nan, means)])
