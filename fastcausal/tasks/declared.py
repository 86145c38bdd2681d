"""All tasks: the record of each stands in its own folder."""

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
    extraction,
    labels,
    meta,
    qa,
)

ALL = (
    extraction.TASK,
    agreement.TASK,
    labels.TASK,
    classification.TASK,
    qa.TASK,
    answers.TASK,
    claims.TASK,
    meta.TASK,
    describe.TASK,
    check.TASK,
    annotate.TASK,
    crab.TASK,
    crab.SCORES,
    crab.FRAMES,
    crab.CHAINS,
)
