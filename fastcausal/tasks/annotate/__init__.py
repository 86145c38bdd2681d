"""The page on which raters judge answers and claims, and the judgments that come back from it."""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="annotate",
    command="fastcausal.cli.annotate:annotate",
    page="answers",
)
