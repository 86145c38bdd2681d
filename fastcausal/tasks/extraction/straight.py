"""The straight way from two sides in memory to a report, which makes what its scores need alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from fastcausal.engine import cpu
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import Groups, TooLargeError
from fastcausal.engine.run import check_backend
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.rereading import was_read_alone
from fastcausal.protocols import Protocol
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.scorer import ExtractionScorer, formula_of, marked_relations
from fastcausal.tasks.relations.align import are_alike
from fastcausal.tasks.relations.groups import CountedGroups
from fastcausal.tasks.relations.official import are_untagged

APART = Groups(None, 1, apart=True)


def straight(
    gold: Any, pred: Any, protocol: Protocol, num_threads: int | None = None
) -> ExtractionReport | None:
    """Score two sides that need nothing but counting; None where `ExtractionScorer` has to look.

    All but the scores is left to it, when it is asked for.
    """
    roles: tuple[str, ...] = ROLES
    if protocol.average != "counts":
        return None
    if isinstance(gold, Rows) and isinstance(pred, Rows):
        rows, check = (gold, pred), True
    elif isinstance(gold, Relations) and isinstance(pred, Relations):
        if protocol.tags in OFFICIAL or not _are_plain(gold, pred):
            return None
        rows, roles, check = (Rows.of(gold), Rows.of(pred)), gold.roles, False
    else:
        return None
    tags = None
    if not are_alike(*rows, protocol):
        if not (check and are_untagged(*rows, roles, protocol.tags)):
            return None
        tags = protocol.tags
    if num_threads is not None:
        check_backend("cpu", num_threads)
    plan = protocol.plan(roles)
    counts = np.zeros((2, plan.n_fields), np.int64)
    try:
        n_as_given = cpu.run(plan, *rows, APART, None, counts, num_threads, check, tags)
    except TooLargeError:
        return None
    n_relations = marked_relations(rows[0]), marked_relations(rows[1])
    make = partial(_report, protocol, (gold, pred), roles, n_relations, counts, n_as_given)
    scores = CountedGroups(formula_of(protocol, roles), counts)
    return ExtractionReport.later(make, scores)


def _are_plain(gold: Relations, pred: Relations) -> bool:
    """Tell whether two tables have the same examples, and nothing to be said of their reading."""
    if gold.n_unread or pred.n_unread or gold.roles != pred.roles or was_read_alone(pred):
        return False
    a, b = gold.reading, pred.reading
    if a.predicted or a.notes or a.spans or b.notes or b.spans:
        return False
    if gold.ids is None or pred.ids is None:
        return len(gold) == len(pred)
    return bool(gold.ids.equals(pred.ids))


def _report(
    protocol: Protocol,
    sides: tuple[Rows | Relations, Rows | Relations],
    roles: tuple[str, ...],
    n_relations: tuple[int, int],
    counts: Int64,
    n_as_given: int,
) -> ExtractionReport:
    """Return the report of a scorer that has counted one batch."""
    scorer = ExtractionScorer(protocol)
    scorer.roles = roles
    scorer.counts[()] = counts
    scorer.n_as_given = n_as_given
    scorer.n_examples = len(sides[0].lengths if isinstance(sides[0], Rows) else sides[0])
    scorer.n_gold_relations, scorer.n_pred_relations = n_relations
    return scorer.report(partial(scorer.align, *sides))
