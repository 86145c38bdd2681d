"""Predicted relations against gold relations.

::

    score.py       score in one call
    scorer.py      score batch by batch
    sides.py       gold and predictions: their kinds, read and aligned
    batches.py     both sides of large sources in step
    counting.py    relations to a tally
    tally.py       the state: totals and counts, which add
    evaluation.py  a tally and all other inputs of its report; stored.py: of statistics
    report.py      the report
    tables.py      counts of examples and of chosen pairs
    decoded.py     label ids and logits to rows
    tag_scorer.py  a scorer of label ids
    cnc2022.py     the running means of the 2022 scorer, which do not add
    public.py      gold without its relations
    explain.py     effects of the official scorer's quirks on a score
"""

from __future__ import annotations

from fastcausal.counts.task import Task, TaskProtocol

TASK = Task(
    job="extraction",
    formula="fastcausal.tasks.relations.formula:RelationFormula",
    formulas={
        "relations": "fastcausal.tasks.relations.whole:WholeFormula",
        "depths": "fastcausal.tasks.relations.depths:DepthsFormula",
    },
    present="fastcausal.tasks.extraction.report:present_statistics",
    score="fastcausal.tasks.extraction.score:score",
    public="fastcausal.tasks.extraction.public:public",
    # Their settings are `fastcausal.protocols.PROTOCOLS`.
    protocols=dict.fromkeys(
        ("recess", "cnc-2023", "cnc-2022", "relations", "depths"), TaskProtocol(under="score")
    ),
    command="fastcausal.cli.score:score",
    page="protocols",
)
