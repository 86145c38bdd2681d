"""The tasks of UniCausal on its corpora: sentences, pairs and spans, scored like its program.

::

    files.py       rows of grouped and ungrouped files, and predictions
    examples.py    the rows that a task scores
    labels.py      ``classify --protocol unicausal-seq`` and ``unicausal-pair``
    tags.py        tags of words from marks, and entities in tags
    count.py       ``score --protocol unicausal-span``
    formula.py     scores of labels and of entities; report.py shows the latter
"""

from __future__ import annotations

from fastcausal.counts.task import Task, TaskProtocol

SPANS = Task(
    job="unicausal-spans",
    formula="fastcausal.tasks.unicausal.formula:EntityFormula",
    present="fastcausal.tasks.unicausal.report:present",
    protocols={
        "unicausal-span": TaskProtocol(
            under="score", score="fastcausal.tasks.unicausal.count:spans"
        )
    },
    command="fastcausal.cli.score:score",
    page="howto/unicausal",
)
LABELS = Task(
    job="unicausal-labels",
    formula="fastcausal.tasks.unicausal.formula:OccurringFormula",
    present="fastcausal.tasks.classification.report:present",
    protocols=dict.fromkeys(
        ("unicausal-seq", "unicausal-pair"),
        TaskProtocol(
            under="classify",
            score="fastcausal.tasks.unicausal.labels:labels",
            read="fastcausal.tasks.unicausal.labels:read_gold",
            public="fastcausal.tasks.unicausal.labels:public",
        ),
    ),
    page="howto/unicausal",
)
TASKS = (SPANS, LABELS)
