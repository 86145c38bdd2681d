"""Classification of sentences as causal or not, or into any classes.

::

    files.py       labels from files, tables and arrays
    count.py       confusion counts of predicted labels
    report.py      the scores they give
    groups.py      macro-F1 and exact match of many small groups
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="classification",
    formula="fastcausal.tasks.classification.formula:LabelFormula",
    present="fastcausal.tasks.classification.report:present",
    score="fastcausal.tasks.classification.count:classify",
    read="fastcausal.tasks.classification.files:read_gold",
    command="fastcausal.cli.classify:classify",
    page="classification",
)
