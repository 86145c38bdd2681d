"""Extracted causes and effects with references, and raters' verdicts on them.

::

    parse.py      parts of an answer: causes, effects, relation
    reasons.py    reasons of invalid verdicts, as text and as indices
    files.py      answers, references and verdicts from files of all shapes
    batches.py    texts of items, from memory or batch by batch from a file
    votes.py      one verdict and one reason by each rater for each item
    join.py       files of several raters, joined by id
    overlap.py    words that an answer shares with its reference
    texts.py      ROUGE-L and BLEU of whole answers
    shares.py     shares of reasons, agreement on them, items with different reasons
    tables.py     scores of items and verdicts as tables
    formula.py    scores from counts of words, relations and verdicts
    count.py      scores of all answers of a system
    report.py     the report on a system
"""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord, Target
from fastcausal.counts.task import Task

TASK = Task(
    job="answers",
    formula="fastcausal.tasks.answers.formula:ExtractionFormula",
    present="fastcausal.tasks.answers.report:present",
    score="fastcausal.tasks.answers.count:answers",
    command=CommandRecord(
        "fastcausal.tasks.answers.count:answers",
        {"source": "FILE..."},
        ("fastcausal answers judged_ann.json judged_ben.json --per-item items.csv",),
        unit="example",
        writes={
            "per_item": Target("the scores of each item"),
            "judgments": Target("the verdict of each rater"),
            "reasons": Target("the items with one verdict and unlike reasons", "differing"),
        },
    ),
    page="answers",
)
