"""Several spans of a role: patterns count them as the kernel and the specification do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine import cpu
from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference import kernels
from fastcausal.engine.run import run
from fastcausal.errors import InputError
from fastcausal.protocols import CNC_2023, RECESS, Protocol
from fastcausal.rows import Rows
from fastcausal.tasks.relations import official
from tests.engine.test_backends import TRACKS
from tests.engine.test_patterns import forgetful
from tests.support.profiles import trials
from tests.support.strategies import ROLES, Relation, rows_of

PROTOCOLS = (RECESS, CNC_2023, Protocol("kept", ties="first"))


def relation(rng: np.random.Generator, length: int) -> Relation:
    """Spans next to each other or apart, up to two of a role, or now and then three."""
    n = int(rng.integers(1, 7))
    bounds = np.sort(rng.choice(length + 1, min(2 * n, length + 1) // 2 * 2, replace=False))
    if rng.random() < 0.5:  # neighbours that touch
        bounds[2::2] = bounds[1:-1:2]
    roles = rng.choice(3, len(bounds) // 2, p=[0.45, 0.4, 0.15]).tolist()
    spans = zip(roles, bounds[::2].tolist(), bounds[1::2].tolist(), strict=True)
    kept = [(role, start, stop) for role, start, stop in spans if start < stop]
    if rng.random() < 0.1:  # perhaps it overlaps another span
        start = int(rng.integers(length))
        kept.append((int(rng.integers(3)), start, start + 1))
    return kept


def moved(rng: np.random.Generator, spans: Relation, length: int) -> Relation:
    found = []
    for role, start, stop in spans:
        first = min(max(start + int(rng.integers(-1, 2)), 0), length - 1)
        other = role if rng.random() < 0.9 else int(rng.integers(3))
        found.append((other, first, max(first + 1, min(stop + int(rng.integers(-1, 2)), length))))
    return found


@cache
def drawn(seed: int, n: int, length: int, most: int = 3) -> tuple[Rows, Rows]:
    rng = np.random.default_rng(seed)
    golds, preds = [], []
    for _ in range(n):
        gold = [relation(rng, length) for _ in range(rng.integers(0, most + 1))]
        pred = [moved(rng, spans, length) for spans in gold if rng.random() < 0.8]
        if rng.random() < 0.5:
            pred.append(relation(rng, length))
        golds.append(gold)
        preds.append([pred[k] for k in rng.permutation(len(pred))])
    return rows_of(golds, length), rows_of(preds, length)


@pytest.mark.drawn
@pytest.mark.parametrize("kernel", kernels.KERNELS)
@pytest.mark.parametrize("length", [9, pytest.param(25, marks=pytest.mark.slow)])
def test_patterns_count_as_the_specification_does(kernel, length):
    gold, pred = drawn(length, max(25, trials(100).max_examples), length)
    choices = [*((p, RECESS.tracks) for p in PROTOCOLS), *((RECESS, t) for t in TRACKS)]
    for protocol, tracks in choices:
        plan = replace(protocol, name="test", kernel=kernel, objective=None, tracks=tracks).plan(
            ROLES
        )
        expected = run(plan, gold, pred, backend="reference")
        for way in (plan, plan, forgetful(plan)):
            found = run(way, gold, pred, check=True)
            np.testing.assert_array_equal(found.counts, expected.counts)
            np.testing.assert_array_equal(found.partner, expected.partner)
            total = run(way, gold, pred, None, 1, partners=False)
            np.testing.assert_array_equal(total.counts[0], expected.counts.sum(axis=0))


@pytest.mark.parametrize("kernel", kernels.KERNELS)
@pytest.mark.parametrize("most", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_more_patterns_than_a_table_holds(kernel, most):
    gold, pred = drawn(most, 5000, 40, most)
    for protocol in PROTOCOLS:
        plan = replace(protocol, name="test", kernel=kernel, objective=None).plan(ROLES)
        expected = run(forgetful(plan), gold, pred)
        for _ in range(2):
            found = run(plan, gold, pred)
            np.testing.assert_array_equal(found.counts, expected.counts)
            np.testing.assert_array_equal(found.partner, expected.partner)
            total = run(plan, gold, pred, None, 1, partners=False)
            np.testing.assert_array_equal(total.counts[0], expected.counts.sum(axis=0))


@pytest.mark.parametrize("kernel", kernels.KERNELS)
@pytest.mark.parametrize("reading", cpu.READINGS)
def test_arguments_of_one_token_run_on(kernel, reading):
    """Arguments of one token run on from the second span of a role too, and to it."""
    sides = drawn(7, 1500, 12)
    plan = replace(CNC_2023, name="test", kernel=kernel, objective=None).plan(ROLES)
    tagged = [official.apply_tagging(side, reading) for side in sides]
    expected = run(forgetful(plan), *(rows for rows, _ in tagged))
    counts, partner = np.zeros_like(expected.counts), np.zeros_like(expected.partner)
    each = CountGroups(None, sides[0].n_examples, each=True)
    n_as_given = cpu.run(plan, *sides, each, partner, counts, 1, True, reading)
    np.testing.assert_array_equal(counts, expected.counts)
    np.testing.assert_array_equal(partner, expected.partner)
    assert n_as_given == sum(n for _, n in tagged)


def counts_of(kernel: str, pairs: list[tuple[Relation, Relation]], length: int = 60):
    plan = Protocol("test", kernel=kernel).plan(ROLES)
    golds, preds = ([[spans] for spans in side] for side in zip(*pairs, strict=True))
    found = run(plan, rows_of(golds, length), rows_of(preds, length))
    for backend in ("cpu", "reference"):
        for k, (gold, pred) in enumerate(pairs):
            alone = run(plan, rows_of([[gold]], length), rows_of([[pred]], length), backend=backend)
            np.testing.assert_array_equal(found.counts[k], alone.counts[0])
    return found.counts


def test_numbers_of_tokens_decide_where_spans_meet_in_chains():
    """Relations of one order: fair_spans pairs the spans that share most tokens."""
    order = [
        ([(0, 0, a), (1, a, a + 9)], [(0, 2, a - 3), (1, a - 3, a + b), (0, a + b, a + 12)])
        for a, b in ((10, 2), (10, 7), (20, 2), (20, 7))
    ]
    counts_of("fair_spans", order)


def test_distances_decide_between_two_gold_spans_of_a_role():
    """partial_spans gives a prediction the nearest span of its role, and the other one goes on."""
    order = [
        ([(0, 0, a), (0, a + 2, 30)], [(0, 1, 29 - b), (0, 31 - b, 33)])
        for a, b in ((5, 4), (5, 20), (20, 4), (25, 2))
    ]
    counts_of("partial_spans", order)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_tokens_of_roles_decide_which_of_two_equal_ways_counts(kernel):
    """Both ways have the same patterns and share as many tokens, but of other roles."""
    gold = [[(0, 2, 12), (1, 33, 39)], [(0, 3, 11), (1, 33, 41)]]
    pred = [[(0, 4, 6), (1, 34, 36)], [(0, 0, 20), (1, 30, 50)]]
    for golds, preds in product((gold, gold[::-1]), (pred, pred[::-1])):
        sides = rows_of([golds], 60), rows_of([preds], 60)
        for protocol in PROTOCOLS:
            plan = replace(protocol, name="test", kernel=kernel, objective=None).plan(ROLES)
            expected = run(plan, *sides, backend="reference")
            found = run(plan, *sides, None, 1, partners=False)
            np.testing.assert_array_equal(found.counts, expected.counts)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_second_spans_beyond_16_bits(kernel):
    """Second spans whose bounds exceed a pattern's 16 bits count exactly."""
    ends = (16_383, 16_384, 32_768, 40_000, 65_536 + 2)
    spans = [[(0, 0, 2), (1, 3, 5), (0, end - 4, end)] for end in ends]
    counts_of(kernel, list(product(spans, spans)), 70_000)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([(0, 0, 1), (0, 2, 9)], "ends after the last token"),
        ([(0, 0, 1), (2, 1, 2), (0, 2, 9)], "ends after the last token"),
        ([(0, 4, 5), (0, 0, 1)], "does not follow the row before it"),
        ([(0, 4, 5), (1, 0, 1), (0, 6, 7)], "does not follow the row before it"),
        ([(0, -1, 1), (0, 2, 3)], "starts before"),
        ([(0, 0, 1), (0, 3, 3)], "is empty"),
        ([(0, 0, 1), (0, 1, 2), (3, 3, 4)], "has an unknown role"),
    ],
)
def test_invalid_rows_are_refused(spans, message):
    one, offsets = np.array([0, 1]), np.array([0, len(spans)])
    bad = Rows(np.array(spans, np.int32), offsets, one, np.array([8], np.int32))
    good = rows_of([[[(0, 0, 1)]]], 8)
    for sides in ((bad, good), (good, bad)):
        with pytest.raises(InputError, match=message):
            fc.score(*sides, "recess")
