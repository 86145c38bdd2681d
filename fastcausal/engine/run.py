"""One call for every backend: pair the relations of all examples and count."""

from __future__ import annotations

from operator import index

import numpy as np

from fastcausal.engine import _native, cpu
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Plan, Result
from fastcausal.options import Backend
from fastcausal.options import check as check_option
from fastcausal.rows import Rows, check_both

MAX_THREADS = 2**31 - 1  # an int of C; idle threads are not started


def run(
    plan: Plan,
    gold: Rows,  # Both sides have the same examples in the same order
    pred: Rows,
    groups: Int64 | None = None,  # [n_examples]: below ``n_groups``; None: all in group 0
    n_groups: int | None = None,  # None makes each example a group of its own
    backend: Backend = "cpu",
    # Of ``cpu``, and of the host's part of ``cuda``; None uses all cores for large input
    num_threads: int | None = None,
    *,
    # Group k of examples with several gold relations has the rows 2k and 2k + 1
    apart: bool = False,
    partners: bool = True,  # Return the partner of each gold relation
    check: bool = False,  # Check the rows, which come from a user
) -> Result:
    """Pair gold and predicted relations of every example and add up the counts."""
    # Results never depend on the threads. TooLargeError if an example exceeds the bounds in
    # csrc/engine/cpu.hpp.
    _check_threads(num_threads)
    if check and backend == "reference":
        check_both(gold, pred, len(plan.params) - 1)
    if n_groups is None:
        rows = CountGroups(None, gold.n_examples, each=True)
    else:
        rows = CountGroups(groups, n_groups, apart=apart)
    counts = np.zeros((rows.n_rows, plan.n_fields), np.int64)
    partner = np.empty(gold.n_relations if partners else 0, np.int64)
    filled = partner if partners else None
    if backend == "cpu":
        cpu.run(plan, gold, pred, rows, filled, counts, num_threads, check)
    elif backend == "cuda":
        from fastcausal.engine.device import cuda

        cuda.run(plan, gold, pred, rows, filled, counts, num_threads, check)
    else:
        check_option("backend", backend, Backend)
        from fastcausal.engine.reference import driver

        driver.run(plan, gold, pred, rows, filled, counts)
    return Result(partner, counts)


def check_backend(backend: Backend, num_threads: int | None) -> None:
    """Raise ValueError for an unknown backend or an invalid number of threads.

    For a backend with a missing dependency, raise `InputError` with the package to install.
    """
    check_option("backend", backend, Backend)
    _check_threads(num_threads)
    if backend == "cuda":
        from fastcausal.engine.device import cuda

        cuda.cupy()


def _check_threads(num_threads: int | None) -> None:
    if num_threads is not None and index(num_threads) < 1:
        raise ValueError(f"num_threads is {num_threads}, expected at least 1")
    if num_threads is not None and num_threads > MAX_THREADS:
        raise ValueError(f"num_threads is {num_threads}, expected at most {MAX_THREADS}")


def chosen_pairs(plan: Plan, gold: Rows, pred: Rows, partner: Int64) -> tuple[Int64, Int64, Int64]:
    """Return example, gold and predicted relation of every counted pair: int64[n_pairs] each.

    Each example has the pairs of its gold relations, in order, then its unmatched predictions; -1
    stands for no relation. Predictions that the plan drops are absent.
    """
    pairs = np.empty((3, gold.n_relations + pred.n_relations), np.int64)
    n = _native.list_chosen(gold, pred, partner, plan.host_record, *pairs)
    example, gold_index, pred_index = pairs[:, :n]
    return example, gold_index, pred_index


def count_pairs(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    gold_index: Int64,
    pred_index: Int64,
    backend: Backend = "cpu",
) -> Int64:
    """Count given pairs of relations, -1 for a missing relation: int64[n_pairs, n_fields].

    Backend ``cuda`` does not list pairs: ``cpu`` counts them on the host.
    """
    example = np.where(
        gold_index >= 0,
        gold.example_of_relation()[gold_index] if gold.n_relations else -1,
        pred.example_of_relation()[pred_index] if pred.n_relations else -1,
    )
    lengths = gold.lengths[example]
    counts = np.zeros((len(gold_index), plan.n_fields), np.int64)
    if backend == "reference":
        from fastcausal.engine.reference import driver

        driver.count_pairs(plan, gold, pred, gold_index, pred_index, lengths, counts)
    else:
        cpu.count_pairs(plan, gold, pred, gold_index, pred_index, lengths, counts)
    return counts
