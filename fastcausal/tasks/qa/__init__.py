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

from fastcausal.counts.command import PAGE, CommandRecord, Flag
from fastcausal.counts.task import Task, TaskProtocol

TASK = Task(
    job="qa",
    formula="fastcausal.tasks.qa.formula:QuestionFormula",
    present="fastcausal.tasks.qa.report:present",
    score="fastcausal.tasks.qa.count:qa",
    read="fastcausal.tasks.qa.files:read_gold",
    public="fastcausal.tasks.qa.files:public",
    protocols={
        "squad-1.1": TaskProtocol(
            under="qa",
            score="fastcausal.tasks.qa.count:count_marks",
            read="fastcausal.tasks.qa.files:read_squad",
            public="fastcausal.tasks.qa.files:clear_squad",
        ),
        "fincausal-2025": TaskProtocol(
            under="qa",
            score="fastcausal.tasks.qa.fincausal2025:count_marks",
            read="fastcausal.tasks.qa.fincausal2025:read_sides",
            public="fastcausal.tasks.qa.fincausal2025:clear_answers",
            alone=("official_order", "similarity", "judge"),
        ),
    },
    command=CommandRecord(
        "fastcausal.tasks.qa.count:qa",
        {"gold": "GOLD", "pred": "PRED..."},
        (
            "fastcausal qa questions.json answers.json",
            "fastcausal qa causes.csv causes_careful.csv --protocol fincausal-2025 --judge mark",
        ),
        each="pred",
        unit="example",
        page=PAGE,
        implied="judge",
        flags=dict.fromkeys(
            ("similarity", "judge", "gold_column", "pred_column"), Flag(metavar="COLUMN")
        ),
    ),
    page="qa",
)
