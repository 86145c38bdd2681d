"""Raters one by one: against plain Python and the package krippendorff."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles.crab_pairs import letter
from tests.support.cli import cli
from tests.support.profiles import trials

krippendorff = pytest.importorskip("krippendorff")

RATINGS = st.dictionaries(
    st.tuples(st.integers(1, 3), st.sampled_from(["x", "y", "z"])),
    st.tuples(st.integers(0, 100), st.sampled_from(["Yes.", "no", None])),
    min_size=1,
)


def rows_of(ratings):
    return [
        {"topic_id": 4, "event_order_a": 0, "event_order_b": pair, "rater": rater, "score": score,
         "otherwise": answer}
        for (pair, rater), (score, answer) in ratings.items()
    ]  # fmt: skip


@trials(120)
@given(RATINGS, st.sampled_from(["up", "text", "down"]), st.sampled_from(["first", "none"]),
       st.sampled_from([0, 0.5, 0.8]), st.booleans(), st.randoms())  # fmt: skip
def test_accuracy_of_raters(ratings, border, ties, line, with_gold, random):
    rows = rows_of(ratings)
    random.shuffle(rows)
    gold = [{"topic_id": 4, "event_order_a": 0, "event_order_b": pair, "class": "ABC"[pair - 1]}
            for pair in (1, 2)]  # fmt: skip
    report = fc.crab.agree(
        rows, border=border, ties=ties, qualify=line, gold=gold if with_gold else None
    )
    classes = {key: letter(score, border) for key, (score, _) in ratings.items()}
    majority = {}
    for pair in (1, 2, 3):
        votes = Counter(c for (p, _), c in classes.items() if p == pair)
        most = [c for c in "DCBA" if votes[c] and votes[c] == max(votes.values())]
        if most and (ties == "first" or len(most) == 1):
            majority[pair] = most[0]
    against = {"majority": majority} | ({"gold": {1: "A", 2: "B"}} if with_gold else {})
    n_qualified = 0
    for rater in {r for _, r in ratings}:
        found = report.qualification["raters"][rater]
        for name, known in against.items():
            right = [c == known[p] for (p, r), c in classes.items() if r == rater and p in known]
            assert found[name]["n"] == len(right)
            share = sum(right) / len(right) if right else float("nan")
            assert found[name]["accuracy"] == pytest.approx(share, nan_ok=True)
        assert found["qualified"] == (share > line)
        n_qualified += share > line
    assert report.qualification["n_qualified"] == n_qualified


@trials(60)
@given(RATINGS, st.sampled_from(["up", "down"]))
def test_second_answers(ratings, border):
    found = fc.crab.agree(rows_of(ratings), border=border, yes_no="otherwise").yes_no
    both = [(s, a == "no") for s, a in ratings.values() if a]
    assert found["n"] == len(both)
    assert [row["threshold"] for row in found["thresholds"]] == [*range(5, 100, 5)]
    for row in found["thresholds"]:
        t = row["threshold"] - 0.5 * (border == "up")
        said = np.array([[s > t, causes] for s, causes in both]).reshape(-1, 2).T
        share = (said[0] == said[1]).mean() if both else float("nan")
        assert row["share"] == pytest.approx(share, nan_ok=True)
        if len(np.unique(said)) > 1:
            alpha = krippendorff.alpha(said.astype(float), level_of_measurement="nominal")
            assert row["alpha"] == pytest.approx(alpha, abs=1e-12)


def test_the_command_and_bad_input(tmp_path):
    rows = rows_of({(1, "x"): (90, "no"), (1, "y"): (85, "yes"), (2, "x"): (10, "yes")})
    file = tmp_path / "ratings.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out, _ = cli("crab", "agree", file, "--qualify", 0.8, "--yes-no", "otherwise")
    assert "2 raters above 0.8" in out
    assert "second answers, 3 of them" in out
    assert "|qualify:0.8|yes_no:otherwise" in out
    found = json.loads(cli("crab", "agree", file, "--qualify", 1, "--json")[0])
    assert found["qualification"]["n_qualified"] == 0
    assert "yes_no" not in found
    error = cli("crab", "agree", file, "--yes-no", "rater", expect=2)[1]
    assert 'ratings.jsonl:1: "rater" is "x", expected yes or no' in error
    assert "add --qualify" in cli("crab", "agree", file, "--gold", file, expect=2)[1]
    with pytest.raises(ValueError, match="qualify is 80, expected a number from 0 to 1"):
        fc.crab.agree(rows, qualify=80)
    units = [{"unit": "u", "rater": "x", "score": 3}]
    with pytest.raises(fc.InputError, match='ratings of "unit" have no place in gold'):
        fc.crab.agree(units, qualify=0.8, gold=units)
