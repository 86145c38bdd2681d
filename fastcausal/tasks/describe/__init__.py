"""The content of a corpus: counts of sentences, relations, words and signals.

::

    describe.py      counts, from relations or labels
    words.py         ways to count words
    description.py   the result: tables, JSON
    plots.py         figures
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="describe",
    score="fastcausal.tasks.describe.describe:describe",
    command="fastcausal.cli.describe:describe",
    page="corpus",
)
