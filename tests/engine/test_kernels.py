"""Properties of every kernel's counts, for any spans."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs
from fastcausal.options import KernelName
from fastcausal.protocols import Protocol
from tests.oracles.fair import fair_counts
from tests.support.profiles import trials
from tests.support.strategies import (
    LENGTH,
    ROLES,
    TRACKS,
    Relation,
    Span,
    counts_of_pair,
    crowded,
    plan_of,
    relations,
    rows_of,
    sequences,
    tagged_relations,
)

GROUPS = (*ROLES, "overall")
SCHEMES = ("strict", "exact", "partial", "type")
many = trials(200)


def of_role(relation: Relation, group: str) -> Relation:
    return [s for s in relation if group == "overall" or ROLES[s[0]] == group]


def marked(relation: Relation, role: int) -> set[int]:
    return {token for r, start, stop in relation for token in range(start, stop) if r == role}


def meet(a: Span, b: Span) -> bool:
    return max(a[1], b[1]) < min(a[2], b[2])


def same_track(a: Span, b: Span) -> bool:
    return any(a[0] in track and b[0] in track for track in TRACKS)


# ---------------------------------------------------------------------------------- fair_spans


# Long enough for chains of overlaps, in which it matters who meets whom first.

LAYOUTS = [TRACKS, ((0, 1, 2),), ((0,), (1,), (2,))]
sequence_pairs = st.sampled_from(LAYOUTS).flatmap(
    lambda tracks: st.tuples(
        st.just(tracks),
        *[st.tuples(*(sequences(40, roles) for roles in tracks)).map(lambda t: [*chain(*t)])] * 2,
    )
)
nested_pairs = st.tuples(st.sampled_from(LAYOUTS), relations(16), relations(16))


def assert_by_the_book(tracks, gold, pred, backend="cpu"):
    plan = Protocol("test", tracks=[[ROLES[r] for r in track] for track in tracks]).plan(ROLES)
    index = np.zeros(1, np.int64)
    sides = rows_of([[gold]], 40), rows_of([[pred]], 40)
    counts = count_pairs(plan, *sides, index, index, backend=backend)[0]
    expected = fair_counts(gold, pred, tracks)
    fields = plan.kernel.fields
    assert counts.tolist() == [expected[role, field] for role in range(3) for field in fields]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@trials(500)
@given(pair=sequence_pairs | nested_pairs)
def test_fair_spans_by_the_book(backend, pair):
    assert_by_the_book(*pair, backend)


@pytest.mark.drawn
@pytest.mark.parametrize("tracks", LAYOUTS, ids=len)
@pytest.mark.parametrize("most", [3, 6, 12, 24, 60])
def test_fair_spans_that_overlap_by_the_book(most, tracks):
    """Overlapping spans count by the book, also more of them than a device's fixed memory holds."""
    rng = np.random.default_rng(most)
    for _ in range(trials(6000 // most).max_examples):
        gold, pred = (crowded(rng, int(rng.integers(most + 1)), 4 + most) for _ in range(2))
        if rng.random() < 0.5:
            pred = [(r, a, b + int(rng.integers(2))) for r, a, b in gold]
        assert_by_the_book(tracks, gold, pred)


@pytest.mark.parametrize("n_spans", [16, 17, 18])
def test_fair_spans_with_bounds_of_their_own_by_the_book(n_spans):
    """Stretches between 34 bounds are one more than a word of bits has."""
    rng = np.random.default_rng(n_spans)
    for _ in range(50):
        bounds = np.sort(rng.permutation(2 * n_spans).reshape(-1, 2), axis=1).tolist()
        spans = sorted((0, start, stop) for start, stop in bounds)
        taken = rng.permutation(n_spans) < n_spans // 2
        gold, pred = ([s for s, t in zip(spans, taken, strict=True) if t == k] for k in (0, 1))
        assert_by_the_book(LAYOUTS[0], gold, pred)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        # The predicted effect has taken the gold effect's last token: the second cause finds none.
        (
            [(0, 0, 1), (1, 2, 4)],
            [(0, 0, 1), (1, 3, 4), (0, 3, 4)],
            {"tp": 1, "fp": 1, "be": 1, "bes": 1},
        ),
        # One of each role: the cause has taken all of the effect's tokens.
        ([(0, 0, 8), (1, 2, 7)], [(0, 2, 4)], {"fn": 1, "be": 1, "bes": 1}),
        ([(0, 2, 4)], [(0, 0, 8), (1, 2, 7)], {"fp": 1, "be": 1, "bel": 1}),
        # Two of a role, on one side only.
        ([(2, 4, 11), (2, 5, 12)], [(2, 3, 10)], {"fn": 1, "be": 1, "beo": 1}),
        # Tokens that the partner has not taken can still be shared.
        ([(2, 4, 11), (2, 5, 12)], [(2, 3, 12)], {"be": 2, "bel": 2}),
    ],
)
def test_tokens_that_a_partner_has_taken_are_gone(backend, gold, pred, expected):
    counts = counts_of_pair("fair_spans", gold, pred, backend=backend).of("overall")
    assert {f: n for f, n in counts.items() if n} == expected


@many
@given(relations(), relations())
def test_fair_spans_charges_every_span(gold, pred):
    """A match takes a span of each side; a further piece of a split span takes one side's only."""
    counts = counts_of_pair("fair_spans", gold, pred)
    for group in GROUPS:
        c = counts.of(group)
        assert min(c.values()) >= 0
        assert c["be"] == c["bes"] + c["bel"] + c["beo"]
        assert c["tp"] + c["fn"] + c["le"] <= len(of_role(gold, group))
        assert c["tp"] + c["fp"] <= len(of_role(pred, group))
    overlaps = c["be"] + c["lbe"]
    more_pred = c["tp"] + c["le"] + c["fn"] + overlaps - len(gold)  # pieces of a gold span
    more_gold = c["tp"] + c["le"] + c["fp"] + overlaps - len(pred)  # pieces of a predicted span
    matches = overlaps - more_pred - more_gold
    assert more_pred >= 0
    assert more_gold >= 0
    assert matches >= (overlaps > 0)
    for name in ROLES:  # each gold span is charged to its role, and pieces on top
        c = counts.of(name)
        charged = c["tp"] + c["le"] + c["fn"] + c["be"] + c["lbe"]
        assert 0 <= charged - len(of_role(gold, name)) <= more_pred


@many
@given(tagged_relations(), tagged_relations())
def test_fair_spans_of_tags(gold, pred):
    """Without overlaps in a track, hits, wrong labels and misses equal counts span by span."""
    counts = counts_of_pair("fair_spans", gold, pred)
    for name in ROLES:
        c = counts.of(name)
        golds, preds = of_role(gold, name), of_role(pred, name)
        assert c["tp"] == len(set(golds) & set(preds))
        assert c["le"] == sum(
            any(g[1:] == p[1:] and g != p and same_track(g, p) for p in pred) for g in golds
        )
        for field, one_side, other in (("fn", golds, pred), ("fp", preds, gold)):
            alone = [a for a in one_side if not any(same_track(a, b) and meet(a, b) for b in other)]
            assert c[field] == len(alone)
    c = counts.of("overall")
    met = [(g, p) for g in gold for p in pred if same_track(g, p) and meet(g, p)]
    split = max(Counter(side for pair in met for side in enumerate(pair)).values(), default=0) > 1
    charged = c["tp"] + c["fn"] + c["le"] + c["be"] + c["lbe"]
    if not split:
        assert charged == len(gold)
        assert charged - c["fn"] + c["fp"] == len(pred)
    assert charged >= len(gold)
    swapped = counts_of_pair("fair_spans", pred, gold)
    for name in ROLES:
        a, b = counts.of(name), swapped.of(name)
        assert (a["tp"], a["fp"], a["fn"]) == (b["tp"], b["fn"], b["fp"])
    assert c["le"] == swapped.of("overall")["le"]


def test_split_span_counts_every_piece():
    """The documented exception: one gold span predicted in two pieces is two boundary errors."""
    counts = counts_of_pair("fair_spans", [(0, 0, 6)], [(0, 0, 2), (0, 3, 6)]).of("overall")
    assert {f: n for f, n in counts.items() if n} == {"be": 2, "bes": 2}


# ------------------------------------------------------------------- exact, overlap and partial


@many
@given(relations(), relations())
def test_exact_spans_are_multisets(gold, pred):
    counts = counts_of_pair("exact_spans", gold, pred)
    for name in ROLES:
        g, p = (Counter(of_role(side, name)) for side in (gold, pred))
        expected = [(g & p).total(), (p - g).total(), (g - p).total()]
        assert list(counts.of(name).values()) == expected


@many
@given(relations(), relations())
def test_span_overlap_by_the_book(gold, pred):
    counts = counts_of_pair("span_overlap", gold, pred)
    every = {"em": True, "osb": True, "to": True}
    for role, name in enumerate(ROLES):
        c = counts.of(name)
        g, p = (sorted(of_role(side, name)) for side in (gold, pred))
        in_gold, in_pred = marked(gold, role), marked(pred, role)
        shares = {
            "em": bool(g) and g == p,
            "osb": any(a[1] == b[1] or a[2] == b[2] for a in g for b in p),
            "to": bool(in_gold & in_pred),
        }
        for share, found in shares.items():
            absent = bool(gold and pred) and not g and not p
            assert c[share] == (absent or found)
            every[share] &= absent or found
        assert c["tp"] == len(in_gold & in_pred)
        assert c["fp"] == len(in_pred - in_gold)
        assert c["fn"] == len(in_gold - in_pred)
        assert c["n"] == (2 * LENGTH if gold or pred else 0)
        assert c["n1"] == len(in_gold) + len(in_pred)
        assert c["o01"] == len(in_gold ^ in_pred)
        assert c["pairs"] == bool(gold or pred)
    c = counts.of("overall")
    assert {share: c[share] for share in every} == {
        share: bool(gold and pred) and held for share, held in every.items()
    }
    assert c["pairs"] == bool(gold or pred)


@many
@given(relations(), relations())
def test_partial_spans_charge_every_span(gold, pred):
    counts = counts_of_pair("partial_spans", gold, pred)
    for group in GROUPS:
        c = counts.of(group)
        assert min(c.values()) >= 0
        for scheme in SCHEMES:
            taken = sum(c[f"{scheme}_{field}"] for field in ("cor", "inc", "par"))
            assert taken + c[f"{scheme}_mis"] == len(of_role(gold, group))
            assert taken + c[f"{scheme}_spu"] == len(of_role(pred, group))
            assert scheme == "partial" or not c[f"{scheme}_par"]
        assert not c["partial_inc"]


@pytest.mark.parametrize("kernel", ["exact_spans", "span_overlap"])
@trials(100)
@given(gold=relations(), pred=relations())
def test_swapping_sides_swaps_fp_and_fn(kernel, gold, pred):
    one, other = counts_of_pair(kernel, gold, pred), counts_of_pair(kernel, pred, gold)
    for group in GROUPS:
        swapped = other.of(group)
        swapped |= {"fp": swapped["fn"], "fn": swapped["fp"]}
        assert one.of(group) == swapped


@given(relations())
def test_gold_against_itself_is_perfect(relation):
    for group in GROUPS:
        n = len(of_role(relation, group))
        for kernel in ("fair_spans", "exact_spans"):
            c = counts_of_pair(kernel, relation, relation).of(group)
            assert {f: v for f, v in c.items() if v} == ({"tp": n} if n else {})
        c = counts_of_pair("partial_spans", relation, relation).of(group)
        assert {f: v for f, v in c.items() if v} == {f"{s}_cor": n for s in SCHEMES if n}
        c = counts_of_pair("span_overlap", relation, relation).of(group)
        assert c["fp"] == c["fn"] == c["o01"] == 0
        assert c["em"] == c["osb"] == c["to"] == c["pairs"]


# --------------------------------------------------------------------------------- every kernel


ADDITIVE = [name for name, kernel in KERNELS.items() if kernel.additive]


def test_options_name_all_kernels():
    assert {*KernelName.__args__} == {*KERNELS}


def test_additive_kernels():
    assert {"fair_spans", "exact_spans", "partial_spans"} <= set(ADDITIVE)


@pytest.mark.parametrize("kernel", ADDITIVE)
@trials(100)
@given(gold=relations(), pred=relations())
def test_pairing_never_lowers_the_objective(kernel, gold, pred):
    plan = plan_of(kernel)
    pair = counts_of_pair(kernel, gold, pred).values
    alone = counts_of_pair(kernel, gold, None).values + counts_of_pair(kernel, None, pred).values
    (n, d), (n_alone, d_alone) = plan.weights[:2] @ pair, plan.weights[:2] @ alone
    assert n >= n_alone
    assert d <= d_alone
    assert d > 0 or not gold + pred


@pytest.mark.parametrize("kernel", ADDITIVE)
@trials(100)
@given(gold=relations(LENGTH // 2), pred=relations(LENGTH // 2), data=st.data())
def test_relations_that_do_not_meet_count_as_unmatched(kernel, gold, pred, data):
    if data.draw(st.booleans()):  # apart as a whole
        pred = [(role, start + LENGTH // 2, stop + LENGTH // 2) for role, start, stop in pred]
    else:  # or span by span
        pred = [p for p in pred if not any(meet(g, p) for g in gold)]
    alone = counts_of_pair(kernel, gold, None).values + counts_of_pair(kernel, None, pred).values
    np.testing.assert_array_equal(counts_of_pair(kernel, gold, pred).values, alone)


@pytest.mark.parametrize("kernel", KERNELS)
@trials(100)
@given(gold=relations(), pred=relations(), data=st.data())
def test_order_of_spans_does_not_matter(kernel, gold, pred, data):
    shuffled = [data.draw(st.permutations(side)) for side in (gold, pred)]
    one = counts_of_pair(kernel, gold, pred).values
    np.testing.assert_array_equal(one, counts_of_pair(kernel, *shuffled).values)


@pytest.mark.parametrize("kernel", KERNELS)
@trials(100)
@given(gold=relations(), pred=relations())
def test_moved_and_stretched_spans_count_alike(kernel, gold, pred):
    """Counts depend on no position, and token counts grow with the scale, up to the last int32."""
    most = 2**31 - 1
    plan = plan_of(kernel)
    expected = scaled(counts_of_pair(kernel, gold, pred).values, plan)
    for factor, offset in ((1, most - LENGTH), (most // LENGTH, most % LENGTH)):
        moved = [
            [(role, factor * start + offset, factor * stop + offset) for role, start, stop in side]
            for side in (gold, pred)
        ]
        index = np.zeros(1, np.int64)
        counts = count_pairs(plan, *(rows_of([[side]], most) for side in moved), index, index)[0]
        assert scaled(counts, plan, factor) == expected


def scaled(values: np.ndarray, plan, factor: int = 1) -> dict[str, Fraction]:
    """Return counts by name without the length; token counts are divided by the factor."""
    names = plan.kernel.columns(ROLES)
    tokens = ("tp", "fp", "fn", "n1", "o01") if plan.kernel.name == "span_overlap" else ()
    return {
        name: Fraction(int(n), factor if name.split("_")[-1] in tokens else 1)
        for name, n in zip(names, values, strict=True)
        if name.split("_")[-1] != "n"
    }
