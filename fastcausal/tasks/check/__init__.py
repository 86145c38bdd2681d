"""Annotation rules that a program can check, and the findings as a report."""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord
from fastcausal.counts.task import Task

TASK = Task(
    job="check",
    score="fastcausal.tasks.check.guidelines:check",
    command=CommandRecord(
        "fastcausal.tasks.check.guidelines:check",
        {"sources": "FILES..."},
        (
            "fastcausal check gold.csv",
            "fastcausal check annotator_1.jsonl annotator_2.jsonl --json",
        ),
        opens=True,
        fails="findings",
    ),
    page="checks",
)
