"""Causal frames and chains of large stories: equal to networkx and scikit-learn, then timed."""

from __future__ import annotations

import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import f1_score

import fastcausal as fc
from fastcausal.files.records import Records
from fastcausal.tasks.crab.chains import Strengths
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.count import Answers
from fastcausal.tasks.crab.files import JudgedPairs
from fastcausal.tasks.crab.shapes import ClassedPairs

from .stories import stories

CORPUS = "random stories"
EVENTS = 20
ROUNDS = 5
LETTERS = np.array([*"ABCD"])


def judged_pairs(n_stories: int) -> ClassedPairs:
    """Make stories of 20 events; half of the answers are right."""
    made = stories(n_stories, EVENTS)
    n = len(made.story)
    classes, answers = (codes.astype(np.int8) for codes in (made.classes, made.answers))
    pairs = JudgedPairs(
        Records("bench", pa.table({})),
        None,
        pa.array(np.arange(n_stories)),
        np.arange(n_stories + 1) * (n // n_stories),
        made.a,
        made.b,
        np.full(n, np.nan),
        classes,
        made.in_document,
    )
    read = Answers(4, answers, None, np.zeros(n, np.int8), answers, {})
    choices = Choices("multiclass")
    return ClassedPairs(pairs, classes, read, choices)


def chains(judged: ClassedPairs) -> fc.Report:
    strengths = Strengths("A", "BC", "C", "D")
    return import_module("fastcausal.tasks.crab.chains").report_of(judged, strengths, "bench")


def frames(judged: ClassedPairs) -> fc.Report:
    return import_module("fastcausal.tasks.crab.frames").report_of(judged, "figure", "bench")


def wedges(judged: ClassedPairs) -> tuple[Counter[str], Counter[str]]:
    """Count the chains of each type, and those with only right answers, by directed graphs."""
    pairs = judged.pairs
    n, right = Counter(), Counter()
    columns = pairs.story, pairs.a, pairs.b, LETTERS[judged.classes], judged.counted
    graphs: dict[int, networkx.DiGraph] = {}
    for story, x, y, letter, answer in zip(*map(np.ndarray.tolist, columns), strict=True):
        graph = graphs.setdefault(story, networkx.DiGraph())
        graph.add_edge(x, y, letter=letter, right="ABCD"[answer] == letter)
    for graph in graphs.values():
        edges = graph.edges
        strong = networkx.DiGraph((x, y) for x, y, k in edges.data("letter") if k == "A")

        def add(kind: str, *of: tuple[int, int], edges=edges) -> None:
            n[kind] += 1
            right[kind] += all(edges[edge]["right"] for edge in of)

        for v in strong:
            for x in strong.predecessors(v):
                for z in strong.successors(v):
                    if edges[x, z]["letter"] in "BC":
                        add("mediation", (x, v), (v, z), (x, z))
                for y in strong.predecessors(v):
                    if x < y and edges[x, y]["letter"] == "D":
                        add("collider", (x, v), (y, v), (x, y))
            for y in strong.successors(v):
                for z in strong.successors(v):
                    if y < z and edges[y, z]["letter"] == "C":
                        add("confounding", (v, y), (v, z), (y, z))
    return n, right


def test_chains(race):
    sample = judged_pairs(200)
    n, right = wedges(sample)
    report = chains(sample)
    for kind, scores in [*report.scores.items()][1:]:
        assert (scores["n_chains"], scores["em"]) == (n[kind], right[kind] / n[kind])
    race(
        "chains: 200 stories of 20 events",
        len(sample.pairs),
        lambda: chains(sample),
        {"networkx": lambda: wedges(sample)},
    )


def f1_of_each_frame(judged: ClassedPairs) -> float:
    pairs = judged.pairs
    order = np.lexsort((pairs.b, pairs.story))
    starts = np.flatnonzero(np.diff(pairs.b[order], prepend=-1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of classes without an answer
        each = [
            f1_score(judged.classes[members], judged.counted[members], average="macro")
            for members in np.split(order, starts[1:])
        ]
    return float(np.mean(each))


def test_frames(race):
    sample = judged_pairs(20)
    assert frames(sample)["overall"].f1 == pytest.approx(f1_of_each_frame(sample), rel=1e-12)
    race(
        "frames: 20 stories of 20 events",
        len(sample.pairs),
        lambda: frames(sample),
        {"scikit-learn in a loop": lambda: f1_of_each_frame(sample)},
    )


@pytest.mark.parametrize("shapes", [frames, chains])
def test_a_hundred_thousand_stories(race, shapes):
    judged = judged_pairs(100_000)
    race(f"{shapes.__name__}: 100,000 stories of 20 events", len(judged.pairs),
         lambda: shapes(judged), rounds=3)  # fmt: skip


def written(judged: ClassedPairs, folder: Path) -> list[Path]:
    """Write gold and answers as Parquet."""
    pairs = judged.pairs
    key = {"topic_id": pairs.story, "event_order_a": pairs.a, "event_order_b": pairs.b}
    files = {"gold": ("class", judged.classes), "pred": ("prediction", judged.counted)}
    paths = []
    for name, (column, codes) in files.items():
        paths.append(folder / f"{name}.parquet")
        letters = pa.array(LETTERS.tolist()).take(pa.array(codes))
        pq.write_table(pa.table({**key, column: letters}), paths[-1])
    return paths


@pytest.mark.parametrize("shapes", [fc.crab.frames, fc.crab.chains])
def test_from_parquet(race, shapes, tmp_path):
    judged = judged_pairs(10_000)
    paths = written(judged, tmp_path)
    ours = {frames: fc.crab.frames, chains: fc.crab.chains}
    [of_arrays] = [make for make, public in ours.items() if public is shapes]
    assert dict(of_arrays(judged)["overall"])["f1"] == shapes(*paths)["overall"].f1
    race(
        f"{shapes.__name__}: 10,000 stories from Parquet",
        len(judged.pairs),
        lambda: shapes(*paths),
        reading={"pyarrow reading both": lambda: [pq.read_table(path) for path in paths]},
        rounds=3,
    )
