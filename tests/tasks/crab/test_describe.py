"""Judged pairs in numbers: against networkx, plain Python and the paper's counts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from bench.stories import CROSS_DOCUMENT, IN_DOCUMENT, stories
from fastcausal.tasks.crab.graph import paths_of
from tests.support.cli import cli
from tests.support.profiles import trials

nx = pytest.importorskip("networkx")

PAIRS = st.dictionaries(
    st.tuples(st.sampled_from([3, 11, "x"]), st.integers(-1, 4), st.integers(1, 4)),
    st.tuples(st.integers(0, 100), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
)


def rows_of(pairs):
    rows = []
    for (topic, a, n), (score, left, right) in pairs.items():
        row = {"topic_id": str(topic), "event_order_a": a, "event_order_b": a + n, "score": score}
        rows.append(row | {"article_id_a": left, "article_id_b": right})
    return rows


def graphs(rows, threshold):
    """A graph of every story, with all its events."""
    each = defaultdict(nx.DiGraph)
    for row in rows:
        graph, ends = each[row["topic_id"]], (row["event_order_a"], row["event_order_b"])
        graph.add_nodes_from(ends)
        if row["score"] >= threshold:
            graph.add_edge(*ends)
    return each


def lengths_of(graph):
    """Paths by length, each of them listed."""
    found = Counter()
    for start in graph:
        for path in nx.all_simple_paths(graph, start, set(graph) - {start}):
            found[str(len(path) - 1)] += 1
    return found


@trials(150)
@given(PAIRS, st.sampled_from([0, 20, 50, 80]), st.randoms())
def test_numbers_of_the_graph_equal_networkx(pairs, threshold, random):
    rows = rows_of(pairs)
    random.shuffle(rows)
    report = fc.crab.describe(rows, threshold=threshold)
    each = graphs(rows, threshold)
    paths = sum((lengths_of(graph) for graph in each.values()), Counter())
    causes = [n for graph in each.values() for _, n in graph.in_degree() if n]
    assert report.graph["n_edges"] == sum(graph.number_of_edges() for graph in each.values())
    assert report.graph["n_effects"] == len(causes)
    assert report.graph["causes_per_effect"]["max"] == max(causes, default=0)
    mean = sum(causes) / len(causes) if causes else float("nan")
    assert report.graph["causes_per_effect"]["mean"] == pytest.approx(mean, nan_ok=True)
    assert report.graph["paths"]["lengths"] == paths
    assert report.graph["paths"]["n"] == paths.total()
    longest = max(map(nx.dag_longest_path_length, each.values()))
    assert report.graph["paths"]["longest"] == longest
    degrees = [(g.in_degree(k), g.out_degree(k)) for g in each.values() for k in g]
    assert report.ends == {
        "n_sources": sum(not n_in and n_out > 0 for n_in, n_out in degrees),
        "n_sinks": sum(not n_out and n_in > 0 for n_in, n_out in degrees),
    }


@trials(100)
@given(PAIRS, st.sampled_from(["up", "text", "down"]))
def test_counts_equal_plain_python(pairs, border):
    rows = rows_of(pairs)
    report = fc.crab.describe(rows, border=border, by="article_id_a")
    letter = {id(row): letter_of(row["score"], border) for row in rows}
    sides = [(row["topic_id"], row[f"event_order_{s}"]) for row in rows for s in "ab"]
    articles = [(row["topic_id"], row[f"article_id_{s}"]) for row in rows for s in "ab"]
    assert (report.n_events, report.n_articles) == (len({*sides}), len({*articles}))
    events = Counter(topic for topic, _ in {*sides})
    assert report.timeline == spread(events)
    assert report.pairs_per_topic == spread(Counter(row["topic_id"] for row in rows))
    parts = {"overall": rows}
    inside = [row["article_id_a"] == row["article_id_b"] for row in rows]
    parts["in_document"] = [row for row, is_in in zip(rows, inside, strict=True) if is_in]
    parts["cross_document"] = [row for row, is_in in zip(rows, inside, strict=True) if not is_in]
    for k in sorted({row["article_id_a"] for row in rows}):
        parts[f"article_id_a={k}"] = [row for row in rows if row["article_id_a"] == k]
    expected = {name: counts(letter[id(row)] for row in part) for name, part in parts.items()}
    assert {n: {c: v["n"] for c, v in r.items()} for n, r in report.classes.items()} == expected
    for name, topic in report.topics.items():
        of_topic = [row for row in rows if row["topic_id"] == name]
        assert topic["n_pairs"] == len(of_topic)
        assert topic["n_events"] == events[name]
        assert topic["n_articles"] == len({a for t, a in articles if t == name})
        numbers = {c: v["n"] for c, v in topic["classes"].items()}
        assert numbers == counts(letter[id(row)] for row in of_topic)
    for name, row in report.distances.items():
        far = [r["event_order_b"] - r["event_order_a"] for r in rows if letter[id(r)] == name]
        assert row["max"] == max(far, default=None)
        mean = sum(far) / len(far) if far else float("nan")
        assert row["mean"] == pytest.approx(mean, nan_ok=True)


def letter_of(score, border):
    above = {"up": (80, 50, 20), "text": (80.5, 50, 20), "down": (80.5, 50.5, 20.5)}[border]
    return "ABCD"[sum(score < least for least in above)]


def counts(letters):
    return dict.fromkeys("ABCD", 0) | Counter(letters)


def spread(sizes):
    values = sizes.values()
    return {"mean": sum(values) / len(values), "min": min(values), "max": max(values)}


def test_the_paper():
    """A corpus of its stories, events and pairs has the counts of Table 1."""
    kinds = {"in_document": IN_DOCUMENT, "cross_document": CROSS_DOCUMENT}
    judged = [
        {"class": letter, "article_id_a": 0, "article_id_b": int(kind == "cross_document")}
        for kind, row in kinds.items()
        for letter, n in zip("ABCD", row, strict=True)
        for _ in range(n)
    ]
    places = []
    for topic in range(20):
        n_events, n_pairs = 19 + (topic < 4), 136 + (topic < 10)
        # neighbours first, so that every event is in a pair
        near = sorted(combinations(range(n_events), 2), key=lambda pair: pair[1] - pair[0])
        places += [(topic, *pair) for pair in near[:n_pairs]]
    names = ("topic_id", "event_order_a", "event_order_b")
    rows = [dict(zip(names, key, strict=True)) | row
            for key, row in zip(places, judged, strict=True)]  # fmt: skip
    report = fc.crab.describe(rows)
    assert (report.n_topics, report.n_events, report.n_pairs) == (20, 384, 2730)
    assert report.timeline == {"mean": 19.2, "min": 19, "max": 20}
    assert report.pairs_per_topic == {"mean": 136.5, "min": 136, "max": 137}
    found = {name: [row[c]["n"] for c in "ABCD"] for name, row in report.classes.items()}
    assert found == {"overall": [729, 696, 981, 324]} | {k: [*row] for k, row in kinds.items()}
    percents = [round(100 * report["overall"][f"{c}_share"], 1) for c in "ABCD"]
    assert percents == [26.7, 25.5, 35.9, 11.9]
    assert report.graph is None
    assert report.warnings == ("gold: 2730 of the pairs have no score, so there is no graph",)


def test_many_paths_are_exact():
    """A graph of all pairs of 90 events has 2^90 - 91 paths, too many for 64 bits."""
    b, a = np.array([(b, a) for b in range(90) for a in range(b)]).T
    paths = paths_of(a, b, 90)
    assert sum(paths) == 2**90 - 91
    assert (paths[0], len(paths), paths[-1]) == (90 * 89 // 2, 89, 1)


def test_a_cycle_is_named(tmp_path):
    rows = [
        {"topic_id": topic, "event_order_a": a, "event_order_b": b, "score": 90}
        for topic, a, b in ((1, 3, 1), (2, 1, 2), (2, 2, 5), (2, 5, 1), (2, 0, 1))
    ]
    cycles = [" -> ".join("1251"[k:3] + "1251"[: k + 1]) for k in range(3)]
    with pytest.raises(fc.InputError) as error:
        fc.crab.describe(rows)
    assert any(f"topic 2: events cause each other in a cycle, {c}," in str(error.value)
               for c in cycles)  # fmt: skip
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[:1]))
    assert "gold.jsonl:1:" in cli("crab", "describe", file, expect=2)[1]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[1:]))
    assert "in a cycle" in cli("crab", "describe", file, expect=2)[1]


def test_days():
    key = {"topic_id": 1, "event_order_a": 1, "score": 90}
    days = [("2020-02-28", "2020-03-01"), ("1969-12-31T23:00", "1970-01-01"), (None, "2020-01-01")]
    rows = [
        {**key, "event_order_b": k, "date_a": a, "date_b": b} for k, (a, b) in enumerate(days, 2)
    ]
    distances = fc.crab.describe(rows).distances
    assert distances["A"] == {"mean": 2.0, "max": 3, "days": 1.5}
    for odd in ("2022-02-30", "yesterday", "2022", "2022-1-1"):
        rows[1]["date_b"] = odd
        with pytest.raises(fc.InputError, match=f'row 1: "date_b" is "{odd}", expected a date'):
            fc.crab.describe(rows)


def test_a_threshold():
    gold = [{"topic_id": 1, "event_order_a": 1, "event_order_b": 2, "score": 80}]
    edges = {b: fc.crab.describe(gold, threshold=80, border=b).graph["n_edges"]
             for b in ("up", "text", "down")}  # fmt: skip
    assert edges == {"up": 1, "text": 0, "down": 0}
    with pytest.raises(ValueError, match="threshold is nan, expected a number"):
        fc.crab.describe(gold, threshold=float("nan"))


def test_the_command(tmp_path):
    files = []
    for k, n in enumerate((2, 40)):
        files.append(tmp_path / f"gold_{k}.jsonl")
        rows = stories(n, 4, seed=k).records()
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = json.loads(cli("crab", "describe", *files, "--json")[0])["systems"]
    assert found["gold_0"] == json.loads(cli("crab", "describe", files[0], "--json")[0])
    assert [*found["gold_0"]] == [
        "signature", "warnings", "n_topics", "n_articles", "n_events", "n_pairs", "classes",
        "timeline", "pairs_per_topic", "topics", "graph",
    ]  # fmt: skip
    text, _ = cli("crab", "describe", files[1], "--plot", tmp_path / "classes.svg")
    assert "stories, the first 30 of them" in text
    assert "causal frames" in text
    assert (tmp_path / "classes.svg").read_text().startswith("<?xml")


def test_names_and_orders_far_apart():
    """Texts, and numbers with wide gaps, describe the same corpus."""
    rows = stories(3, 5).records()
    expected = fc.crab.describe(rows).to_dict() | {"topics": 0}
    far = [
        row
        | {name: row[name] * 10**15 - 2**59 for name in ("event_order_a", "event_order_b")}
        | {name: f"article {row[name]}" for name in ("article_id_a", "article_id_b")}
        | {"topic_id": row["topic_id"] * 10**12}
        for row in rows
    ]
    assert fc.crab.describe(far).to_dict() | {"topics": 0} == expected
