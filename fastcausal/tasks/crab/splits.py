"""Judged pairs split into train and test: by date, story or pair."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, format_some
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import SplitBy, check
from fastcausal.report.groups import Number, Scores
from fastcausal.report.report import Report
from fastcausal.significance.draws import check_count, check_seed
from fastcausal.significance.keyed import shuffled
from fastcausal.tasks.crab.files import ARTICLES, JudgedPairs, read_pairs

COLUMN = "split"
SIGNATURE = b"signature"  # in the metadata of the table
_DATE = r"^\d{4}(-\d\d(-\d\d([T ].*)?)?)?$"


def split(
    gold: RecordSource,
    how: SplitBy,
    *,
    test: int | None = None,
    dates: Any = None,
    seed: int = 0,
) -> pa.Table:
    """Split judged pairs into train and test (CRAB, appendix B).

    Draws depend on the seed and on topics or keys of pairs, not on their order.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs; - for stdin.
    how : {"date", "story", "pair"}
        Test on the latest stories, any stories, or any pairs. Of stories with the same date, the
        later topic counts as later.
    test : int, optional
        Stories or pairs of the test part; else a quarter. Pairs are for ``"pair"``.
    dates : str, path, table or list of mappings, optional
        Take dates from this column, or this file of topic_id and date. By default from the column
        ``date``. A date is ``2022``, ``2022-01``, ``2022-01-31`` or longer.
    seed : int
        Seed the draws with this number. From 0 to 2^63 - 1.

    Returns
    -------
    pyarrow.Table
        The rows of gold with a column ``split``: ``train`` or ``test``. `describe_split` counts
        the content of both parts.

    Raises
    ------
    InputError
        Gold or dates cannot be read, a story has no date or two, gold has a column ``split``, or
        no pair would be left for training.
    ValueError
        ``how`` is unknown, dates are given without need, or a number is out of its range.

    References
    ----------
    Romanou et al. (2023), CRAB, appendix B: the test part is a quarter.

    Examples
    --------
    >>> from fastcausal import crab
    >>> key = {"event_order_a": 1, "event_order_b": 2}
    >>> gold = [{"topic_id": t, "date": 2020 - t, "score": 9, **key} for t in range(4)]
    >>> crab.split(gold, "date")["split"].to_pylist()
    ['test', 'train', 'train', 'train']
    """
    check("how", how, SplitBy)
    check_seed(seed)
    if dates is not None and how != "date":
        raise ValueError(f"dates are for a split by date, this is by {how}")
    pairs = read_pairs(gold)
    if COLUMN in pairs.records:
        raise InputError(f'{pairs.records.name}: there is a column "{COLUMN}" already')
    unit = np.arange(len(pairs)) if how == "pair" else pairs.story
    n = int(unit.max()) + 1
    test = _size(test, n, f"{pairs.records.name}: {n} {'pairs' if how == 'pair' else 'stories'}")
    last = _ranked(pairs, how, dates, int(seed))[n - test :]
    parts = np.empty(len(pairs), object)
    parts[pairs.rows] = np.where(np.isin(unit, last), "test", "train")
    drawn = (
        f"seed:{seed}" if how != "date" else f"dates:{_find_dates(pairs.records, dates) or 'file'}"
    )
    signature = f"fastcausal|{__version__}|crab-split|by:{how}|test:{test}|{drawn}"
    table = pairs.records.table.append_column(COLUMN, pa.array(parts, pa.string()))
    metadata = dict(table.schema.metadata or {}) | {SIGNATURE: signature.encode()}
    return table.replace_schema_metadata(metadata)


def _size(test: int | None, n: int, whole: str) -> int:
    """Return the size of the test part: the requested one, or a quarter."""
    if n < 2:
        raise InputError(f"{whole}, expected at least 2 to split")
    if test is None:
        return max(1, round(n / 4))
    check_count("test", test)
    if test >= n:
        raise InputError(f"{whole}, {test} of them for test leave none for train")
    return int(test)


def _ranked(pairs: JudgedPairs, how: SplitBy, dates: Any, seed: int) -> list[int]:
    """Return all stories or pairs by number; the last ones are first chosen for the test part."""
    if how == "pair":
        return shuffled(pairs.ids().to_pylist(), seed)
    topics = pairs.topics.cast(pa.string()).to_pylist()
    if how == "story":
        return shuffled(topics, seed)
    date_of = _dates(pairs.records, dates)
    if missing := [topic for topic in topics if topic not in date_of]:
        lacking = f"{len(missing)} stories without a date{format_some(missing)}"
        raise InputError(f"{pairs.records.name}: {lacking}")
    return sorted(range(len(topics)), key=lambda k: (date_of[topics[k]], k))


def _find_dates(gold: Records, dates: Any) -> str | None:
    """Return the column of gold with the dates; None if dates are in another table."""
    if dates is None:
        return "date"
    return dates if isinstance(dates, str) and dates in gold else None


def _dates(gold: Records, dates: Any) -> dict[str, str]:
    """Return the date of each topic as sortable text."""
    column = _find_dates(gold, dates)
    if column is None:
        if isinstance(dates, str) and dates != "-" and not Path(dates).exists():
            raise InputError(f'{gold.name}: dates "{dates}" are neither a column nor a file')
        gold, column = read_records(dates, "dates"), "date"
    topics, texts = gold.texts("topic_id").to_pylist(), gold.column(column).cast(pa.string())
    odd = pc.invert(pc.match_substring_regex(texts.fill_null(""), _DATE))
    if (row := pc.index(odd, True).as_py()) >= 0:
        got = shown(texts[row].as_py())
        raise InputError(f'{gold.locate(row)}: "{column}" is {got}, expected a date as 2022-01-31')
    date_of: dict[str, str] = {}
    for row, (topic, date) in enumerate(zip(topics, texts.to_pylist(), strict=True)):
        if date_of.setdefault(topic, date) != date:
            before = f"the date {date_of[topic]} before"
            raise InputError(f"{gold.locate(row)}: topic {topic} has the date {date}, and {before}")
    return date_of


def describe_split(table: Any) -> Report:
    """Count the content of both parts of a split, and the share of the test part in train.

    Parameters
    ----------
    table : path, table or list of mappings
        Judged pairs with a column ``split`` of ``train`` and ``test``.

    Returns
    -------
    Report
        ``train`` and ``test``: pairs, stories, articles, events; ``test_in_train``: the stories,
        articles and events of test that are also in train. Articles are undefined if gold has none.

    Examples
    --------
    >>> from fastcausal import crab
    >>> gold = [{"topic_id": 4, "event_order_a": a, "event_order_b": 3, "score": 9} for a in (1, 2)]
    >>> report = crab.describe_split(crab.split(gold, "pair"))
    >>> report["test"].events, report["test_in_train"].stories, report["test_in_train"].events
    (2, 1, 1)
    """
    pairs = read_pairs(table)
    part = pairs.records.texts(COLUMN).take(pa.array(pairs.rows))
    things = {name: _things(pairs, np.asarray(pc.equal(part, name))) for name in ("train", "test")}
    train, test = things.values()
    shared = {name: _both(train[name], test[name]) for name in test if name != "pairs"}
    metadata = pairs.records.table.schema.metadata or {}
    known = metadata.get(SIGNATURE, f"fastcausal|{__version__}|crab-split".encode()).decode()
    groups = things | {"test_in_train": shared}
    return Report(
        f"{len(pairs)} pairs split",
        known,
        {
            group: Scores({n: _size_of(s) for n, s in sets.items()})
            for group, sets in groups.items()
        },
    )


def _things(pairs: JudgedPairs, chosen: Any) -> dict[str, set[Any] | None]:
    """Return the pairs, stories, articles and events of chosen pairs; articles None if unknown."""
    story, a, b = (column[chosen].tolist() for column in (pairs.story, pairs.a, pairs.b))
    articles = None
    if pairs.in_document is not None:
        rows = pa.array(pairs.rows[chosen])
        sides = (pairs.records.texts(name).take(rows).to_pylist() for name in ARTICLES)
        articles = {key for side in sides for key in zip(story, side, strict=True)}
    return {
        "pairs": {*zip(story, a, b, strict=True)},
        "stories": {*story},
        "articles": articles,
        "events": {*zip(story, a, strict=True), *zip(story, b, strict=True)},
    }


def _both(a: set[Any] | None, b: set[Any] | None) -> set[Any] | None:
    return None if a is None or b is None else a & b


def _size_of(things: set[Any] | None) -> Number:
    return math.nan if things is None else len(things)
