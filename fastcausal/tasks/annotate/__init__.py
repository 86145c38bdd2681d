"""The page on which raters judge answers and claims, and the judgments that come back from it."""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    score="fastcausal.tasks.annotate.export:export",
    command="annotate",
    page="answers.md",
)
