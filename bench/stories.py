"""Random stories of judged pairs, as arrays or as records.

The share of pairs within one document, and the shares of classes within one document and across
documents, are those of Table 1 (Romanou et al. 2023, CRAB). Each story has all pairs of its events.
It depends only on the seed and its number, not on other stories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# Pairs of class A, B, C, D in Table 1.
IN_DOCUMENT = (160, 96, 90, 14)
CROSS_DOCUMENT = (569, 600, 891, 310)
LOWEST = np.array([80, 50, 20, 0])  # score of a class
N_SCORES = np.array([21, 30, 30, 20])
IN_SHARE = sum(IN_DOCUMENT) / (sum(IN_DOCUMENT) + sum(CROSS_DOCUMENT))

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Stories:
    """n pairs, ascending by story, a and b.

    Attributes
    ----------
    story, a, b : int64[n]
    classes, answers : int64[n]
        0 to 3 for A to D; answers are right with the requested chance.
    score : float64[n]
        A random score of the class.
    in_document : bool[n]
    """

    story: Int64
    a: Int64
    b: Int64
    classes: Int64
    answers: Int64
    score: npt.NDArray[np.float64]
    in_document: npt.NDArray[np.bool_]

    def records(self) -> list[dict[str, Any]]:
        """Return gold as rows; article ids only show if both events are in one document."""
        rows = zip(
            *(column.tolist() for column in (self.story, self.a, self.b, self.classes, self.score)),
            self.in_document.tolist(),
            strict=True,
        )
        return [
            {
                "topic_id": story,
                "event_order_a": a,
                "event_order_b": b,
                "class": "ABCD"[label],
                "score": int(score),
                "article_id_a": 0,
                "article_id_b": int(not inside),
            }
            for story, a, b, label, score, inside in rows
        ]

    def letters(self) -> list[dict[str, Any]]:
        """Return answers as rows."""
        rows = zip(*(c.tolist() for c in (self.story, self.a, self.b, self.answers)), strict=True)
        return [
            {"topic_id": s, "event_order_a": a, "event_order_b": b, "prediction": "ABCD"[answer]}
            for s, a, b, answer in rows
        ]


def stories(n_stories: int, n_events: int, seed: int = 0, right: float = 0.5) -> Stories:
    """Make stories of ``n_events`` events; answers are right with this chance, else any letter.

    Examples
    --------
    >>> few = stories(2, 3)
    >>> list(zip(few.story.tolist(), few.a.tolist(), few.b.tolist()))
    [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 1, 2), (1, 1, 3), (1, 2, 3)]
    >>> bool((stories(5, 3).score[:6] == few.score).all())
    True
    """
    first, second = np.triu_indices(n_events, 1)
    shape = (n_stories, len(first))
    # Each quantity has its own stream, so that more stories only add to its end.
    draws = [np.random.default_rng([seed, k]).random(shape, np.float32).ravel() for k in range(5)]
    inside = draws[0] < IN_SHARE
    classes = np.where(inside, _drawn(draws[1], IN_DOCUMENT), _drawn(draws[1], CROSS_DOCUMENT))
    score = LOWEST[classes] + (draws[2] * N_SCORES[classes]).astype(np.int64)
    answers = np.where(draws[3] < right, classes, (draws[4] * 4).astype(np.int64))
    return Stories(
        np.repeat(np.arange(n_stories), len(first)),
        np.tile(first + 1, n_stories),
        np.tile(second + 1, n_stories),
        classes,
        answers,
        score.astype(np.float64),
        inside,
    )


def _drawn(draws: npt.NDArray[np.float32], counts: tuple[int, ...]) -> Int64:
    limits = np.cumsum(counts)[:-1] / sum(counts)
    return np.searchsorted(limits.astype(np.float32), draws, side="right")
