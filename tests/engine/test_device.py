"""csrc/device/ on a host that plays the grid: the same integers as backend "cpu", bit for bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.device import launches, scoring
from fastcausal.engine.plan import PLAN, CountGroups, Result, TooLargeError
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import run
from fastcausal.protocols import RECESS, Protocol
from fastcausal.rows import Rows
from tests.engine.test_backends import OBJECTIVES, SHAPES, TRACKS
from tests.support import emulated
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, crowded, random_side, rows_of, sides

LAST = 2**31 - 1
N = 700  # examples of a launch of several blocks


def assert_same(found: Result, expected: Result) -> None:
    np.testing.assert_array_equal(found.partner, expected.partner)
    np.testing.assert_array_equal(found.counts, expected.counts)


def member(name: str) -> str:
    """The member of a task that a field of its NumPy record stands for."""
    if name in (*launches.LAUNCH, "plan"):
        return f"launch.{name}"
    side, _, rest = name.partition("_")
    return f"{side}.{rest}" if rest in ("rows", "row_offsets", "relation_offsets") else name


def test_records_are_those_of_the_source(tmp_path):
    """Every field of a record has the place of the member of its name, and sizes are equal."""
    text = ""
    for struct, record in (
        ("Plan", PLAN), ("Task", launches.TASK), ("LabelTask", launches.LABEL_TASK)
    ):  # fmt: skip
        text += f'static_assert(sizeof({struct}) == {record.itemsize}, "{struct}");\n'
        for name, (dtype, offset) in record.fields.items():
            path = name if struct == "Plan" else member(name)
            where = f"offsetof({struct}, {path}) == {offset}"
            size = f"sizeof({struct}::{path}) == {dtype.itemsize}" if "." not in path else "true"
            text += f'static_assert({where} && {size}, "{struct}.{name}");\n'
    assert emulated.diagnostics(text, tmp_path) == ""
    moved = text.replace("offsetof(Plan, wanted) ==", "offsetof(Plan, official) ==")
    assert "Plan.wanted" in emulated.diagnostics(moved, tmp_path)


@pytest.mark.parametrize("kernel", KERNELS)
@trials(60)
@given(
    both=sides(most_relations=5, most_examples=40),
    shape=st.sampled_from(SHAPES),
    tracks=st.sampled_from(TRACKS),
    part=st.sampled_from([1, 2000, scoring.PART]),
    data=st.data(),
)
def test_device_equals_cpu(kernel, both, shape, tracks, part, data):
    objective = data.draw(st.sampled_from([None, *OBJECTIVES.get(kernel, [])]))
    plan = replace(shape, name="test", kernel=kernel, tracks=tracks, objective=objective).plan(
        ROLES
    )
    gold, pred = map(rows_of, both)
    n_groups = data.draw(st.sampled_from([1, 4]))
    groups = np.array(data.draw(st.lists(
        st.integers(0, n_groups - 1), min_size=gold.n_examples, max_size=gold.n_examples
    )))  # fmt: skip
    for arguments, options in (
        ((), {}),
        ((groups, n_groups), {"apart": True}),
        ((None, 1), {"apart": True, "partners": False}),
        ((None, None), {"partners": False}),
    ):
        assert_same(
            emulated.score(plan, gold, pred, *arguments, part=part, **options),
            run(plan, gold, pred, *arguments, **options),
        )


@pytest.fixture(scope="module")
def many() -> tuple[Rows, Rows]:
    """Every fifth example or so has more relations than fit."""
    rng = np.random.default_rng(0)
    gold, pred = (random_side(rng, N, 6) for _ in range(2))
    for k in rng.choice(N, N // 3, replace=False):
        pred[k] = gold[k][::-1]
    return rows_of(gold), rows_of(pred)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_groups", [1, 7, 60, 2000], ids=lambda n: f"{n} groups")
def test_every_size_of_block_counters(kernel, n_groups, many):
    """Counts agree for any number of groups, with a counter for each lane, fewer, or none."""
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    groups = np.random.default_rng(1).integers(0, n_groups, N)
    expected = run(plan, *many, groups, n_groups)
    assert_same(emulated.score(plan, *many, groups, n_groups, part=25_000), expected)


def test_lanes_fit_the_block():
    for n_cells in (1, 27, 54, 192, 193, 1000, 6144, 6145, 10**6):
        lanes = launches.n_lanes(n_cells)
        assert lanes in (0, 1, 2, 4, 8, 16, 32)
        assert 4 * n_cells * lanes <= launches.COUNTERS
        assert lanes == 32 or 4 * n_cells * max(1, 2 * lanes) > launches.COUNTERS


@pytest.mark.parametrize("kernel", KERNELS)
def test_spans_beyond_the_bound_go_to_the_host(kernel):
    rng = np.random.default_rng(2)

    def side(sizes):
        return rows_of(
            [[[(int(rng.integers(3)), 3 * k, 3 * k + 2) for k in range(n)]] for n in sizes], 600
        )

    gold, pred = side([3, 150, 23, 24, 25, 2, 64, 65]), side([3, 2, 150, 25, 24, 150, 65, 64])
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    assert_same(emulated.score(plan, gold, pred), run(plan, gold, pred))
    groups = np.arange(8) % 2
    assert_same(
        emulated.score(plan, gold, pred, groups, 2, part=1), run(plan, gold, pred, groups, 2)
    )


@pytest.mark.drawn
@pytest.mark.parametrize("tracks", TRACKS, ids=len)
def test_spans_that_overlap(tracks):
    """The device counts as the host, even if spans overlap and share tokens several times."""
    rng, n = np.random.default_rng(5), trials(300).max_examples
    gold, pred = (
        rows_of([[crowded(rng, int(rng.integers(25)), 30)] for _ in range(n)], 30) for _ in range(2)
    )
    plan = replace(RECESS, name="test", tracks=tracks).plan(ROLES)
    found = emulated.score(plan, gold, pred)
    assert_same(found, run(plan, gold, pred))
    assert_same(found, run(plan, gold, pred, backend="reference"))


def test_counts_beyond_32_bits():
    """Counts are exact if a block's pass 2^32 and single ones 2^31."""
    gold = rows_of([[[(0, 0, LAST), (1, 5, LAST)]]] * 100, LAST)
    pred = rows_of([[[(0, 0, LAST - 1), (2, 0, LAST)]]] * 100, LAST)
    plan = replace(RECESS, name="test", kernel="span_overlap").plan(ROLES)
    groups = np.zeros(100, np.int64)
    expected = run(plan, gold, pred, groups, 1)
    assert expected.counts.max() == 100 * 2 * LAST
    assert_same(emulated.score(plan, gold, pred, groups, 1), expected)


def test_too_many_pairs_name_their_example():
    rows = rows_of([[[]], [], [[]] * 4100, [[]]])
    plan = Protocol("test", kernel="exact_spans", ties="first").plan(ROLES)
    with pytest.raises(TooLargeError, match=r"^example 2 is too large$"):
        emulated.score(plan, rows, rows)


@pytest.mark.parametrize("side", [[], [[]], [[], []], [[[]]]])
def test_nothing_to_score(side):
    rows = rows_of(side)
    plan = RECESS.plan(ROLES)
    assert_same(emulated.score(plan, rows, rows), run(plan, rows, rows))
    groups = np.zeros(len(side), np.int64)
    assert_same(emulated.score(plan, rows, rows, groups, 3), run(plan, rows, rows, groups, 3))


def test_rows_on_the_device(many):
    """One launch counts all examples; it lists the ones that do not fit, for the host to count."""
    plan = RECESS.plan(ROLES)
    gold, pred = many
    for groups in (
        CountGroups(None, N, each=True),
        CountGroups(np.arange(N) % 3, 3, apart=True),
    ):
        partner = np.full(gold.n_relations, -7, np.int64)
        counts = np.zeros((groups.n_rows, plan.n_fields), np.int64)
        machine = emulated.Machine()
        queue = machine.current()
        lists, n_listed = scoring.score_device(
            machine, queue, plan, gold, pred, groups, partner, counts
        )
        assert n_listed[1] not in range(N + 1)  # nothing has waited
        queue.wait()
        most = np.maximum(*(np.diff(side.relation_offsets) for side in many))
        left_out = np.sort(lists[1, : n_listed[1]])
        np.testing.assert_array_equal(left_out, np.flatnonzero(most > 5))
        assert 0 < len(left_out) < N // 2
        scoring.finish(plan, gold, pred, groups, left_out, partner, counts)
        n_groups = None if groups.each else 3
        expected = run(plan, gold, pred, groups.of, n_groups, apart=groups.apart)
        assert_same(Result(partner, counts), expected)


@given(both=sides(most_examples=30), most=st.integers(1, 3000))
def test_parts_cover_the_examples_within_the_bound(both, most):
    gold, pred = map(rows_of, both)
    found = list(scoring.parts(gold, pred, 5, most))
    bounds = [0, *(last for _, last in found)]
    assert found == list(pairwise(bounds))
    assert bounds[-1] == gold.n_examples
    for first, last in found:
        groups = CountGroups(None, gold.n_examples, each=True)
        partner, counts = np.zeros(gold.n_relations, np.int64), np.zeros((gold.n_examples, 5))
        arrays = scoring.pieces_of(gold, pred, groups, partner, counts, first, last)
        size = sum(piece.array.nbytes for pieces in arrays for piece in pieces.values())
        assert last == first + 1 or size <= most + 8 * 4  # a last offset for each list


def test_examples_are_drawn_with_the_numbers_they_had():
    gold = rows_of([[[(0, 0, 1)], []], [], [[(1, 2, 3), (2, 4, 5)]]], LENGTH)
    some, relations = scoring.drawn(gold, np.array([2, 0]))
    np.testing.assert_array_equal(relations, [2, 0, 1])
    np.testing.assert_array_equal(some.relation_offsets, [0, 1, 3])
    np.testing.assert_array_equal(some.values, [[1, 2, 3], [2, 4, 5], [0, 0, 1]])
