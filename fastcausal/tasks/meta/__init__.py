"""Metrics and model judges against people.

::

    files.py           scores and judgments, joined by system and item
      wide.py          both in one wide table
      kinds.py         labels as numbers of a level, or as classes
      levels.py        a metric against human values: pooled, by item, by system
        correlations.py    Pearson, Spearman, tau-b, accuracy and AUC (native)
        soft.py            soft pairwise accuracy
        intervals.py       items or clusters drawn with all their rows
        swaps.py           two metrics compared by exchanging their scores
      humans.py        agreement of raters, and each of them as a metric: the ceiling
      thresholds.py, alt_test.py, estimates.py
    judges.py          judges of classes against the majority, all of their numbers
    reasons.py         reasons of undefined numbers
    scorer.py          all results at once
    report.py          their display; class_tables.py: of judges
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="meta",
    score="fastcausal.tasks.meta.scorer:meta",
    command="fastcausal.cli.meta:meta",
    page="meta",
)
