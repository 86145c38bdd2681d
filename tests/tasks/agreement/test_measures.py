"""The sums of agreement to the last bit: from the counts of single pairs, in the order of numpy's
reductions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.relations.scores import binary_alpha
from tests.oracles.agreement import GROUPS, MEASURES, mask
from tests.support.annotated import agreed, annotations, noisy, relations_of
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, relations

many = st.lists(relations().filter(bool), max_size=24)
SHARES = MEASURES[1:]


def weighed_alphas(pair: dict) -> list[tuple[float, int]]:
    """Alpha times its weight, and the weight, of each role of a row of matches."""
    counts = [[pair[f"{role}_{name}"] for name in ("n", "n1", "o01")] for role in ROLES]
    values = [(binary_alpha(*of_role, math.nan), of_role[1]) for of_role in counts]
    return [(0.0, 0) if value != value else (value * weight, weight) for value, weight in values]


def expected_rows(found, average: str) -> dict[tuple[str, str, str], np.ndarray]:
    """Numerators and denominators by annotators and example: float64[2, n_groups, n_measures]."""
    pairs: dict[tuple[str, str, str], list[dict]] = {}
    for row in found.matches.to_pylist():
        pairs.setdefault((row["a"], row["b"], row["id"]), []).append(row)
    rows = {}
    for key, of_example in pairs.items():
        each = np.zeros((2, len(GROUPS), len(MEASURES), len(of_example)))
        for k, pair in enumerate(of_example):
            of_roles = np.array(weighed_alphas(pair)).T
            each[:, :-1, 0, k] = of_roles
            each[:, -1, 0, k] = of_roles.sum(axis=1)
            for g, group in enumerate((*ROLES, "overall")):
                each[0, g, 1:, k] = [pair[f"{group}_{name}"] for name in SHARES]
        each[1, :, 1:] = 1
        if len(of_example) > 2:
            each[0, :, 0] = np.sort(each[0, :, 0])
        rows[key] = np.add.reduceat(each, [0], axis=3)[..., 0]
        if average == "example":
            rows[key][0, :, 1:] /= rows[key][1, :, 1:]
            rows[key][1, :, 1:] = 1
    return rows


def require_bits(found, average: str) -> None:
    """Compare the scores of every pair of annotators with ratios of sums that are rounded once."""
    rows = expected_rows(found, average)
    for pair in found.pairs:
        own = [row for key, row in rows.items() if key[:2] == (pair.a, pair.b)]
        for g, group in enumerate(GROUPS):
            for m, (name, value) in enumerate(pair.scores[group].items()):
                top, bottom = (math.fsum(row[side, g, m] for row in own) for side in (0, 1))
                expected = top / bottom if bottom else math.nan
                assert value == expected or value != value != (expected != expected), (group, name)


@trials(150)
@given(a=many, b=many, average=st.sampled_from(["example", "relation"]))
def test_many_pairs_of_an_example(a, b, average):
    require_bits(agreed({"ann": {"p": a}, "ben": {"p": b}}, average=average), average)


@pytest.mark.parametrize("n", [8, 9, 16, 17, 25, 130, 150])
def test_longer_reductions(n):
    """Sums equal NumPy's, which adds 8 and more in columns, and more than 128 in halves."""
    rng = np.random.default_rng(n)

    def drawn():
        starts = rng.integers(0, 190, (n, len(ROLES))).tolist()
        return [
            [(r, s, s + int(rng.integers(1, 9))) for r, s in enumerate(each)] for each in starts
        ]

    sides = {name: {"p": drawn(), "q": drawn()} for name in ("ann", "ben")}
    found = fc.agree({name: relations_of(e, length=200) for name, e in sides.items()})
    require_bits(found, "example")


@trials(100)
@given(annotated=annotations(), average=st.sampled_from(["example", "relation"]))
def test_several_examples(annotated, average):
    require_bits(agreed(annotated, average=average), average)


@pytest.mark.parametrize("average", ["example", "relation"])
def test_many_examples(average):
    require_bits(agreed(noisy(400), average=average), average)


def test_bounds_of_a_billion_words():
    """A quotient of integers too large for doubles is rounded once."""
    length, stop = 2**31 - 1, 1_999_999_967
    sides = {"ann": {"p": [[(0, 0, stop)]]}, "ben": {"p": [[(0, 5, stop - 2**30)]]}}
    found = fc.agree({a: relations_of(e, length=length) for a, e in sides.items()})
    n1, o01 = 2 * stop - 2**30 - 5, 2**30 + 5
    observed = Fraction((2 * length - 1) * o01, (2 * length - n1) * n1)
    assert found["cause"].alpha == (1.0 - float(observed)) * n1 / n1
    assert float(observed) != float((2 * length - 1) * o01) / float((2 * length - n1) * n1)


@trials(100)
@given(annotated=annotations(least=3, most=4, relations_each=12))
def test_alpha_of_all_masks(annotated):
    rows = []
    for name in {i for examples in annotated.values() for i in examples}:
        sides = [examples[name] for examples in annotated.values() if name in examples]
        if len(sides) < 2:
            continue
        row = np.zeros((2, len(GROUPS)))
        for role in range(len(ROLES)):
            marks = np.sum([mask([s for r in side for s in r], role) for side in sides], axis=0)
            n, n1 = len(sides) * LENGTH, float(np.sum(marks))
            o01 = float(np.sum(marks * (len(sides) - marks))) / (len(sides) - 1)
            if (n - n1) * n1 > 0:
                row[:, role] = (1.0 - (n - 1) * o01 / ((n - n1) * n1)) * n1, n1
        row[:, -1] = row[:, :-1].sum(axis=1)
        rows.append(row)
    for g, scores in enumerate(agreed(annotated).alpha_all.values()):
        top, bottom = (math.fsum(row[side, g] for row in rows) for side in (0, 1))
        assert scores.alpha == top / bottom if bottom else math.isnan(scores.alpha)
