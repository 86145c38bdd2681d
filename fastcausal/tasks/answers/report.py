"""The means of what answers score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fastcausal.groups import Scores
from fastcausal.report import Report
from fastcausal.scores import ratio
from fastcausal.statistics import Statistics

Mark = tuple[bool, float]
"""Exact match and F1 of one answer."""


@dataclass(frozen=True, eq=False, repr=False)
class AnswerReport(Report):
    """Scores of the answers of one system.

    ``report["overall"].exact_match``, ``report["why"].f1``; ``n_questions`` of each group says
    over how many questions the means are. Of none they are undefined: NaN in Python, null in JSON.

    Attributes
    ----------
    signature : str
        One line that says everything the numbers depend on.
    scores : mapping of str to Scores
        By group: ``overall``, and ``why`` for the questions about causes.
    warnings : tuple of str
    """

    signature: str
    scores: Mapping[str, Scores]
    warnings: tuple[str, ...] = ()
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False, compare=False)

    _keys = ("signature", "n_questions", "scores", "warnings")

    @classmethod
    def of(
        cls,
        signature: str,
        marks: Mapping[str, Sequence[Mark]],
        warnings: tuple[str, ...] = (),
        statistics: Callable[[], Statistics] | None = None,
    ) -> AnswerReport:
        """The means over groups of answers. Sums are exact, so that no order changes a bit."""
        scores = {}
        for group, found in marks.items():
            n = len(found)
            exact, f1 = sum(mark[0] for mark in found), math.fsum(mark[1] for mark in found)
            means = {"exact_match": ratio(exact, n, math.nan), "f1": ratio(f1, n, math.nan)}
            scores[group] = Scores(means | {"n_questions": n})
        return cls(signature, scores, warnings, statistics)

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return int(self.scores["overall"].n_questions)

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Number of questions."""
        return {"n_questions": self.n_questions}

    @cached_property
    def title(self) -> str:
        """What was scored."""
        return f"answers to {self.n_questions} questions"
