"""Answers to questions, scored as in the SQuAD task.

::

    questions.py  questions and answers in rows
    files.py      the same from files
    marks.py      exact match and F1 of each answer
    count.py      those of all predicted answers
    report.py     their means, over all questions and those about causes
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="answers",
    formula="fastcausal.tasks.qa.formula:QuestionFormula",
    present="fastcausal.tasks.qa.report:present",
    score="fastcausal.tasks.qa.count:qa",
    read="fastcausal.tasks.qa.files:read_gold",
    public="fastcausal.tasks.qa.files:public",
    command="fastcausal.cli.qa:qa",
    page="qa",
)
