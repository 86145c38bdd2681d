"""Patterns for look-up on a device (csrc/fastcausal/patterns.h), learnt on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fastcausal.engine import cpu
from fastcausal.engine.device.machine import Array, Machine
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Plan, TooLargeError
from fastcausal.errors import InputError
from fastcausal.rows import Rows

MAX_SAMPLE = 16384  # examples in the sample that patterns are learnt from
SLICES = 32  # slices of the input in the sample
Read = Callable[[Any], Any]  # converts an array, possibly of a machine, to NumPy


class Patterns(NamedTuple):
    """Patterns of a plan in the memory of a machine."""

    table: Array = None  # On the machine
    # Number of patterns and free places; 0 if patterns do not determine the plan's counts
    n: int = 0
    n_examples: int = 0  # Number of examples in the sample


def patterns_of(machine: Machine, plan: Plan, gold: Rows, pred: Rows, read: Read) -> Patterns:
    """Return the patterns of a plan; learn them from a sample at the first call.

    A sample four times as large replaces them.
    """
    known: Patterns = plan.machine_patterns.get(machine, Patterns())
    n = min(gold.n_examples, MAX_SAMPLE)
    if n and n >= 4 * known.n_examples:
        written = _learnt(plan, gold, pred, n, read)
        known = Patterns(n_examples=n)
        if written is not None:
            table = np.frombuffer(written, np.uint8)
            known = Patterns(machine.constant(table), int(table[:4].view(np.int32)[0]), n)
        plan.machine_patterns[machine] = known
    return known


def _learnt(plan: Plan, gold: Rows, pred: Rows, n: int, read: Read) -> bytes | None:
    """Count a sample on the host, and return all patterns known afterwards."""
    counts = np.zeros((1, plan.n_fields), np.int64)
    try:
        drawn = sampled(gold, n, read), sampled(pred, n, read)
        cpu.run(plan, *drawn, CountGroups(None, 1), None, counts, 1, check=True)
    except (IndexError, InputError, TooLargeError):  # the count of all examples reports these
        return None
    return cpu.patterns(plan)


def sampled(rows: Rows, n: int, read: Read) -> Rows:
    """Copy about n examples to the host, in slices spread over the rows."""
    width = n if n == rows.n_examples else -(-n // SLICES)
    starts = np.linspace(0, rows.n_examples - width, 1 if width == n else SLICES, dtype=np.int64)
    slices: list[tuple[Any, ...]] = []
    for start in starts.tolist():
        relations = read(rows.relation_offsets[start : start + width + 1])
        of_relations = read(rows.row_offsets[relations[0] : relations[-1] + 1])
        values = read(rows.values[of_relations[0] : of_relations[-1]])
        lengths = read(rows.lengths[start : start + width])
        slices.append((values, np.diff(of_relations), np.diff(relations), lengths))
    values, row_sizes, relation_sizes, lengths = map(np.concatenate, zip(*slices, strict=True))
    return Rows(values, _offsets(row_sizes), _offsets(relation_sizes), lengths)


def _offsets(sizes: Int64) -> Int64:
    return np.concatenate([[0], np.cumsum(sizes)])
