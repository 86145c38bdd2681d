"""Annotation rules that a program can check: guidelines.py, and the findings as a report."""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    score="fastcausal.tasks.check.guidelines:check",
    command="check",
    page="checks.md",
)
