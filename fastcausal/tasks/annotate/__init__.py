"""The page for raters of answers and claims, and the judgments saved from it."""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="annotate",
    command="fastcausal.cli.annotate:annotate",
    page="answers",
)
