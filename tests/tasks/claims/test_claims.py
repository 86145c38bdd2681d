"""Judged claims: every figure against fractions, every policy by hand."""

from __future__ import annotations

import itertools
import json
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.oracles import claims as oracle
from tests.support.claim_files import SIDES, document, rows_of, two_files
from tests.support.cli import cli
from tests.support.data import DATA

MIRAGE = DATA / "mirage" / "metric_preference"
SYSTEMS = ("qwen3_llm", "qwen_72b_cag", "qwen_72b_rag")
FILES = "metric_{side}_{system}_annotator_{rater}_DONE"
SAMPLE = "claims_{side}_{system}_{rater}"
NULLS = st.sampled_from(["false", "skip"])
MODES = st.sampled_from(["mean", "majority"])
AVERAGED = ("precision", "recall", "f1")
has_mirage = pytest.mark.skipif(not MIRAGE.exists(), reason="needs the data of MiRAGE")


def same(scores, expected):
    for group, values in expected.items():
        names = AVERAGED if len(values) == 3 else ("f1",)
        assert list(scores[group]) == list(names)
        for name, value in zip(names, values, strict=True):
            got = scores[group][name]
            assert got is None if value is None else math.isclose(got, value, rel_tol=1e-13)


def same_as_oracle(system, raters, nulls, mode):
    """Compare a system's scores in JSON with the oracle's; raters: {name: judgments by topic}."""
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


@given(judged(), NULLS, MODES, st.randoms(use_true_random=False))
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


@pytest.mark.slow  # to import scikit-learn
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


def test_articles_without_claims_score_0(tmp_path):
    report = fc.claims(two_files(tmp_path, document("prediction"), document("reference")))
    [system] = report.to_dict()["systems"].values()
    zeros = dict.fromkeys(AVERAGED, 0.0)
    assert system["raters"]["rater"] == {"topic": zeros, "claim": zeros, "means": {"f1": 0.0}}
    assert system["scores"] == system["raters"]["rater"]
    assert report.agreement["overall"]["n_units"] == 0
    assert len(report.judgments) == 0


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


@given(
    judged(), st.sampled_from(["false", "skip"]), st.sampled_from(["mean", "majority"]), st.data()
)
def test_weights_are_topics_drawn_again(raters, nulls, mode, data):
    """A topic of weight 2 is the same as two equal topics, bit for bit."""
    topics = sorted(raters["r0"])
    n = len(topics)
    weights = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(any))
    statistics = fc.claims(rows_of(raters), nulls=nulls, raters=mode).systems["s"].statistics
    drawn = {
        rater: {f"{t}/{k}": said[t] for t, n in zip(topics, weights, strict=True) for k in range(n)}
        for rater, said in raters.items()
    }
    anew = fc.claims(rows_of(drawn), nulls=nulls, raters=mode).systems["s"].statistics.scores()
    scores = statistics.scores(np.array([weights]))
    assert {k: repr(v) for k, v in scores.items()} == {k: repr(v) for k, v in anew.items()}


def test_systems_of_other_raters_compare():
    raters = {"a": {"t": ([True], [False]), "u": ([True, False], [])}}
    rows = rows_of(raters)
    rows += [{"system": "s", "topic": "u", "side": "reference", "claim": "x", "rater": "a",
              "judgment": True}]  # fmt: skip
    others = [{**row, "rater": "b", "system": "z"} for row in rows]
    systems = fc.claims(rows + others).systems
    sizes = ("n_topics", "n_claims", "n_unjudged")
    assert [systems["z"].facts[n] for n in sizes] == [systems["s"].facts[n] for n in sizes]
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
