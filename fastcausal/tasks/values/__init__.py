"""Values that any evaluation gives its examples: from logs of harnesses and from plain tables.

::

    reading.py    what to read: scores, columns, policies
    files.py      logs and tables, told apart by content
    inspect_logs.py, lm_eval.py, tables.py    their readers
    answers.py    from the answers of an example to its value
    formula.py    means and ratios of sums, with a denominator for each score
    count.py      `fastcausal.statistics`
    pairing.py    several systems on the same examples
    report.py     scores of one system
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="values",
    formula="fastcausal.tasks.values.formula:ValueFormula",
    present="fastcausal.tasks.values.report:present",
    score="fastcausal.tasks.values.count:statistics",
    command="fastcausal.cli.aggregate:aggregate",
    page="desk",
)
