"""Predicted relations against gold relations.

::

    score.py       score in one call
    scorer.py      score batch by batch
    batches.py     both sides of large sources in step
    tables.py      counts of examples and of chosen pairs
    counted.py     scores computed from counts
    decoded.py     label ids and logits to rows
    tag_scorer.py  a scorer of label ids
    cnc2022.py     the running means of the 2022 scorer
    explain.py     what the quirks of the official scorer do to a score
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="extraction",
    formula="fastcausal.tasks.relations.formula:RelationFormula",
    present="fastcausal.tasks.extraction.report:of_statistics",
    score="fastcausal.tasks.extraction.score:score",
    command="fastcausal.cli.score:score",
    page="protocols",
)
