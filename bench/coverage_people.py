"""Tests of metrics and judges, and intervals of agreement, where rows of a document share errors.

Two metrics are equally good; a judge is worse than a rater by exactly epsilon. `coverage` prints
how often a test of level 5% says otherwise, and how often intervals hold the truth.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from functools import cache, partial

import numpy as np

import fastcausal as fc
from fastcausal.options import Method

from .coverage_laws import Rng
from .coverage_rates import Asked, Cell, Outcomes

ANY: Asked = (0, 100)
ALARMS: Asked = (0, 6.5)
N_RESAMPLES = 199  # p is a multiple of 1/200, so that it can be .05
N_SYSTEMS = 6
METHODS: tuple[Method, ...] = ("jackknife", "percentile")
EPSILON = 0.2
WRONG = 0.1  # share of wrong labels of a rater


def equal_metrics(n: int, score: str, rng: Rng) -> Outcomes:
    """Compare two metrics of one law over n items of six systems."""
    truth = rng.normal(size=(n, N_SYSTEMS))
    items, systems = (place.ravel().tolist() for place in np.indices(truth.shape))
    own = [rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=truth.shape) for _ in "ab"]
    a, b = ((truth + errors).ravel().tolist() for errors in own)
    labels = (truth + 0.5 * rng.normal(size=truth.shape)).ravel().tolist()
    keys = {"item": items, "system": systems}
    scores, human = keys | {"a": a, "b": b}, keys | {"label": labels}
    [test] = fc.meta(scores, human, compare=score, n_resamples=N_RESAMPLES).tests
    return {"p at most .05": test.p <= 0.05}


def document_of(rng: Rng, n: int) -> np.ndarray:
    """Draw documents of 5 to 20 rows: the document of each row."""
    return np.repeat(np.arange(n), rng.integers(5, 21, n))


def labels_of(rng: Rng, truth: np.ndarray, document: np.ndarray, wrong: float) -> np.ndarray:
    """Draw labels, with this share of wrong ones, which gather in some documents."""
    chance = rng.beta(wrong, 1 - wrong, document.max() + 1)
    return np.where(rng.random(len(truth)) < chance[document], 1 - truth, truth)


def judged(rng: Rng, n: int, wrong: float) -> dict[str, np.ndarray]:
    """Draw the labels of three raters and of a judge over n documents."""
    document = document_of(rng, n)
    truth = rng.integers(0, 2, len(document))
    shares = {"judge": wrong, "r1": WRONG, "r2": WRONG, "r3": WRONG}
    labels = {name: labels_of(rng, truth, document, share) for name, share in shares.items()}
    return {"doc": document} | labels


def disadvantage(wrong: float) -> float:
    """Estimate how much more often a rater is nearer to the rest than such a judge is."""
    table = judged(np.random.default_rng(1), 20_000, wrong)
    rest = table["r2"] + table["r3"]
    of_rater, of_judge = (np.abs(2 * table[name] - rest) for name in ("r1", "judge"))
    return float(np.mean(of_rater <= of_judge) - np.mean(of_judge <= of_rater))


@cache
def wrong_judge() -> float:
    """Return the share of wrong labels of a judge who is worse than a rater by epsilon."""
    shares = np.linspace(0.2, 0.5, 13)
    return float(np.interp(EPSILON, [disadvantage(share) for share in shares], shares))


def replaced(n: int, wrong: float, rng: Rng) -> Outcomes:
    """Ask the alt-test about a judge, by row and by document."""
    table = {name: values.tolist() for name, values in judged(rng, n, wrong).items()}
    raters = ["r1", "r2", "r3"]
    rates = {
        name: fc.meta(table, raters=raters, metrics=["judge"], cluster=cluster, epsilon=EPSILON)
        .metrics["judge"].alt_test.winning_rate
        for name, cluster in (("by row", None), ("by document", "doc"))
    }  # fmt: skip
    return {f"may replace, {name}": winning >= 0.5 for name, winning in rates.items()}


def wrong_tests() -> Iterator[Cell]:
    """Yield cells of equally good metrics, and of a judge who may not replace raters."""
    for score in ("pooled.kendall", "pooled.pearson", "by_item.kendall"):
        for n in (10, 30):
            judge = partial(equal_metrics, n, score)
            yield Cell(f"{n} items of 6 systems, {score}", judge, {"p at most .05": ALARMS})
    asked = {"may replace, by row": ANY, "may replace, by document": ALARMS}
    for n in (10, 20, 50):
        yield Cell(f"{n} documents, alt-test", partial(replaced, n, wrong_judge()), asked)


def rated(rng: Rng, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw documents and the labels 0 and 1 of two raters; share and errors vary by document."""
    document = document_of(rng, n)
    chance = rng.beta(5 * share, 5 * (1 - share), n)
    truth = (rng.random(len(document)) < chance[document]).astype(int)
    wrong = rng.beta(5 * WRONG, 5 * (1 - WRONG), n)
    flips = rng.random((2, len(document))) < wrong[document] * min(1.0, 4 * share)
    return document, np.where(flips, 1 - truth, truth).T


@cache
def true_alpha(share: float) -> float:
    """Return alpha over many documents."""
    return float(fc.krippendorff_alpha(rated(np.random.default_rng(1), 50_000, share)[1]))


def alpha_held(n: int, share: float, truth: float, rng: Rng) -> Outcomes:
    """Say which intervals of alpha hold; those without bounds do not count."""
    document, labels = rated(rng, n, share)
    found: dict[str, bool | None] = {}
    for method in METHODS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of resamples without variation
            interval = fc.alpha_interval(
                labels, clusters=document, method=method, n_resamples=N_RESAMPLES
            )
        null = math.isnan(interval.low)
        found[method] = None if null else interval.low <= truth <= interval.high
        if method == "jackknife":
            found["null"] = null
    return found


def scored_by_documents(rng: Rng, n: int) -> dict[str, np.ndarray]:
    """Draw numbers of people and scores of a metric, which documents share."""
    document = document_of(rng, n)
    shared = rng.normal(size=(3, n))[:, document]
    own = rng.normal(size=(3, len(document)))
    quality, of_people, of_metric = 0.5 * shared + own
    return {
        "doc": document,
        "people": np.round(quality + 0.5 * of_people, 6),
        "metric": np.round(quality + 0.8 * of_metric, 6),
    }


@cache
def true_correlation() -> float:
    """Return the correlation of people and metric over many documents."""
    table = scored_by_documents(np.random.default_rng(1), 50_000)
    return float(np.corrcoef(table["people"], table["metric"])[0, 1])


def correlation_held(n: int, truth: float, rng: Rng) -> Outcomes:
    """Say which intervals of a correlation by documents hold."""
    table = {name: values.tolist() for name, values in scored_by_documents(rng, n).items()}
    found: dict[str, bool | None] = {}
    for method in METHODS:
        report = fc.meta(
            table, raters=["people"], metrics=["metric"], level="interval", cluster="doc",
            intervals=True, method=method, n_resamples=N_RESAMPLES,
        )  # fmt: skip
        low, high = report.metrics["metric"].intervals["pooled"]["pearson"]
        found[method] = None if math.isnan(low) else low <= truth <= high
    return found


def agreement() -> Iterator[Cell]:
    """Yield cells of alpha by document, and of a metric's correlation with people."""
    for share, least in ((0.5, 93), (0.1, 85)):
        for n in (3, 5, 10, 30):
            asked: dict[str, Asked] = {"jackknife": (least, 100), "percentile": ANY, "null": ANY}
            judge = partial(alpha_held, n, share, true_alpha(share))
            yield Cell(f"{n} documents, alpha, labels of a share of {share:g}", judge, asked)
    for n in (3, 5, 10, 30):
        judge = partial(correlation_held, n, true_correlation())
        asked = {"jackknife": (93, 100), "percentile": ANY}
        yield Cell(f"{n} documents, Pearson", judge, asked)
