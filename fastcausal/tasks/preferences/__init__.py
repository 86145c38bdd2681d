"""The best of several predictions on one topic, chosen by raters.

Definitions: the preferences of MiRAGE. A rater sees the predictions of several systems without
their names, chooses the best with the reference at hand and with the topic alone, and gives each a
score from 1 to 5.

::

    files.py      files of raters, and the key from places to systems
    count.py      wins, ties and ranks of systems
    report.py     their display
"""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord, Target
from fastcausal.counts.task import Task

TASK = Task(
    job="preferences",
    score="fastcausal.tasks.preferences.count:preferences",
    command=CommandRecord(
        "fastcausal.tasks.preferences.count:preferences",
        {"source": "FILES..."},
        (
            "fastcausal preferences preferences_ann.json preferences_ben.json "
            "--key preferences_key.json",
        ),
        writes={
            "per_topic": Target("the scores of topics"),
            "judgments": Target("a label of each system, for meta,"),
        },
    ),
    page="claims",
)
