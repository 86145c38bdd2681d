"""Backend "cpu": the native driver."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from fastcausal.engine import _native
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.engine.plan import CountGroups, Plan, TooLargeError
from fastcausal.errors import InputError
from fastcausal.rows import Rows, check_both

# Starting a thread costs as much processor time as scoring half as many examples.
EXAMPLES_PER_THREAD = 8192
FAULTY = -2  # of csrc/engine/cpu.hpp
READINGS = ("cnc-2023", "cnc-2022")  # in the order of ReadAs in csrc/engine/official.hpp, from 1 on


def run(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: CountGroups,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None,
    check: bool = False,
    tags: str | None = None,
) -> int:
    """Count as reference/driver.py does; ``num_threads`` None uses all cores for large input.

    ``check`` refuses invalid rows with InputError. ``tags`` reads the rows as if written with tags;
    the return value is the number of relations that tags cannot hold.
    """
    reading, as_given = 0, None
    if tags is not None:
        reading, as_given = 1 + READINGS.index(tags), np.zeros(1, np.int64)
    num_threads = choose_threads(len(gold.lengths), num_threads)
    try:
        outcome = _call(
            _native.run, plan, gold, pred, groups.of, groups.each, groups.apart, partner, counts,
            num_threads, check, reading, as_given,
        )  # fmt: skip
    except (TypeError, ValueError, BufferError):
        if check:  # an array may have another type or shape
            check_both(gold, pred, int(plan.params[0]))
        raise
    if outcome == FAULTY:
        check_both(gold, pred, int(plan.params[0]))
    elif outcome >= 0:
        raise TooLargeError(outcome)
    return 0 if as_given is None else int(as_given[0])


def choose_threads(n_examples: int, num_threads: int | None) -> int:
    """Return the number of threads for so many examples; None asks for one that pays."""
    if num_threads is not None:
        return num_threads
    paying = n_examples // EXAMPLES_PER_THREAD or 1
    return min(os.cpu_count() or 1, paying) if paying > 1 else 1


def patterns(plan: Plan) -> bytes | None:
    """Serialise the patterns in the plan's memory for a device; None if it has none."""
    written: bytes | None = _call(_native.patterns, plan)
    return written


def count_pairs(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    gold_index: Int64,
    pred_index: Int64,
    lengths: Int32,
    counts: Int64,
) -> None:
    """Count as reference/driver.py does."""
    _call(_native.count_pairs, plan, gold, pred, gold_index, pred_index, lengths, counts)


def _call(driver: Callable[..., Any], plan: Plan, *arguments: Any) -> Any:
    """Call a driver with a csrc kernel by name or a user's kernel by address."""
    if plan.built_in is not None:
        return driver(plan.built_in, plan.memory, plan.host_record, *arguments)
    kernel = plan.kernel
    if kernel.ordinal:
        from fastcausal.engine import ordinal

        called = ordinal.called(kernel)
        result = driver(called.address, plan.memory, plan.host_record, *arguments)
        called.check(plan.memory)
        return result
    try:
        from fastcausal.engine import jit

        function = jit.compiled(kernel)
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        raise InputError(
            f'{kernel} needs numba: pip install "fastcausal[jit]"; or score it with '
            'backend="reference"'
        ) from error
    before = function.faults.copy()
    result = driver(function.address, None, plan.host_record, *arguments)
    function.check(kernel, before)
    return result
