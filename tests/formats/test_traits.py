"""Traits of relations: what parts the arguments, the flow of events, and columns of both."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.formats.traits import FLOWS, PLACES, TRAITS, add_traits, flows_of, places_of
from tests.support.cli import cli
from tests.support.data import CNC
from tests.support.format_cases import tables

released = pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
TEXT = "a b , c d e f g"


def marked(*relations, **more):
    return fc.Relations.from_examples([{"text": TEXT, "relations": [*relations], **more}])


def places(relations):
    return [PLACES[k] for k in places_of(relations, fc.Rows.of(relations))]


def flows(relations):
    return [FLOWS[k] for k in flows_of(relations, fc.Rows.of(relations))]


@pytest.mark.parametrize(
    ("relation", "place"),
    [
        ({"cause": (0, 2), "effect": (2, 3)}, "adjacent"),
        ({"cause": (3, 5), "effect": (0, 2)}, "comma"),
        ({"cause": (0, 1), "effect": (2, 3)}, "word"),
        ({"cause": (0, 2), "effect": (4, 5)}, "apart"),
        ({"cause": (0, 2), "effect": (4, 5), "signal": (3, 4)}, "signal_between"),
        ({"cause": (0, 2), "effect": (3, 5), "signal": (2, 3)}, "signal_between"),
        ({"cause": (0, 2), "effect": (3, 5), "signal": (3, 4)}, "comma"),
        ({"cause": (0, 2), "effect": (4, 5), "signal": (0, 1)}, "apart"),
        ({"cause": [(0, 1), (4, 5)], "effect": (2, 3)}, "adjacent"),  # one is within the other
        ({"cause": (1, 3), "effect": (2, 4)}, "adjacent"),
        ({"cause": (0, 2), "signal": (2, 3)}, "missing"),
        ({"signal": (2, 3)}, "missing"),
    ],
)
def test_what_parts_the_arguments(relation, place):
    assert places(marked(relation)) == [place]


def test_commas_need_texts_of_these_tokens():
    relation = {"cause": (0, 2), "effect": (3, 5)}
    bare = fc.Relations.from_examples([{"length": 8, "relations": [relation]}])
    assert places(bare) == ["word"]
    unlike = fc.Relations.from_examples([{"text": "a b ,", "length": 8, "relations": [relation]}])
    assert places(unlike) == ["word"]
    letters = {"text": "大雨，道路关闭。", "relations": [{"cause": "大雨", "effect": "道路关闭"}]}  # noqa: RUF001
    assert places(fc.read([letters], words="letters")) == ["comma"]
    pairs = (("a,", ", c"), ("a", "b"))
    other = {"text": "a, b , c", "relations": [{"cause": a, "effect": b} for a, b in pairs]}
    own = fc.read([other], words=lambda text: ["a", ",", "b", ",", "c"])
    assert places(own) == ["word", "comma"]  # the third word between blanks is a comma


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([((0, 1), (1, 2)), ((3, 4), (4, 5))], ["single"] * 2),
        ([((0, 1), (1, 2)), ((0, 1), (4, 5))], ["concurrent"] * 2),
        ([((0, 1), (1, 2)), ((4, 5), (1, 2))], ["concurrent"] * 2),
        ([((0, 1), (1, 2)), ((1, 2), (4, 5)), ((0, 1), (6, 7))], [*["consecutive"] * 2, FLOWS[1]]),
        ([((0, 1), (1, 2)), ((0, 1), (1, 2))], ["single"] * 2),  # the same relation twice
        ([((0, 1), (0, 1))], ["single"]),
        ([((0, 1), (1, 2)), ((1, 3), (4, 5))], ["single"] * 2),  # a part is another argument
        ([((0, 1), [(1, 3), (3, 5)]), ((1, 5), (6, 7))], ["consecutive"] * 2),  # equal tokens
        ([((0, 1), [(1, 2), (3, 5)]), ((1, 5), (6, 7))], ["single"] * 2),
        ([((0, 1), None), ((0, 1), (3, 4))], ["single"] * 2),
    ],
)
def test_flow_of_events(pairs, expected):
    named = [{"cause": a, "effect": b} if b else {"cause": a} for a, b in pairs]
    assert flows(marked(*named)) == expected
    assert flows(marked(*named[::-1])) == expected[::-1]


def plain(relations):
    """Return the flow of each relation by sets of tokens."""
    found = []
    for example in relations.to_examples():
        listed = [relation or {} for relation in example["relations"]]
        sets = [
            tuple(
                frozenset(t for span in relation.get(role, ()) for t in range(*span))
                for role in ("cause", "effect")
            )
            for relation in listed
        ]
        pairs = {pair for pair in sets if all(pair)}
        for cause, effect in sets:
            others = pairs - {(cause, effect)}
            others = others if cause and effect else set()
            flow = 0
            if any(cause == a or effect == b for a, b in others):
                flow = 1
            if cause != effect and any(a != b and (cause == b or effect == a) for a, b in others):
                flow = 2
            found.append(FLOWS[flow])
    return found


@given(tables())
def test_flow_by_sets(table):
    assert flows(table) == plain(table)


spans = st.sampled_from([(0, 1), (1, 2), (0, 2), (1, 3), (2, 3)])
arguments = st.lists(spans, max_size=2, unique=True)
relation = st.fixed_dictionaries({"cause": arguments, "effect": arguments})


@given(st.lists(st.lists(relation, max_size=4), max_size=4))
def test_flow_of_few_tokens(drawn):
    examples = [{"length": 3, "relations": each} for each in drawn]
    try:
        table = fc.Relations.from_examples(examples)
    except fc.InputError:
        return
    assert flows(table) == plain(table)


def test_columns():
    gold = fc.Relations.from_examples(
        [
            {"text": TEXT, "relations": relations}
            for relations in (
                [],
                [{"cause": (0, 2), "effect": (3, 5)}, {"cause": (0, 2), "effect": (7, 8)}],
                [{"cause": (0, 2), "effect": (4, 5), "signal": (3, 4)}],
            )
        ]
    )
    table = add_traits(gold, TRAITS).table
    assert table["explicit"].to_pylist() == [None, "no", "yes"]
    assert table["near"].to_pylist() == [None, "yes", "no"]
    assert table["flow"].to_pylist() == [None, "concurrent", "single"]
    assert add_traits(gold, ["genre"]) is gold


GOLD = fc.read(sample.GOLD)
PRED = fc.read(sample.SYSTEMS["careful"], like=GOLD)


@pytest.mark.parametrize("by", TRAITS)
@pytest.mark.parametrize("protocol", ["recess", "cnc-2023", "relations", "depths"])
def test_subsets_are_those_of_a_column(by, protocol):
    """A trait of gold makes the subsets that the same column of gold makes."""
    column = add_traits(GOLD, [by])
    expected = fc.score(column, PRED, protocol, by=by)
    found = fc.score(GOLD, PRED, protocol, by=by)
    assert found.to_dict() == expected.to_dict()
    assert len(found.subsets) > 3
    assert found.statistics.report(by).subsets == expected.subsets
    scorer = fc.ExtractionScorer(protocol, by=by)
    for cut in (slice(0, 20), slice(20, None)):
        scorer.update(
            **{
                side: fc.Relations.trusted(each.table[cut], each.reading)
                for side, each in (("gold", GOLD), ("pred", PRED))
            }
        )
    assert scorer.compute().subsets == found.subsets


def test_a_column_of_that_name_wins():
    own = pa.array(["ours" if k % 2 else "theirs" for k in range(len(GOLD))])
    for sides in (
        (GOLD.table.append_column("flow", own), PRED),
        (GOLD, fc.Relations(PRED.table.append_column("flow", own))),
    ):
        subsets = fc.score(*sides, by="flow").subsets
        assert [*subsets][1:] == ["flow=ours", "flow=theirs"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "jsonl"])
def test_commands(suffix, tmp_path):
    gold, pred = (tmp_path / f"{name}.{suffix}" for name in ("gold", "pred"))
    fc.write(GOLD, gold)
    fc.write(PRED, pred)
    options = [word for by in TRAITS for word in ("--by", by)]
    expected = json.loads(json.dumps(fc.score(GOLD, PRED, by=TRAITS).to_dict()["subsets"]))
    assert fc.score(gold, pred, by="near").subsets == fc.score(GOLD, PRED, by="near").subsets
    kept = tmp_path / "counts.parquet"
    printed = cli("score", gold, pred, *options, "--json", "--per-example", kept)[0]
    assert json.loads(printed)["subsets"] == expected
    again = cli("aggregate", kept, *options, "--json")[0]
    assert json.loads(again)["subsets"] == expected
    cli("sweep", gold, pred, "--out", tmp_path / "out", *options)
    swept = json.loads((tmp_path / "out/sweep.json").read_text())
    assert swept["by"] == [*TRAITS]
    assert cli("report", gold, pred, "--out", tmp_path / "page.html", *options)[0]
    assert 'no column "other"' in cli("score", gold, pred, "--by", "other", expect=2)[1]


def test_streams_without_texts(tmp_path):
    gold = tmp_path / "gold.parquet"
    bare = {"length": 8, "relations": [{"cause": (0, 2), "effect": (3, 5)}]}
    fc.write(fc.Relations.from_examples([bare]), gold)
    assert [*fc.score(gold, gold, by="near").subsets][1:] == ["near=no"]


def test_roles_without_signals():
    both = {"reason": (0, 2), "claim": (3, 5)}
    own = fc.Relations.from_examples([{"text": TEXT, "relations": [both]}], ["reason", "claim"])
    assert [*fc.score(own, own, by="near").subsets][1:] == ["near=yes"]
    with pytest.raises(fc.InputError, match='gold has no column "explicit"'):
        fc.score(own, own, by="explicit")
    alone = fc.Relations.from_examples([{"length": 2, "relations": [{"agent": (0, 1)}]}], ["agent"])
    assert (places(alone), flows(alone)) == (["missing"], ["single"])


@released
def test_section_6_1():
    """The sentences of dev with and without a signal."""
    gold = add_traits(fc.read(CNC / "dev_subtask2_grouped.csv"), TRAITS)
    columns = {name: Counter(gold.table[name].to_pylist()) for name in TRAITS}
    assert columns["explicit"] == {"yes": 122, "no": 63, None: 155}
    assert columns["flow"] == {"single": 171, "concurrent": 1, "consecutive": 13, None: 155}
    found = places_of(gold, fc.Rows.of(gold))
    counts = np.bincount(found[np.diff(fc.Rows.of(gold).row_offsets) > 0], minlength=len(PLACES))
    assert dict(zip(PLACES, counts.tolist(), strict=True)) == {
        "signal_between": 86, "adjacent": 74, "comma": 29, "word": 48, "apart": 12, "missing": 0,
    }  # fmt: skip
