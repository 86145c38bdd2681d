"""Relations that a played device pairs by the kernel: as backend "cpu" pairs them, nearly all."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fastcausal.engine.device import scoring
from fastcausal.engine.kernel import Objective
from fastcausal.engine.plan import CountGroups, Plan, Result, TooLargeError
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import run
from fastcausal.protocols import CNC_2023, RECESS
from fastcausal.rows import Rows
from tests.engine.test_backends import OBJECTIVES
from tests.support import emulated
from tests.support.strategies import ROLES, Example, rows_of

LENGTH = 24
MAX_RELATIONS = 5  # relations per side on a device
N = 150


def example(rng: np.random.Generator, likes: Example, length: int) -> Example:
    """Draw up to six relations of up to eight spans, some empty, some from the other side."""
    found = [relation for relation in likes if rng.random() < 0.6]
    for _ in range(int(rng.integers(0, 5))):
        bounds = [np.sort(rng.choice(length, 2, replace=False)) for _ in range(rng.integers(9))]
        spans = {(int(rng.integers(3)), *map(int, pair)) for pair in bounds}
        found.append(sorted(spans, key=lambda span: (span[1], span[2], span[0])))
    return [found[k] for k in rng.permutation(len(found))[: rng.integers(1, 7)]]


@cache
def drawn(seed: int) -> tuple[Rows, Rows]:
    """Short examples have many equal spans."""
    rng = np.random.default_rng(seed)
    length = (LENGTH, 5)[seed % 2]
    golds = [example(rng, [], length) for _ in range(N)]
    return rows_of(golds, LENGTH), rows_of([example(rng, g, length) for g in golds], LENGTH)


def on_device(plan: Plan, gold: Rows, pred: Rows) -> tuple[Result, np.ndarray]:
    """The results, and the examples that the host counted."""
    groups = CountGroups(None, 1)
    partner, counts = np.zeros(gold.n_relations, np.int64), np.zeros((1, plan.n_fields), np.int64)
    machine = emulated.Machine()
    queue = machine.current()
    lists, n = scoring.score_device(machine, queue, plan, gold, pred, groups, partner, counts)
    queue.wait()
    left = np.sort(lists[1, : n[1]])
    scoring.finish(plan, gold, pred, groups, left, partner, counts)
    return Result(partner, counts), left


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("base", [RECESS, CNC_2023], ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("kernel", KERNELS)
def test_up_to_five_relations_are_paired_on_the_device(kernel, base, seed):
    gold, pred = drawn(seed)
    for surplus, non_causal in (("charge", "charge"), ("truncate", "ignore")):
        for objective in (None, *OBJECTIVES.get(kernel, [])):
            protocol = replace(
                base, name="test", kernel=kernel, surplus=surplus, non_causal=non_causal,
                objective=objective,
            )  # fmt: skip
            plan = protocol.plan(ROLES)
            found, left = on_device(plan, gold, pred)
            expected = run(plan, gold, pred, n_groups=1)
            np.testing.assert_array_equal(found.counts, expected.counts)
            np.testing.assert_array_equal(found.partner, expected.partner)
            n_gold, n_pred = (np.diff(side.relation_offsets) for side in (gold, pred))
            if surplus == "truncate":
                n_pred = np.where(n_gold, np.minimum(n_gold, n_pred), 0)
            most = np.maximum(n_gold, n_pred)
            np.testing.assert_array_equal(left, np.flatnonzero(most > MAX_RELATIONS))


def test_numbers_that_the_host_refuses():
    """Four relations whose products pass 64 bits are refused; three are compared exactly."""
    last = 2**31 - 1
    objective = Objective({"tp": 1}, {"tp": 1, "fp": 1, "fn": 1})
    plan = replace(RECESS, name="test", kernel="span_overlap", objective=objective).plan(ROLES)
    for n in (3, 4):
        gold = rows_of([[[(0, k, last)] for k in range(n)]], last)
        pred = rows_of([[[(0, k, last - 3)] for k in range(n)]], last)
        if n > 3:
            with pytest.raises(TooLargeError, match="example 0 is too large"):
                on_device(plan, gold, pred)
            continue
        found, left = on_device(plan, gold, pred)
        expected = run(plan, gold, pred, n_groups=1)
        np.testing.assert_array_equal(found.counts, expected.counts)
        np.testing.assert_array_equal(found.partner, expected.partner)
        assert not len(left)
