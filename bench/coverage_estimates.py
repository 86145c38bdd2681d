"""How often intervals of estimates from people's labels hold the truth.

The law is known: people's labels of a share, and a judge who repeats them with an accuracy. Rows
are single, or ten to a document that moves its share; documents are judged whole or in part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator

from fastcausal.tasks.meta.estimates import JudgedSample

from .coverage_rates import Asked, Cell, Outcomes

RANGE = (0.0, 1.0)
# Shares of labels, and accuracies of the judge.
LAWS = ((0.5, 0.6), (0.7, 0.8), (0.9, 0.95), (0.97, 0.6), (0.97, 0.95))
UNJUDGED = 200  # rows, or
DOCUMENTS = 30  # documents of
ROWS = 10
CONCENTRATION = 4.0  # of documents: shares correlate by 1 / (1 + this) within one
Draw = Callable[[Generator, int, float, float], JudgedSample]


def draw_rows(rng: Generator, n: int, share: float, accuracy: float) -> JudgedSample:
    """Draw n judged rows and more without labels."""
    truth = rng.random(n + UNJUDGED) < share
    judge = truth ^ (rng.random(len(truth)) > accuracy)
    people = np.where(np.arange(len(truth)) < n, truth, np.nan)
    return JudgedSample(people, judge.astype(float), np.arange(len(truth)), RANGE)


def _documents(
    rng: Generator, n: int, share: float, accuracy: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw truth, labels of a judge and documents of rows: the share moves from one to another."""
    shares = rng.beta(share * CONCENTRATION, (1 - share) * CONCENTRATION, n)
    right = rng.beta(accuracy * CONCENTRATION, (1 - accuracy) * CONCENTRATION, n)
    truth = rng.random((n, ROWS)) < shares[:, None]
    judge = truth ^ (rng.random((n, ROWS)) > right[:, None])
    return truth.ravel(), judge.ravel().astype(float), np.repeat(np.arange(n), ROWS)


def draw_documents(rng: Generator, n: int, share: float, accuracy: float) -> JudgedSample:
    """Draw n judged documents, and more without labels."""
    truth, judge, units = _documents(rng, n + DOCUMENTS, share, accuracy)
    return JudgedSample(np.where(units < n, truth, np.nan), judge, units, RANGE, "document")


def draw_halves(rng: Generator, n: int, share: float, accuracy: float) -> JudgedSample:
    """Draw n documents with labels of every other row."""
    truth, judge, units = _documents(rng, n, share, accuracy)
    people = np.where(np.arange(len(truth)) % 2 == 0, truth, np.nan)
    return JudgedSample(people, judge, units, RANGE, "document")


def draw_pairs(rng: Generator, n: int, share: float, accuracy: float) -> JudgedSample:
    """Draw n judged items of two systems of one share, and more without labels: B minus A."""
    a, b = (draw_rows(rng, n, share, accuracy) for _ in "ab")
    shared = rng.random(len(a.people)) < 0.5  # items on which both systems do the same
    people, metric = (
        np.where(shared, 0.0, y - x) for x, y in ((a.people, b.people), (a.metric, b.metric))
    )
    people[np.isnan(a.people)] = np.nan
    return JudgedSample(people, metric, a.units, (-1.0, 1.0))


CELLS: dict[str, tuple[Draw, tuple[int, ...]]] = {
    "rows": (draw_rows, (5, 10, 20, 30, 50, 100)),
    "documents": (draw_documents, (5, 10, 20, 40)),
    "half documents": (draw_halves, (5, 10, 20, 40)),
    "pairs": (draw_pairs, (5, 10, 20, 30, 50, 100)),
}


def estimated(draw: Draw, n: int, share: float, accuracy: float, rng: Generator) -> Outcomes:
    """Say whether bounds hold, of people alone and powered, and whether any has width zero."""
    truth = 0.0 if draw is draw_pairs else share
    sample = draw(rng, n, share, accuracy)
    powered = sample.powered()
    alone = sample.alone() if sample.range == RANGE else sample.powered(weight=0.0)
    return {
        "alone holds": alone.low <= truth <= alone.high,
        "powered holds": powered.low <= truth <= powered.high,
        "powered is narrower": powered.high - powered.low < alone.high - alone.low,
        "width zero": alone.low == alone.high or powered.low == powered.high,
    }


def estimates() -> Iterator[Cell]:
    """Yield cells of every law and size."""
    asked: dict[str, Asked] = {
        "alone holds": (93, 100), "powered holds": (93, 100), "powered is narrower": (0, 100),
        "width zero": (0, 0),
    }  # fmt: skip
    for name, (draw, sizes) in CELLS.items():
        for n, (share, accuracy) in product(sizes, LAWS):
            law = f"{n} {name}, share {share:g}, judge {accuracy:g}"
            yield Cell(law, partial(estimated, draw, n, share, accuracy), asked)
