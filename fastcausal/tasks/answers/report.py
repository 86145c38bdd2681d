"""The means of what answers score."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastcausal.report import Number, Scores, Shown, plain_scores, scores_table
from fastcausal.scores import ratio
from fastcausal.statistics import Statistics
from fastcausal.tables import Grid

Mark = tuple[bool, float]
"""Exact match and F1 of one answer."""


@dataclass(frozen=True)
class AnswerReport(Shown):
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

    def __getitem__(self, group: str) -> Scores:
        return self.scores[group]

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return int(self.scores["overall"].n_questions)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined score is None."""
        return {
            "signature": self.signature,
            "n_questions": self.n_questions,
            "scores": plain_scores(self.scores),
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_flat(self, prefix: str = "") -> dict[str, Number]:
        """Numbers under flat names for loggers: ``{"val/why_f1": ...}`` for ``"val/"``."""
        return {
            f"{prefix}{group}_{name}": value
            for group, scores in self.scores.items()
            for name, value in scores.items()
        }

    def to_table(self) -> Grid:
        """A table for the terminal."""
        return scores_table(f"answers to {self.n_questions} questions", {"": self.scores})
