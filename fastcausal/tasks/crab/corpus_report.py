"""The report on judged pairs as a corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from fastcausal.report.grid import Grid
from fastcausal.report.page import write_page
from fastcausal.report.report import Report
from fastcausal.tasks.crab.files import CLASSES
from fastcausal.tasks.crab.frames import FrameReport
from fastcausal.tasks.crab.story_page import Stories, page_of

MAX_STORIES = 30  # rows of the printed table
KEYS = (
    "signature", "warnings", "n_topics", "n_articles", "n_events", "n_pairs", "classes",
    "timeline", "pairs_per_topic", "topics", "graph",
)  # fmt: skip


class CorpusReport(Report):
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
    """

    classes: Mapping[str, Mapping[str, Mapping[str, Any]]]
    timeline: Mapping[str, Any]
    pairs_per_topic: Mapping[str, Any]
    topics: Mapping[str, Mapping[str, Any]]
    graph: Mapping[str, Any] | None
    ends: Mapping[str, int] | None
    distances: Mapping[str, Mapping[str, Any]]
    stories: Stories
    n_topics: int
    n_articles: int | None

    @property
    def frames(self) -> FrameReport:
        """The causal frames by type, counted at the first access."""
        return self.stories.frames

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page on which the graph of each story is drawn, as one file.

        Raises
        ------
        OutputError
            The file cannot be written; nothing of it is left.
        """
        write_page(path, page_of(self, self.stories, self.classes, self.topics))

    def to_table(self, counts: bool = False) -> Grid:
        """Return a row of counts and percents of classes for all pairs and for each subset."""
        percents = [f"{letter} %" for letter in CLASSES]
        grid = Grid(self.title, ["pairs", *CLASSES, *percents], digits=1)
        for name, row in self.classes.items():
            n, share = ([row[letter][k] for letter in CLASSES] for k in ("n", "share"))
            grid.add(name.replace("_", " "), sum(n), *n, *(100 * part for part in share))
        return grid

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return tables of classes, sizes, stories, the graph, distances and frames."""
        of_graph = [] if self.graph is None else self._graph_tables()
        sizes = [self.to_table(), self._sizes(), self._stories(counts)]
        return [*sizes, *of_graph, self._distances(), self.frames.to_table()]

    def _sizes(self) -> Grid:
        grid = Grid("a story", ["mean", "min", "max"], digits=2)
        grid.add("events", *self.timeline.values())
        grid.add("pairs", *self.pairs_per_topic.values())
        return grid

    def _stories(self, counts: bool) -> Grid:
        shown_of = len(self.topics) if counts else MAX_STORIES
        rest = f", the first {shown_of} of them" if len(self.topics) > shown_of else ""
        grid = Grid(f"stories{rest}", ["events", "pairs", "articles", *CLASSES], "topic")
        for name, topic in [*self.topics.items()][:shown_of]:
            sizes = (topic[key] for key in ("n_events", "n_pairs", "n_articles"))
            grid.add(name, *sizes, *(topic["classes"][letter]["n"] for letter in CLASSES))
        return grid

    def _graph_tables(self) -> list[Grid]:
        graph, ends = self.graph, self.ends
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

    def _distances(self) -> Grid:
        has_days = "days" in next(iter(self.distances.values()))
        columns = ["mean", "max", *["mean days"] * has_days]
        grid = Grid("events from cause to effect in the timeline", columns, "class", digits=2)
        for name, row in self.distances.items():
            grid.add(name, *row.values())
        return grid
