"""Launches that count: their records, counters and order (csrc/device/)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastcausal.engine.device.machine import Machine, Queue
from fastcausal.engine.device.patterns import Patterns
from fastcausal.engine.plan import PLAN, CountGroups, Plan
from fastcausal.errors import InputError

LAUNCH = ("counts", "first", "last", "n_totals", "n_lanes")


def _record(members: str) -> np.dtype[np.void]:
    """Declare a record: addresses and numbers of 8 bytes, then struct Launch."""
    numbers = [(name, np.uint64) for name in (*members.split(), *LAUNCH)]
    return np.dtype([*numbers, ("plan", PLAN)])


# The launch records: struct Task of examples.cuh, struct LabelTask of labels.cu.
TASK = _record(
    "gold_rows gold_row_offsets gold_relation_offsets "
    "pred_rows pred_row_offsets pred_relation_offsets lengths groups partner apart check "
    "patterns chosen n_chosen n_chosen_lanes lists n_listed"
)
LABEL_TASK = _record(
    "gold_ids pred_ids marks n_labels ignored n_tokens gold_itemsize pred_itemsize run_on left_out"
)

# The compiler of csrc/device/ is given both.
LANES = 32  # threads of a warp
THREADS = 128  # of a block
COUNTERS = 24 << 10  # bytes of counters in a block's memory: leaves room for several blocks
MAX_CHOSEN = 2  # most rows of counts with separate patterns


def n_lanes(n_cells: int) -> int:
    """Return the number of columns of 32-bit counters per block for these counts."""
    # 0 if none fit
    lanes = LANES
    while lanes and 4 * n_cells * lanes > COUNTERS:
        lanes //= 2
    return lanes


def task_of(
    record: np.dtype[np.void],
    machine: Machine,
    plan: Plan,
    examples: tuple[int, int],
    n_totals: int,
    **members: int,
) -> npt.NDArray[np.void]:
    """Make the record of one launch over a range of examples.

    Without shared totals, every example has its own row of counts.
    """
    task = np.zeros((), record)
    for name, member in members.items():
        task[name] = member % 2**64
    task["plan"] = plan.record(*(machine.address(machine.constant(a)) for a in plan.arrays))
    task["first"], task["last"] = examples
    task["n_totals"] = n_totals
    task["n_lanes"] = n_lanes(n_totals) if n_totals else 0
    return task


def count(
    queue: Queue, entry: str, task: npt.NDArray[np.void], n_more: int = 0, n_threads: int = 1
) -> None:
    """Launch a task of `task_of` with ``n_threads`` threads per example.

    ``n_more`` is the number of counters besides the counters of the totals.
    """
    n_counters = int(task["n_lanes"] * task["n_totals"]) + n_more
    queue.launch(entry, task, int(task["last"] - task["first"]) * n_threads, n_counters)


def score(queue: Queue, plan: Plan, task: npt.NDArray[np.void]) -> None:
    """Count rows by the task's patterns, then the remaining rows by the plan's kernel."""
    if task["patterns"]:
        n, n_totals = int(task["n_chosen"]), int(task["n_totals"] * task["n_lanes"])
        count(queue, "packed", task, n * int(task["n_chosen_lanes"]))
        queue.launch("settle", task, n, n_totals)
    if plan.built_in:
        count(queue, entry_of("score", plan), task)


def list_members(machine: Machine, known: Patterns, groups: CountGroups) -> dict[str, int]:
    """Return the members of a task that counts by patterns, except ``chosen``.

    That is int64[n_chosen], filled with 0.
    """
    if not known.n:
        return {}
    n = 0 if groups.each or groups.n_rows > MAX_CHOSEN else known.n * groups.n_rows
    return {"patterns": machine.address(known.table), "n_chosen": n, "n_chosen_lanes": n_lanes(n)}


def entry_of(kind: str, plan: Plan) -> str:
    """Return the entry of csrc/device/ for a plan: ``score`` for rows, or ``labels``."""
    if not plan.built_in:
        raise InputError(f'{plan.kernel} is written in Python, which backend "cuda" does not run')
    return f"{kind}_{plan.kernel.name}"
