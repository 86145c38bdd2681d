"""Experts' classes in gold: against plain Python with fractions."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles.crab_pairs import letter
from tests.support.cli import cli
from tests.support.profiles import trials

KEY = ("topic_id", "event_order_a", "event_order_b")
GOLD = st.dictionaries(
    st.tuples(st.sampled_from([2, 10]), st.integers(0, 1), st.integers(2, 3)),
    st.sampled_from("ABCD"),
    min_size=1,
)


def decided(classes, rule):
    """Return the class of a pair's ratings and the rule that gave it; a tie has no class."""
    votes = Counter(classes)
    most = [c for c in votes if votes[c] == max(votes.values())]
    if rule != "mean" and len(most) == 1:
        return most[0], "majority"
    mean = Fraction(sum("DCBA".index(c) for c in classes), len(classes))
    if rule != "majority" and mean % 1 != Fraction(1, 2):
        return "DCBA"[round(mean)], "mean"
    return None, "tied"


@trials(150)
@given(GOLD, st.data(), st.sampled_from(["majority", "mean", "both"]),
       st.sampled_from(["up", "down"]), st.booleans(), st.randoms())  # fmt: skip
def test_classes_equal_plain_python(gold, data, rule, border, as_scores, random):
    said = {
        key: data.draw(st.lists(st.sampled_from([80, 79, 50, 20, 0, 100]), max_size=5))
        for key in gold
    }
    ratings = [
        dict(zip(KEY, key, strict=True)) | {"rater": k}
        | ({"score": score} if as_scores else {"class": letter(score, border)})
        for key, scores in said.items()
        for k, score in enumerate(scores)
    ]  # fmt: skip
    rows = [dict(zip(KEY, key, strict=True)) | {"class": c, "more": c * 2}
            for key, c in gold.items()]  # fmt: skip
    random.shuffle(rows)
    random.shuffle(ratings)
    if not ratings:
        return
    report = fc.crab.experts(rows, ratings, rule=rule, border=border)
    expected, changed, tied = [], {}, set()
    for row in rows:
        key = tuple(row[name] for name in KEY)
        scores = [letter(score, border) for score in said[key]]
        found, by = decided(scores, rule) if scores else (None, "gold")
        expected.append(row | {"class": found or row["class"], "class_from": by})
        name = "/".join(map(str, key))
        if found and found != row["class"]:
            changed[name] = {"id": name, "before": row["class"], "after": found, "by": by}
        if by == "tied":
            tied.add(name)
    assert report.pairs.to_pylist() == expected
    assert {row["id"]: row for row in report.changed} == changed
    assert {*report.tied} == tied
    assert (report.n_changed, report.n_tied) == (len(changed), len(tied))
    assert report.n_rated == sum(map(bool, said.values()))


@pytest.mark.parametrize(
    ("said", "found"),
    [("AB", {"majority": "tied", "mean": "tied", "both": "tied"}),
     ("AC", {"majority": "tied", "mean": "B", "both": "B"}),
     ("AAC", {"majority": "A", "mean": "B", "both": "A"}),
     ("ABCD", {"majority": "tied", "mean": "tied", "both": "tied"})],
)  # fmt: skip
def test_ties_by_hand(said, found):
    key = dict(zip(KEY, (1, 1, 2), strict=True))
    ratings = [key | {"rater": k, "class": c} for k, c in enumerate(said)]
    for rule, expected in found.items():
        report = fc.crab.experts([key | {"class": "D"}], ratings, rule=rule)
        [row] = report.pairs.to_pylist()
        assert row["class"] == ("D" if expected == "tied" else expected)
        assert (row["class_from"] == "tied") == (expected == "tied") == bool(report.tied)


def test_the_command_and_bad_input(tmp_path):
    key = dict(zip(KEY, (1, 1, 2), strict=True))
    gold, ratings, out = (tmp_path / name for name in ("gold.jsonl", "said.jsonl", "out.csv"))
    gold.write_text(json.dumps(key | {"score": 30}))
    ratings.write_text(json.dumps(key | {"rater": "x", "class": "A"}) + "\n")
    found = json.loads(cli("crab", "experts", gold, ratings, "--out", out, "--json")[0])
    assert found["changed"] == [{"id": "1/1/2", "before": "C", "after": "A", "by": "majority"}]
    assert out.read_text().splitlines()[1].endswith('"A","majority"')
    for row, message in (
        (key | {"rater": "x", "class": "B"}, 'rater "x" of this pair'),
        (key | {"rater": "y", "class": "E"}, 'said.jsonl:2: "class" is "E"'),
        (key | {"rater": "y", "topic_id": 9, "class": "A"}, 'said.jsonl:2: pair "9/1/2" is not in'),
        (key | {"rater": "y"}, 'said.jsonl:2: no "score" and no "class"'),
    ):
        ratings.write_text("".join(json.dumps(r) + "\n"
                                   for r in (key | {"rater": "x", "class": "A"}, row)))  # fmt: skip
        assert (
            message in cli("crab", "experts", gold, ratings, "--out", tmp_path / "no", expect=2)[1]
        )
        assert not (tmp_path / "no").exists()
    with pytest.raises(fc.InputError, match='there is a column "class_from" already'):
        fc.crab.experts([key | {"class": "A", "class_from": 1}], [key | {"rater": 1, "class": "A"}])
