"""Judged claims: every figure against fractions, every policy by hand, every fault by message."""

from __future__ import annotations

import itertools
import json
import math
import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.formats.io.files import Source
from fastcausal.tasks.claims.files import read_claim_file
from tests.oracles import claims as oracle
from tests.support.cli import cli
from tests.support.data import DATA

MIRAGE = DATA / "mirage" / "metric_preference"
SYSTEMS = ("qwen3_llm", "qwen_72b_cag", "qwen_72b_rag")
FILES = "metric_{side}_{system}_annotator_{rater}_DONE"
SAMPLE = "claims_{side}_{system}_{rater}"
SIDES = ("prediction", "reference")
AVERAGED = ("precision", "recall", "f1")
has_mirage = pytest.mark.skipif(not MIRAGE.exists(), reason="needs the data of MiRAGE")


def rows_of(raters):
    """A table of what raters say: {rater: {topic: (prediction judgments, reference judgments)}}."""
    return [
        {"system": "s", "topic": topic, "side": side, "claim": f"claim {k:03}", "rater": rater,
         "judgment": judgment}
        for rater, topics in raters.items()
        for topic, sides in topics.items()
        for side, judgments in zip(SIDES, sides, strict=True)
        for k, judgment in enumerate(judgments)
    ]  # fmt: skip


def same(scores, expected):
    for group, values in expected.items():
        names = AVERAGED if len(values) == 3 else ("f1",)
        assert list(scores[group]) == list(names)
        for name, value in zip(names, values, strict=True):
            got = scores[group][name]
            assert got is None if value is None else math.isclose(got, value, rel_tol=1e-13)


def same_as_oracle(system, raters, nulls, mode):
    """Scores of a system in JSON are those of the oracle; raters: what each says by topic."""
    each = {rater: oracle.of_rater(topics, nulls) for rater, topics in raters.items()}
    assert list(system["raters"]) == sorted(each)
    for rater, expected in each.items():
        same(system["raters"][rater], expected)
    voices = list(raters.values())
    if mode == "majority":
        voices = [oracle.majority(voices, nulls)]
    same(system["scores"], oracle.of_raters([oracle.of_rater(v, nulls) for v in voices]))
    assert list(system["topics"]) == sorted(voices[0])
    for topic, values in system["topics"].items():
        each_topic = [{"t": oracle.of_topic(v[topic], nulls)} for v in voices]
        same({"t": {n: values[n] for n in AVERAGED}}, oracle.of_raters(each_topic))
        sizes = values["n_prediction"], values["n_reference"]
        assert sizes == tuple(map(len, voices[0][topic]))


@st.composite
def judged(draw):
    """Judgments of one to three raters of one to four topics, at least one claim a side."""
    sizes = st.tuples(*[st.integers(1, 4)] * 2)
    topics = draw(st.lists(sizes, min_size=1, max_size=4))
    judgment = st.sampled_from([True, False, None])

    def said(n):
        return draw(st.lists(judgment, min_size=n, max_size=n))

    return {
        f"r{rater}": {f"t{k}": tuple(map(said, size)) for k, size in enumerate(topics)}
        for rater in range(draw(st.integers(1, 3)))
    }


@given(judged(), st.sampled_from(["false", "skip"]), st.sampled_from(["mean", "majority"]),
       st.randoms(use_true_random=False))  # fmt: skip
def test_scores_are_those_of_fractions_in_any_order(raters, nulls, mode, chance: random.Random):
    rows = rows_of(raters)
    report = fc.claims(rows, nulls=nulls, raters=mode)
    same_as_oracle(report.to_dict()["systems"]["s"], raters, nulls, mode)
    chance.shuffle(rows)
    again = fc.claims(rows, nulls=nulls, raters=mode)
    assert again.to_json() == report.to_json()
    assert again.judgments.equals(report.judgments)


@has_mirage
@pytest.mark.parametrize("nulls", ["false", "skip"])
@pytest.mark.parametrize("mode", ["mean", "majority"])
def test_figures_of_mirage(nulls, mode):
    report = fc.claims(MIRAGE.glob("*.json"), name=FILES, nulls=nulls, raters=mode)
    found = report.to_dict()
    for system in SYSTEMS:
        raters = {}
        for rater in "123":
            paths = [MIRAGE / f"metric_{s}_{system}_annotator_{rater}_DONE.json" for s in SIDES]
            sides = [oracle.judgments_of(path) for path in paths]
            raters[rater] = {topic: (sides[0][topic], sides[1][topic]) for topic in sides[0]}
        same_as_oracle(found["systems"][system], raters, nulls, mode)
    recall = found["systems"]["qwen_72b_cag"]["raters"]["1"]["topic"]["recall"]
    assert round(recall, 4) == {"false": 0.3525, "skip": 0.3917}[nulls]
    assert [w.split('"')[0::2] for w in found["warnings"]] == [
        ["unjudged: rater ", " gave null to all 39 claims of the reference of topic ",
         " of system ", ""],
        ["identical: raters ", " and ", " gave the same 574 labels to system ", ""],
    ]  # fmt: skip
    assert found["warnings"][1].split('"')[1::2] == ["1", "3", "qwen3_llm"]
    assert sum(s["n_unjudged"] for s in found["systems"].values()) == 47


@has_mirage
def test_agreement_of_mirage():
    sklearn = pytest.importorskip("sklearn.metrics")
    report = fc.claims(MIRAGE.glob("*.json"), name=FILES, nulls="skip")
    for side in (*SIDES, "overall"):
        columns = [
            [
                judgment
                for s in (SIDES if side == "overall" else (side,))
                for system in SYSTEMS
                for claims in oracle.judgments_of(
                    MIRAGE / f"metric_{s}_{system}_annotator_{rater}_DONE.json"
                ).values()
                for judgment in claims
            ]
            for rater in "123"
        ]
        kappas = []
        for pair in itertools.combinations(columns, 2):
            both = [ab for ab in zip(*pair, strict=True) if None not in ab]
            kappas.append(sklearn.cohen_kappa_score(*zip(*both, strict=True)))
        found = report.agreement[side]
        assert found["cohen_kappa"] == pytest.approx(np.mean(kappas), abs=1e-12)
        assert found["n_units"] == len(columns[0])
        assert found["n_ratings"] == sum(j is not None for c in columns for j in c)


def document(side, *claims, topic="t"):
    return json.dumps({topic: {side: "An article.", "claims": list(claims)}})


def claim(judgment, text="x"):
    return {"claim": text, "judgment": judgment}


def two_files(folder, prediction, reference):
    paths = [folder / f"{side}.json" for side in SIDES]
    for path, text in zip(paths, (prediction, reference), strict=True):
        path.write_text(text)
    return paths


def test_shapes_of_claims_are_read_alike(tmp_path):
    """A sentence repeats with other claims, one is empty, one holds a claim alone."""
    text = """{"t": {"prediction": "A. B. A.", "claims": {
        "A.": [{"claim": "a", "judgment": true}, {"claim": "a", "judgment": true}],
        "B.": [], "C.": {"claim": "c", "judgment": false}, "A.": [{"claim": "d", "judgment": true}]
    }}}"""
    prediction, reference = two_files(tmp_path, text, document("reference"))
    [topic] = read_claim_file(prediction).topics
    assert [(c.text, c.sentence, c.judgment) for c in topic.claims] == [
        ("a", "A.", True), ("a", "A.", True), ("c", "C.", False), ("d", "A.", True),
    ]  # fmt: skip
    system = fc.claims([reference, prediction]).systems["system"]
    assert dict(system.topics["t"]) == {
        "precision": 0.75, "recall": 0.0, "f1": 0.0, "n_prediction": 4, "n_reference": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("judgments", "supported"),
    [
        ({"a": True, "b": False}, True),
        ({"a": False, "b": False}, False),
        ({"a": True, "b": None}, True),
        ({None: True}, False),  # what cites nothing is not supported
        ({None: None}, False),
    ],
)
def test_one_source_is_enough(judgments, supported):
    rows = [
        {"topic": "t", "side": side, "claim": "x", "judgment": judgment, "source": source}
        for side in SIDES
        for source, judgment in judgments.items()
    ]
    report = fc.claims(rows)
    assert report.to_dict()["systems"]["system"]["n_claims"] == dict.fromkeys(SIDES, 1)
    assert report.systems["system"]["claim"].precision == float(supported)


def test_a_claim_that_some_source_may_support_is_a_null():
    rows = [
        {"topic": "t", "side": side, "claim": "x", "judgment": judgment, "source": source}
        for side in SIDES
        for source, judgment in (("a", False), ("b", None))
    ]
    with pytest.raises(fc.InputError, match="2 judgments are null"):
        fc.claims(rows)
    assert fc.claims(rows, nulls="false").systems["system"]["claim"].f1 == 0
    assert math.isnan(fc.claims(rows, nulls="skip").systems["system"]["claim"].f1)


def test_a_tie_of_the_majority_is_not_supported():
    raters = {"a": {"t": ([True, True, None], [True])}, "b": {"t": ([False, True, None], [True])}}
    scores = fc.claims(rows_of(raters), raters="majority", nulls="skip").systems["s"]
    assert scores["claim"].precision == 0.5
    assert fc.claims(rows_of(raters), nulls="skip").systems["s"]["claim"].precision == 0.75


def test_topics_of_one_side_are_left_out_on_request():
    raters = {"a": {"t": ([True], [True]), "u": ([False], [])}}
    with pytest.raises(fc.InputError, match=r'1 of 2 topics have one side alone \("u"\)') as error:
        fc.claims(rows_of(raters))
    assert str(error.value).endswith('unmatched="skip" leaves them out')
    report = fc.claims(rows_of(raters), unmatched="skip")
    assert list(report.systems["s"].topics) == ["t"]
    assert report.warnings == ('unmatched=skip: 1 of 2 topics have one side alone ("u")',)
    with pytest.raises(fc.InputError, match="no topic has both sides"):
        fc.claims(rows_of({"a": {"u": ([False], [])}}), unmatched="skip")


@pytest.mark.parametrize(("n", "last", "warned"), [(20, False, 1), (20, True, 0), (19, False, 0)])
def test_identical_raters_need_twenty_labels_that_vary(n, last, warned):
    said = [True] * (n - 2) + [last]
    report = fc.claims(rows_of({r: {"t": (said, [True])} for r in "ab"}))
    assert [w.startswith('identical: raters "a" and "b"') for w in report.warnings] == [
        True
    ] * warned


def test_topics_are_units_of_statistics(tmp_path):
    report = fc.claims(sample.CLAIMS, name=SAMPLE)
    brief, full = report.systems["brief"], report.systems["full"]
    flat = {f"{g}_{name}": value for g, s in brief.scores.items() for name, value in s.items()}
    assert {k: v[0] for k, v in brief.statistics.scores().items()} == flat
    brief.statistics.write(tmp_path / "brief.parquet")
    read = fc.Statistics.read(tmp_path / "brief.parquet")
    assert read.report().to_dict() == brief.to_dict()
    low, high = read.intervals(method="percentile", n_resamples=200).flat()["topic_f1"][:2]
    assert low <= brief["topic"].f1 <= high
    compared = fc.compare(brief, full, score="topic_f1")
    assert "topic_f1" in json.dumps(compared.to_dict())
    assert fc.leaderboard(report.systems, score="claim_f1", n_resamples=100).to_dict()
    with_bounds = full.with_intervals(n_resamples=100)
    assert with_bounds["claim"].precision == full["claim"].precision


def test_systems_of_other_raters_compare():
    raters = {"a": {"t": ([True], [False]), "u": ([True, False], [])}}
    rows = rows_of(raters)
    rows += [{"system": "s", "topic": "u", "side": "reference", "claim": "x", "rater": "a",
              "judgment": True}]  # fmt: skip
    others = [{**row, "rater": "b", "system": "z"} for row in rows]
    systems = fc.claims(rows + others).systems
    assert systems["z"].facts == systems["s"].facts
    compared = fc.compare(systems["s"], systems["z"], score="topic_f1", n_resamples=50).to_dict()
    assert compared["scores"]["topic_f1"]["delta"] == 0


def test_tables_for_meta(tmp_path):
    files = {name: tmp_path / f"{name}.csv" for name in ("topics", "judgments")}
    out, _ = cli("claims", *sample.CLAIMS, "--name", SAMPLE, "--json", "--per-topic",
                 files["topics"], "--judgments", files["judgments"])  # fmt: skip
    system = json.loads(out)["systems"]["full"]
    topics, judgments = (path.read_text().splitlines() for path in files.values())
    assert topics[0] == '"system","item","precision","recall","f1"'
    flood = system["topics"]["Flood of the Lower Aster"]
    assert topics[6] == '"full","Late frost in Vale",' + ",".join(
        repr(system["topics"]["Late frost in Vale"][name]) for name in AVERAGED
    )
    assert (flood["n_prediction"], flood["n_reference"], len(judgments)) == (4, 4, 69)
    assert judgments[:2] == [
        '"system","item","rater","label"',
        '"brief","Fire at the Ridge Mill/prediction/0","ann",1',
    ]


GOOD = document("prediction", claim(True))
FAULTS = {
    "not JSON": ("{", "prediction.json:1: invalid JSON"),
    "words": ("hello", "prediction.json:1: invalid JSON"),
    "no topics": ("{}", "prediction.json has no topics"),
    "empty list": ("[]", "prediction.json has no rows"),
    "empty": ("", "prediction.json is empty"),
    "a word": (document("prediction", claim("yes")),
               'topic "t": claim 0: "judgment" is "yes", expected true, false or null'),
    "a number": (document("prediction", claim(1)), '"judgment" is a number'),
    "no judgment": (document("prediction", {"claim": "x"}), 'claim 0: no "judgment"'),
    "claim is no text": (document("prediction", claim(True, 3)), '"claim" is a number'),
    "both sides": (json.dumps({"t": {"prediction": "", "reference": "", "claims": []}}),
                   'topic "t": expected an article as one of prediction, reference'),
    "no claims": (json.dumps({"t": {"prediction": ""}}), 'topic "t": no "claims"'),
    "claims are text": (json.dumps({"t": {"prediction": "", "claims": "x"}}), "is a string"),
    "topic twice": (GOOD[:-1] + ", " + GOOD[1:], 'topic "t" occurs 2 times'),
    "side of the other": (document("reference", claim(True)), "both have a reference"),
    "other topic": (document("prediction", claim(True), topic="u"),
                    "2 of 2 topics have one side alone"),
    "null": (document("prediction", claim(None)), "1 judgments are null"),
    "no such column": ("topic,side,claim\nt,prediction,x\n", 'no column "judgment"'),
    "unknown word": ("topic,side,claim,judgment\nt,prediction,x,maybe\n", 'verdict "maybe"'),
    "unknown side": ("topic,side,claim,judgment\nt,left,x,1\n",
                     '"side" is "left", expected prediction or reference'),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_once_and_nothing_is_written(fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, message = FAULTS[fault]
    name = "prediction.csv" if text.startswith("topic,") else "prediction.json"
    (tmp_path / name).write_text(text)
    (tmp_path / "reference.json").write_text(document("reference", claim(True)))
    out, err = cli("claims", name, "reference.json", "--json", "--per-topic", "out.csv", expect=2)
    assert message in json.loads(out)["error"]
    assert (err, (tmp_path / "out.csv").exists()) == ("", False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{side}_{rater}", 'the name does not fit "{side}_{rater}"'),
        ("claims_{side}_{who}_{rater}", "expected a pattern with each of {side}, {system}"),
        ("claims", "expected a pattern with each of"),
        ("claims_{side}_{system}_ann", "claims_prediction_brief_ben.json: the name does not fit"),
        ("claims_{system}_{rater}", None),
    ],
)
def test_names_of_files(name, message):
    if message is None:
        message = "topics have one side alone"  # prediction_brief and reference_brief are systems
    out, _ = cli("claims", *sample.CLAIMS, "--name", name, "--json", expect=2)
    assert message in json.loads(out)["error"]


def test_raters_judge_the_same_claims(tmp_path):
    rows = rows_of({"a": {"t": ([True], [True])}, "b": {"t": ([True, False], [True])}})
    with pytest.raises(fc.InputError, match='rater "a" has 1 claims, rater "b" 2, expected'):
        fc.claims(rows)
    rows = rows_of({rater: {"t": ([True], [True])} for rater in "ab"})
    with pytest.raises(fc.InputError, match='claim 0 of rater "a" is "a", of rater "b" "b"'):
        fc.claims([row | {"claim": row["rater"]} for row in rows])
    with pytest.raises(fc.InputError, match='rater "b" has no such claims'):
        fc.claims(rows[:3])
    paths = two_files(tmp_path, GOOD, document("reference", claim(True)))
    with pytest.raises(fc.InputError, match='rater "rater" judges it in another file'):
        fc.claims([*paths, paths[0]], name="{system}")


@given(st.text(max_size=60) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["t", "prediction", "claims", "claim", "judgment"]), inner),
    max_leaves=12,
).map(json.dumps))  # fmt: skip
def test_any_text_is_read_or_refused(text):
    with suppress(fc.InputError):
        fc.claims([Source("x.json", text.encode(errors="surrogatepass"))])
