"""Backend "cpu": the native driver."""

from __future__ import annotations

import os

from fastcausal.engine import _native
from fastcausal.engine.kernel import Groups, Int32, Int64, Plan
from fastcausal.engine.rows import Rows

# Starting a thread costs about as much as scoring this many examples.
EXAMPLES_PER_THREAD = 4096


def run(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: Groups,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None,
) -> None:
    """As in plain.py; ``num_threads`` None uses the cores where there is enough work."""
    if num_threads is None:
        num_threads = max(1, gold.n_examples // EXAMPLES_PER_THREAD)
        if num_threads > 1:
            num_threads = min(os.cpu_count() or 1, num_threads)
    _native.run(
        gold.arrays(), pred.arrays(), gold.lengths, plan.arguments, groups.of, groups.each,
        groups.apart, partner, counts, num_threads,
    )  # fmt: skip


def count_pairs(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    gold_index: Int64,
    pred_index: Int64,
    lengths: Int32,
    counts: Int64,
) -> None:
    """As in plain.py."""
    _native.count_pairs(
        gold.arrays(), pred.arrays(), gold_index, pred_index, lengths, plan.arguments, counts
    )
