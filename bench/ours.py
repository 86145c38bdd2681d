"""What is timed of fastcausal where no public call does just that: scoring rows in memory."""

from __future__ import annotations

import pyarrow as pa

from fastcausal import ExtractionScorer, Protocol, Report
from fastcausal.align import Aligned
from fastcausal.annotators.measures import measures, ratio
from fastcausal.engine.kernel import Int64
from fastcausal.engine.rows import Rows
from fastcausal.engine.run import chosen_pairs, count_pairs, run
from fastcausal.protocols import PROTOCOLS
from fastcausal.relations import ROLES

KERNELS = ("exact_spans", "span_overlap", "partial_spans")
Agreed = dict[str, dict[str, float]]  # by role, or "total", and by measure
BY_NAME = PROTOCOLS | {kernel: Protocol(kernel, kernel=kernel) for kernel in KERNELS}


def counts(
    protocol: str, gold: Rows, pred: Rows, num_threads: int | None = None, backend: str = "cpu"
) -> Int64:
    """Summed counts of examples with at most one gold relation, and of the others."""
    plan = BY_NAME[protocol].plan(ROLES)
    found = run(plan, gold, pred, None, 1, backend, num_threads, apart=True, partners=False)
    return found.counts


def report(
    protocol: str, gold: Rows, pred: Rows, num_threads: int | None = None, backend: str = "cpu"
) -> Report:
    """All scores."""
    scorer = ExtractionScorer(BY_NAME[protocol], backend=backend, num_threads=num_threads)
    unnamed = pa.table({"example": pa.nulls(gold.n_examples)})
    scorer.add(Aligned(gold, pred, ROLES, unnamed, counted={}))
    return scorer.compute()


def agreement(gold: Rows, pred: Rows, num_threads: int | None = None) -> Agreed:
    """EM, OSB, TO over the chosen pairs of relations, and alpha, weighted by marked tokens."""
    plan = BY_NAME["span_overlap"].plan(ROLES)
    partner = run(plan, gold, pred, num_threads=num_threads).partner
    _, of_gold, of_pred = chosen_pairs(plan, gold, pred, partner)
    counts = count_pairs(plan, gold, pred, of_gold, of_pred)
    top, bottom = measures(counts, len(ROLES))
    values = ratio(top.sum(axis=0), bottom.sum(axis=0)).tolist()
    names = ("alpha", "em", "osb", "to")
    return {
        group: dict(zip(names, of_group, strict=True))
        for group, of_group in zip((*ROLES, "total"), values, strict=True)
    }
