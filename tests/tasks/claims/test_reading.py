"""Claims of every shape are read alike; every fault is reported with its place, and no file is
written then."""

from __future__ import annotations

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.files import Source
from fastcausal.tasks.claims.files import read_claim_file
from tests.support.claim_files import SIDES, claim, document, rows_of, two_files
from tests.support.cli import cli


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
        ({None: True}, False),  # a claim without citations is not supported
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


GOOD = document("prediction", claim(True))
FAULTS = {
    "not JSON": ("{", "prediction.json:1: invalid JSON"),
    "words": ("hello", "prediction.json:1: invalid JSON"),
    "deep": ('{"a":' * 100_000, "prediction.json: invalid JSON"),
    "no bytes of text": ("{\udcff", "prediction.json:1: byte 0xff is not UTF-8"),
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
    (tmp_path / name).write_text(text, errors="surrogateescape")
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


@pytest.mark.parametrize("source", [None, 5])
def test_what_is_no_source_is_an_error_of_data(source):
    with pytest.raises(fc.InputError, match=r"claims is .*expected a table"):
        fc.claims(source)
