"""Scores of answers read as options, and scores of other readings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fastcausal.counts.arithmetic import ScoresByName, precision_recall_f1, ratio
from fastcausal.counts.labels import ConfusionFormula
from fastcausal.options import AnswerPolicy
from fastcausal.report.numbers import MEAN_SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64, Int64

UNPARSED, MISSING = "unparsed", "missing"
READ, MAJORITY, RARER = "read", "majority", "rarer"


@dataclass(frozen=True)
class ChoiceFormula(ConfusionFormula):
    """Option of gold and of the answer, and options of the answer by other readings."""

    # The two indices after the options stand for an unparsed and for a missing answer.

    job = "choices"

    readings: tuple[str, ...]  # The other readings
    # {"wrong", "skip", "error"}: Policies for unparsed and for missing answers
    unparsed: AnswerPolicy
    unmatched: AnswerPolicy
    # True adds the scores of the class that is rarest in gold, among classes that occur
    rarer: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return (*super().fields, *map(group_of, self.readings))

    @property
    def answers(self) -> tuple[str, ...]:
        """Names of the options, of the unparsed answer and of the missing answer."""
        return (*map(str, self.labels), UNPARSED, MISSING)

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest index of an answer."""
        return 0, len(self.labels) + 1

    def terms(self, rows: CountRows) -> CountRows:
        """Return the terms of labels, then right and counted answers of each other reading."""
        right = rows[:, :1] == rows[:, 2:]
        is_counted = self.counted(rows[:, 1:])
        labels = super().terms(rows[:, :2]) * is_counted[:, :1]
        return np.hstack([labels, right, is_counted[:, 1:]]).astype(np.int64)

    def own_scores(self, rows: CountRows, name: str | None = None) -> Float64:
        """Return the scores of labels; NaN for an answer that a policy leaves out."""
        return np.where(self.counted(rows[:, 1]), super().own_scores(rows, name), np.nan)

    def counted(self, answers: CountRows) -> npt.NDArray[np.bool_]:
        """Return a mask of the answers that the policies do not leave out."""
        k = len(self.labels)
        policies = ((k, self.unparsed), (k + 1, self.unmatched))
        return ~np.isin(answers, [place for place, policy in policies if policy == "skip"])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute scores of all answers, parsed answers, a constant answer, and other readings."""
        k, m = len(self.labels), len(self.readings)
        hits, predicted, wanted = np.hsplit(sums[:, : 3 * k], 3)
        of_labels = super().groups_of(sums[:, : 3 * k])
        right, counted = sums[:, 3 * k : 3 * k + m], sums[:, 3 * k + m :]
        groups = {
            "overall": of_labels.pop("overall"),
            READ: _accuracy(hits.sum(axis=1), predicted.sum(axis=1), self._zero),
            MAJORITY: _accuracy(wanted.max(axis=1, initial=0), wanted.sum(axis=1), self._zero),
        }
        for place, name in enumerate(self.readings):
            groups[group_of(name)] = _accuracy(right[:, place], counted[:, place], self._zero)
        if self.rarer:
            groups[RARER] = self._rarer(hits, predicted, wanted)
        return groups | of_labels

    def scale(self, group: str, score: str) -> Scale:
        """Declare scores of labels; the rarer class is not fixed, the majority is gold's."""
        scale = MEAN_SHARE if group == RARER else super().scale(group, score)
        return scale._replace(better="none") if group == MAJORITY else scale

    def _rarer(self, hits: Int64, predicted: Int64, wanted: Int64) -> ScoresByName:
        """Compute the scores of the class that is rarest in gold, the first of equal ones."""
        absent = predicted + wanted == 0
        rarest = np.where(absent, np.iinfo(np.int64).max, wanted).argmin(axis=1)[:, None]
        hits, predicted, wanted = (
            np.take_along_axis(each, rarest, 1)[:, 0] for each in (hits, predicted, wanted)
        )
        return precision_recall_f1(hits, predicted, wanted, self._zero)


def group_of(reading: str) -> str:
    """Name the group of scores, and the column, of a reading.

    >>> group_of("first-word")
    'as_first-word'
    """
    return f"as_{reading}"


def _accuracy(right: Int64, counted: Int64, zero: float) -> dict[str, Float64]:
    return {"accuracy": np.asarray(ratio(right, counted, zero))}
