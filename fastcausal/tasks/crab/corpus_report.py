"""The report on judged pairs as a corpus."""

from __future__ import annotations

from typing import Any

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups
from fastcausal.report.page import Page
from fastcausal.report.report import Report
from fastcausal.tasks.crab.files import CLASSES
from fastcausal.tasks.crab.story_page import page_of

MAX_STORIES = 30  # rows of the printed table
KEYS = (
    "signature", "warnings", "n_topics", "n_articles", "n_events", "n_pairs", "classes",
    "timeline", "pairs_per_topic", "topics", "graph",
)  # fmt: skip


CorpusReport = Report
"""Judged pairs in numbers; ``report["overall"].A`` is the number of high pairs.

Attributes
----------
n_topics, n_events, n_pairs : int
n_articles : int or None
    None if gold has no articles.
classes : dict
    Number ``n`` and ``share`` of pairs by class: overall, in one document, across documents,
    and for the values of requested columns.
timeline, pairs_per_topic : dict
    ``mean``, ``min`` and ``max`` of events and of pairs of a story.
topics : dict
    ``n_events``, ``n_pairs``, ``n_articles`` and ``classes`` of each story.
graph : dict or None
    ``threshold``, ``n_edges``, ``n_effects``, ``causes_per_effect`` and ``paths``; None if a
    pair has no score.
ends : dict or None
    ``n_sources`` and ``n_sinks`` of the graph; None if a pair has no score.
distances : dict
    By class the ``mean`` and ``max`` distance of the two events in the timeline, and ``days``,
    their mean distance in time, if gold has dates.
stories : Stories
    The pairs in the form that `to_html` draws.
frames : Report
    The causal frames by type.
"""


def present_corpus(title: str, signature: str, groups: Groups, **fields: Any) -> CorpusReport:
    """Make the report of a corpus."""
    return CorpusReport(title, signature, groups, keys=KEYS, grids=_grids, page=_page, **fields)


def _page(report: Report) -> Page:
    """Make a page on which the graph of each story is drawn."""
    return page_of(report, report.stories, report.facts["classes"], report.topics)


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make tables of classes, sizes, stories, the graph, distances and frames."""
    percents = [f"{letter} %" for letter in CLASSES]
    grid = Grid(report.title, ["pairs", *CLASSES, *percents], digits=1)
    for name, row in report.facts["classes"].items():
        n, share = ([row[letter][k] for letter in CLASSES] for k in ("n", "share"))
        grid.add(name.replace("_", " "), sum(n), *n, *(100 * part for part in share))
    graph = [] if report.graph is None else _graph_grids(report)
    frames = report.frames.to_table()
    return [grid, _sizes(report), _stories(report, counts), *graph, _distances(report), frames]


def _sizes(report: Report) -> Grid:
    grid = Grid("a story", ["mean", "min", "max"], digits=2)
    grid.add("events", *report.timeline.values())
    grid.add("pairs", *report.pairs_per_topic.values())
    return grid


def _stories(report: Report, counts: bool) -> Grid:
    shown_of = len(report.topics) if counts else MAX_STORIES
    rest = f", the first {shown_of} of them" if len(report.topics) > shown_of else ""
    grid = Grid(f"stories{rest}", ["events", "pairs", "articles", *CLASSES], "topic")
    for name, topic in [*report.topics.items()][:shown_of]:
        sizes = (topic[key] for key in ("n_events", "n_pairs", "n_articles"))
        grid.add(name, *sizes, *(topic["classes"][letter]["n"] for letter in CLASSES))
    return grid


def _graph_grids(report: Report) -> list[Grid]:
    graph, ends = report.graph, report.ends
    assert graph is not None
    assert ends is not None
    grid = Grid(f"graph of scores from {graph['threshold']:g} on", [""], digits=2)
    grid.add("edges", graph["n_edges"])
    grid.add("sources", ends["n_sources"])
    grid.add("sinks", ends["n_sinks"])
    grid.add("events with a cause", graph["n_effects"])
    grid.add("causes of these, mean", graph["causes_per_effect"]["mean"])
    grid.add("causes of these, most", graph["causes_per_effect"]["max"])
    grid.add("paths", graph["paths"]["n"])
    lengths = Grid("paths by number of edges", ["paths"], "edges")
    for length, n in graph["paths"]["lengths"].items():
        lengths.add(length, n)
    return [grid, lengths] if graph["paths"]["n"] else [grid]


def _distances(report: Report) -> Grid:
    has_days = "days" in next(iter(report.distances.values()))
    columns = ["mean", "max", *["mean days"] * has_days]
    grid = Grid("events from cause to effect in the timeline", columns, "class", digits=2)
    for name, row in report.distances.items():
        grid.add(name, *row.values())
    return grid
