"""Verdicts: is an example causal? Annotators are raters, examples are units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fastcausal.counts.statistics import Statistics
from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.rows import Rows
from fastcausal.significance.sums import Float64
from fastcausal.tasks.agreement.count import AllExamples
from fastcausal.tasks.labels.count import statistics_of
from fastcausal.tasks.labels.ratings import Ratings

VERDICT = "verdict"  # the group of these measures
MEASURES = ("percent_agreement", "alpha")


def judge(rows: Rows) -> Float64:
    """Return 1 for each example with a span of any relation, else 0: float64[n_examples]."""
    return (np.diff(rows.marked().relation_offsets) > 0).astype(np.float64)


def judge_all(annotators: Mapping[str, Relations], examples: AllExamples) -> Float64:
    """Return the verdict of each annotator on each of all examples, NaN for a missing example."""
    verdicts = np.full((len(examples), len(annotators)), np.nan)
    for k, (name, relations) in enumerate(annotators.items()):
        verdicts[examples.places_of(name, None), k] = judge(Rows.of(relations))
    return verdicts


def count_verdicts(verdicts: Float64, annotators: tuple[str, ...]) -> Statistics:
    """Return the statistics of nominal labels, without units, for [n_examples, n_annotators]."""
    offsets = np.arange(len(verdicts) + 1) * len(annotators)
    names = pa.array(annotators, pa.string())
    ratings = Ratings(verdicts.ravel(), offsets, None, len(annotators), rater_names=names)
    return replace(statistics_of(ratings, "nominal", MEASURES), units=None)


def score_verdicts(statistics: Statistics) -> Scores:
    """Compute percent agreement and alpha, with the number of examples of two or more verdicts."""
    n = int(statistics.times @ (np.count_nonzero(statistics.rows, 1) > 1))
    scores = statistics.scores()
    return Scores({"n_examples": n, **{m: float(scores[f"overall_{m}"][0]) for m in MEASURES}})
