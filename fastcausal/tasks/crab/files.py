"""The table of judged pairs of events: the strength with which event a caused event b.

A pair has the key (topic, order of event a, order of event b), a before b. Raters gave it a score
from 0 to 100 and a class from A (high) to D (no): Romanou et al. (2023), section 3 and table 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Problems, Remedy, Warnings
from fastcausal.files.keys import encode, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.options import Border, GoldFrom, check
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab._shapes import find_stories
from fastcausal.tasks.crab.parse import single_letters

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

CLASSES = ("A", "B", "C", "D")  # codes 0 to 3
BORDERS: dict[str, tuple[bool, bool, bool]] = {
    "up": (True, True, True),
    "text": (False, True, True),
    "down": (False, False, False),
}
"""By rule: whether a score of 80, 50 and 20 belongs to the class above it."""
KEY = ("topic_id", "event_order_a", "event_order_b")
ARTICLES = ("article_id_a", "article_id_b")
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs of events with raters' scores and classes, ascending by topic, a and b."""

    records: Records  # The source
    # int64[n] or None: The row of each pair in the source; None if the source has this order
    order: Int64 | None
    # The distinct topics, ascending: int64, or string if one of them is not an integer
    topics: pa.Array
    starts: Int64  # int64[n_topics + 1]: The first pair of each topic, then the number of pairs
    # int64[n]: Orders of the two events; a < b
    a: Int64
    b: Int64
    score: Float64  # float64[n]: From 0 to 100; NaN if missing
    given: Int8  # int8[n]: The code of the given class; -1 if missing
    # bool[n] or None: True if both events are in one article; None if gold has no articles
    in_document: Booleans | None

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def story(self) -> Int64:
        """Index of each pair's topic: int64[n]."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    @cached_property
    def rows(self) -> Int64:
        """Row of each pair in the source: int64[n]."""
        return np.arange(len(self)) if self.order is None else self.order

    def locate(self, k: int) -> str:
        """Return the name of a pair for messages: the place of its row, and its key."""
        topic = self.topics[int(self.story[k])].as_py()
        row = self.records.locate(int(self.rows[k]))
        return f"{row}: topic {topic}, events {self.a[k]} and {self.b[k]}"

    def ids(self) -> pa.Array:
        """Return ``topic/a/b`` of every pair: string[n]."""
        topics = self.topics.cast(pa.string()).take(arrow.numbers(self.story))
        return ids_of(topics, self.a, self.b)

    def classes(
        self,
        border: Border = "up",  # for classes of scores, as in `class_of`
        gold_from: GoldFrom = "class",
    ) -> Int8:  # [n]
        """Return the code of each pair's class."""
        # "class" takes the given class, or the class of the score if it is missing; "score" always
        # takes the class of the score.
        check("gold_from", gold_from, GoldFrom)
        check("border", border, BORDERS)
        if gold_from == "class" and self.given.min() >= 0:
            return self.given
        of_score = class_of(self.score, border)
        if gold_from == "class":
            return np.where(self.given >= 0, self.given, of_score)
        self.require_scores(Remedy("gold_from", ("class",), "would take classes"))
        return of_score

    def reaches(self, threshold: float, border: Border = "up") -> Booleans:  # [n]
        """Return a mask of pairs whose score reaches a threshold."""
        # The function `reaches` decides on a score equal to the threshold.
        self.require_scores()
        return self.score >= threshold if reaches(threshold, border) else self.score > threshold

    def require_scores(self, remedy: Remedy | None = None) -> None:
        """Raise InputError for the first pair without a score."""
        missing = np.isnan(self.score)
        if missing.any():
            k = int(self.rows[missing].argmin())
            raise InputError(f'{self.locate(np.flatnonzero(missing)[k])}: no "score"', remedy)

    def disagreements(self, border: Border = "up") -> Warnings:
        """Warn of pairs with a class that differs from the class of their score."""
        if not all(name in self.records for name in ("score", "class")):
            return {}
        both = (self.given >= 0) & ~np.isnan(self.score)
        n = int(np.count_nonzero(both & (self.given != class_of(self.score, border))))
        texts = (
            f"{self.records.name}: ",
            f" of the pairs have another class than their score has by border={border}",
        )
        return {texts: (n,)} if n else {}


def class_of(
    score: Float64,  # [n], 0 to 100
    border: Border = "up",
) -> Int8:  # [n]
    """Return the class codes of scores, -1 for NaN."""
    # "up" puts 20, 50 and 80 into C, B and A; "text" puts 80 into B (section 5.2: "above 80");
    # "down" puts the three into D, C and B (figure 8).
    check("border", border, BORDERS)
    codes = np.full(len(score), 3, np.int8)
    for value, at in zip((80, 50, 20), BORDERS[border], strict=True):
        codes -= (score >= value if at else score > value).view(np.int8)
    codes[np.isnan(score)] = -1
    return codes


def reaches(threshold: float, border: Border) -> bool:
    """Return True if a score equal to a threshold reaches it.

    >>> [reaches(80, border) for border in ("up", "text", "down")], reaches(50, "text")
    ([True, False, False], True)
    """
    # Under "up" it always does, under "text" except for 80 (which is B), under "down" never.
    check("border", border, BORDERS)
    return border == "up" or (border == "text" and threshold != 80)


def read_pairs(source: Any, name: str = "gold") -> JudgedPairs:
    """Read judged pairs.

    Parameters
    ----------
    source : path, table or list of mappings
        Any source of `fastcausal.files.records.read_records` with the columns ``topic_id``,
        ``event_order_a``, ``event_order_b``, ``score`` (0 to 100) or ``class`` (A to D) or both,
        and optionally ``article_id_a`` and ``article_id_b``. Other columns are kept.
    name : str
        The name for messages of a source that is not a file.
    """
    if isinstance(source, JudgedPairs):
        return source
    records = read_records(source, name, encoded=True)
    problems = Problems()
    a, b = (records.integers(column) for column in KEY[1:])
    stories, rows = _stories(records, a, b), None
    if stories is None:
        report_orders(records, a, b, problems)
    score, given = scores_of(records, problems), code_given(records, problems)
    neither = (given < 0) & np.isnan(score) if given.min() < 0 else np.zeros(0, bool)
    for k in np.flatnonzero(neither).tolist():
        problems.add(f'{records.locate(k)}: no "score" and no "class"')
    problems.raise_if_any()
    if stories is None:
        story, topics = names_of(records, KEY[0])
        stories = topics, arrow.offsets(np.bincount(story))
        rows = None if _ascending(story, a, b) else np.lexsort((b, a, story))
    columns: list[Any] = [a, b, score, given, _are_same_document(records)]
    if rows is None:
        return JudgedPairs(records, None, *stories, *columns)
    columns = [None if column is None else column[rows] for column in columns]
    pairs = JudgedPairs(records, rows, *stories, *columns)
    _require_once(pairs)
    return pairs


def _stories(records: Records, a: Int64, b: Int64) -> tuple[pa.Array, Int64] | None:
    """Return the result of `_ascending` for pairs with integer topics; None for other pairs."""
    if KEY[0] not in records:
        return None
    topics = records.column(KEY[0])
    if not pa.types.is_signed_integer(topics.type) or topics.null_count:
        return None
    return _ascending(arrow.values_of(topics.cast(pa.int64())), a, b)


def _ascending(topic: Int64, a: Int64, b: Int64) -> tuple[pa.Array, Int64] | None:
    """Return the different topics and the first pair of each; None unless pairs ascend, a < b."""
    starts, topics = np.empty(len(a) + 1, np.int64), np.empty(len(a), np.int64)
    n = find_stories(topic, a, b, starts, topics)
    return None if n < 0 else (arrow.numbers(topics[:n].copy()), starts[: n + 1].copy())


def ids_of(topics: pa.Array, a: Int64, b: Int64) -> pa.Array:
    """Return ``topic/a/b`` of pairs: string[n]."""
    orders = (arrow.numbers(side).cast(pa.string()) for side in (a, b))
    return pc.binary_join_element_wise(topics, *orders, "/")


def orders_of(records: Records, problems: Problems) -> tuple[Int64, Int64]:
    """Return the orders of the events of every row, int64[n] each; report rows without a < b."""
    a, b = (records.integers(column) for column in KEY[1:])
    report_orders(records, a, b, problems)
    return a, b


def report_orders(records: Records, a: Int64, b: Int64, problems: Problems) -> None:
    """Report rows without a < b."""
    for k in np.flatnonzero(a >= b).tolist():
        problems.add(
            f'{records.locate(k)}: "event_order_a" is {a[k]}, "event_order_b" is {b[k]}, '
            "expected a before b"
        )


def scores_of(records: Records, problems: Problems, column: str = "score") -> Float64:
    """Return the score of every row, NaN if missing: float64[n]."""
    if column not in records:
        return np.broadcast_to(np.nan, len(records))
    score = records.numbers(column)
    given = np.asarray(records.column(column).is_valid())
    faults = np.flatnonzero(given & ~((score >= 0) & (score <= 100)))
    for k in faults.tolist():
        problems.add(
            f'{records.locate(k)}: "{column}" is {score[k]:g}, expected a number from 0 to 100'
        )
    if len(faults):
        score = score.copy()
        score[faults] = 0.0  # one fault is reported once
    return score


def code_given(records: Records, problems: Problems) -> Int8:
    """Return the code of the given class of every row, -1 if missing: int8[n]."""
    if "class" not in records:
        return np.full(len(records), -1, np.int8)
    letters = records.encoded("class")
    given = np.concatenate([_codes_of(chunk) for chunk in letters.chunks])
    if given.min() >= 0:
        return given
    for k in np.flatnonzero((given < 0) & np.asarray(letters.is_valid())).tolist():
        got = shown(letters[int(k)].as_py())
        problems.add(f'{records.locate(k)}: "class" is {got}, expected one of A, B, C, D')
        given[k] = 0
    return given


def _codes_of(letters: pa.Array) -> Int8:
    if pa.types.is_dictionary(letters.type):
        codes = arrow.numbers(_codes_of(letters.dictionary))
        return arrow.values_of(codes.take(letters.indices), -1)
    if not letters.null_count and (bare := single_letters(letters)) is not None:
        return bare.astype(np.int8)
    known = pc.index_in(letters, pa.array(CLASSES, letters.type))
    return np.array(known.fill_null(-1), np.int8)


def names_of(records: Records, column: str) -> tuple[Int64, pa.Array]:
    """Number the names in a column, as `encode` does."""
    # Names ascend: as int64, or as strings if one of them is not an integer.
    values = records.column(column)
    if pa.types.is_integer(values.type) and not values.null_count:
        return encode(values.cast(pa.int64()))
    names = records.keys(column)
    are_integers = pc.match_substring_regex(names.unique(), _INTEGER)
    return encode(names.cast(pa.int64() if pc.all(are_integers).as_py() else pa.string()))


def _require_once(pairs: JudgedPairs) -> None:
    same = pairs.b[1:] == pairs.b[:-1]
    if same.any():
        same &= (pairs.a[1:] == pairs.a[:-1]) & (pairs.story[1:] == pairs.story[:-1])
    if same.any():
        rows, ids = pairs.rows, pairs.ids()
        require_unique(
            ids, lambda k: pairs.records.locate(int(rows[k])), lambda k: f'pair "{ids[k]}"'
        )


def _are_same_document(records: Records) -> Booleans | None:
    if not all(column in records for column in ARTICLES):
        return None
    sides = [records.column(column) for column in ARTICLES]
    if any(side.null_count or not pa.types.is_integer(side.type) for side in sides):
        sides = [records.keys(column) for column in ARTICLES]
    return np.asarray(pc.equal(*sides))
