"""The scorer of inspect-ai: ``inspect score LOG --scorer fastcausal/relations``.

inspect finds it by its entry point; a task names it as ``scorer=relations()``. The metadata of a
sample have ``text`` and the gold ``relations``, as `fastcausal.score` takes them; the answer of the
model is read as ``answers`` are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from fastcausal.errors import InputError
from fastcausal.options import ProtocolName
from fastcausal.protocols import protocol_named
from fastcausal.tasks.extraction.score import score as score_relations

ERRORS = ("fp", "fn", "le", "be", "lbe")


@metric
def corpus_f1() -> Callable[[list[SampleScore]], float]:
    """Return a metric: F1 of all samples, the sum of ``right`` divided by the sum of ``all``."""

    def compute(scores: list[SampleScore]) -> float:
        values: list[Any] = [each.score.value for each in scores]
        right, every = (math.fsum(value[name] for value in values) for name in ("right", "all"))
        return right / every if every else math.nan

    return compute


@scorer(metrics=[corpus_f1()])
def relations(
    protocol: ProtocolName = "recess",  # one that counts spans
) -> Scorer:
    """Score causes and effects in answers of models against the relations of samples."""
    # The value of a sample is right, twice its hits, and all, these and its errors: F1 is the ratio
    # of their sums, which fastcausal compare A.eval B.eval --numerator relations.right
    # --denominator relations.all compares.
    chosen = protocol_named(protocol)
    if chosen.average != "counts" or chosen.kernel not in ("fair_spans", "exact_spans"):
        raise ValueError(f"F1 of {protocol} is no ratio of sums, expected recess or cnc-2023")

    async def score(state: TaskState, target: Target) -> Score:
        id = str(state.sample_id)
        lacks = [name for name in ("text", "relations") if name not in state.metadata]
        if lacks:
            raise InputError(f'sample {id}: no "{lacks[0]}" in its metadata')
        gold = {"id": id, **{name: state.metadata[name] for name in ("text", "relations")}}
        answer = {"id": id, "output": state.output.completion}
        report = score_relations([gold], [answer], chosen, answers="output", unparsed="empty")
        counts = report["overall"]
        right = 2 * counts["tp"]
        wrong = sum(counts.get(name, 0) for name in ERRORS)
        unread = "the answer cannot be read" if report.facts["n_unparsed"] else None
        return Score(
            value={"right": right, "all": right + wrong},
            answer=state.output.completion,
            explanation=unread,
        )

    return score
