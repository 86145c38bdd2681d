"""Kernels that a user wrote count on the native driver as they do in plain Python."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine.kernel import Kernel
from fastcausal.engine.run import count_pairs, run
from fastcausal.options import NonCausal, PairingTies, Surplus
from fastcausal.protocols import RECESS, Protocol
from tests.support.profiles import trials
from tests.support.strategies import ROLES, random_side, relations, rows_of, sides
from tests.support.user_kernels import KERNELS, head_words, same_spans

ROLE_TRACKS = [RECESS.tracks, (ROLES,)]
SHAPES = [
    Protocol("shape", ties=ties, surplus=surplus, non_causal=non_causal)
    for ties, surplus, non_causal in product(
        get_args(PairingTies), get_args(Surplus), get_args(NonCausal)
    )
]
OBJECTIVES = {
    "same_spans": [fc.Objective({"tp": 3, "fp": -1})],
    "head_words": [fc.Objective({"tp": 1}), fc.Objective({"tp": 1}, {"tp": 1, "fp": 1, "fn": 2})],
    "shared_or_far": [fc.Objective({"shared": 1}, {"shared": 1, "far": 2, "overall_tokens": 1})],
    "scrambled": [fc.Objective({"n": -1, "d": 2})],
}


def count(kernel: Kernel, example, backend: str = "cpu"):
    gold, pred = (rows_of([side]) for side in example)
    return run(Protocol("test", kernel).plan(ROLES), gold, pred, backend=backend)


@pytest.mark.parametrize("name", KERNELS)
@trials(100)
@given(
    both=sides(), shape=st.sampled_from(SHAPES), tracks=st.sampled_from(ROLE_TRACKS), n=st.data()
)
def test_cpu_equals_reference(name, both, shape, tracks, n):
    objective = n.draw(st.sampled_from([None, *OBJECTIVES[name]]))
    protocol = replace(shape, name="test", kernel=KERNELS[name], objective=objective, tracks=tracks)
    gold, pred = map(rows_of, both)
    native, plain = (run(protocol.plan(ROLES), gold, pred, backend=b) for b in ("cpu", "reference"))
    np.testing.assert_array_equal(native.partner, plain.partner)
    np.testing.assert_array_equal(native.counts, plain.counts)


@pytest.mark.parametrize("name", KERNELS)
@trials(50)
@given(gold=relations(), pred=relations())
def test_pairs_count_alike(name, gold, pred):
    plan = Protocol("test", KERNELS[name]).plan(ROLES)
    index = np.array([0, -1, 0]), np.array([0, 0, -1])
    native, plain = (
        count_pairs(plan, rows_of([[gold]]), rows_of([[pred]]), *index, backend=b)
        for b in ("cpu", "reference")
    )
    np.testing.assert_array_equal(native, plain)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", SHAPES, ids=lambda p: f"{p.ties}-{p.surplus}-{p.non_causal}")
def test_a_twin_equals_the_built_in_kernel(protocol):
    rng = np.random.default_rng(0)
    gold, pred = (rows_of(random_side(rng, 3000, 5)) for _ in range(2))
    ours, twin = (
        replace(protocol, name="test", kernel=kernel).plan(ROLES)
        for kernel in ("exact_spans", same_spans)
    )
    for threads in (1, 3):
        expected, found = (run(p, gold, pred, num_threads=threads) for p in (ours, twin))
        np.testing.assert_array_equal(found.partner, expected.partner)
        np.testing.assert_array_equal(found.counts, expected.counts)


def relations_of(*causes) -> fc.Relations:
    return fc.Relations.from_examples(
        [{"length": 20, "relations": [{"cause": c, "effect": (15, 20)} for c in causes]}]
    )


GOLD, PRED = relations_of((0, 3), (4, 9)), relations_of((2, 9), (1, 3), (4, 8))


def test_reports():
    report = fc.score(GOLD, PRED, Protocol("mine", same_spans))
    twin = fc.score(GOLD, PRED, Protocol("mine", "exact_spans"))
    assert report.scores == twin.scores
    assert report.subsets == twin.subsets
    assert report.per_example.equals(twin.per_example)
    assert report.matches.equals(twin.matches)
    assert "|kernel:same_spans|objective:2tp/(2tp+fp+fn)|" in report.signature
    assert fc.score(GOLD, PRED, Protocol("mine", head_words))["cause"].tp == 2

    other = fc.score(GOLD, PRED, Protocol("mine", KERNELS["shared_or_far"]))
    assert list(other["cause"]) == ["shared", "far"]
    assert list(other["overall"]) == ["shared", "far", "tokens", "tracks", "alone"]
    assert str(other).splitlines()[1].split() == list(other["overall"])
    assert other.to_arrow().column_names[2:] == list(other["overall"])
    assert (
        other.to_json()
        == fc.score(
            GOLD, PRED, Protocol("mine", KERNELS["shared_or_far"]), backend="reference"
        ).to_json()
    )


def test_batches_merge_and_travel():
    whole, one, two = (fc.ExtractionScorer(Protocol("mine", head_words)) for _ in range(3))
    for gold, pred, part in ((GOLD, PRED, one), (PRED, GOLD, two)):
        whole.update(gold=gold, pred=pred)
        part.update(gold=gold, pred=pred)
    one.merge(pickle.loads(pickle.dumps(two)))
    assert one.compute() == whole.compute()
    for made in (head_words, Protocol("mine", head_words)):
        assert pickle.loads(pickle.dumps(made)) == made


def test_what_cannot_be_pickled():
    wrap = fc.kernel(fields=["tp", "fp", "fn"])

    def inner(gold, pred, length, params, counts):
        pass

    for kernel in (wrap(inner), wrap(lambda gold, pred, length, params, counts: None)):
        with pytest.raises(pickle.PicklingError, match=f"{kernel.name} .* at the top level"):
            pickle.dumps(kernel)
    made_elsewhere = pickle.dumps(head_words).replace(b"head_words", b"tail_words")
    with pytest.raises(
        pickle.UnpicklingError, match=r"no kernel tail_words in tests\.support\.user_kernels"
    ):
        pickle.loads(made_elsewhere)


MODULE = """
import fastcausal as fc

@fc.kernel(fields=["n"], objective=fc.Objective({"n": 1}))
def pairs(gold, pred, length, params, counts):
    counts[0] = len(gold) * len(pred)

one = fc.Relations.from_examples([{"length": 9, "relations": [{"cause": (0, 2)}] * 3}])
assert fc.score(one, one, fc.Protocol("mine", pairs))["cause"].n == 3
from fastcausal.engine import jit

stats = jit.compiled(pairs).function.stats
print(stats.cache_hits.total(), stats.cache_misses.total())
"""


def printed_by(code: str, *arguments: str, **options) -> str:
    command = [sys.executable, *arguments, *(["-c", code] if code else [])]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, **options
    ).stdout.strip()


@pytest.mark.slow
def test_compiled_code_is_kept_on_disk(tmp_path):
    path = tmp_path / "counting.py"
    path.write_text(MODULE)
    assert [printed_by("", str(path)) for _ in range(2)] == ["0 1", "1 0"]
    path.write_text(
        MODULE.replace("len(gold) * len(pred)", "2 * len(pred)").replace("== 3", "== 6")
    )
    assert printed_by("", str(path)) == "0 1"


@pytest.mark.slow
def test_kernels_typed_in_at_a_prompt():
    assert printed_by("", "-", input=MODULE) == "0 1"
    assert printed_by(MODULE) == "0 1"


def test_without_numba():
    define = MODULE.partition("assert")[0]
    score = """
mine = fc.Protocol("mine", pairs)
print(fc.score(one, one, mine, backend="reference")["cause"].n)
try:
    fc.score(one, one, mine)
except fc.InputError as error:
    print(error)
"""
    lines = printed_by(f"import sys; sys.modules['numba'] = None; {define}{score}").splitlines()
    assert lines[0] == "3"
    assert lines[1].startswith("kernel pairs (<string>:")
    assert 'pip install "fastcausal[jit]"' in lines[1]
    assert 'backend="reference"' in lines[1]


# -------------------------------------------------------------------------------------- mistakes


def made(function, **options) -> Kernel:
    return fc.kernel(**{"fields": ["tp", "fp", "fn"], **options})(function)


EXAMPLE = [[(0, 0, 2)], [(0, 4, 5)]], [[(0, 0, 2)], [(0, 4, 6)]]


def test_what_numba_refuses():
    def reads_names(gold, pred, length, params, counts):
        counts[0] = gold.no_such_thing

    def writes_rows(gold, pred, length, params, counts):
        gold[0, 0] = 1

    for function, said in (
        (reads_names, "Unknown attribute 'no_such_thing'"),
        (writes_rows, "Cannot modify readonly array"),
    ):
        with pytest.raises(fc.InputError) as caught:
            count(made(function), EXAMPLE)
        first, *rest = str(caught.value).splitlines()
        line = function.__code__.co_firstlineno
        assert first.startswith(
            f"kernel {function.__name__} ({__file__}:{line}) cannot be compiled"
        )
        assert said in "\n".join(rest)


def test_exceptions_are_not_lost():
    def fails(gold, pred, length, params, counts):
        if len(gold) and gold[0, 1] == 4:
            raise ValueError("no span starts at 4")

    kernel = made(fails)
    for threads in (1, 2):
        rows = [rows_of([side] * 1000) for side in EXAMPLE]
        with pytest.raises(RuntimeError, match=r"kernel fails .* raised an exception; backend="):
            run(Protocol("mine", kernel).plan(ROLES), *rows, num_threads=threads)
    with pytest.raises(ValueError, match="no span starts at 4"):
        count(kernel, EXAMPLE, backend="reference")
    assert not count(kernel, ([[(0, 0, 1)]], [])).counts.any()


def test_negative_counts_are_refused():
    def negative(gold, pred, length, params, counts):
        counts[1] = -1

    for backend in ("cpu", "reference"):
        with pytest.raises(RuntimeError, match=r"kernel negative .* left a count outside of 0"):
            count(made(negative), EXAMPLE, backend)


def test_counts_start_at_zero():
    def untouched(gold, pred, length, params, counts):
        counts[0] += 1

    for backend in ("cpu", "reference"):
        found = count(made(untouched), EXAMPLE, backend).counts
        assert found.tolist() == [[2, *[0] * 8]]


def test_what_kernel_refuses():
    def f(gold, pred, length, params, counts):
        pass

    for options, said in (
        ({"fields": ["n"]}, "without fields tp, fp and fn needs an objective"),
        ({"fields": ["n", "n"]}, 'invalid field "n"'),
        ({"fields": ["a b"]}, 'invalid field "a b"'),
        ({"overall": ["overall_n"]}, 'invalid field "overall_n"'),
        ({"objective": fc.Objective({"em": 1})}, 'f has no field "em"'),
    ):
        with pytest.raises(ValueError, match=said):
            made(f, **options)
    with pytest.raises(ValueError, match=r"takes \(gold, pred\), expected \(gold, pred, length,"):
        made(lambda gold, pred: None)
    with pytest.raises(ValueError, match="expected a plain Python function"):
        made(len)
    f.__name__ = "exact_spans"
    with pytest.raises(ValueError, match=r"kernel exact_spans .* has the name of a built-in"):
        Protocol("mine", made(f))
    with pytest.raises(ValueError, match=r"the weight of tp is 0\.5, expected an integer"):
        fc.Objective({"tp": 0.5})
    with pytest.raises(ValueError, match="of fp is -1, expected at least 0 in a denominator"):
        fc.Objective({"tp": 1}, {"fp": -1})


@pytest.mark.slow
def test_one_function_with_other_fields():
    from fastcausal.engine import jit

    def counts_all(gold, pred, length, params, counts):
        counts[:] = 1

    for fields, overall in ((["n"], []), (["n", "m"], []), (["n"], ["m"])):
        kernel = made(counts_all, fields=fields, overall=overall, objective=fc.Objective({"n": 1}))
        assert count(kernel, EXAMPLE).counts.tolist() == [[4] * (3 * len(fields) + len(overall))]
        assert vars(kernel)["compiled"] is jit.compiled(kernel)
