"""Counting by pattern equals the general path and the specification, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine import cpu
from fastcausal.engine.plan import CountGroups, Plan
from fastcausal.engine.reference import kernels
from fastcausal.engine.run import run
from fastcausal.protocols import CNC_2023, RECESS, Protocol
from fastcausal.rows import Rows, check_both
from fastcausal.tasks.relations import official
from tests.engine.test_backends import OBJECTIVES, TRACKS
from tests.support.profiles import trials
from tests.support.strategies import ROLES, Example, Relation, rows_of

PROTOCOLS = (RECESS, CNC_2023, Protocol("kept", ties="first"))


def spans_within(length: int) -> list[tuple[int, int] | None]:
    return [None, *((a, b) for a in range(length) for b in range(a + 1, length + 1))]


@st.composite
def examples(draw: st.DrawFn) -> tuple[list[Example], list[Example], int]:
    """Few tokens, up to seven relations; predictions are copies, moved by a token, or of their own.

    A relation has at most one span of each role, or now and then another.
    """
    length = draw(st.integers(2, 12))
    places = st.sampled_from(spans_within(length))
    own = st.tuples(places, places, places, st.none() | st.tuples(st.integers(0, 2), places))
    moves = st.tuples(st.integers(0, 4), st.integers(0, 3**6 - 1) | st.just(364))

    def relation(drawn) -> Relation:
        *single, more = drawn
        spans = [(role, *place) for role, place in enumerate(single) if place]
        return [*spans, (more[0], *more[1])] if more and more[1] else spans

    def moved(relation: Relation, code: int) -> Relation:
        spans = []
        for k, (role, start, stop) in enumerate(relation[:3]):
            by = [code // 3 ** (2 * k + bound) % 3 - 1 for bound in (0, 1)]
            low, high = max(0, start + by[0]), min(length, stop + by[1])
            spans.append((role, low, high) if low < high else (role, start, stop))
        return spans

    golds, preds = [], []
    for _ in range(draw(st.integers(1, 6))):
        gold = [relation(drawn) for drawn in draw(st.lists(own, max_size=7))]
        pred = []
        for drawn in draw(st.lists(own | moves, max_size=7)):
            copied = len(drawn) == 2 and drawn[0] < len(gold)
            if copied:
                pred.append(moved(gold[drawn[0]], drawn[1]))
            elif len(drawn) == 4:
                pred.append(relation(drawn))
        golds.append(gold)
        preds.append(pred)
    return golds, preds, length


def forgetful(plan: Plan) -> Plan:
    """The same plan, under which the kernel counts every pair."""
    found = replace(plan)
    vars(found)["memory"] = None
    return found


def assert_alike(plan, gold: Rows, pred: Rows, groups, *, reference: bool) -> None:
    for arguments, options in (
        ((), {}),
        ((None, 1), {"apart": True, "partners": False}),
        ((groups, 3), {"partners": False}),
    ):
        found = [run(plan, gold, pred, *arguments, num_threads=n, **options) for n in (1, 2)]
        checked = run(plan, gold, pred, *arguments, **options, check=True)
        expected = [run(forgetful(plan), gold, pred, *arguments, **options)]
        if reference:
            expected.append(run(plan, gold, pred, *arguments, backend="reference", **options))
        for other in (found[1], checked, *expected):
            np.testing.assert_array_equal(found[0].counts, other.counts)
            np.testing.assert_array_equal(found[0].partner, other.partner)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
@trials(150)
@given(drawn=examples(), protocol=st.sampled_from(PROTOCOLS), data=st.data())
def test_patterns_count_as_the_specification_does(kernel, drawn, protocol, data):
    golds, preds, length = drawn
    objective = data.draw(st.sampled_from([None, None, *OBJECTIVES.get(kernel, [])]))
    tracks = data.draw(st.sampled_from([RECESS.tracks, *TRACKS]))
    plan = replace(protocol, name="test", kernel=kernel, objective=objective, tracks=tracks).plan(
        ROLES
    )
    gold, pred = rows_of(golds, length), rows_of(preds, length)
    assert_alike(plan, gold, pred, np.arange(len(golds)) % 3, reference=True)


@pytest.mark.parametrize("kernel", kernels.KERNELS)
@trials(100)
@given(drawn=examples(), protocol=st.sampled_from(PROTOCOLS), reading=st.sampled_from(cpu.READINGS))
def test_spans_are_read_as_tagged_while_they_are_counted(kernel, drawn, protocol, reading):
    """Reading tags while counting equals a pass of its own, also if predictions are left out."""
    golds, preds, length = drawn
    sides = [rows_of(side, length) for side in (golds, preds)]
    plan = replace(protocol, name="test", kernel=kernel).plan(ROLES)
    tagged = [official.apply_tagging(side, reading) for side in sides]
    expected = run(plan, *(rows for rows, _ in tagged))
    each = CountGroups(None, len(golds), each=True)
    for way in (plan, plan, forgetful(plan)):
        counts, partner = np.zeros_like(expected.counts), np.zeros_like(expected.partner)
        n_as_given = cpu.run(way, *sides, each, partner, counts, 2, True, reading)
        np.testing.assert_array_equal(counts, expected.counts)
        np.testing.assert_array_equal(partner, expected.partner)
        assert n_as_given == sum(n for _, n in tagged)
        total = np.zeros((1, plan.n_fields), np.int64)
        cpu.run(way, *sides, CountGroups(None, 1, each=False), None, total, 1, True, reading)
        np.testing.assert_array_equal(total[0], expected.counts.sum(axis=0))


def many(rng: np.random.Generator, n: int, length: int, widest: int) -> Rows:
    """A relation a sentence, with most roles."""
    start = rng.integers(0, length - 1, (n, 3))
    stop = start + 1 + rng.integers(0, np.minimum(widest, length - start - 1) + 1)
    there = rng.random((n, 3)) < 0.9
    values = np.stack([np.broadcast_to(np.arange(3), (n, 3)), start, stop], axis=2)[there]
    relation = np.nonzero(there)[0]
    order = np.lexsort((values[:, 0], values[:, 2], values[:, 1], relation))
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    each = np.arange(n + 1)
    return Rows(values[order].astype(np.int32), offsets, each, np.full(n, length, np.int32))


@pytest.mark.parametrize("kernel", kernels.KERNELS)
@pytest.mark.parametrize(("length", "widest"), [(12, 9), (400, 300), (17_000, 500)])
def test_many_patterns_long_spans_and_documents(kernel, length, widest):
    """Counts agree for more patterns than a table holds, spans over 100 tokens, long examples."""
    rng = np.random.default_rng(length)
    gold, pred = (many(rng, 10_000, length, widest) for _ in range(2))
    for protocol in (RECESS, CNC_2023):
        plan = replace(protocol, name="test", kernel=kernel).plan(ROLES)
        groups = rng.integers(0, 3, 10_000)
        assert_alike(plan, gold, pred, groups, reference=False)


@pytest.mark.parametrize("length", [12, 17_000])
@pytest.mark.parametrize("tracks", TRACKS)
@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_many_spans_that_run_on(kernel, tracks, length):
    """Spans that run on count alike over spans of their track and to ends beyond patterns."""
    rng = np.random.default_rng(7)
    gold, pred = (many(rng, 5000, length, 3) for _ in range(2))
    plan = replace(RECESS, name="test", kernel=kernel, tracks=tracks).plan(ROLES)
    found = []
    for way in (plan, plan, forgetful(plan)):
        counts = np.zeros((5000, plan.n_fields), np.int64)
        each = CountGroups(None, len(counts), each=True)
        cpu.run(way, gold, pred, each, None, counts, 1, True, "cnc-2023")
        found.append(counts)
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[1], found[2])


@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_blocks_of_more_relations_than_are_packed(kernel):
    """On one side or both, beside blocks that fit; examples of four, five and many relations."""
    rng = np.random.default_rng(5)
    n, sides = 1500, []
    for full in (slice(0, 512), slice(256, 768)):
        sizes = rng.integers(0, 5, n)
        sizes[full] = rng.choice([0, 1, 4, 5, 12], 512, p=[0.1, 0.2, 0.1, 0.3, 0.3])
        rows = many(rng, int(sizes.sum()), 12, 9)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        sides.append(replace(rows, relation_offsets=offsets, lengths=np.full(n, 12, np.int32)))
    for protocol in (RECESS, CNC_2023):
        plan = replace(protocol, name="test", kernel=kernel).plan(ROLES)
        assert_alike(plan, *sides, np.arange(n) % 3, reference=False)


@trials(150)
@given(drawn=examples(), data=st.data())
def test_checks_on_the_way_find_what_checks_beforehand_find(drawn, data):
    golds, preds, length = drawn
    sides = [rows_of(side, length) for side in (golds, preds)]
    at = data.draw(st.integers(0, 1))
    name = data.draw(st.sampled_from(["values", "row_offsets", "relation_offsets"]))
    array = getattr(sides[at], name).copy()
    if array.size:
        wrong = st.integers(-2, length + 2) | st.sampled_from([-(2**31), 2**31 - 1])
        array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(wrong)
    sides[at] = replace(sides[at], **{name: array})

    def said(call) -> str:
        try:
            call()
        except fc.InputError as error:
            return str(error)
        return ""

    plan = RECESS.plan(ROLES)
    expected = said(lambda: check_both(*sides, 3))
    counts = np.zeros((1, plan.n_fields), np.int64)
    for way, reading in product((plan, forgetful(plan)), (None, *cpu.READINGS)):
        call = partial(cpu.run, way, *sides, CountGroups(None, 1), None, counts, 2, True, reading)
        assert said(call) == expected


# ----------------------------------------------------------------------- kernels that users write


def same_ends(gold, pred, length, params, counts):
    """Count the spans whose role and last token are right."""
    for g in gold:
        hit = any(g[0] == p[0] and g[2] == p[2] for p in pred)
        counts[3 * g[0] + (0 if hit else 2)] += 1
    for p in pred:
        if not any(g[0] == p[0] and g[2] == p[2] for g in gold):
            counts[3 * p[0] + 1] += 1


def exactly(gold, pred, length, params, counts):
    """Count as exact_spans does."""
    kernels.exact_spans.function(gold, pred, length, params, counts)


NAMES = ("fields", "objective", "additive", "never_costs")
TWIN = fc.kernel(**{name: getattr(kernels.exact_spans, name) for name in NAMES}, ordinal=True)(
    exactly
)


@trials(50)
@given(drawn=examples(), protocol=st.sampled_from(PROTOCOLS))
def test_an_ordinal_kernel_counts_as_its_twin(drawn, protocol):
    golds, preds, length = drawn
    gold, pred = rows_of(golds, length), rows_of(preds, length)
    plans = [
        replace(protocol, name="test", kernel=kernel).plan(ROLES)
        for kernel in (TWIN, "exact_spans")
    ]
    for plan in (plans[0], forgetful(plans[0])):
        found, expected = (run(p, gold, pred) for p in (plan, plans[1]))
        np.testing.assert_array_equal(found.counts, expected.counts)
        np.testing.assert_array_equal(found.partner, expected.partner)


def test_an_ordinal_kernel_is_called_once_a_pattern():
    calls = 0

    def counting(gold, pred, length, params, counts):
        nonlocal calls
        calls += 1
        same_ends(gold, pred, length, params, counts)

    kernel = fc.kernel(fields=["tp", "fp", "fn"], ordinal=True)(counting)
    plan = Protocol("ends", kernel).plan(ROLES)
    rng = np.random.default_rng(0)
    gold = many(rng, 5000, 12, 4)
    pred = Rows(gold.values, gold.row_offsets, gold.relation_offsets, gold.lengths)
    calls = 0
    first = run(plan, gold, pred, None, 1, num_threads=2).counts
    assert 0 < calls < 2500
    calls = 0
    for same in (plan, Protocol("ends again", kernel).plan(ROLES)):
        np.testing.assert_array_equal(run(same, gold, pred, None, 1).counts, first)
    assert calls == 0


def test_promises_that_are_not_kept():
    def by_tokens(gold, pred, length, params, counts):
        counts[0] = sum(stop - start > 5 for _, start, stop in gold)

    def by_length(gold, pred, length, params, counts):
        counts[0] = length > 20

    def by_place(gold, pred, length, params, counts):
        counts[0] = len(gold) > 0 and gold[0, 1] > 50

    for function in (by_tokens, by_length, by_place):
        with pytest.raises(ValueError, match=rf"{function.__name__} .* is not ordinal: it counts"):
            fc.kernel(fields=["tp", "fp", "fn"], ordinal=True)(function)
    assert fc.kernel(fields=["tp", "fp", "fn"], ordinal=True)(same_ends).ordinal


def test_what_an_ordinal_kernel_raises():
    broken = False

    def fails(gold, pred, length, params, counts):
        if broken:
            raise KeyError("broken")

    kernel = fc.kernel(fields=["tp", "fp", "fn"], ordinal=True)(fails)
    plan = Protocol("fails", kernel).plan(ROLES)
    rows = rows_of([[[(0, 0, 2)]]] * 1000)
    broken = True
    with pytest.raises(KeyError, match="broken"):
        run(plan, rows, rows, num_threads=2)
    broken = False
    assert not run(plan, rows, rows).counts.any()
