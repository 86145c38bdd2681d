"""All tasks: the folder of each declares it."""

from __future__ import annotations

from fastcausal.tasks import (
    agreement,
    annotate,
    answers,
    check,
    claims,
    classification,
    crab,
    describe,
    eci,
    extraction,
    fincausal,
    labels,
    meta,
    preferences,
    qa,
    unicausal,
    values,
)

# Every task, once, in the order of the commands: another one is its folder and its line here.
ALL = (
    extraction.TASK,
    fincausal.TASK,
    agreement.TASK,
    labels.TASK,
    classification.TASK,
    classification.CHOICES,
    *unicausal.TASKS,
    classification.TASK_ONE,
    eci.TASK,
    qa.TASK,
    values.TASK,
    answers.TASK,
    claims.TASK,
    preferences.TASK,
    *crab.TASKS,
    meta.TASK,
    describe.TASK,
    check.TASK,
    annotate.TASK,
)
