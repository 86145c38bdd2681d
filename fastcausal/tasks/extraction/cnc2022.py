"""The 2022 scorer of the span task: seqeval's label scores, merged as a running mean of means.

Its scores are no functions of sums, so there are no statistics, no subsets and no batches.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from fastcausal.counts.arithmetic import exact
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import Plan
from fastcausal.engine.run import count_pairs
from fastcausal.errors import InputError
from fastcausal.options import Backend
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES
from fastcausal.report.groups import Scores
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.evaluation import Averages, Bounds, Evaluation, bounds_of
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.sides import align_sides
from fastcausal.tasks.extraction.tally import Tally, totals_of
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.types import shifted
from fastcausal.tasks.relations.unread import name_reasons

if TYPE_CHECKING:
    from fastcausal.tasks.extraction.scorer import ExtractionScorer

MAX_RELATIONS = 8  # 40,320 orders; the official program tries every one
NAMES = ("precision", "recall", "f1")
ARGUMENTS = ROLES[:2]
Score = dict[str, float]  # precision, recall, f1, and number of gold spans as the weight
NOTHING: Score = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "number": 0}


def report_2022(
    scorer: ExtractionScorer, gold: Any, pred: Any, per_example: Any
) -> ExtractionReport:
    """Score two sides, both read as a whole; ValueError for subsets, or rows of examples."""
    if scorer.columns:
        parts = ", ".join(scorer.columns)
        raise ValueError(
            f"cnc-2022 does not add up over parts of the examples: no scores by {parts}"
        )
    if per_example is not None:
        raise ValueError("cnc-2022: a report of counts alone has no per_example")
    recipe, backend = scorer.recipe, scorer.backend
    aligned = scorer.align(gold, pred)
    scores, fate = _scores_of(recipe, aligned, backend)
    reasons = () if aligned.reasons is None else (name_reasons(aligned.reasons, 0),)
    tally = Tally(
        totals_of(aligned),
        roles=aligned.roles,
        found=aligned.found,
        warnings=aligned.counted,
        reasons=reasons,
    )
    bounds = None
    if aligned.unparsed.relations:
        bounds = _bounds(recipe, scores["overall"], (gold, pred), backend)
    return ExtractionReport(Evaluation(recipe, tally, averages=Averages(scores, fate, bounds)))


def _scores_of(
    recipe: Recipe, aligned: Aligned, backend: Backend
) -> tuple[dict[str, Scores], list[str]]:
    plan = recipe.protocol.plan(aligned.roles)
    sides = aligned.gold, aligned.pred
    if recipe.marking.types == "require" and aligned.types is not None:
        sides = shifted(*sides, aligned.types)
    scores, fate = scores_2022(plan, *sides, aligned.examples, aligned.roles, backend)
    return {group: Scores(values) for group, values in scores.items()}, fate


def _bounds(recipe: Recipe, here: Scores, sides: tuple[Any, Any], backend: Backend) -> Bounds:
    """Score under the other policy as well."""
    is_empty = recipe.unparsed == "empty"
    other = replace(recipe, unparsed="skip" if is_empty else "empty")
    try:
        there = _scores_of(other, align_sides(other, *sides), backend)[0]["overall"]
    except InputError:  # examples that are left out may be invalid
        there = None
    return bounds_of(*((here, there) if is_empty else (there, here)))


def scores_2022(
    plan: Plan, gold: Rows, pred: Rows, examples: pa.Table, roles: tuple[str, ...], backend: Backend
) -> tuple[dict[str, Score], list[str]]:
    """Compute precision, recall, F1 and number of gold spans, per role and overall."""
    # Also return warnings, one for each reason for which the official program stops or gives NaN.
    # Sentences with one gold relation are pooled. A sentence with several takes the order of gold
    # relations with the highest overall F1, the first of equal ones. Its label scores are merged
    # into the running result as means weighted by gold spans, in the order of corpus, doc_id and
    # sent_id. The results are means of means and differ from scores of summed counts.
    if backend == "cuda":
        raise ValueError('cnc-2022 is not counted on a GPU, use backend "cpu"')
    n_gold = np.diff(gold.relation_offsets)
    if n_gold.size and n_gold.max() > MAX_RELATIONS:
        most = int(n_gold.argmax())
        raise InputError(
            f"cnc-2022 tries every order of gold relations: {_name_example(examples, most)} has "
            f"{n_gold[most]}, expected at most {MAX_RELATIONS}"
        )
    single = np.flatnonzero(n_gold == 1)
    pooled = _cells(plan, gold, pred, single, backend).sum(axis=(0, 1, 2))
    result = _label_scores(pooled, roles)
    program = _Program(roles, pooled if len(single) else None)
    several = np.flatnonzero(n_gold > 1)
    for example in _sort_by_corpus(examples, several):
        cells = _cells(plan, gold, pred, np.array([example]), backend)[0]
        n = len(cells)
        best, chosen = -1.0, result
        for order in permutations(range(n)):
            of_order = _label_scores(cells[list(order), range(n)].sum(axis=0), roles)
            f1 = _overall(of_order)["f1"]
            if f1 > best:
                best, chosen = f1, of_order
        program.merge(cells[range(n), range(n)].sum(axis=0), _name_example(examples, example))
        result = {role: _mean([result[role], chosen[role]]) for role in roles}
    # The official number counts each track once: relations by their first role, and signals.
    firsts = dict(zip(plan.params[1:][::-1].tolist(), roles[::-1], strict=True)).values()
    number = sum(result[role]["number"] for role in firsts)
    scores = {"overall": _overall(result) | {"number": number}, **result}
    return scores, program.warnings(len(several) > 0)


class _Program:
    """The official program on the same counts in the same order: its stops and its NaN."""

    # It stops at a sum without causes or without effects, and at 0/0 of Python integers. It goes on
    # with NaN after 0/0 of NumPy integers, which hold the counts of every role that has occurred.

    def __init__(
        self,
        roles: tuple[str, ...],
        # [n_fields]: counts of all examples with one gold relation; None without such examples
        pooled: Int64 | None,
    ) -> None:
        self.roles = roles
        self.stop = ""
        self.undefined: dict[str, str] = {}  # by role: the example from which on it is NaN
        self.occurred: set[str] = set()
        self.n_gold = dict.fromkeys(ROLES, 0)
        if pooled is None:
            self.stop = "no example has one relation"
        else:
            self._add(pooled, "in examples with one relation")

    def merge(self, counts: Int64, example: str) -> None:
        """Add an example of several relations; its pairing makes no difference here."""
        if self.stop:
            return
        if not self._add(counts, f"in {example}"):
            self._end(f"gold marks nothing in {example}")
        for role in ROLES:
            if self.n_gold[role]:
                continue
            if role in self.occurred:
                self.undefined.setdefault(role, example)
            else:
                self._end(f"no {role} on either side up to {example}")

    def _add(self, counts: Int64, where: str) -> int:
        """Add counts; return their number of gold spans."""
        n = 0
        for role, (tp, fp, fn) in zip(self.roles, counts.reshape(-1, 3).tolist(), strict=True):
            if tp + fp + fn > 0 and role in self.n_gold:
                self.occurred.add(role)
                self.n_gold[role] += tp + fn
                n += tp + fn
            elif role in ARGUMENTS:
                self._end(f"no {role} on either side {where}")
        return n

    def _end(self, reason: str) -> None:
        self.stop = self.stop or reason

    def warnings(self, has_several: bool) -> list[str]:
        """Return a warning if the program stops, else a warning for each result that is NaN."""
        if self.stop:
            return [f"{self.stop}, the official program stops"]
        if not has_several and not any(self.n_gold.values()):
            return ["gold marks nothing, the official program gives NaN overall"]
        return [
            f"{role} is predicted but in no gold up to {example}, "
            "the official program gives NaN for it and overall"
            for role, example in self.undefined.items()
        ]


def _name_example(examples: pa.Table, example: int) -> str:
    named = "id" in examples.column_names
    return f"example {examples['id'][example] if named else example}"


def _cells(plan: Plan, gold: Rows, pred: Rows, examples: Int64, backend: Backend) -> Int64:
    """Count every gold against every predicted relation: [examples, gold, pred, fields].

    All examples have the same number n of gold relations. Predictions beyond n are dropped;
    missing ones are -1.
    """
    n = int(np.diff(gold.relation_offsets)[examples[0]]) if len(examples) else 1
    k = np.arange(n)
    first, stop = pred.relation_offsets[examples], pred.relation_offsets[examples + 1]
    golds = gold.relation_offsets[examples][:, None] + k
    preds = first[:, None] + k
    preds = np.where(preds < stop[:, None], preds, -1)
    shape = (len(examples), n, n)
    gold_index = np.broadcast_to(golds[:, :, None], shape).ravel()
    pred_index = np.broadcast_to(preds[:, None, :], shape).ravel()
    counts = count_pairs(
        plan,
        gold,
        pred,
        np.ascontiguousarray(gold_index),
        np.ascontiguousarray(pred_index),
        backend,
    )
    return counts.reshape(*shape, plan.n_fields)


def _label_scores(counts: Int64, roles: tuple[str, ...]) -> dict[str, Score]:
    scores = {}
    for role, (tp, fp, fn) in zip(roles, counts.reshape(len(roles), 3).tolist(), strict=True):
        of_role = exact({"tp": tp, "fp": fp, "fn": fn}, 0.0)
        scores[role] = of_role | {"number": tp + fn}
    return scores


def _overall(by_role: dict[str, Score]) -> Score:
    return _mean(list(by_role.values()))


def _mean(scores: list[Score]) -> Score:
    """Return the means of precision, recall and F1, weighted by number; zeros without weights."""
    total = int(sum(s["number"] for s in scores))
    if not total:
        return NOTHING
    mean = dict.fromkeys(NAMES, 0.0)
    for name in NAMES:
        for of_role in scores:  # a plain sum, as in the program; `sum` compensates since 3.12
            mean[name] += of_role[name] * of_role["number"]
        mean[name] /= total
    return mean | {"number": total}


def _sort_by_corpus(examples: pa.Table, chosen: Int64) -> list[int]:
    columns = [c for c in ("corpus", "doc_id", "sent_id") if c in examples.column_names]
    keys = [examples[c].to_pylist() for c in columns]
    numbers = [all(str(v).isdecimal() for v in key) for key in keys]

    def key(example: int) -> list[int | str]:
        return [
            int(column[example]) if number else str(column[example])
            for column, number in zip(keys, numbers, strict=True)
        ]

    return sorted(chosen.tolist(), key=key)
