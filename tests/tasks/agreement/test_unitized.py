"""``recess-code``: unitised alpha and the pairs of relations as the published program has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.agreement.unitized import unitized_alpha
from tests.oracles.agreement import GROUPS, measured
from tests.oracles.unitized import alpha_by_sets, published_pairs, worth
from tests.support.annotated import agreed, near, relations_of
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, Example, Relation, relations

# --------------------------------------------------------------------------------------- the alpha


def in_order(max_size: int = 4):
    bounds = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 5))
    span = bounds.map(lambda found: (found[0], min(LENGTH, sum(found))))
    return st.lists(span, max_size=max_size).map(sorted)


@trials(500)
@given(a=in_order(), b=in_order(), length=st.integers(LENGTH, LENGTH + 3))
def test_against_sets_of_positions(a, b, length):
    found = unitized_alpha(a, b, length)
    assert found == (near(alpha_by_sets(a, b, length)[0]), alpha_by_sets(a, b, length)[1])
    assert unitized_alpha(b, a, length) == found


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([], [], (1.0, 0)),
        ([(0, 4)], [(0, 4)], (1.0, 8)),
        # Two of four words: observed 2 over one pair, expected (16 + 4) / (4 + 2).
        ([(0, 4)], [(0, 2)], (1 - 2 / (20 / 6), 6)),
        # Inside a gap: 2 · 3 and 2 · 2 over two pairs, expected (9 + 4) / (3 + 2).
        ([(0, 3)], [(5, 7)], (1 - (10 / 2) / (13 / 5), 5)),
        ([(2, 5)], [], (0.0, 3)),  # nothing to expect from one unit
        ([(0, 4), (6, 8)], [(0, 4)], (1 - (0 + 2 * 2) / 2 / (36 / 10), 10)),
        ([(0, 4), (2, 6)], [(0, 4)], (1.0, 8)),  # the second overlaps
        ([(0, 9)], [(0, 9)], (1.0, 18)),
        ([(0, 9)], [(0, 8)], (1 - 1 / (145 / 17), 17)),
    ],
)
def test_by_hand(a, b, expected):
    assert unitized_alpha(a, b, 9) == near(expected)
    assert unitized_alpha(b, a, 9) == near(expected)


def test_never_under_the_name_of_the_other():
    annotated = {"ann": {"p": [[(0, 0, 4)]]}, "ben": {"p": [[(0, 0, 2)]]}}
    paper, program = agreed(annotated), agreed(annotated, "recess-code")
    assert list(paper["cause"]) == ["alpha", "em", "osb", "to"]
    assert list(program["cause"]) == ["alpha_unitized", "em", "osb", "to"]
    assert program["cause"].alpha_unitized == near(0.4)
    assert paper["cause"].alpha == near(1 - 23 * 2 / (18 * 6))
    assert program.to_dict()["protocol"] == "recess-code"
    assert "|recess-code|" in program.signature
    assert "average:relation" in program.signature
    assert not program.alpha_all
    with pytest.raises(AttributeError):
        program["cause"].alpha  # noqa: B018


# --------------------------------------------------------------------------------------- the pairs


def tied(a: Example, b: Example) -> bool:
    """Return True if one relation goes equally well with either of two."""
    sides = sorted((a, b), key=len)
    return [len(side) for side in sides] == [1, 2] and (
        worth(sides[0][0], sides[1][0]) == worth(sides[0][0], sides[1][1])
    )


def kept_pairs(found) -> set[tuple[int | None, int | None]]:
    return {(row["a_relation"], row["b_relation"]) for row in found.matches.to_pylist()}


few = st.lists(relations().filter(bool), max_size=4)


@trials(300)
@given(a=few, b=few)
def test_kept_pairs_of_relations(a, b):
    found = agreed({"ann": {"p": a}, "ben": {"p": b}}, "recess-code")
    if not tied(a, b):
        expected = {pair for pair in published_pairs(a, b) if None not in pair}
        assert {pair for pair in kept_pairs(found) if None not in pair} == expected
    if max(len(a), len(b)) > 2 and len(a) != len(b):
        assert len(found.matches) == 0
        assert found.warnings == (
            "ann / ben: the published pruning leaves nothing of 1 examples",
            "ann / ben: nothing to compare in 1 common examples, all is undefined",
        )


ONE: Relation = [(0, 0, 2), (1, 4, 6)]
OTHER: Relation = [(0, 7, 8), (1, 9, 11)]


@pytest.mark.parametrize(
    ("a", "b"),
    [([], [ONE]), ([], [ONE, OTHER]), ([ONE], [ONE, OTHER]), ([OTHER], [ONE, OTHER])],
    ids=["0 to 1", "0 to 2", "1 to 2, the first", "1 to 2, the second"],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_padding_stays_as_zeros(a, b, swapped):
    """With one or two orders nothing that was chosen is removed, padding included.

    It lowers the means of EM, OSB and TO; alpha has no words to weigh it by.
    """
    a, b = (b, a) if swapped else (a, b)
    found = agreed({"ann": {"p": a}, "ben": {"p": b}}, "recess-code")
    expected = published_pairs(a, b)
    assert kept_pairs(found) == set(expected)
    share = sum(None not in pair for pair in expected) / len(expected)
    assert [found["cause"][name] for name in ("em", "osb", "to")] == [share] * 3
    assert found["cause"].alpha_unitized == near(1.0 if share else float("nan"))
    assert not found.warnings


def test_the_first_of_equally_good_orders():
    """Of equally good orders the first in the file is chosen, whatever the relations contain."""
    halves: Example = [[(0, 0, 1)], [(0, 3, 4)]]
    for b in (halves, halves[::-1]):
        found = agreed({"ann": {"p": [[(0, 6, 7)]]}, "ben": {"p": b}}, "recess-code")
        assert (0, 0) in kept_pairs(found)


@trials(200)
@given(
    examples=st.lists(
        st.integers(1, 3).flatmap(
            lambda n: st.tuples(*[st.lists(relations().filter(bool), min_size=n, max_size=n)] * 2)
        ),
        min_size=1,
        max_size=3,
    )
)
def test_means_over_all_pairs(examples):
    """With equally many relations on both sides, scores are means over all pairs: EM, OSB and TO by
    pair, alpha weighted by words."""
    sides = [{str(k): both[side] for k, both in enumerate(examples)} for side in (0, 1)]
    found = agreed(dict(zip(("ann", "ben"), sides, strict=True)), "recess-code")
    pairs = [(x, y) for a, b in examples for x in a for y in b]
    tops, bottoms = dict.fromkeys(GROUPS, 0.0), dict.fromkeys(GROUPS, 0)
    for x, y in pairs:
        for role, group in enumerate(ROLES):
            spans = [sorted((s, e) for r, s, e in side if r == role) for side in (x, y)]
            value, weight = alpha_by_sets(*spans, LENGTH)
            for where in (group, "total"):
                tops[where] += value * weight
                bottoms[where] += weight
    for group in GROUPS:
        em, osb, to = np.mean([measured(x, y)[group] for x, y in pairs], axis=0)
        alpha = tops[group] / bottoms[group] if bottoms[group] else float("nan")
        expected = {"alpha_unitized": alpha, "em": em, "osb": osb, "to": to}
        assert dict(found[group]) == near(expected)


def test_several_examples_and_annotators():
    """All four pairs of p stay, with two relations each; no pair of q stays, with three to one."""
    annotated = {
        "ann": {"p": [ONE, OTHER], "q": [ONE, OTHER, ONE]},
        "ben": {"p": [OTHER, ONE], "q": [ONE]},
        "cid": {"p": [ONE, OTHER]},
    }
    found = agreed(annotated, "recess-code")
    assert found["cause"].em == 0.5
    # Per role, units of 2 and 2 words (cause: 2 and 1) agree in two pairs and not in the others.
    apart = 1 - (2 * 2 + 2 * 1) / 2 / ((4 + 1) / (2 + 1))
    assert found["cause"].alpha_unitized == near((4 + 2 + 2 * apart * 3) / (4 + 2 + 2 * 3))
    assert [pair.n_examples for pair in found.pairs] == [1, 1, 1]
    assert [pair.n_missing for pair in found.pairs] == [0, 1, 1]
    assert found.warnings == ("ann / ben: the published pruning leaves nothing of 1 examples",)
    by_example = agreed(annotated, "recess-code", average="example")
    assert by_example["cause"].em == 0.5


def test_a_first_word_that_one_annotator_marked_alone():
    """The program's empty sentence begins at its second word, so the first is never inside the gap:
    it disagrees with nothing and weighs nothing."""
    sides = {
        "ann": relations_of({"p": [[(0, 3, 5), (2, 0, 1)]]}),
        "ben": relations_of({"p": [[(0, 3, 5)]]}),
    }
    found = fc.agree(sides, "recess-code")
    assert found["signal"].alpha_unitized == near(float("nan"))
    assert found["total"].alpha_unitized == near(1.0)
