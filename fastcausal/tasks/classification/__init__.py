"""Classification of sentences as causal or not, or into any classes.

::

    classify.py    the call
    files.py       labels from files, tables and arrays
    count.py       confusion counts of predicted labels
    report.py      the scores of these counts
    groups.py      macro-F1 and exact match of many small groups
    fincausal_task1.py
                   FinCausal's labels 0 and 1, weighted
    choices/       answers of models to questions with options
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastcausal.counts.command import PAGE, CommandRecord, Flag
from fastcausal.counts.task import Task, TaskProtocol

TASK = Task(
    job="classification",
    formula="fastcausal.tasks.classification.formula:LabelFormula",
    present="fastcausal.tasks.classification.report:present",
    score="fastcausal.tasks.classification.classify:classify",
    read="fastcausal.tasks.classification.classify:read_gold",
    public="fastcausal.tasks.classification.classify:public",
    command=CommandRecord(
        "fastcausal.tasks.classification.classify:classify",
        {"gold": "GOLD", "pred": "PRED..."},
        (
            "fastcausal classify labels_1.csv labels_2.csv",
            "fastcausal classify choices.csv choices_careful.jsonl --answers binary --by rung",
            "fastcausal classify choices.csv choices_chatty.jsonl --protocol cladder-gpt",
        ),
        each="pred",
        unit="example",
        page=PAGE,
        flags={
            "labels": Flag(read="fastcausal.tasks.classification.files:parse_labels"),
            "pattern": Flag(metavar="REGEX"),
            **dict.fromkeys(("gold_column", "pred_column"), Flag(metavar="COLUMN")),
        },
    ),
    page="classification",
)
# Answers of models, without a protocol. The settings of protocols are fields of
# `choices.protocols.Choosing`.
ANSWERS = TaskProtocol(
    under="classify",
    score="fastcausal.tasks.classification.choices.count:choices",
    read="fastcausal.tasks.classification.choices.count:read_gold",
    public="fastcausal.tasks.classification.choices.count:public",
)
CORR2CAUSE: dict[str, Any] = {
    "answers": "binary", "unparsed": "error", "unmatched": "skip", "undefined": 0.0, "rarer": True,
    "by": ("num_nodes", "causal_relation"),
}  # fmt: skip
PROTOCOLS: dict[str, dict[str, Any]] = {
    "copa": {"answers": "choice", "read": "same", "unparsed": "error", "by": ("language",)},
    "e-care": {"answers": "choice", "read": "same", "surplus": "error", "by": ("ask-for",)},
    "cladder": {
        "answers": "binary", "read": "cladder", "unparsed": "error", "unmatched": "skip",
        "by": ("rung", "sensical"),
    },
    "cladder-gpt": {
        "answers": "binary", "read": "cladder-gpt", "unmatched": "skip",
        "by": ("query_type", "rung", "sensical"),
    },
    "corr2cause": {**CORR2CAUSE, "read": "corr2cause"},
    "corr2cause-gpt": {**CORR2CAUSE, "read": "corr2cause-gpt"},
}  # fmt: skip
CHOICES = Task(
    job="choices",
    formula="fastcausal.tasks.classification.choices.formula:ChoiceFormula",
    present="fastcausal.tasks.classification.choices.report:present",
    protocols={name: replace(ANSWERS, settings=own) for name, own in PROTOCOLS.items()},
    page="choices",
)
TASK_ONE = Task(
    job="fincausal-task1",
    formula="fastcausal.tasks.classification.fincausal_task1:TaskOneFormula",
    present="fastcausal.tasks.classification.report:present",
    protocols={
        "fincausal-task1": TaskProtocol(
            under="classify",
            score="fastcausal.tasks.classification.fincausal_task1:task1",
            read="fastcausal.tasks.classification.fincausal_task1:read_gold",
            public="fastcausal.tasks.classification.fincausal_task1:public",
        )
    },
    page="fincausal",
)
TASKS = (TASK, CHOICES, TASK_ONE)
