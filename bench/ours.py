"""The timed calls of fastcausal: scoring rows in memory."""

from __future__ import annotations

from fastcausal import Protocol, Report, Rows, score
from fastcausal.engine.kernel import Int64
from fastcausal.engine.run import run
from fastcausal.protocols import PROTOCOLS
from fastcausal.relations import ROLES

MEASURES = ("em", "osb", "to", "alpha")
KERNELS = ("exact_spans", "span_overlap", "partial_spans")
Agreed = dict[str, dict[str, float]]  # by role, or "total", and by measure
BY_NAME = PROTOCOLS | {kernel: Protocol(kernel, kernel=kernel) for kernel in KERNELS}


def counts(
    protocol: str, gold: Rows, pred: Rows, num_threads: int | None = None, backend: str = "cpu"
) -> Int64:
    """Return summed counts of examples with at most one gold relation, and of other examples."""
    plan = BY_NAME[protocol].plan(ROLES)
    found = run(plan, gold, pred, None, 1, backend, num_threads, apart=True, partners=False)
    return found.counts


def report(
    protocol: str, gold: Rows, pred: Rows, num_threads: int | None = None, backend: str = "cpu"
) -> Report:
    """Compute all scores."""
    return score(gold, pred, BY_NAME[protocol], backend=backend, num_threads=num_threads)


def agreement(gold: Rows, pred: Rows, num_threads: int | None = None) -> Agreed:
    """Compute EM, OSB, TO over the chosen pairs of relations, and alpha over their token masks."""
    names = {"overall": "total"}
    return {
        names.get(group, group): {measure: scores[measure] for measure in MEASURES}
        for group, scores in report("span_overlap", gold, pred, num_threads).scores.items()
    }
