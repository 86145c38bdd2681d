"""What is timed of fastcausal where no public call does just that: scoring rows in memory."""

from __future__ import annotations

import pyarrow as pa

from fastcausal import ExtractionScorer, Protocol, Report
from fastcausal.align import Aligned
from fastcausal.engine.kernel import Int64
from fastcausal.engine.rows import Rows
from fastcausal.engine.run import run
from fastcausal.protocols import PROTOCOLS
from fastcausal.relations import ROLES

KERNELS = ("exact_spans", "span_overlap", "partial_spans")
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
