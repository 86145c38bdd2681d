"""The scorer of inspect-ai: ``inspect score LOG --scorer fastcausal/relations``.

inspect finds it by its entry point; a task names it as ``scorer=relations()``. The metadata of a
sample have ``text`` and the gold ``relations``, as `fastcausal.score` takes them; the answer of the
model is read as ``answers`` are. `StopWhenDecided` ends an evaluation once its verdict is sure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError
from fastcausal.files.values import follow_path
from fastcausal.options import ProtocolName
from fastcausal.significance.draws import check_count
from fastcausal.sweeps.systems import load
from fastcausal.tasks.extraction.score import score as score_relations
from fastcausal.tasks.values.logs import score_number
from fastcausal.training.reward import Reward
from fastcausal.training.stopping import Stop


@metric
def corpus_f1() -> Callable[[list[SampleScore]], float]:
    """Return a metric: F1 of all samples, the sum of ``right`` divided by the sum of ``all``."""

    def compute(scores: list[SampleScore]) -> float:
        values: list[Any] = [each.score.value for each in scores]
        right, every = (math.fsum(value[name] for value in values) for name in ("right", "all"))
        return right / every if every else math.nan

    return compute


@metric
def mean_of_samples() -> Callable[[list[SampleScore]], float]:
    """Return a metric: the mean of the samples' own F1, which is not F1 of the corpus."""

    def compute(scores: list[SampleScore]) -> float:
        values: list[Any] = [each.score.value for each in scores]
        return math.fsum(value["f1"] for value in values) / len(values) if values else math.nan

    return compute


@scorer(metrics=[corpus_f1(), mean_of_samples()])
def relations(
    protocol: ProtocolName = "recess",  # whose scores are ratios of sums
) -> Scorer:
    """Score causes and effects in answers of models against the relations of samples."""
    # The value of a sample is right and all, the parts of its main F1: that of the corpus is the
    # ratio of their sums, which fastcausal compare A.eval B.eval --numerator relations.right
    # --denominator relations.all compares. Beside them f1, its own F1 as `Reward` gives it.
    reward = Reward(protocol)

    async def score(state: TaskState, target: Target) -> Score:
        id, answer = str(state.sample_id), state.output.completion
        lacks = [name for name in ("text", "relations") if name not in state.metadata]
        if lacks:
            raise InputError(f'sample {id}: no "{lacks[0]}" in its metadata')
        gold = {"id": id, **{name: state.metadata[name] for name in ("text", "relations")}}
        report = score_relations(
            [gold], [{"id": id, "output": answer}], protocol, answers="output", unparsed="empty"
        )
        name = report.statistics.formula.main
        [[right, every]] = report.statistics.drawn(None, name).fractions[name].tolist()
        return Score(
            value={"right": right, "all": every, "f1": reward.score(answer, gold)},
            answer=answer,
            explanation="the answer cannot be read" if report.facts["n_unparsed"] else None,
        )

    return score


class StopWhenDecided(Stop):
    """Stop an evaluation once its verdict is sure: ``early_stopping`` of a `Task`.

    A sample counts when all of its epochs are complete; one that ends in an error does not.
    Samples should be in random order.

    Parameters
    ----------
    score : str
        Name of the scorer, or of a value of its dict, such as ``relations.f1``.
    baseline : path or Statistics, optional
        A log of the same samples by the baseline; goes with ``min_delta``.
    budget : int, optional
        Number of samples after which no further one starts.
    **judged
        ``floor``, ``min_delta`` and further arguments of `fastcausal.training.Stop`.
    """

    # The protocol EarlyStopping of inspect-ai: https://inspect.aisi.org.uk/early-stopping.html

    def __init__(
        self, score: str, *, baseline: Any = None, budget: int | None = None, **judged: Any
    ) -> None:
        super().__init__(score, **judged)
        if budget is not None:
            check_count("budget", budget)
        self._score, self._samples = score, budget
        self._baseline: Statistics | None = (
            None if baseline is None else load(baseline, self._reading)
        )
        self._places: dict[str, int] = {}
        if self._baseline is not None and (ids := self._baseline.ids()) is not None:
            self._places = {id: place for place, id in enumerate(ids.to_pylist())}
        self._epochs = 1
        self._started: set[str] = set()
        self._values: dict[str, list[float]] = {}  # of samples that are not complete

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Take the number of epochs; InputError if the baseline lacks a sample."""
        self._epochs = epochs
        unknown = [str(each.id) for each in samples if str(each.id) not in self._places]
        if self._baseline is not None and unknown:
            raise InputError(f'the baseline has no sample "{unknown[0]}", expected all samples')
        return "fastcausal"

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Return the reason not to start a sample; None to start it."""
        from inspect_ai.util import EarlyStop

        if self.is_decided and self.gate is not None:
            return EarlyStop(id=id, epoch=epoch, reason=self.gate.reason)
        if self._samples is not None and len(self._started | {str(id)}) > self._samples:
            return EarlyStop(
                id=id, epoch=epoch, reason=f"the budget of {self._samples} samples is spent"
            )
        self._started.add(str(id))
        return None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: Mapping[str, SampleScore]
    ) -> None:
        """Take the score of a sample; once it has all of its epochs, it is judged."""
        scorer, _, path = self._score.partition(".")
        value: Any = None if scorer not in scores else scores[scorer].score.value
        value = follow_path(value, path) if path else value
        if self.is_decided or value is None:
            return
        values = self._values.setdefault(str(id), [])
        values.append(score_number(value, "early stopping", id, self._score))
        if len(values) == self._epochs:
            mean = math.fsum(self._values.pop(str(id))) / self._epochs
            place, baseline = self._places.get(str(id)), None
            if self._baseline is not None and place is not None:
                baseline = self._baseline.take(np.array([place]))
            self.update([{"id": str(id), self._score: mean}], baseline)

    async def complete_task(self) -> dict[str, Any]:
        """Return the verdict and its numbers, for the log."""
        gate = self.gate
        found = {} if gate is None else gate.to_dict()
        keys = ("verdict", "reason", "n_units", "alpha", "anytime", "log_e", "log_e_fail")
        return {key: found[key] for key in keys if key in found}
