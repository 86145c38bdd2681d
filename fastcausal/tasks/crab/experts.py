"""Experts' classes in place of gold's, for pairs that experts rated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Problems
from fastcausal.files.keys import encode, places_of, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import Border, ExpertRule, check
from fastcausal.report.grid import Grid
from fastcausal.report.report import Report
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab.files import (
    BORDERS,
    CLASSES,
    KEY,
    Int64,
    JudgedPairs,
    class_of,
    code_given,
    ids_of,
    orders_of,
    read_pairs,
    scores_of,
)
from fastcausal.tasks.labels.ratings import Ratings
from fastcausal.tasks.labels.votes import Votes

FROM = "class_from"
KEYS = ("signature", "n_pairs", "n_rated", "n_changed", "n_tied", "changed", "tied", "warnings")


ExpertReport = Report
"""Changes of gold by experts' classes.

Attributes
----------
n_pairs, n_rated, n_changed, n_tied : int
    Numbers of pairs: all, rated by experts, with a new class, and tied.
changed : list of dict
    ``id``, ``before``, ``after`` and ``by`` (majority or mean) of each pair with a new class.
tied : list of str
    Ids of pairs on which experts tie by the rule; they keep gold's class.
pairs : pyarrow.Table
    The rows of gold with their new ``class``, and ``class_from``: gold, majority, mean, tied.
"""


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per changed pair, then per tied one."""
    grid = Grid(report.title, ["before", "after", "by"], "pair", text=True)
    for row in report.changed:
        grid.add(*row.values())
    for name in report.tied:
        grid.add(name, "", "", "tied")
    return [grid]


def experts(
    gold: Any,
    ratings: RecordSource,
    *,
    rule: ExpertRule = "both",
    border: Border = "up",
) -> ExpertReport:
    """Put classes of experts in place of gold's, and list the changes (CRAB, section 3.3).

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin.
    ratings : path, table or list of mappings
        Ratings of experts: the key of a pair, rater, class or score. The key is ``topic_id``,
        ``event_order_a``, ``event_order_b``.
    rule : {"majority", "mean", "both"}
        Take the most frequent class, the nearest to the mean, or the first of both. The mean is of
        A = 4 to D = 1; ``"both"`` takes the mean if the majority ties.
    border : {"up", "text", "down"}
        Put scores 20, 50, 80 into C, B, A (up), C, B, B (text), D, C, B (down).

    Returns
    -------
    ExpertReport

    Raises
    ------
    InputError
        A source cannot be read, a pair is not in gold, or an expert rated it twice.
    ValueError
        A rule is unknown.

    Examples
    --------
    >>> import fastcausal as fc
    >>> key = {"topic_id": 4, "event_order_a": 1, "event_order_b": 2}
    >>> gold, said = [key | {"class": "C"}], [key | {"rater": k, "class": c}
    ...                                       for k, c in enumerate("AB")]
    >>> fc.crab.experts(gold, said).tied
    ['4/1/2']
    """
    check("rule", rule, ExpertRule)
    check("border", border, BORDERS)
    pairs = read_pairs(gold)
    if FROM in pairs.records:
        raise InputError(f'{pairs.records.name}: there is a column "{FROM}" already')
    rated = _read(read_records(ratings, "ratings"), pairs, border)
    is_rated = np.diff(rated.offsets) > 0
    found, by = _classes(rated, rule)
    before = len(CLASSES) - pairs.classes(border)
    after = np.where(np.isnan(found), before, found).astype(np.int64)
    origin = np.where(is_rated, by, "gold")
    ids = pairs.ids().to_pylist()
    letters = CLASSES[::-1]
    changed = [
        {"id": ids[k], "before": letters[before[k] - 1], "after": letters[after[k] - 1],
         "by": str(origin[k])}
        for k in np.flatnonzero(before != after).tolist()
    ]  # fmt: skip
    tied = [ids[k] for k in np.flatnonzero(origin == "tied").tolist()]
    return ExpertReport(
        f"{len(changed)} of {len(pairs)} pairs have another class, experts rated {is_rated.sum()}",
        f"fastcausal|{__version__}|crab-experts|rule:{rule}|border:{border}",
        {},
        facts={
            "n_pairs": len(pairs),
            "n_rated": int(is_rated.sum()),
            "n_changed": len(changed),
            "n_tied": len(tied),
            "changed": changed,
            "tied": tied,
            "pairs": _add_classes(pairs, after, origin),
        },
        keys=KEYS,
        grids=_grids,
    )


def _read(records: Records, pairs: JudgedPairs, border: Border) -> Ratings:
    """Return the class numbers that experts gave to each pair of gold."""
    problems = Problems()
    orders = orders_of(records, problems)
    codes = code_given(records, problems).copy()
    of_score = class_of(scores_of(records, problems), border)
    codes = np.where(codes < 0, of_score, codes)
    for row in np.flatnonzero(codes < 0).tolist():
        problems.add(f'{records.locate(row)}: no "score" and no "class"')
    problems.raise_if_any()
    ids = ids_of(records.texts(KEY[0]), *orders)
    pair = places_of(ids, pairs.ids())
    if (pair < 0).any():
        row = int((pair < 0).argmax())
        raise InputError(f'{records.locate(row)}: pair "{ids[row]}" is not in {pairs.records.name}')
    rater, raters = encode(records.keys("rater"))
    require_unique(
        pair * len(raters) + rater,
        records.locate,
        lambda row: f'rater "{raters[int(rater[row])]}" of this pair',
    )
    offsets = arrow.offsets(np.bincount(pair, minlength=len(pairs)))
    numbers = (len(CLASSES) - codes[np.argsort(pair, kind="stable")]).astype(np.float64)
    return Ratings(numbers, offsets, None, len(raters))


def _classes(rated: Ratings, rule: ExpertRule) -> tuple[Float64, Any]:
    """Return each pair's class number and its rule; NaN and ``tied`` if there is no class."""
    majority, mean = Votes.count(rated).labels(first_of_ties=False), _means(rated)
    by_majority = ~np.isnan(majority) & (rule != "mean")
    by_mean = ~np.isnan(mean) & (rule != "majority") & ~by_majority
    found = np.where(by_majority, majority, np.where(by_mean, mean, np.nan))
    return found, np.where(by_majority, "majority", np.where(by_mean, "mean", "tied"))


def _means(rated: Ratings) -> Float64:
    """Return the class number nearest to each mean; NaN half-way between two, or unrated."""
    n = np.diff(rated.offsets)
    sums = np.bincount(rated.units_of(), rated.values, rated.n_units)
    twice = np.divide(2 * sums, n, out=np.full(len(n), np.nan), where=n > 0)
    nearest: Float64 = np.floor((twice + 1) / 2)
    return np.where(twice % 2 == 1, np.nan, nearest)


def _add_classes(pairs: JudgedPairs, numbers: Int64, origin: Any) -> pa.Table:
    """Return the rows of gold in their order, with their new classes and the origin of each."""
    place = np.argsort(pairs.rows)
    table = pairs.records.table
    classes = pa.array(CLASSES).take(arrow.numbers(len(CLASSES) - numbers[place]))
    if "class" in table.column_names:
        table = table.set_column(table.column_names.index("class"), "class", classes)
    else:
        table = table.append_column("class", classes)
    return table.append_column(FROM, pa.array(origin[place].tolist(), pa.string()))
