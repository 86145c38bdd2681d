"""Answers to questions, scored as in the SQuAD task.

::

    questions.py  questions and answers in rows
    files.py      questions and answers from files of SQuAD
    fincausal2025.py  answers from files of FinCausal 2025 and 2026
    marks.py      exact match and F1 of each answer
    count.py      marks of all predicted answers
    formula.py    means of marks
    report.py     the report: means over all questions, and over questions about causes
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
