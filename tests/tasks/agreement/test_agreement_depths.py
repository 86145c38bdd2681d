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
from fastcausal.tasks.agreement.depths import groups_of
from tests.oracles.judges import decide
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
        add("relations", 2 * n_common(*bare), sum(map(len, bare)))
        add("links", 2 * n_common(*bare), sum(linkable))
        typed = [[link for link in side if link[2]] for side in whole]
        pairs = n_common(*([link[:2] for link in side] for side in typed))
        add("same_type", n_common(*typed), pairs)
    has_types = [any(map(any, types.values())) for types in (types_a, types_b)]
    if not all(has_types):
        sums["same_type", 1] = 0
    names = ("same", "causal", "not_causal", "overall", *ROLES, "relations", "links", "same_type")
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
        for name in ("same", "relations"):
            top, bottom = pair.depths.totals[:, groups_of(ROLES).index(name)].tolist()
            assert (top / bottom if bottom else math.nan) == near(expected.pop(name))
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


@pytest.mark.parametrize("by_document", [True, False])
@pytest.mark.parametrize("most", [1, 3], ids=["like", "unlike"])
def test_the_replacement_of_an_annotator(by_document, most):
    """The alternative annotator test of each of three, by F1 in fractions; some lack examples."""
    rng = np.random.default_rng(most)
    annotated = {**noisy(160, seed=most)}
    annotated["dot"] = {
        i: [[(r, s, e + int(rng.integers(most))) for r, s, e in x] for x in example]
        for i, example in annotated["ann"].items()
    }
    annotated = {a: {i: e for i, e in of.items() if rng.random() > 0.05 or a == "dot"}
                 for a, of in annotated.items()}  # fmt: skip
    docs = {i: f"d{int(i) // 4}" if by_document else i for i in annotated["dot"]}
    columns = {"doc_id": docs} if by_document else {}
    sides = {a: relations_of(e, LENGTH + 2, **columns) for a, e in annotated.items()}
    found = fc.agree(sides, replace="dot").facts["replacement"]
    units = {d: [i for i in docs if docs[i] == d] for d in docs.values()}
    assert found["unit"] == ("document" if by_document else "example")
    assert found["n_units"] == len(units)
    for depth, name in (("spans", "overall"), ("relations", "relations")):
        compared = [
            closest(annotated, units.values(), name, other) for other in ("ann", "ben", "cid")
        ]
        rate, advantage, n = decide(compared, found["epsilon"])
        assert n == 3
        assert dict(found[depth]) == near(
            {"winning_rate": rate, "advantage": advantage, "n_annotators": n}
        )


def closest(annotated, units, name: str, other: str):
    """For each unit: is the model, is the other annotator at least as close to the rest?"""
    of_model, of_other = [], []
    rest = {"ann", "ben", "cid"} - {other}
    for unit in units:
        parts = {a: {i: of[i] for i in unit if i in of} for a, of in annotated.items()}
        both = [
            [f1(parts[a], parts[third], name) for a in ("dot", other)]
            for third in rest
            if all({*parts[a]} & {*parts[third]} for a in ("dot", other))
        ]
        if both:
            model, human = (sum(column) for column in zip(*both, strict=True))
            of_model.append(model >= human - 1e-12)
            of_other.append(human >= model - 1e-12)
    return of_model, of_other


def f1(a, b, name: str) -> float:
    untyped = [{i: [None] * len(e) for i, e in side.items()} for side in (a, b)]
    value = expect(a, b, *untyped, require=False)[name]
    return 1.0 if value != value else value


def test_names_of_a_replacement():
    side = relations_of({"a": [[(0, 0, 2), (1, 4, 6)]]})
    two, three = (dict.fromkeys(NAMES[:n], side) for n in (2, 3))
    with pytest.raises(fc.InputError, match='replace is "x", expected an annotator: ann, ben'):
        fc.agree(three, replace="x")
    with pytest.raises(fc.InputError, match="1 annotator beside"):
        fc.agree(two, replace="ann")
    few = fc.agree(three, replace="ann")
    assert few.facts["replacement"]["spans"].n_annotators == 0
    assert any("leaves out 2 annotators, expected 30 examples" in line for line in few.warnings)
    assert "replacement" not in fc.agree(three).to_dict()
