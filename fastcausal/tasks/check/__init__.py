"""Annotation rules that a program can check, and the findings as a report."""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="check",
    score="fastcausal.tasks.check.guidelines:check",
    command="fastcausal.cli.check:check",
    page="checks",
)
