"""Claims of two articles on one topic, each judged by the other article: InfoP, InfoR, InfoF1.

Definitions: MiRAGE; its guide calls a claim supported only if no doubt is left.

::

    files.py       one file of claims: its articles, sentences, claims and judgments
    reading.py     files and tables of several systems and raters, joined
    count.py       supported and judged claims of every topic
    report.py      the scores of these counts
"""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord, Target
from fastcausal.counts.task import Task

TASK = Task(
    job="claims",
    formula="fastcausal.tasks.claims.formula:ClaimFormula",
    present="fastcausal.tasks.claims.report:present",
    score="fastcausal.tasks.claims.count:claims",
    command=CommandRecord(
        "fastcausal.tasks.claims.count:claims",
        {"source": "FILES..."},
        ("fastcausal claims claims_prediction_full_ann.json claims_reference_full_ann.json",),
        writes={
            "per_topic": Target("the scores of topics"),
            "judgments": Target("all judgments"),
        },
    ),
    page="claims",
)
