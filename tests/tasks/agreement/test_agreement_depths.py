"""Agreement by class, on spans, links and types, and against the rest, by sets."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.support.annotated import NAMES, annotations, near, noisy, relations_of
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES
from tests.support.tables import by_role

TYPES = st.sampled_from([None, "A", "B"])


def tokens(relation, role: int) -> frozenset[int]:
    return frozenset(t for r, start, stop in relation if r == role for t in range(start, stop))


def n_common(a, b) -> int:
    return sum((Counter(a) & Counter(b)).values())


def expect(a, b, types_a, types_b, require: bool) -> dict[str, float]:
    """All ratios of two annotators, by sets and multisets of sets."""
    sums = Counter()

    def add(name, top, bottom):
        sums[name, 0] += top
        sums[name, 1] += bottom

    for i in (i for i in a if i in b):
        sides = [
            [(r, t) for r, t in zip(side[i], types[i], strict=True) if r]
            for side, types in ((a, types_a), (b, types_b))
        ]
        x, y = map(bool, sides)
        add("same", x == y, 1)
        add("causal", 2 * (x and y), x + y)
        add("not_causal", 2 * (not x and not y), 2 - x - y)
        for k, role in enumerate(ROLES):
            of_a, of_b = ({tokens(r, k) for r, _ in side} - {frozenset()} for side in sides)
            for name in (role, "overall"):
                add(name, 2 * len(of_a & of_b), len(of_a) + len(of_b))
        links = [[(tokens(r, 0), tokens(r, 1), t) for r, t in side] for side in sides]
        found = [{span for *pair, _ in side for span in pair if span} for side in links]
        whole = [[link for link in side if link[0] and link[1]] for side in links]
        linkable = [
            sum(c in theirs and e in theirs for c, e, _ in side)
            for side, theirs in zip(whole, reversed(found), strict=True)
        ]
        bare = [[link if require else link[:2] for link in side] for side in whole]
        add("links", 2 * n_common(*bare), sum(linkable))
        typed = [[link for link in side if link[2]] for side in whole]
        pairs = n_common(*([link[:2] for link in side] for side in typed))
        add("same_type", n_common(*typed), pairs)
    has_types = [any(map(any, types.values())) for types in (types_a, types_b)]
    if not all(has_types):
        sums["same_type", 1] = 0
    names = ("same", "causal", "not_causal", "overall", *ROLES, "links", "same_type")
    return {n: sums[n, 0] / sums[n, 1] if sums[n, 1] else math.nan for n in names}


def mean(found, name: str) -> float:
    known = [f[name] for f in found if f[name] == f[name]]
    return sum(known) / len(known) if known else math.nan


def flat(verdict, spans, links) -> dict[str, float]:
    return {
        **{name: verdict[name] for name in ("causal", "not_causal")},
        **{role: scores.f1 for role, scores in spans.items()},
        "links": links.f1,
        "same_type": links.get("same_type", math.nan),
    }


@trials(300)
@given(annotated=annotations(2, 4), more=st.data(), require=st.booleans())
def test_sets_of_spans_and_links(annotated, more, require):
    types = {
        a: {i: [more.draw(TYPES) if r else None for r in e] for i, e in examples.items()}
        for a, examples in annotated.items()
    }
    sides = {
        a: fc.Relations.from_examples(
            {"id": i, "length": LENGTH, "relations": [
                by_role(r) | ({"type": t} if t else {})
                for r, t in zip(e, types[a][i], strict=True)
            ]}
            for i, e in examples.items()
        )
        for a, examples in annotated.items()
    }  # fmt: skip
    found = fc.agree(sides, types="require" if require else "ignore")
    typed = sum(any(map(any, of.values())) for of in types.values()) > 0
    pairs = {
        (a, b): expect(annotated[a], annotated[b], types[a], types[b], require and typed)
        for a, b in combinations(annotated, 2)
    }
    for pair in found.pairs:
        expected = {**pairs[pair.a, pair.b]}
        expected.pop("same")
        assert flat(pair.verdict, pair.spans, pair.links) == near(expected)
    whole = {n: mean(pairs.values(), n) for n in expected}
    assert flat(found.verdict, found.spans, found.links) == near(whole)
    assert bool(found.against_rest) == (len(annotated) > 2)
    depths = {"verdict": "same", "spans": "overall", "links": "links"}
    for name, of_depths in found.against_rest.items():
        for depth, scores in of_depths.items():
            own = mean([f for p, f in pairs.items() if name in p], depths[depth])
            others = mean([f for p, f in pairs.items() if name not in p], depths[depth])
            assert scores.with_rest == near(own)
            assert scores.among_rest == near(others)
            assert scores.difference == near(own - others)


def test_one_who_differs_is_found():
    """The interval of an annotator who shifts spans is below 0, that of a like one is not."""
    annotated = {**noisy(200), "dot": {}}
    rng = np.random.default_rng(1)
    annotated["dot"] = {
        i: [[(r, s, e + int(rng.integers(1, 3))) for r, s, e in x] for x in example]
        for i, example in annotated["ann"].items()
    }
    found = fc.agree({a: relations_of(e, LENGTH + 2) for a, e in annotated.items()}).against_rest
    assert found["dot"]["spans"].high < 0
    assert all(found[name]["spans"].high > 0 for name in NAMES[:3])
    assert all(s.low < s.difference < s.high for s in found["dot"].values() if s.low == s.low)


def test_keys_and_tables():
    same = {"a": [[(0, 0, 2), (1, 4, 6)]], "b": []}
    found = fc.agree({"ann": relations_of(same), "ben": relations_of(same)})
    values = json.loads(found.to_json())
    assert values["spans"]["overall"] == values["links"] == {"f1": 1.0}
    assert (values["verdict"]["causal"], values["verdict"]["not_causal"]) == (1.0, 1.0)
    assert "against_rest" not in values
    assert values["pairs"][0]["links"] == {"f1": 1.0}
    text = found.to_markdown()
    assert "spans, and links of spans that both have, F1" in text


@pytest.mark.parametrize("role", ["both", "claim"])
def test_one_role_has_no_links(role):
    """A role may have the name of a line of an account."""
    side = fc.Relations.from_examples([{"length": 2, "relations": [{role: (0, 1)}]}], (role,))
    found = fc.agree({"ann": side, "ben": side}, roles=(role,), tracks=role)
    assert found.spans[role].f1 == 1.0
    assert math.isnan(found.links.f1)
