"""Classification of sentences as causal or not, or into any classes.

::

    classify.py    the call; another protocol is a line there
    files.py       labels from files, tables and arrays
    count.py       confusion counts of predicted labels
    report.py      the scores of these counts
    groups.py      macro-F1 and exact match of many small groups
    fincausal_task1.py
                   FinCausal's labels 0 and 1, weighted
    choices/       answers of models to questions with options
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="classification",
    formula="fastcausal.tasks.classification.formula:LabelFormula",
    present="fastcausal.tasks.classification.report:present",
    score="fastcausal.tasks.classification.classify:classify",
    read="fastcausal.tasks.classification.classify:read_gold",
    public="fastcausal.tasks.classification.classify:public",
    command="fastcausal.cli.classify:classify",
    page="classification",
)
CHOICES = Task(
    job="choices",
    formula="fastcausal.tasks.classification.choices.formula:ChoiceFormula",
    present="fastcausal.tasks.classification.choices.report:present",
    command="fastcausal.cli.classify:classify",
    page="choices",
)
TASK_ONE = Task(
    job="fincausal-task1",
    formula="fastcausal.tasks.classification.fincausal_task1:TaskOneFormula",
    present="fastcausal.tasks.classification.report:present",
    command="fastcausal.cli.classify:classify",
    page="fincausal",
)
TASKS = (TASK, CHOICES, TASK_ONE)
