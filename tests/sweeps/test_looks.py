"""Looks at one test set: levels that add up, lines that are neither lost nor changed."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.significance.laws import student_quantile
from fastcausal.sweeps.looks import Question, Spending, open_looks
from tests.sweeps.test_gate import statistics

RULE = Spending(0.05)
KEYS = [
    "k", "gold", "score", "D", "baseline", "candidate", "alpha", "window", "verdict", "seal",
]  # fmt: skip
FIRST = Question("g", "overall_f1", -0.01, "a", "b")


def look_at(path, question, verdict="fail", rule=RULE):
    with open_looks(path, rule) as looks:
        look = looks.take(question)
        if look.verdict is None:
            looks.add(look, verdict)
    return look


def test_levels_add_up_to_the_level_of_all():
    assert math.fsum(RULE.level_of(k) for k in range(1, 10**5)) == pytest.approx(0.05, abs=1e-6)
    assert math.fsum(Spending(0.05, 20).level_of(k) for k in range(1, 21)) == pytest.approx(0.05)


def test_looks_of_a_gold_and_score_are_counted(tmp_path):
    path = tmp_path / "looks.jsonl"
    asked = [
        FIRST,
        FIRST._replace(candidate="c"),
        FIRST,
        FIRST._replace(D=0.0),
        FIRST._replace(gold="another"),
        FIRST._replace(score="cause_f1"),
        FIRST._replace(baseline="c"),
    ]
    looks = [look_at(path, question) for question in asked]
    assert [look.k for look in looks] == [1, 2, 1, 3, 1, 1, 4]
    assert [look.verdict for look in looks] == [None, None, "fail", *[None] * 4]
    assert looks[1].alpha == pytest.approx(0.05 / 6)
    assert looks[2].alpha == looks[0].alpha == 0.025
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [[*line] for line in lines] == [KEYS] * 6
    assert looks[2].line() == "look 1 of this test set: level 2.5%, judged before"


def test_a_window_is_spent(tmp_path):
    rule = Spending(0.05, 2)
    for name in "ab":
        assert look_at(tmp_path / "w", FIRST._replace(candidate=name), rule=rule).alpha == 0.025
    with pytest.raises(InputError, match="the window of 2 looks at this test set is spent"):
        look_at(tmp_path / "w", FIRST._replace(candidate="c"), rule=rule)
    assert look_at(tmp_path / "w", FIRST._replace(candidate="a"), rule=rule).verdict == "fail"


@pytest.mark.parametrize("rule", [Spending(0.05, 3), Spending(0.01)])
def test_one_file_has_one_rule(tmp_path, rule):
    path = tmp_path / "looks.jsonl"
    look_at(path, FIRST)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"looks.jsonl:1: .* one confidence and one window"):
        look_at(path, FIRST, rule=rule)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [lines[0].replace("fail", "pass"), lines[1]], ":1: the line was changed"),
        (lambda lines: lines[1:], ":1: look 2, expected look 1: lines are lost"),
        (lambda lines: lines[::-1], ":1: look 2, expected look 1"),
        (lambda lines: [*lines, lines[1]], ":3: look 2, expected look 3"),
        (lambda lines: [lines[0], lines[1][:-30]], ":2: invalid JSON"),
        (lambda lines: [lines[0], '{"k": 2}'], ':2: not a look, .* no "gold"'),
        (lambda lines: [lines[0].replace('"seal"', '"zeal"')], ':1: not a look, .* no "seal"'),
        (lambda lines: ["[]"], ":1: not a look"),
    ],
)
def test_a_changed_file_is_refused(tmp_path, change, message):
    path = tmp_path / "looks.jsonl"
    for name in "ab":
        look_at(path, FIRST._replace(candidate=name))
    text = "".join(f"{line}\n" for line in change(path.read_text().splitlines()))
    path.write_text(text)
    with pytest.raises(InputError, match=f"looks.jsonl{message}"):
        look_at(path, FIRST._replace(candidate="c"))
    assert path.read_text() == text


def test_a_last_line_without_an_end_is_completed(tmp_path):
    path = tmp_path / "looks.jsonl"
    look_at(path, FIRST)
    path.write_bytes(path.read_bytes().rstrip())
    assert look_at(path, FIRST._replace(candidate="c")).k == 2
    assert look_at(path, FIRST._replace(candidate="d")).k == 3


@pytest.mark.parametrize("name", [".", "/dev/null", "missing/looks.jsonl"])
def test_a_path_that_keeps_no_lines_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=name):
        look_at(name, FIRST)


JOB = """
import sys
from fastcausal.sweeps.looks import Question, Spending, open_looks
for k in range(20):
    with open_looks(sys.argv[1], Spending(0.05)):  # removed again if it is empty
        pass
    with open_looks(sys.argv[1], Spending(0.05)) as looks:
        looks.add(looks.take(Question("g", "f1", 0.0, "a", f"{sys.argv[2]} {k}")), "fail")
"""


def test_jobs_at_once_lose_no_line(tmp_path):
    path = tmp_path / "looks.jsonl"
    jobs = [subprocess.Popen([sys.executable, "-c", JOB, path, name]) for name in "ab"]
    assert [job.wait() for job in jobs] == [0, 0]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["k"] for line in lines] == [*range(1, 41)]
    assert len({line["candidate"] for line in lines}) == 40


def test_questions_name_their_data():
    rng = np.random.default_rng(0)
    hits = rng.integers(2, size=30)
    before, after = statistics([0] * 30), statistics(hits)
    question = Question.ask(before, after, "overall_f1", -0.0)
    shuffled = after.take(rng.permutation(30))
    assert shuffled.gold is None  # then the ids stand for it
    other = Question.ask(before, shuffled, "overall_f1", 0.0)
    assert question[1:] == other[1:]
    assert Question.ask(before, after.take(np.arange(30)), "overall_f1", 0.0) == other
    assert (
        question.candidate != Question.ask(before, statistics(1 - hits), "overall_f1", 0).candidate
    )
    fewer = Question.ask(before, shuffled.take(np.arange(29)), "overall_f1", 0.0)
    assert {fewer.gold, question.gold}.isdisjoint({other.gold})


@pytest.fixture(scope="module")
def sides():
    rng = np.random.default_rng(0)
    return [statistics(rng.binomial(1, share, 60)) for share in (0.5, 0.5, 0.9)]


def test_the_gate_spends_and_remembers(tmp_path, sides):
    path = tmp_path / "looks.jsonl"
    before, same, better = sides
    gates = [
        fc.gate(before, after, min_delta=0.0, looks=path)
        for after in (same, better, same, before, better)
    ]
    assert [gate.look for gate in gates] == [1, 2, 1, None, 2]
    assert [gate.verdict for gate in gates] == [
        "inconclusive", "pass", "inconclusive", "unchanged", "pass",
    ]  # fmt: skip
    few = fc.gate(statistics([0] * 9), statistics([1] * 9), min_delta=0.0, looks=path)
    assert (few.look, few.verdict) == (None, "inconclusive")
    assert len(path.read_text().splitlines()) == 2
    line = json.loads(path.read_text().splitlines()[0])
    assert (line["k"], line["alpha"], line["verdict"]) == (1, 0.025, "inconclusive")


def test_bounds_are_by_t_at_the_level_of_the_look(tmp_path, sides):
    before, same, better = sides
    fc.gate(before, same, min_delta=0.0, looks=tmp_path / "looks")
    gate = fc.gate(before, better, min_delta=0.0, looks=tmp_path / "looks")
    assert gate.alpha == pytest.approx(0.05 / 6)
    [se] = {fc.compare(before, better)["overall_f1"]["se"]}
    freedom = min(gate.n_differ, gate.worth) - 1
    assert gate.low == pytest.approx(gate.delta - student_quantile(1 - gate.alpha, freedom) * se)
    assert gate.high == pytest.approx(gate.delta + student_quantile(1 - gate.alpha, freedom) * se)
    assert "look 2 of this test set: level 0.83%" in str(gate)
    with pytest.raises(InputError, match="one confidence"):
        fc.gate(before, better, min_delta=0.0, looks=tmp_path / "looks", confidence=0.9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"floors": {"overall_f1": 0.5}}, "looks are of differences, expected no floors"),
        ({"anytime": True}, "looks share one level and anytime needs none"),
        ({"unpaired": True}, "looks takes no unpaired"),
        ({"method": "bca"}, "looks takes no method bca"),
        ({"window": 0}, "window is 0"),
        ({"looks": None, "window": 3}, "expected a file of looks"),
        ({"looks": None, "anytime": True, "unpaired": True}, "anytime takes no unpaired"),
        ({"looks": None, "anytime": True, "largest": 3}, "largest is 3, expected .* floors"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, sides, settings, message):
    with pytest.raises(ValueError, match=message):
        fc.gate(*sides[:2], min_delta=0.0, **{"looks": tmp_path / "looks", **settings})
    assert not [*tmp_path.iterdir()]
