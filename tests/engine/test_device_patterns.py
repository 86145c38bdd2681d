"""Rows counted by patterns on a played device: as backend "cpu" counts them, and nearly all so."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine.device import cuda, patterns, scoring
from fastcausal.engine.plan import Result
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import run
from fastcausal.protocols import CNC_2023, RECESS, Protocol
from fastcausal.rows import Rows
from tests.engine.test_backends import OBJECTIVES, TRACKS
from tests.engine.test_patterns import PROTOCOLS, TWIN, examples
from tests.support import emulated
from tests.support.profiles import trials
from tests.support.strategies import ROLES, Example, rows_of

LENGTH = 30
OPTIONS = (
    ((), {}),
    ((None, 1), {"partners": False}),
    ((None, 1), {"apart": True}),
    ((4,), {"apart": True, "partners": False}),
    ((), {"check": True}),
)


def assert_same(found: Result, expected: Result) -> None:
    np.testing.assert_array_equal(found.partner, expected.partner)
    np.testing.assert_array_equal(found.counts, expected.counts)


@pytest.mark.parametrize("kernel", KERNELS)
@trials(60)
@given(drawn=examples(), protocol=st.sampled_from(PROTOCOLS), data=st.data())
def test_patterns_of_a_device_equal_those_of_the_host(kernel, drawn, protocol, data):
    """Learnt from all examples or from few, under every choice of a protocol."""
    golds, preds, length = drawn
    protocol = replace(
        protocol,
        name="test",
        kernel=kernel,
        objective=data.draw(st.sampled_from([None, None, *OBJECTIVES.get(kernel, [])])),
        tracks=data.draw(st.sampled_from([RECESS.tracks, *TRACKS])),
        surplus=data.draw(st.sampled_from(["charge", "truncate"])),
    )
    gold, pred = rows_of(golds, length), rows_of(preds, length)
    n_learnt, part = data.draw(
        st.sampled_from([(1, 1), (2, 300), (patterns.MAX_SAMPLE, scoring.PART)])
    )
    groups = np.arange(len(golds)) % 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "MAX_SAMPLE", n_learnt)
        patch.setattr(patterns, "SLICES", 1)
        for arguments, options in OPTIONS:
            grouped = (groups, *arguments) if len(arguments) == 1 else arguments
            plan = protocol.plan(ROLES)
            found = emulated.score(plan, gold, pred, *grouped, part=part, **options)
            assert_same(found, run(plan, gold, pred, *grouped, **options))


@trials(40)
@given(drawn=examples(), protocol=st.sampled_from(PROTOCOLS))
def test_ordinal_kernels_run_on_a_device(drawn, protocol):
    """The device counts a user's ordinal kernel by its known patterns; the host calls it."""
    golds, preds, length = drawn
    gold, pred = rows_of(golds, length), rows_of(preds, length)
    plan = replace(protocol, name="test", kernel=TWIN).plan(ROLES)
    for arguments, options in OPTIONS[:3]:
        found = emulated.score(plan, gold, pred, *arguments, **options)
        assert_same(found, run(plan, gold, pred, *arguments, **options))


def sentences(n: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Return n examples of relations with two or three spans, and predictions near to them."""
    rng = np.random.default_rng(seed)

    def relation() -> list[tuple[int, int, int]]:
        cuts = np.sort(rng.choice(LENGTH + 1, 6, replace=False)).reshape(3, 2)
        roles = rng.permutation(3)[: 2 + (rng.random() < 0.3)]
        return [(int(role), *map(int, cuts[k])) for k, role in enumerate(roles)]

    def moved(gold: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        if rng.random() < 0.2:
            return relation()
        return [
            (role, start, min(LENGTH, stop + int(rng.random() < 0.2))) for role, start, stop in gold
        ]

    golds: list[Example] = [
        [relation() for _ in range(int(k))] for k in rng.choice(4, n, p=[0.4, 0.4, 0.15, 0.05])
    ]
    preds: list[Example] = [[moved(r) for r in gold if rng.random() < 0.9] for gold in golds]
    return rows_of(golds, LENGTH), rows_of(preds, LENGTH)


@pytest.mark.parametrize(
    "protocol",
    [
        RECESS,
        CNC_2023,
        Protocol("overlap", kernel="span_overlap"),
        Protocol("truncated", ties="first", surplus="truncate"),
        Protocol("ignored", non_causal="ignore"),
    ],
    ids=lambda protocol: protocol.name,
)
def test_patterns_tell_nearly_all(protocol):
    """The general kernel has few examples left, fewer once more patterns are known."""
    gold, pred = sentences(4000)
    plan = protocol.plan(ROLES)
    emulated.left_by_patterns.clear()
    machine = emulated.Machine()
    with emulated.instead(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "machine", lambda: machine)
        for n in (100, 500, 4000, 4000):
            both = [patterns.sampled(side, n, np.asarray) for side in (gold, pred)]
            assert_same(run(plan, *both, backend="cuda"), run(plan, *both))
        *_, cold, warm = emulated.left_by_patterns
        assert plan.machine_patterns[machine].n_examples == 4000
        swapped = pred, gold  # more predictions than gold relations, but the same patterns
        assert_same(run(plan, *swapped, backend="cuda"), run(plan, *swapped))
    assert cold == warm
    assert warm < 0.03 * 4000
    assert len(machine.lanes) == 1  # kept from call to call


def test_what_is_learnt_comes_from_all_over():
    gold, _ = sentences(3000)
    assert patterns.sampled(gold, 3000, np.asarray).values.shape == gold.values.shape
    few = patterns.sampled(gold, 320, np.asarray)
    few.check("some", 3)
    assert few.n_examples == 320
    last = gold.values[gold.row_offsets[gold.relation_offsets[2990]] :]
    assert few.values[-3:].tolist() == last[-3:].tolist()


ARRAYS = [field.name for field in fields(Rows) if field.name != "tags"]


@trials(150)
@given(data=st.data())
def test_what_is_wrong_is_said_as_on_the_host(data):
    """With one number changed, device and host give the same error or the same counts."""
    gold, pred = sentences(60, data.draw(st.integers(0, 5)))
    sides = [gold, pred]
    side = data.draw(st.integers(0, 1))
    name = data.draw(st.sampled_from(ARRAYS))
    array = getattr(sides[side], name).copy()
    at = data.draw(st.integers(0, array.size - 1))
    array.flat[at] = data.draw(
        st.integers(-3, LENGTH + 3) | st.sampled_from([array.flat[at] + 1, 2**31 - 1, -(2**31)])
    )
    both = name == "lengths"
    sides = [
        replace(rows, **{name: array}) if both or k == side else rows
        for k, rows in enumerate(sides)
    ]
    plan = Protocol("p", kernel=data.draw(st.sampled_from(list(KERNELS)))).plan(ROLES)
    part = data.draw(st.sampled_from([1500, scoring.PART]))
    results = []
    for score in (run, lambda *rows, **options: emulated.score(*rows, part=part, **options)):
        try:
            results.append(score(plan, *sides, None, 1, check=True, partners=False))
        except fc.InputError as error:
            results.append(str(error))
    if any(isinstance(result, str) for result in results):
        assert results[0] == results[1]
    else:
        assert_same(*results)


def test_arrays_of_another_type():
    gold, pred = sentences(20)
    plan = RECESS.plan(ROLES)
    for changed in (
        replace(gold, values=gold.values.astype(np.int64)),
        replace(gold, row_offsets=gold.row_offsets.repeat(2)[::2]),
        replace(gold, relation_offsets=gold.relation_offsets[:-1]),
        replace(gold, lengths=gold.lengths.astype(np.int64)),
    ):
        for score in (run, emulated.score):
            with pytest.raises(fc.InputError, match=r"gold"):
                score(plan, changed, pred, None, 1, check=True)
