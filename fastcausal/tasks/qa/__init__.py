"""Answers to questions, as the SQuAD task scores them.

::

    files.py      questions and answers from files
    scorer.py     exact match and F1 of predicted answers
    report.py     their means, over all questions and those about causes
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    score="fastcausal.tasks.qa.scorer:qa",
    command="qa",
    page="qa.md",
    job="answers",
    formula="fastcausal.tasks.qa.formula:QAFormula",
    present="fastcausal.tasks.qa.report:present",
)
