"""FinCausal's task 2, 2020 to 2023: labels of words, as its scoring program gives and counts them.

::

    files.py       rows of both sides, side by side
    words.py       ways to cut texts into words
    nltk_rules.py  the default way: nltk's rules
    labels.py      labels of words, by chains of a span's words
    sections.py    counts of sections, their rows paired
    stops.py       rows on which the published program ends
    count.py       the function `fincausal`: from both sides to Statistics
    formula.py     precision, recall and F1 of classes, weighted by their words
    report.py      scores, classes, guesses
    explain.py     from the published rules to spans, a change at a time
"""

from __future__ import annotations

from fastcausal.counts.task import Task, TaskProtocol

TASK = Task(
    job="fincausal",
    formula="fastcausal.tasks.fincausal.formula:WordFormula",
    present="fastcausal.tasks.fincausal.report:present",
    score="fastcausal.tasks.fincausal.count:fincausal",
    read="fastcausal.tasks.fincausal.files:read_gold",
    public="fastcausal.tasks.fincausal.files:public",
    protocols={
        "fincausal-2020": TaskProtocol(
            under="score",
            score="fastcausal.tasks.fincausal.count:fincausal",
            alone=("lenient",),
        )
    },
    command="fastcausal.cli.score:score",
    page="fincausal",
)
