"""Suspected gold: planted faults are found; votes of systems by sets; what is shown."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from bench.corpus import Noise, drawn, perturbed, source, table_of
from fastcausal import sample
from fastcausal.rows import Rows
from tests.support.cli import cli
from tests.support.markup import data_of
from tests.support.profiles import trials
from tests.support.related import related, rows_of_side

NOISE = Noise(shift=0.1, swap=0.03, drop=0.1, add=0.3)


def tokens_of(spans):
    """Tokens of cause and of effect."""
    cause, effect = (
        frozenset(k for of, start, stop in spans if of == role for k in range(start, stop))
        for role in (0, 1)
    )
    return cause, effect


def relations_of(rows):
    """Relations by example, as sets of tokens."""
    each = [tokens_of(rows.relation(k).tolist()) for k in range(rows.n_relations)]
    return [
        each[start:stop]
        for start, stop in zip(rows.relation_offsets, rows.relation_offsets[1:], strict=False)
    ]


def of_suspects(found, kind):
    return [
        (int(each.id), tokens_of(each.relations[0].rows.tolist()))
        for each in found.suspects
        if each.kind == kind
    ]


@pytest.mark.parametrize("seed", range(3))
def test_planted_faults_are_found(seed):
    rng = np.random.default_rng(seed)
    true = drawn(source(), rng.integers(source().n_examples, size=600))
    systems = {f"s{k}": table_of(perturbed(true, rng, NOISE)) for k in range(7)}
    known = relations_of(true)
    table = table_of(true).to_examples()
    planted = {"lacking": set(), "unfound": set()}
    faulty = rng.permutation(true.n_examples)[:120]
    for k, example in enumerate(faulty.tolist()):
        relations, length = table[example]["relations"], table[example]["length"]
        if k % 2 and relations:
            lost = relations.pop(int(rng.integers(len(relations))))
            spans = [(r, a, b) for r, n in enumerate(("cause", "effect")) for a, b in lost[n]]
            planted["lacking"].add((example, tokens_of(spans)))
        elif length > 8:
            start, other = (int(n) for n in rng.permutation(length // 2 - 1)[:2] * 2)
            wrong = {"cause": [(start, start + 2)], "effect": [(other, other + 2)]}
            spans = [(0, *wrong["cause"][0]), (1, *wrong["effect"][0])]
            if tokens_of(spans) in known[example]:
                continue
            relations.append(wrong)
            planted["unfound"].add((example, tokens_of(spans)))
    gold = fc.read([{**each, "id": str(k)} for k, each in enumerate(table)])
    found = fc.suspects(gold, systems, top=None)
    for kind, faults in planted.items():
        assert len(faults) > 20
        suspected = of_suspects(found, kind)
        hits = len(faults & {*suspected})
        assert hits >= 0.8 * len(faults)  # recall
        assert hits >= 0.9 * len(suspected)  # precision
    assert found.n_of_kinds == {kind: len(of_suspects(found, kind)) for kind in planted}


@st.composite
def annotated(draw):
    """Gold and three systems of a few examples, whose relations often meet."""
    pool = draw(st.lists(related(), min_size=1, max_size=4))
    n = draw(st.integers(1, 3))
    example = st.lists(st.sampled_from(pool), max_size=4)
    return [[draw(example) for _ in range(n)] for _ in range(4)]


@given(annotated())
@trials(100)
def test_votes_are_those_of_sets(sides):
    """Of equal relations, the one numbered k is in the systems that have more than k of them."""
    rows = [rows_of_side(side)[0] for side in sides]
    gold, *systems = (table_of(Rows(*r.arrays(), np.full(r.n_examples, 9, np.int32))) for r in rows)
    found = fc.suspects(gold, dict(zip("abc", systems, strict=True)), top=None)
    expected = Counter()
    unfound = set()
    for example, each in enumerate(zip(*map(relations_of, rows), strict=True)):
        own, *others = (Counter(relations) for relations in each)
        for relation in {*own, *(r for other in others for r in other)}:
            if not any(relation):
                continue
            most = max(other[relation] for other in others)
            for k in range(own[relation], most):
                votes = sum(other[relation] > k for other in others)
                if votes > 1:
                    expected[example, relation, votes] += 1
            if own[relation] and not most:
                unfound.add((example, relation))
    votes = [each.n_systems for each in found.suspects if each.kind == "lacking"]
    lacking = of_suspects(found, "lacking")
    assert expected == Counter((*each, n) for each, n in zip(lacking, votes, strict=True))
    for each in of_suspects(found, "unfound"):
        assert any(each[1])  # a cause or an effect
        assert each in unfound or any(
            sum(r == each[1] for r in relations_of(rows[0])[each[0]])
            > sum(r == each[1] for r in relations_of(side)[each[0]])
            for side in rows[1:]
        )
    shares = [each.share for each in found.suspects]
    assert shares == sorted(shares, reverse=True)
    assert all(share > 0.5 for share in shares)


def relation(cause, effect):
    return {"cause": cause, "effect": effect}


def example(*relations):
    return [{"id": "a", "length": 12, "relations": [*relations]}]


TRUE, OTHER, NEAR = (
    relation((0, 2), (3, 5)), relation((6, 8), (9, 11)), relation((6, 9), (9, 11)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("systems", "kinds"),
    [
        ([[TRUE], [TRUE], []], {"lacking": 1, "unfound": 1}),
        ([[TRUE], [], []], {"lacking": 0, "unfound": 1}),
        ([[OTHER, TRUE], [TRUE], []], {"lacking": 1, "unfound": 0}),
        ([[NEAR], [NEAR], []], {"lacking": 1, "unfound": 0}),
        ([[NEAR], [], []], {"lacking": 0, "unfound": 1}),
        ([[TRUE], []], {"lacking": 0, "unfound": 1}),  # half is no majority
    ],
)
def test_most_are_more_than_half(systems, kinds):
    named = {str(k): example(*each) for k, each in enumerate(systems)}
    assert fc.suspects(example(OTHER), named).n_of_kinds == kinds


def test_a_signal_alone_is_no_relation():
    gold = example({"signal": (0, 1)})
    assert fc.suspects(gold, {"a": example(), "b": gold, "c": example()}).suspects == []
    assert not sum(fc.suspects(example(), {"a": gold, "b": gold}).n_of_kinds.values())


def test_an_example_that_a_system_lacks_is_not_its_vote():
    gold = [*example(OTHER), {"id": "b", "length": 12, "relations": []}]
    both = [{"id": "b", "length": 12, "relations": [TRUE]}, *example(OTHER)]
    found = fc.suspects(gold, {"x": both, "y": both, "z": example(OTHER)}, unmatched="skip")
    (suspect,) = found.suspects
    assert (suspect.id, suspect.n_systems, suspect.n_seen) == ("b", 2, 2)


def test_command_and_page(tmp_path):
    files = [str(sample.GOLD), *(str(path) for path in sample.SYSTEMS.values())]
    page = tmp_path / "page.html"
    text, _ = cli("errors", *files, "--suspect", "--top", 2, "--html", page, "--json")
    out = json.loads(text)
    found = fc.suspects(sample.GOLD, sample.SYSTEMS, top=2)
    assert out == json.loads(found.to_json())
    assert out["n_suspects"] == {"lacking": 13, "unfound": 6}
    assert out["systems"] == [*sample.SYSTEMS]
    first = out["suspects"][0]["relations"][0]
    assert (first["gold"], first["systems"]) == (None, out["systems"])
    data = data_of(page.read_text())
    assert data["ids"] == sorted(each["id"] for each in out["suspects"])
    assert [each["name"] for each in data["systems"]] == out["systems"]
    assert found.to_arrow()["id"].to_pylist() == [each["id"] for each in out["suspects"]]
    assert "more than 50% of 3 systems" in cli("errors", *files, "--suspect")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["careful.jsonl", "--suspect"], "two systems or more"),
        (["careful.jsonl", "hasty.jsonl"], "add --suspect"),
        (["careful.jsonl", "hasty.jsonl", "--suspect", "--protocol", "cnc-2023"], "--protocol"),
        (["careful.jsonl", "hasty.jsonl", "--suspect", "--type", "le"], "--type is not for"),
    ],
)
def test_uses_without_sense_are_refused(arguments, message):
    events = [sample.GOLD.parent / f"pairs_{name}.csv" for name in ("gold", "careful", "hasty")]
    assert "--suspect is for relations" in cli("errors", *events, "--suspect", expect=2)[1]
    files = [str(sample.GOLD.parent / each) if "." in each else each for each in arguments]
    assert message in cli("errors", str(sample.GOLD), *files, expect=2)[1]
