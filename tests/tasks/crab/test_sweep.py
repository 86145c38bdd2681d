"""Thresholds of gold scores: every one equals its own textbook count, and `crab pairwise`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.oracles.crab_answers import threshold_row
from tests.support.cli import cli

SAID = {"Yes.": True, "no": False, "perhaps": None, None: None, "absent": None}
SCORES = st.sampled_from([0, 5, 19.5, 20, 50, 79.99, 80, 95, 100])
judged = st.lists(st.tuples(SCORES, st.sampled_from([*SAID])), min_size=1, max_size=12)
POLICIES = st.sampled_from(["empty", "skip"])
GOLD, YES_NO = (sample.FOLDER / f"crab_{name}.jsonl" for name in ("gold", "yes_no"))


def files_of(pairs):
    """Gold and answers, the last ones without the absent rows."""
    keys = [{"topic_id": k % 2, "event_order_a": 1, "event_order_b": k + 2} for k in range(12)]
    gold = [key | {"score": score} for key, (score, _) in zip(keys, pairs, strict=False)]
    pred = [key | {"prediction": said} for key, (_, said) in zip(keys, pairs, strict=False)]
    present = [row for row in pred if row["prediction"] != "absent"]
    return gold, present or [{**keys[11], "event_order_b": 99, "prediction": "no"}]


@given(
    pairs=judged,
    thresholds=st.sets(SCORES, min_size=1).map(sorted),
    border=st.sampled_from(["up", "text", "down"]),
    undefined=st.sampled_from([None, 0.0, 1.0]),
    unparsed=POLICIES,
    unmatched=POLICIES,
)
def test_thresholds_equal_the_textbook(pairs, thresholds, border, undefined, unparsed, unmatched):
    gold, pred = files_of(pairs)
    options = {"border": border, "undefined": undefined}
    options |= {"unparsed": unparsed, "unmatched": unmatched}
    report = fc.crab.sweep(gold[::-1], pred, thresholds, **options)
    counted = [
        (score, SAID[said])
        for score, said in pairs
        if SAID[said] is not None or (unmatched if said == "absent" else unparsed) == "empty"
    ]
    rows = []
    for threshold in thresholds:
        equal = border == "up" or (border == "text" and threshold != 80)
        sides = ([side[k] for side in counted] for k in (0, 1))
        rows.append(threshold_row(*sides, threshold, equal=equal, undefined=undefined))
    values = report.to_dict()
    assert values["thresholds"] == [pytest.approx(row) for row in rows]
    defined = [row for row in values["thresholds"] if row["macro_f1"] is not None]
    highest = max((row["macro_f1"] for row in defined), default=None)
    # Equal means of other counts may differ in the last bit.
    ties = (row for row in defined if row["macro_f1"] == pytest.approx(highest, rel=1e-12))
    assert values["best"] == next(ties, None)
    unread = sum(SAID[said] is None for _, said in pairs)
    assert (values["n_pairs"], values["coverage"]["n_read"]) == (len(pairs), len(pairs) - unread)
    for row in values["thresholds"]:
        one = fc.crab.pairwise(gold, pred, "binary", threshold=row["threshold"], **options)
        one = one.to_dict()
        assert one["scores"]["macro"]["f1"] == row["macro_f1"]
        assert one["scores"]["overall"]["accuracy"] == row["accuracy"]
        assert [label["f1"] for label in one["classes"]] == [row["f1_no"], row["f1_yes"]]


def test_no_order_and_no_company_changes_a_byte(tmp_path):
    copies = {}
    for name, path in (("gold", GOLD), ("pred", YES_NO)):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        copies[name] = tmp_path / f"{name}.jsonl"
        copies[name].write_text("".join(lines[::-1]), encoding="utf-8")
    out, _ = cli("crab", "sweep", GOLD, YES_NO, "--json")
    assert cli("crab", "sweep", copies["gold"], copies["pred"], "--json")[0] == out
    some = fc.crab.sweep(GOLD, YES_NO, [20, 35])["35"]
    assert some == fc.crab.sweep(GOLD, YES_NO)["35"]


def test_command(tmp_path):
    pytest.importorskip("matplotlib")
    some = tmp_path / "some.jsonl"
    lines = YES_NO.read_text(encoding="utf-8").splitlines(keepends=True)
    some.write_text("".join(lines[::2]).replace("Yes.", "Maybe."), encoding="utf-8")
    arguments = ["crab", "sweep", GOLD, YES_NO, some, "--thresholds", "20,50.5"]
    arguments += ["--unmatched", "skip", "--unparsed", "empty"]
    for kind in ("png", "svg"):
        pictures = [tmp_path / f"{k}.{kind}" for k in "ab"]
        for picture in pictures:
            out, _ = cli(*arguments, "--json", "--plot", picture)
        assert pictures[0].read_bytes() == pictures[1].read_bytes()
    systems = json.loads(out)["systems"]
    assert list(systems) == ["crab_yes_no", "some"]
    assert [row["threshold"] for row in systems["some"]["thresholds"]] == [20, 50.5]
    assert systems["some"]["coverage"]["unread"]["unmatched"] == 29
    assert set(systems["some"]) == {
        "signature", "n_pairs", "thresholds", "best", "coverage", "warnings",
    }  # fmt: skip
    assert set(systems["some"]["best"]) == {
        "threshold", "n_positive", "accuracy", "macro_f1", "f1_yes", "f1_no", "tp", "fp", "fn",
    }  # fmt: skip
    text, _ = cli(*arguments)
    assert "some: thresholds: 59 pairs" in text
    assert "thresholds:20,50.5|border:up|0/0:undefined|unparsed:empty|unmatched:skip" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--thresholds", ""], "thresholds are empty"),
        (["--thresholds", "20,10"], "thresholds are 20, 10, expected numbers that rise"),
        (["--thresholds", "20,20"], "expected numbers that rise"),
        (["--thresholds", "20,nan"], "expected numbers that rise"),
        (["--thresholds", "20;30"], '--thresholds is "20;30"'),
        (["--column", "answer"], 'no column "answer"'),
        (["--plot", "curve.txt"], "curve.txt: expected a name that ends in"),
    ],
)
def test_bad_options(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for json_flag in ([], ["--json"]):
        out, errors = cli("crab", "sweep", GOLD, YES_NO, *options, *json_flag, expect=2)
        assert message in (json.loads(out)["error"] if json_flag else errors)
    assert not [*tmp_path.iterdir()]


def test_gold_without_scores():
    gold = [{"topic_id": 1, "event_order_a": 1, "event_order_b": 2, "class": "A"}]
    with pytest.raises(fc.InputError, match=r'gold: row 0: .*no "score"'):
        fc.crab.sweep(gold, ["yes"])


def test_of_equal_scores_the_lowest_threshold_is_best():
    """Two scores of 8/21 are equal, although rounding makes one a little greater."""
    scores = [5, 6, 14, 14, 16, 24, 34, 52, 57, 60, 80, 89, 96]
    gold = [
        {"topic_id": 1, "event_order_a": 0, "event_order_b": k + 1, "score": score}
        for k, score in enumerate(scores)
    ]
    report = fc.crab.sweep(
        gold, [{"n": "no", "y": "yes"}[said] for said in "nyynnynynnnnn"], [24, 96]
    )
    low, high = (row["macro_f1"] for row in report.thresholds)
    assert low < high < low + 1e-15
    assert report.best["threshold"] == 24
