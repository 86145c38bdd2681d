"""Frames and chains equal plain Python, scikit-learn and networkx; no order of rows and no row
groups change a bit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from bench import stories as corpus
from fastcausal.counts.statistics import Statistics
from tests.oracles import crab_shapes as oracle
from tests.support.judged_pairs import CLASSES, UNREADABLE, gold_of, random_stories, stories

RULES = st.sampled_from([*oracle.RULES])
POLICIES = st.sampled_from(["empty", "skip"])
UNDEFINED = st.sampled_from([None, 0.0, 1.0])
WEAK = st.sampled_from(["B", "C", "D", "-", "BC", "CD", "D-", "BCD-"])


def answered(pairs, policy):
    """The answers as the textbook version has them."""
    return [
        (*p[:4], {"empty": "", "skip": None}[policy] if p[4] == UNREADABLE else p[4]) for p in pairs
    ]


def textbook(shapes, undefined, labels="ABCD", label_of=str):
    """Return by key: type, number of counted pairs, F1 and exact match, as exact numbers."""
    return {
        key: (kind, *oracle.marks([(label_of(p[3]), p[4]) for p in members], undefined, labels))
        for key, (kind, members) in shapes.items()
    }


def same_rows(table, keys, expected):
    rows = {tuple(int(row[key]) for key in keys): row for row in table.to_pylist()}
    assert [*rows] == sorted(expected)
    for key, (kind, n, f1, exact) in expected.items():
        row = rows[key]
        assert (row["type"], row["n_scored_pairs"], row["em"]) == (kind, n, exact)
        assert row["f1"] == (f1 if f1 is None else pytest.approx(float(f1), rel=1e-15))


def same_means(report, name, expected):
    """Check that every mean equals the mean of the exact numbers, and that counts agree."""
    for group, scores in report.scores.items():
        rows = [row for row in expected.values() if group in ("overall", row[0])]
        scored = [row for row in rows if row[1]]
        assert (scores[f"n_{name}"], scores["n_scored"]) == (len(rows), len(scored))
        for score, k in (("f1", 2), ("em", 3)):
            mean = sum((Fraction(row[k]) for row in scored), Fraction(0)) / max(len(scored), 1)
            assert (
                scores[score] == pytest.approx(float(mean), rel=1e-14)
                if scored
                else math.isnan(scores[score])
            )


@given(stories(), RULES, POLICIES, UNDEFINED)
def test_frames_are_those_of_the_textbook(pairs, rule, policy, undefined):
    report = fc.crab.frames(
        gold_of(pairs), [p[4] for p in pairs], rule=rule, unparsed=policy, undefined=undefined
    )
    shapes = oracle.frames(answered(pairs, policy), oracle.RULES[rule])
    expected = textbook(shapes, undefined)
    same_rows(report.per_frame, ("topic_id", "event_order"), expected)
    same_means(report, "frames", expected)
    for row, (_, members) in zip(report.per_frame.to_pylist(), shapes.values(), strict=True):
        letters = [p[3] for p in members]
        counts = [letters.count(letter) for letter in CLASSES]
        assert [row[c] for c in ("high", "medium", "low", "none")] == counts
        assert row["n_pairs"] == len(members)


@given(stories(events=7), WEAK, WEAK, WEAK, POLICIES, UNDEFINED)
def test_chains_are_those_of_the_textbook(
    pairs, mediation, confounding, collider, policy, undefined
):
    letters = {"mediation": mediation, "confounding": confounding, "collider": collider}
    report = fc.crab.chains(
        gold_of(pairs), [p[4] for p in pairs], unparsed=policy, undefined=undefined, **letters
    )
    shapes = oracle.chains(answered(pairs, policy), "A", **letters)
    expected = textbook(shapes, undefined)
    same_rows(report.per_chain, ("topic_id", "x", "y", "z"), expected)
    same_means(report, "chains", expected)


@pytest.mark.parametrize(
    ("task", "labels", "of_class", "said"),
    [
        ("binary", ("yes", "no"), ("yes", "yes", "no", "no"), ("yes", "no", "yes", "no")),
        ("three", ("A", "B", "C"), ("A", "B", "B", "C"), ("A", "C", "B", "A")),
    ],
)
@given(stories())
def test_fewer_labels_than_classes(task, labels, of_class, said, pairs):
    answer_of = dict(zip("ABCD", said, strict=True))
    answers = [answer_of.get(p[4], said[0]) for p in pairs]
    asked = [(*p[:4], answer) for p, answer in zip(pairs, answers, strict=True)]
    label_of = dict(zip("ABCD", of_class, strict=True)).get
    gold = gold_of(pairs)
    frames = textbook(oracle.frames(asked, oracle.figure), None, labels, label_of)
    chains = textbook(oracle.chains(asked), None, labels, label_of)
    same_rows(fc.crab.frames(gold, answers, task).per_frame, ("topic_id", "event_order"), frames)
    same_rows(fc.crab.chains(gold, answers, task).per_chain, ("topic_id", "x", "y", "z"), chains)


@given(stories(), st.sampled_from(["up", "text", "down"]))
def test_scores_become_classes(pairs, border):
    """Scores at the borders give the same result as their classes, on both sides."""
    values = {"up": (80, 50, 20, 0), "text": (81, 80, 20, 0), "down": (100, 80, 50, 20)}[border]
    score = dict(zip(CLASSES, values, strict=True))
    gold = [
        {name: row[name] for name in row if name != "class"} | {"score": score[row["class"]]}
        for row in gold_of(pairs)
    ]
    answers = [p[4] for p in pairs]
    scores = [score.get(answer, answer) for answer in answers]
    for shapes in (fc.crab.frames, fc.crab.chains):
        by_class = shapes(gold_of(pairs), answers, unparsed="skip")
        by_score = shapes(gold, scores, "score", border=border, unparsed="skip")
        assert by_score.scores == by_class.scores or str(by_score.scores) == str(by_class.scores)


@given(stories(), st.randoms())
def test_order_changes_no_bit_and_stories_do_not_meet(pairs, random):
    again = random.sample(pairs, len(pairs))
    first = pairs[0][0]
    alone = [p for p in pairs if p[0] == first]
    for shapes, table in ((fc.crab.frames, "per_frame"), (fc.crab.chains, "per_chain")):
        whole, shuffled, part = (
            shapes(gold_of(rows), [p[4] for p in rows], unparsed="empty")
            for rows in (pairs, again, alone)
        )
        assert whole.to_json() == shuffled.to_json()
        assert getattr(whole, table) == getattr(shuffled, table)
        rows = getattr(whole, table).to_pylist()
        assert [row for row in rows if row["topic_id"] == first] == getattr(part, table).to_pylist()


def test_f1_is_that_of_scikit_learn():
    f1_score = pytest.importorskip("sklearn.metrics").f1_score
    table = random_stories(8, 9)
    letters = table["class"].to_numpy(zero_copy_only=False)
    answers = np.random.default_rng(1).permutation(letters)
    for row in fc.crab.frames(table, list(answers)).per_frame.to_pylist():
        inside = (table["topic_id"].to_numpy() == row["topic_id"]) & (
            table["event_order_b"].to_numpy() == row["event_order"]
        )
        expected = f1_score(letters[inside], answers[inside], average="macro")
        assert row["f1"] == pytest.approx(expected, rel=1e-15)


def test_chains_are_wedges_of_networkx():
    networkx = pytest.importorskip("networkx")
    table = random_stories(5, 14, seed=2)
    expected = set()
    graphs = {}
    for row in table.to_pylist():
        graph = graphs.setdefault(row["topic_id"], networkx.DiGraph())
        graph.add_edge(row["event_order_a"], row["event_order_b"], letter=row["class"])
    for topic, graph in graphs.items():
        strong = networkx.DiGraph([e[:2] for e in graph.edges.data("letter") if e[2] == "A"])
        for y in strong:
            for x in strong.predecessors(y):
                for z in strong.successors(y):
                    if graph.edges[x, z]["letter"] in "BC":
                        expected.add((topic, x, y, z))
    rows = fc.crab.chains(table).per_chain.to_pylist()
    assert expected == {
        tuple(row[k] for k in ("topic_id", "x", "y", "z"))
        for row in rows
        if row["type"] == "mediation"
    }


def test_a_rule_of_the_caller():
    table = random_stories(3, 6)
    report = fc.crab.frames(table, rule=lambda *counts: "some" if counts[0] else "no high one")
    assert [*report.scores] == ["overall", "no high one", "some"]
    assert "|rule:<lambda>()|" in report.signature
    for name in ("overall", "", 3, "type"):
        with pytest.raises(ValueError, match=r"rule returned .*, expected a name"):
            fc.crab.frames(table, rule=lambda *counts, name=name: name)


def test_rules_beside_table_6():
    """Frames of random stories like table 1, scaled to table 6, have the counts of docs/crab.md."""
    paper = {"SD": 24, "D": 18, "SC": 30, "C": 98, "M": 149, "N": 33}
    expected = {
        "collapse": (16, 18, 24, 94, 177, 23, 0),
        "figure": (8, 9, 4, 10, 281, 3, 37),
        "mixed": (8, 9, 4, 10, 318, 3, 0),
    }
    made = corpus.stories(2000, 19)
    kept = np.flatnonzero(np.random.default_rng(1).random(len(made.story)) < 137 / 171)
    columns = (made.story, made.a, made.b, np.array([*CLASSES])[made.classes])
    names = ("topic_id", "event_order_a", "event_order_b", "class")
    table = pa.table({n: c[kept] for n, c in zip(names, columns, strict=True)})
    for rule, counts in expected.items():
        report = fc.crab.frames(table, rule=rule)
        scale = sum(paper.values()) / report.n_frames
        scores = [*report.scores.values()][1:]
        assert tuple(math.floor(s["n_frames"] * scale + 0.5) for s in scores) == counts


def test_without_answers_there_are_counts_alone():
    table = random_stories(4, 6)
    report = fc.crab.frames(table)
    values = report.to_dict()
    assert values["coverage"] is None
    assert values["n_pairs"] == len(table)
    overall = values["scores"]["overall"]
    assert (overall["f1"], overall["em"], overall["n_scored"]) == (None, None, 0)
    assert overall["n_in_document"] + overall["n_cross_document"] == len(table)
    assert "F1" not in str(report)
    report = fc.crab.frames(table.drop_columns(["article_id_a"]))
    assert report.to_dict()["scores"]["SD"]["n_in_document"] is None
    assert report.per_frame["n_in_document"].null_count == report.n_frames


@pytest.mark.parametrize("shapes", [fc.crab.frames, fc.crab.chains])
def test_row_groups_of_parquet_change_nothing(tmp_path, shapes):
    gold = random_stories(12, 6)
    keys = gold.column_names[:3]
    letters = np.random.default_rng(5).choice([*CLASSES], len(gold))
    pred = gold.select(keys).append_column("prediction", pa.array(letters))
    expected = shapes(gold, pred).to_dict()
    for name, table in (("gold", gold), ("pred", pred)):
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=7)
    assert shapes(tmp_path / "gold.parquet", tmp_path / "pred.parquet").to_dict() == expected


def test_no_chain_at_all():
    report = fc.crab.chains(random_stories(1, 2), ["A"])
    assert report.n_chains == 0
    assert report.per_chain.num_rows == 0
    assert report.to_dict()["scores"]["collider"] == {
        "n_chains": 0, "n_scored": 0, "f1": None, "em": None,
    }  # fmt: skip


@pytest.mark.parametrize("policy", ["empty", "skip"])
def test_files_are_statistics_of_units(tmp_path, policy):
    """Intervals, comparison, ranks and reports work on the written files."""
    table = random_stories(12, 6)
    rng = np.random.default_rng(3)
    for shapes, key in ((fc.crab.frames, "event_order"), (fc.crab.chains, "z")):
        files = []
        for name in ("a", "b"):
            answers = rng.choice([*CLASSES, UNREADABLE], len(table), p=[0.3, 0.3, 0.2, 0.1, 0.1])
            report = shapes(table, list(answers), unparsed=policy)
            files.append(tmp_path / f"{name}.parquet")
            report.statistics.write(files[-1])
            read = Statistics.read(files[-1])
            assert read.report().to_dict()["scores"] == report.to_dict()["scores"]
            assert {"id", "topic_id", "type", key} <= set(read.units.column_names)
            assert read.table() == report.statistics.table()
            interval = read.interval("overall_f1", cluster="topic_id", n_resamples=100)
            assert interval.low <= report["overall"].f1 <= interval.high
            by = read.report(by="type").subsets
            for group in ("SD", "mediation"):
                if group in report.scores and f"type={group}" in by:
                    assert by[f"type={group}"]["overall"].f1 == report[group].f1
        comparison = fc.compare(*files, cluster="topic_id", n_resamples=100)
        assert comparison.n_units == len(read.units["topic_id"].unique())
        board = fc.leaderboard(files, n_resamples=50)
        assert len(board.to_dict()["systems"]) == 2
        gate = fc.gate(files[0], files[1], min_delta=-1.0, n_resamples=100)
        assert gate.verdict == "pass"
