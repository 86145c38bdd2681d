"""Scores of causal pairs against the oracle, and the worked examples of shared/reference/eci.md."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.eci.protocols import PAIR_PROTOCOLS
from tests.oracles import eci as oracle
from tests.support import event_pairs as data

real = pytest.mark.skipif(not data.ESC.is_dir(), reason="no shared/data/eventstoryline")
TABLES = ("pairs", "eventstoryline", "ilif-direction")
DECLARED = {
    "forward": ("leads to",),
    "backward": ("follows", "is due to", "-1"),
    "unknown": ("?",),
}
LABELS = (
    "PRECONDITION", "FALLING_ACTION", "CAUSE", "CauseEffect", "EffectCause", "CLINK", "CLINK-R",
    "null", "", "NONE", "NoRel", None, "leads to", "follows", "is due to", "UNKNOWN", "unknown",
    "cause", "falling action", "Caused by", "CAUSED_BY", "effect_cause", "clink-r", " Leads_To ",
    "NULL", "None", "none", "NoRelation", "no relation", "No", "O", "0", "false", "1", "1.0",
    "true", "causal", "Yes", "?", "-1",
)  # fmt: skip
DOCUMENTS = ("d1", "d2", "d3")
MENTIONS = ("1", "11", "111", "m")
SENTENCE = {"1": 0, "11": 0, "111": 1, "m": None}


def pair(label: st.SearchStrategy[Any]) -> st.SearchStrategy[data.Row]:
    ends = st.lists(st.sampled_from(MENTIONS), min_size=2, max_size=2, unique=True)
    return st.builds(
        lambda doc, ends, label: {
            "doc_id": doc,
            "a": ends[0],
            "b": ends[1],
            "label": label,
            "topic": f"t{int(doc[1]) // 2}",
        },
        st.sampled_from(DOCUMENTS),
        ends,
        label,
    )


@st.composite
def cases(draw: Any) -> tuple[list, list, dict]:
    label = st.sampled_from(LABELS)
    gold = draw(st.lists(pair(label), min_size=1, max_size=12))
    pred = draw(st.lists(pair(label), max_size=12))
    if draw(st.booleans()):
        for row in gold:
            row["sentence_a"], row["sentence_b"] = SENTENCE[row["a"]], SENTENCE[row["b"]]
    for row in pred:
        del row["topic"]
        row["score"] = draw(st.floats(0, 1))
    kind = draw(st.sampled_from((None, "listed", "pairs", "events")))
    candidates: Any = kind
    if kind == "pairs":
        candidates = [
            {name: row[name] for name in ("doc_id", "a", "b")}
            for row in draw(st.lists(pair(st.none()), min_size=1, max_size=12))
        ]
    if kind == "events":
        events = st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(MENTIONS))
        candidates = [
            {"doc_id": doc, "event": event, "sentence": SENTENCE[event]}
            for doc, event in draw(st.lists(events, min_size=1, max_size=10))
        ]
    options = {
        "protocol": (protocol := draw(st.sampled_from(TABLES))),
        "candidates": candidates,
        "outside": draw(st.sampled_from(("charge", "ignore"))),
        "undefined": draw(st.sampled_from((None, 0.0, 1.0))),
        "fold": draw(st.sampled_from((None, "topic"))),
        **DECLARED,
    }
    if protocol != "eventstoryline":  # which alone knows the text null
        options |= draw(st.sampled_from(({"none": ("null",)}, {"unknown": ("?", "null")})))
    return gold, pred, options


def near(got: Any, expected: Any) -> bool:
    """Equal counts and quotients; means and harmonic means but for the last digits."""
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(near(got[k], expected[k]) for k in expected)
    if isinstance(expected, float) and got is not None:
        return math.isclose(got, expected, rel_tol=1e-15)
    return bool(got == expected)


def checked(gold: list, pred: list, options: dict) -> dict:
    """Score, compare with the oracle, and return the report as JSON."""
    report = fc.eci(gold, pred, by="topic", **options).to_dict()
    expected = oracle.score(gold, pred, by=("topic",), **options)
    assert report["scores"] == expected["scores"]
    for name in ("n_documents", "n_candidates", "n_outside", "n_ignored", "by"):
        assert report[name] == expected[name], name
    if "every" in expected:
        assert report["baselines"] == {"every": expected["every"]}
    if "folds" in expected:
        assert near(report["folds"], expected["folds"])
    return report


@given(cases())
def test_oracle(case):
    checked(*case)


def test_sentences_that_are_all_unknown_make_no_strata():
    rows = [{"doc_id": "d", "a": "1", "b": "2", "label": "cause", "topic": "t"}]
    candidates = [{"doc_id": "d", "event": "1", "sentence": None}]
    report = checked(rows, rows, {"candidates": candidates, "outside": "charge"})
    assert "intra" not in report["scores"]["exists"]


@given(cases(), st.randoms())
def test_neither_order_nor_shards_move_a_bit(case, random):
    gold, pred, options = case
    if not pred:
        return
    whole = fc.eci(gold, pred, **options)
    turned = [*gold], [*pred]
    for rows in turned:
        random.shuffle(rows)
    again = fc.eci(*turned, **options)
    assert again == whole
    assert again.statistics.table().equals(whole.statistics.table())


def test_maven():
    report = fc.eci(data.MAVEN_GOLD, data.MAVEN_PRED, protocol="maven-ere")
    assert dict(report["typed"]) == oracle.counted(2, 4, 4, 0.0)
    assert report.to_dict()["n_ignored"] == 1
    plain = fc.eci(data.MAVEN_GOLD, data.MAVEN_PRED)
    assert dict(plain["exists"]) == oracle.counted(3, 3, 4, None)
    assert dict(plain["direction"]) == oracle.counted(3, 4, 4, None)
    for said, (precision, recall, f1) in data.TWO_TYPES_PREDICTED:
        pred = [{"id": "d", "causal_relations": said}]
        scores = fc.eci(data.TWO_TYPES, pred, protocol="maven-ere")["typed"]
        assert (scores.precision, scores.recall, scores.f1) == (precision, recall, f1)


@st.composite
def lines(draw: Any) -> tuple[list, list]:
    gold, pred = [], []
    for k in range(draw(st.integers(1, 3))):
        ids = [f"d{k}m{m}" for m in range(5)]
        cuts = draw(st.sets(st.integers(1, 4), max_size=3))
        edges = [0, *sorted(cuts), 5]
        groups = [ids[i:j] for i, j in itertools.pairwise(edges)]
        events = [data.event(f"e{n}", *of) for n, of in enumerate(groups)]
        pair_of = lambda names: st.lists(  # noqa: E731
            st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True), max_size=4
        )
        names = [event["id"] for event in events]
        labels = draw(st.permutations(("CAUSE", "PRECONDITION")))
        relations = {x: draw(pair_of(names)) if len(names) > 1 else [] for x in labels}
        gold.append({"id": f"d{k}", "events": events, "causal_relations": relations})
        if draw(st.booleans()):
            said = {
                x: draw(pair_of([*ids, "zz"])) for x in draw(st.permutations((*labels, "NONE")))
            }
            pred.append({"id": f"d{k}", "causal_relations": said})
    pred.append({"id": "other", "causal_relations": {"CAUSE": [["x", "y"]]}})
    return gold, pred


@given(lines())
def test_maven_oracle(case):
    gold, pred = case
    report = fc.eci(gold, pred, protocol="maven-ere").to_dict()
    expected = oracle.maven(gold, pred)
    for name in ("scores", "n_documents", "n_ignored"):
        assert report[name] == expected[name]


def test_maven_tells_apart_what_its_program_does_not():
    gold = [
        {"id": d, "events": [data.event("a", "1"), data.event("b", "11"), data.event("c", "111")],
         "causal_relations": {"CAUSE": [["a", "c"]]}}
        for d in ("d1",)
    ]  # fmt: skip
    pred = [{"id": "d1", "causal_relations": {"CAUSE": [["111", "1"]]}}]
    report = fc.eci(gold, pred, protocol="maven-ere")
    assert report["typed"].tp == 0
    assert "takes such pairs for one: 1" in " ".join(report.warnings)
    twice = [*gold, gold[0] | {"id": "d2"}]
    report = fc.eci(twice, pred, protocol="maven-ere")
    assert "in two documents of gold" in " ".join(report.warnings)


IDS = st.text("12", min_size=1, max_size=4)
LINES = st.lists(
    st.lists(st.lists(IDS, min_size=2, max_size=2, unique=True).map(tuple), max_size=6),
    min_size=2, max_size=2,
)  # fmt: skip


def clustered(relations: list[tuple[str, str]], document: str) -> dict[str, Any]:
    ids = sorted({id for pair in relations for id in pair} | {"1", "2", "12"})
    events = [data.event(f"{id}e", id) for id in ids]
    related = [[f"{a}e", f"{b}e"] for a, b in relations]
    return {"id": document, "events": events, "causal_relations": {"CAUSE": related}}


@given(LINES)
def test_joined_ids_of_other_pairs_are_counted(documents):
    gold, pred = (clustered(relations, "d") for relations in documents)
    known = {mention["id"] for event in gold["events"] for mention in event["mention"]}
    pairs = {pair for pair in documents[1] if {*pair} <= known}
    joined = Counter(a + b for a, b in {*documents[0], *pairs})
    alike = sum(n > 1 for n in joined.values())
    warnings = [w for w in fc.eci([gold], [pred], protocol="maven-ere").warnings if "joined" in w]
    assert [int(w.split()[-1]) for w in warnings] == ([alike] if alike else [])


def test_events_of_many_mentions():
    names = [[f"{event}{k}" for k in range(40)] for event in "ab"]
    events = [data.event(*(f"E{k}", *of)) for k, of in enumerate(names)]
    line = {"id": "d", "events": events, "causal_relations": {"CAUSE": [["E0", "E1"]]}}
    pairs = [[a, b] for a in names[0] for b in names[1]]
    pred = {"id": "d", "causal_relations": {"CAUSE": pairs[:1000], "PRECONDITION": pairs[990:]}}
    report = fc.eci([line], [pred], protocol="maven-ere")
    assert dict(report["typed"]) == oracle.counted(990, 1600, 1600, 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fastcausal.tasks.eci.corpora.documents.MAX_PAIRS", 1600)
        assert fc.eci([line], [line])["typed"].gold == 1600
        patch.setattr("fastcausal.tasks.eci.corpora.documents.MAX_PAIRS", 1599)
        with pytest.raises(fc.InputError, match='gold: row 0: 40 and 40 mentions of "E0" and "E1"'):
            fc.eci([line], [line])


@pytest.mark.parametrize("protocol", ["maven-ere", "pairs"])
def test_predictions_of_maven_that_name_events(protocol):
    named = [{"id": "d1", "causal_relations": data.MAVEN_GOLD[0]["causal_relations"]}]
    with pytest.raises(fc.InputError, match='"E1" of document "d1" is the id of an event') as error:
        fc.eci(data.MAVEN_GOLD, named, protocol=protocol)
    assert "--lenient (lenient=True)" in str(error.value)
    report = fc.eci(data.MAVEN_GOLD, named, protocol=protocol, lenient=True, undefined=0)
    assert report["typed"].f1 == 0
    assert (
        "ids of events in predictions, which name no mentions and score nothing: 3"
        in report.warnings
    )


def test_worked_examples_of_tables():
    report = fc.eci(data.STORY_GOLD, data.STORY_PRED, protocol="eventstoryline").to_dict()
    expected = oracle.score(data.STORY_GOLD, data.STORY_PRED, "eventstoryline")
    assert report["scores"] == expected["scores"]
    report = fc.eci(data.THREE_GOLD, data.THREE_PRED, protocol="ilif-direction")
    scores = report["direction"]
    assert (scores.precision, scores.recall, scores.f1) == (2 / 3, 0.4, 0.5)
    assert fc.eci(data.THREE_GOLD, data.THREE_PRED)["exists"].f1 == 0.8


@pytest.mark.slow
@real
def test_a_system_on_eventstoryline():
    gold, pred, events = data.esc_gold(), data.esc_system(), data.esc_events()
    for protocol in TABLES:
        options = {"protocol": protocol, "candidates": events, "fold": "topic"}
        options |= {} if protocol == "eventstoryline" else {"unknown": ("null",)}
        report = fc.eci(gold, pred, by="topic", **options).to_dict()
        expected = oracle.score(gold, pred, by=("topic",), **options)
        assert report["scores"] == expected["scores"]
        assert report["by"] == expected["by"]
        assert near(report["folds"], expected["folds"])
    report = fc.eci(gold, pred, candidates=events, unknown="null").to_dict()
    every = report["baselines"]["every"]
    percents = {
        name: [round(100 * every[name][m], 2) for m in ("precision", "recall", "f1")]
        for name in every
    }
    assert percents == {
        "intra": [22.47, 98.62, 36.60],
        "inter": [8.45, 99.51, 15.57],
        "overall": [10.49, 99.23, 18.98],
    }
    assert report["scores"]["exists"]["intra"]["tp"] == 821


def test_json_keys():
    report = fc.eci(data.THREE_GOLD, data.THREE_PRED, candidates="listed").to_dict()
    assert [*report] == [
        "signature", "protocol", "warnings", "n_documents", "n_outside", "n_candidates",
        "n_ignored", "scores", "baselines", "by", "folds",
    ]  # fmt: skip
    assert [*report["scores"]] == ["exists", "direction", "typed"]
    assert [*report["scores"]["exists"]] == ["overall", "intra", "inter"]
    keys = ["precision", "recall", "f1", "tp", "predicted", "gold"]
    assert [*report["scores"]["exists"]["intra"]] == keys
    story = fc.eci(data.STORY_GOLD, data.STORY_PRED, protocol="eventstoryline").to_dict()
    assert [*story["scores"]] == ["exists", "typed"]
    keys = ["precision", "recall", "f1", "tp", "fp", "fn"]
    assert [*story["scores"]["exists"]["overall"]] == keys
    json.dumps(report)


def test_every_protocol_is_an_option():
    assert {*PAIR_PROTOCOLS} == {*TABLES, "maven-ere"}


def test_the_program_ends_where_nothing_is_predicted():
    nothing = [{"doc_id": "doc1", "a": "3", "b": "8", "label": "NONE"}]
    report = fc.eci(data.STORY_GOLD, nothing, protocol="eventstoryline")
    assert report.to_dict()["scores"]["exists"]["overall"]["precision"] is None
    assert report["exists"].recall == 0
    assert "ZeroDivisionError" in report.warnings[0]
