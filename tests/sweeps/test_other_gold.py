"""Runs against different gold: common examples are compared, as if gold had never had others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.options import Correction
from tests.support.profiles import trials

Examples = dict[str, dict[str, Any]]


def example(relations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"length": 6, "relations": relations}


RELATIONS = st.lists(
    st.sampled_from([
        {"cause": (0, 2), "effect": (3, 5)}, {"cause": (0, 1), "effect": (2, 4)},
        {"cause": (4, 6), "effect": (0, 3), "signal": [(3, 4)]},
    ]),
    max_size=2,
)  # fmt: skip


def counts(gold: Examples, pred: Examples, name: str) -> Any:
    rows = [[{"id": id, **each[id]} for id in gold] for each in (gold, pred)]
    report = fc.score(*(fc.Relations.from_examples(side) for side in rows))
    return replace(report.statistics, system=name)


@trials(60)
@given(data=st.data())
def test_equals_scoring_the_common_examples_alone(data: st.DataObject):
    ids = [f"e{k}" for k in range(data.draw(st.integers(4, 8)))]
    old = {id: example(data.draw(RELATIONS)) for id in ids}
    preds = [{id: example(data.draw(RELATIONS)) for id in [*ids, "new"]} for _ in range(3)]
    gone = data.draw(st.sets(st.sampled_from(ids), max_size=2))
    # Another number of relations can be seen in counts
    grown = data.draw(st.sets(st.sampled_from(ids), max_size=2))
    extra = {"cause": (5, 6), "effect": (4, 5)}
    new = {
        id: example([*each["relations"], extra]) if id in grown else each
        for id, each in old.items()
        if id not in gone
    }
    if data.draw(st.booleans()):
        new["new"] = example([extra])
    common = [id for id in old if id in new and id not in grown]
    assume(common and new != old)
    a, b, c = (counts(g, p, n) for g, p, n in zip((old, new, old), preds, "abc", strict=True))
    few = {id: old[id] for id in common}
    alone = [counts(few, p, n) for p, n in zip(preds, "abc", strict=True)]

    found, expected = fc.compare(a, b), fc.compare(*alone[:2])
    assert repr(found.scores) == repr(expected.scores)
    assert (found.n_units, found.n_differ, found.gold) == (len(common), expected.n_differ, None)
    [said] = (w for w in found.warnings if "different gold" in w)
    assert all(f'"{id}"' in said for id in sorted({*gone, *(grown - gone)})[:1])
    assert f"gold of the other {len(common)} example" in said

    if len(common) > 1:
        boards = [fc.leaderboard(each, n_resamples=50) for each in ([a, b, c], alone)]
        assert repr(boards[0].scores) == repr(boards[1].scores)
        assert any("different gold" in w for w in boards[0].warnings)


def test_other_gold_of_equal_counts_is_said_to_be_unknown():
    gold = {k: example([{"cause": (0, 2), "effect": (3, 5)}]) for k in "xyz"}
    moved = {**gold, "y": example([{"cause": (1, 2), "effect": (3, 5)}])}
    found = fc.compare(counts(gold, gold, "a"), counts(moved, gold, "b"))
    assert found.n_units == 3
    assert found.warnings == (
        "A (a) and B (b) were scored against different gold: counts cannot tell if gold of the "
        "other 3 examples is the same",
    )


def test_no_common_example():
    sides = [
        {k: example([{"cause": (0, 2), "effect": (3, 5)}]) for k in each} for each in ("x", "y")
    ]
    with pytest.raises(fc.InputError, match="different gold, without a common example"):
        fc.compare(*(counts(side, side, "s") for side in sides))


def test_a_gate_takes_one_gold():
    gold = {k: example([{"cause": (0, 2), "effect": (3, 5)}]) for k in "xyz"}
    less = {k: gold[k] for k in "xy"}
    with pytest.raises(fc.InputError, match="scored against different gold"):
        fc.gate(counts(gold, gold, "a"), counts(less, gold, "b"), min_delta=0.0)


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_documents_beyond_gold(correction: Correction):
    def pairs(*rows: str) -> list[dict[str, str]]:
        return [dict(zip(("doc_id", "a", "b", "label"), row.split(), strict=True)) for row in rows]

    old = pairs("d1 x y CAUSE", "d2 x y CAUSE", "d3 x y CAUSE")
    new = pairs("d1 x y CAUSE", "d3 x y CAUSE", "d3 y z CAUSE", "d4 x y CAUSE")
    preds = pairs("d1 x y CAUSE", "d4 x y CAUSE"), pairs("d1 y x CAUSE", "d9 x y CAUSE")
    found = fc.compare(
        *(fc.eci(g, p).statistics for g, p in zip((old, new), preds, strict=True)),
        correction=correction,
    )
    both = [[row for row in p if row["doc_id"] in ("d1", "d9")] for p in preds]
    expected = fc.compare(*(fc.eci(old[:1], p).statistics for p in both), correction=correction)
    assert repr(found.scores) == repr(expected.scores)
    assert '"d2"' in found.warnings[0]
