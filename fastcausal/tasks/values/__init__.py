"""Values of examples from any evaluation: logs of harnesses and plain tables.

::

    reading.py    settings of reading: scores, columns, policies
    files.py      logs and tables, recognised by content
    inspect_logs.py, lm_eval.py, tables.py    their readers
    exports.py    answers of exports, of one system or several
    every_eval_ever.py, promptfoo.py, deepeval.py, helm.py, mlflow.py, langfuse.py    their readers
    answers.py    from the answers of an example to its value
    formula.py    means and ratios of sums, with a denominator for each score
    count.py      `fastcausal.statistics`
    report.py     scores of one system
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="values",
    formula="fastcausal.tasks.values.formula:ValueFormula",
    present="fastcausal.tasks.values.report:present",
    load="fastcausal.tasks.values.count:load",
    list_logs="fastcausal.tasks.values.files:list_logs",
    score="fastcausal.tasks.values.count:statistics",
    command="fastcausal.cli.aggregate:aggregate",
    page="desk",
)
