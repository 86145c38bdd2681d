"""Causal pairs of events in documents, against gold, by every published rule.

::

    files.py       pairs and candidates from tables; corpora/ from published corpora
    labels.py      labels as codes of type and direction
    protocols.py   the rules of published programs, as quirks
    against.py     predictions of MAVEN-ERE against its gold
    count.py       counts by document; columns.py topics and folds of documents
    formula.py     precision, recall, F1
    scorer.py      the function `eci`
    report.py      groups, strata, columns, folds
    explain.py     from one protocol to another, a quirk at a time
    errors.py      wrong pairs by document
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    score="fastcausal.tasks.eci.scorer:eci",
    command="eci",
    page="eci.md",
    job="eci",
    formula="fastcausal.tasks.eci.formula:PairFormula",
    present="fastcausal.tasks.eci.report:present",
)
