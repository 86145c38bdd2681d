"""Judged pairs in numbers: classes, stories, the graph of causes, distances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import By, columns_by, sorted_strata
from fastcausal.errors import InputError, Warnings, warning_lines
from fastcausal.files.keys import encode
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.options import Border, GoldFrom
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Int64
from fastcausal.tasks.crab.corpus_report import CorpusReport, present_corpus
from fastcausal.tasks.crab.files import ARTICLES, CLASSES, Int8, JudgedPairs, read_pairs
from fastcausal.tasks.crab.formula import IN_DOCUMENT
from fastcausal.tasks.crab.graph import Graph, require_acyclic
from fastcausal.tasks.crab.report import CROSS
from fastcausal.tasks.crab.story_page import Stories, count_by_distance

DATES = ("date_a", "date_b")
DAY = 86_400  # seconds
MAX_PLACES = 4  # possible keys for each number; if there are more, sorting beats marking
Distances = dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class _Numbered:
    """Distinct events or articles, numbered by story."""

    # int64[n_pairs]: The numbers of both sides of each pair
    a: Int64
    b: Int64
    story: Int64  # int64[n]: The story of each event or article

    @classmethod
    def of(cls, story: Int64, a: Int64, b: Int64) -> _Numbered:
        """Number the values of both sides; equal values in two stories get two numbers."""
        low = int(min(a.min(), b.min()))
        width = int(max(a.max(), b.max())) - low + 1
        if width > MAX_PLACES * 2 * len(a):
            (a, b), names = _encoded(a, b)
            low, width = 0, len(names)
        first = story * width
        first -= low
        of_a = first + a
        first += b  # in place, as below: new memory would take longer than the sum
        numbers = _number(of_a, first, (int(story[-1]) + 1) * width)
        return cls(of_a, first, numbers // width)


def _number(a: Int64, b: Int64, n_keys: int) -> Int64:
    """Replace keys below n_keys by their ranks, in place; return the different keys, ascending."""
    if n_keys > MAX_PLACES * 2 * len(a):
        (a[:], b[:]), different = _encoded(a, b)
        return different
    is_used = np.zeros(n_keys, np.bool_)
    is_used[a] = is_used[b] = True
    numbers = np.cumsum(is_used) - 1
    for side in (a, b):
        numbers.take(side, out=side, mode="clip")
    return np.flatnonzero(is_used)


def _encoded(a: Int64, b: Int64) -> tuple[list[Int64], Int64]:
    codes, different = encode(arrow.numbers(np.concatenate([a, b])))
    return np.split(codes, 2), arrow.values_of(different)


def describe(
    gold: Any,
    *,
    threshold: float = 50,
    border: Border = "up",
    gold_from: GoldFrom = "class",
    by: By = None,
) -> CorpusReport:
    """Describe judged pairs: classes, stories, and the graph of causes (tables 1, 5, 6).

    Each story has a graph: its events are nodes, and a pair is an edge from cause to effect if its
    score reaches the threshold. A path has one edge or more; it starts and ends at any event.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs. With dates in the columns ``date_a`` and ``date_b``, such as ``2022-01-31``
        with or without a time, the report has distances in days.
    threshold : float
        Take scores from this one on as edges of the graph. ``border`` decides for equal scores.
    border, gold_from
        See `fastcausal.tasks.crab.pairwise.pairwise`.
    by : str or sequence of str, optional
        Columns of gold; classes are also counted for each of their values.

    Returns
    -------
    CorpusReport

    Raises
    ------
    InputError
        Gold cannot be read, its events cause each other in a cycle, or a date is invalid.
    ValueError
        A rule is unknown, or the threshold is not a number.

    References
    ----------
    Romanou et al. (2023), CRAB, Tables 1, 5 and 17, Figure 3.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = [{"topic_id": 1, "event_order_a": a, "event_order_b": b, "score": s}
    ...         for a, b, s in ((1, 2, 90), (2, 3, 60), (1, 3, 10))]
    >>> report = fc.crab.describe(gold)
    >>> report["overall"].A, report.graph["n_edges"], report.graph["paths"]["lengths"]
    (1, 2, {'1': 2, '2': 1})
    """
    if not math.isfinite(threshold):
        raise ValueError(f"threshold is {threshold}, expected a number")
    if not isinstance(gold, JudgedPairs):
        require_acyclic(gold := read_records(gold, "gold"))
    pairs = read_pairs(gold)
    codes = pairs.classes(border, gold_from)
    events = _Numbered.of(pairs.story, pairs.a, pairs.b)
    classes = {"overall": _classes(codes)}
    for name, chosen in _parts(pairs, by).items():
        classes[name] = _classes(codes.take(np.flatnonzero(chosen)))
    stories = _stories(pairs, events)
    by_distance = count_by_distance(pairs.b - pairs.a, codes)
    warnings = pairs.disagreements(border) | _without_score(pairs)
    return present_corpus(
        f"{len(pairs)} pairs of {len(pairs.topics)} stories",
        f"fastcausal|{__version__}|crab-describe|gold:{gold_from}|border:{border}"
        f"|threshold:{threshold:g}",
        {name: _scores(row) for name, row in classes.items()},
        facts={
            "n_topics": len(pairs.topics),
            "n_articles": None if (n := stories["n_articles"]) is None else int(n.sum()),
            "n_events": len(events.story),
            "n_pairs": len(pairs),
            "classes": classes,
            "timeline": spread(stories["n_events"]),
            "pairs_per_topic": spread(stories["n_pairs"]),
            "topics": _topics(pairs, codes, stories),
            "distances": _distances(pairs, codes, *by_distance),
            "stories": (drawn := Stories(pairs, codes, threshold, border, gold_from)),
            "frames": drawn.frames,
            **_graph(pairs, events, threshold, border),
        },
        warnings=warning_lines(warnings),
    )


def _parts(pairs: JudgedPairs, by: By) -> dict[str, Any]:
    """Return a mask of the pairs of each part: in or across documents, and by column value."""
    parts: dict[str, Any] = {}
    if pairs.in_document is not None:
        parts |= {IN_DOCUMENT: pairs.in_document, CROSS: ~pairs.in_document}
    for column in columns_by(by):
        names, stratum = sorted_strata(pairs.records.table, column)
        stratum = stratum[pairs.rows]
        parts |= {f"{column}={name}": stratum == k for k, name in enumerate(names)}
    return parts


def _classes(codes: Int8) -> dict[str, dict[str, Any]]:
    """Return the number and the share of each class."""
    return _shares(np.bincount(codes, minlength=len(CLASSES)).tolist())


def _shares(counts: list[int]) -> dict[str, dict[str, Any]]:
    total = sum(counts)
    return {
        letter: {"n": n, "share": n / total if total else math.nan}
        for letter, n in zip(CLASSES, counts, strict=True)
    }


def _scores(row: Mapping[str, Mapping[str, Any]]) -> Scores:
    counts = {letter: numbers["n"] for letter, numbers in row.items()}
    return Scores(counts | {f"{letter}_share": row[letter]["share"] for letter in row})


def _stories(pairs: JudgedPairs, events: _Numbered) -> dict[str, Any]:
    """Return the numbers of events, pairs and articles of each story, int64[n_topics] each."""
    n = len(pairs.topics)
    articles = None
    if pairs.in_document is not None:
        a, b = (side[pairs.rows] for side in _article_ids(pairs.records))
        articles = np.bincount(_Numbered.of(pairs.story, a, b).story, minlength=n)
    return {
        "n_events": np.bincount(events.story, minlength=n),
        "n_pairs": np.bincount(pairs.story, minlength=n),
        "n_articles": articles,
    }


def _article_ids(records: Records) -> list[Int64]:
    """Return numbers for the articles of both sides of every row: int64[n] each."""
    sides = [records.column(name) for name in ARTICLES]
    if any(side.null_count or not pa.types.is_integer(side.type) for side in sides):
        sides = [records.keys(name) for name in ARTICLES]
        return np.split(encode(pa.chunked_array(sides))[0], 2)
    return [arrow.values_of(side.cast(pa.int64())) for side in sides]


class Topics(Mapping[str, dict[str, Any]]):
    """Sizes and classes of each story by its name; values are made at each access."""

    def __init__(self, names: list[str], sizes: Mapping[str, Any], counts: Int64) -> None:
        self._places = {name: k for k, name in enumerate(names)}
        self._sizes, self._counts = sizes, counts

    def __getitem__(self, name: str) -> dict[str, Any]:
        k = self._places[name]
        sizes = {n: None if each is None else int(each[k]) for n, each in self._sizes.items()}
        return sizes | {"classes": _shares(self._counts[k].tolist())}

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _topics(pairs: JudgedPairs, codes: Int8, stories: Mapping[str, Any]) -> Topics:
    n, width = len(pairs.topics), len(CLASSES)
    counts = np.bincount(pairs.story * width + codes, minlength=n * width).reshape(n, width)
    return Topics(pairs.topics.cast(pa.string()).to_pylist(), stories, counts)


def spread(counts: Int64) -> dict[str, Any]:
    """Return the mean, the least and the most of counts."""
    mean = int(counts.sum()) / len(counts)
    return {"mean": mean, "min": int(counts.min()), "max": int(counts.max())}


def _without_score(pairs: JudgedPairs) -> Warnings:
    n = int(np.isnan(pairs.score).sum())
    texts = (f"{pairs.records.name}: ", " of the pairs have no score, so there is no graph")
    return {texts: (n,)} if n else {}


def _graph(
    pairs: JudgedPairs, events: _Numbered, threshold: float, border: Border
) -> dict[str, Any]:
    """Return the numbers ``graph`` and ``ends`` of the report; None if a pair has no score."""
    if np.isnan(pairs.score).any():
        return {"graph": None, "ends": None}
    edges = np.flatnonzero(pairs.reaches(threshold, border))
    graph = Graph.count(events.a.take(edges), events.b.take(edges), len(events.story))
    mean = graph.n_edges / graph.n_effects if graph.n_effects else math.nan
    lengths = {str(length): n for length, n in enumerate(graph.paths, 1)}
    numbers = {
        "threshold": threshold,
        "n_edges": graph.n_edges,
        "n_effects": graph.n_effects,
        "causes_per_effect": {"mean": mean, "max": graph.most_causes},
        "paths": {"n": sum(graph.paths), "lengths": lengths, "longest": len(lengths)},
    }
    return {"graph": numbers, "ends": {"n_sources": graph.n_sources, "n_sinks": graph.n_sinks}}


def _distances(
    pairs: JudgedPairs,
    codes: Int8,
    distances: Int64,  # [n], of `count_by_distance`
    counts: Int64,  # [n, n_classes], of `count_by_distance`
) -> Distances:
    """Return mean and largest distance of events by class, and the mean distance in days."""
    days = _days(pairs)
    rows: Distances = {}
    for code, letter in enumerate(CLASSES):
        n = counts[:, code]
        most = int(distances[n > 0].max()) if n.any() else None
        rows[letter] = {"mean": _ratio(float((distances * n).sum()), int(n.sum())), "max": most}
        if days is not None:
            known = days[codes == code]
            known = known[~np.isnan(known)]
            rows[letter]["days"] = _ratio(float(known.sum()), len(known))
    return rows


def _ratio(total: float, n: int) -> float:
    return total / n if n else math.nan


def _days(pairs: JudgedPairs) -> Any:
    """Return days from cause to effect, float64[n]: NaN without a date, None without columns."""
    records = pairs.records
    if not all(name in records for name in DATES):
        return None
    a, b = (_dates(records, name) for name in DATES)
    return (b - a)[pairs.rows]


def _dates(records: Records, column: str) -> Any:
    """Return the dates of a column as days, NaN if missing: float64[n]."""
    texts = records.column(column).cast(pa.string())
    days = pc.utf8_slice_codeunits(texts, 0, 10)
    moments = pc.strptime(days, "%Y-%m-%d", "s", error_is_null=True)
    # strptime reads 2022-02-30 as a day in March, so dates are written back and compared.
    same = pc.equal(pc.strftime(moments, "%Y-%m-%d"), days)
    odd = pc.and_(pc.is_valid(texts), pc.invert(same.fill_null(False)))
    if (row := pc.index(odd, True).as_py()) >= 0:
        got = shown(texts[row].as_py())
        raise InputError(
            f'{records.locate(row)}: "{column}" is {got}, expected a date as 2022-01-31'
        )
    return arrow.values_of(moments.cast(pa.int64()).cast(pa.float64()), math.nan) / DAY
