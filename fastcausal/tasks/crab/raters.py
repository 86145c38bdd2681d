"""Agreement of the raters of pairs, and the choice of pairs for experts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Problems
from fastcausal.files.keys import require_unique
from fastcausal.files.records import read_records
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import Border, Outside, RaterTies, check
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab.corpus import spread
from fastcausal.tasks.crab.files import (
    BORDERS,
    CLASSES,
    KEY,
    Int64,
    class_of,
    names_of,
    orders_of,
    read_pairs,
    scores_of,
)
from fastcausal.tasks.crab.humans import (
    check_line,
    classes_in,
    consistency,
    qualified,
    second_answers,
)
from fastcausal.tasks.crab.raters_report import RaterReport, report_of
from fastcausal.tasks.labels.coefficients import alphas_of, disagreements
from fastcausal.tasks.labels.ratings import Ratings
from fastcausal.tasks.labels.votes import Votes

SUBSETS = ((1, 2), (2, 3), (3, 4), (1, 4), (1, 2, 3, 4))
"""Classes of Table 9, as numbers: 1 No to 4 High."""
EDGES = (20.0, 50.0, 80.0)  # borders between the classes of scores


def agree(
    ratings: RecordSource,
    *,
    border: Border = "up",
    ties: RaterTies = "first",
    outside: Outside = "keep",
    border_width: float | None = None,
    min_variance: float | None = None,
    expert_share: float | None = None,
    qualify: float | None = None,
    gold: Any = None,
    yes_no: str | None = None,
) -> RaterReport:
    """Measure the agreement of raters on classes of pairs (CRAB, Table 9), and who needs experts.

    Agreement is Krippendorff's alpha of class numbers 1 (No) to 4 (High) at the level interval, for
    all pairs, and for pairs whose majority class is in a subset of classes.

    Parameters
    ----------
    ratings : path, table or list of mappings
        A row per rating: the key of a pair or unit, rater, score; - for stdin. The key is
        ``topic_id``, ``event_order_a``, ``event_order_b``, or ``unit``; scores are from 0 to 100.
    border : {"up", "text", "down"}
        Put 20, 50, 80 into C, B, A (up), 80 into B (text), or D, C, B.
    ties : {"first", "none"}
        Give a tied pair its lowest class, or no majority.
    outside : {"keep", "drop"}
        Keep or drop ratings of a class outside of a subset.
    border_width : float, optional
        Send pairs to experts whose mean is so near a border. Borders are 20, 50 and 80; the sample
        variance must reach the limit of the next two parameters, if given.
    min_variance : float, optional
        Of these, pairs of at least this variance.
    expert_share : float, optional
        Of these, the most varied, up to this share of all pairs. The number is rounded.
    qualify : float, optional
        Show each rater's accuracy, and the raters above this line. It is computed against the
        majority, in which the rater has a vote, and against ``gold`` if given, which then decides.
    gold : path, table or list of mappings, optional
        Judged pairs: raters qualify by these, else by the majority.
    yes_no : str, optional
        Compare scores with this column: yes if the effect comes without the cause. They are
        compared at each threshold.

    Returns
    -------
    RaterReport

    Raises
    ------
    InputError
        A source cannot be read, or a rater rated a pair twice.
    ValueError
        A rule is unknown, or a number is out of its range or without effect.

    References
    ----------
    Romanou et al. (2023), CRAB, section 3.3, appendix A.4 and Table 9.

    Examples
    --------
    >>> from fastcausal import crab
    >>> scores = {"p": (90, 85, 70), "q": (10, 15, 0), "r": (40, 60, 90)}
    >>> report = crab.agree(
    ...     [{"unit": u, "rater": r, "score": s} for u in scores for r, s in enumerate(scores[u])]
    ... )
    >>> report.n_tied, report.classes["majority"], round(report.class_subsets[-1]["alpha"], 4)
    (1, {'A': 1, 'B': 0, 'C': 1, 'D': 1}, 0.75)
    >>> crab.agree("ratings.jsonl", ties="last")
    Traceback (most recent call last):
    ValueError: ties is "last", expected one of first, none
    """
    check("border", border, BORDERS)
    check("ties", ties, RaterTies)
    check("outside", outside, Outside)
    _check_experts(border_width, min_variance, expert_share)
    if qualify is not None:
        check_line(qualify)
    elif gold is not None:
        raise ValueError("gold is for the accuracy of raters: no qualify was given")
    table = _read(ratings, yes_no)
    numbers = len(CLASSES) - class_of(table.scores, border).astype(np.float64)
    rated = Ratings(numbers, table.offsets, None, table.n_raters)
    votes = Votes.count(rated)
    majority = np.nan_to_num(votes.labels(first_of_ties=ties == "first")).astype(np.int64)
    means, variances = _moments(table)
    mean_class = len(CLASSES) - class_of(means, border).astype(np.int64)
    is_expert = _experts(means, variances, border_width, min_variance, expert_share)
    against = {"majority": majority}
    if gold is not None:
        against["gold"] = _find_in_gold(table, gold, border)
    accuracy = None
    if qualify is not None:
        each = {name: classes[rated.units_of()] for name, classes in against.items()}
        names = table.rater_names.cast(pa.string()).to_pylist()
        accuracy = qualified(numbers.astype(np.int64), table.raters, names, each, qualify)
    asked = {"qualify": qualify, "gold": None if gold is None else "given", "yes_no": yes_no}
    more = {name: value for name, value in asked.items() if value is not None}
    rules = {"border": border, "ties": ties, "outside": outside, "border_width": border_width}
    facts = {
        "n_pairs": len(means),
        "n_ratings": len(numbers),
        "n_raters": table.n_raters,
        "ratings_per_pair": spread(np.diff(table.offsets)),
        "n_tied": int((votes.n_winners > 1).sum()),
        "subsets": tuple(_subset(rated, majority, classes, outside) for classes in SUBSETS),
        "classes": {"majority": _counts(majority), "mean": _counts(mean_class)},
        "experts": None if is_expert is None else _share(is_expert),
        "qualification": accuracy,
        "yes_no": None
        if table.happens is None
        else consistency(table.scores, table.happens, border),
    }
    columns = {
        "n_ratings": np.diff(table.offsets),
        "mean": means,
        "variance": pa.array(variances, from_pandas=True),
        "majority": _letters(majority),
        "class": _letters(mean_class),
        "expert": pa.nulls(len(means), pa.bool_()) if is_expert is None else is_expert,
    }
    signature = _signature(
        rules | {"min_variance": min_variance, "expert_share": expert_share} | more
    )
    return report_of(signature, facts, pa.table(table.keys | columns))


def _signature(rules: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        return value if isinstance(value, str) else "none" if value is None else f"{value:g}"

    named = "|".join(f"{name}:{text(value)}" for name, value in rules.items())
    return f"fastcausal|{__version__}|crab-agree|{named}"


def _check_experts(
    border_width: float | None, min_variance: float | None, expert_share: float | None
) -> None:
    """Raise ValueError for a number out of its range, or without effect because of another."""
    bounds: dict[str, tuple[object, float]] = {
        "border_width": (border_width, 100),
        "min_variance": (min_variance, math.inf),
        "expert_share": (expert_share, 1),
    }
    for name, (value, most) in bounds.items():
        if value is not None and not (isinstance(value, Real) and 0 <= float(value) <= most):
            raise ValueError(f"{name} is {value}, expected a number from 0 to {most}")
        if value is not None and border_width is None:
            raise ValueError(f"{name} is for pairs near a border: no border_width was given")
    if min_variance is not None and expert_share is not None:
        raise ValueError("min_variance and expert_share are both given, expected one of them")


@dataclass(frozen=True)
class _Table:
    """Ratings of pairs; keys of pairs ascend, and so do the scores of each pair."""

    keys: dict[str, Any]  # The key of each pair
    offsets: Int64  # int64[n_pairs + 1]
    scores: Float64  # float64[n_ratings]
    raters: Int64  # int64[n_ratings]
    rater_names: pa.Array
    # float64[n_ratings] or None: Second answers, 1 for yes; None if not requested
    happens: Float64 | None

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.rater_names)


def _find_in_gold(table: _Table, gold: Any, border: Border) -> Int64:
    """Return gold's class number of each rated pair, 0 if the pair is not in gold."""
    if KEY[0] not in table.keys:
        raise InputError(f'ratings of "unit" have no place in gold, expected {", ".join(KEY)}')
    return classes_in(read_pairs(gold), table.keys, border)


def _read(source: RecordSource, yes_no: str | None) -> _Table:
    """Read a row per rating, independent of the order and names of raters."""
    records = read_records(source, "ratings")
    problems = Problems()
    if "unit" in records and KEY[0] not in records:
        unit, names = names_of(records, "unit")
        parts = [unit]
    else:
        orders = orders_of(records, problems)
        topic, names = names_of(records, KEY[0])
        parts = [topic, *orders]
    rater, raters = names_of(records, "rater")
    scores = scores_of(records, problems)
    problems.raise_if_any()
    if np.isnan(scores).any():
        raise InputError(f'{records.locate(int(np.isnan(scores).argmax()))}: no "score"')
    different, pair = np.unique(np.stack(parts, 1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    require_unique(
        pair * len(raters) + rater,
        records.locate,
        lambda row: f'rater "{raters[int(rater[row])]}" of this pair',
    )
    order = np.lexsort((scores, pair))
    keys = {name: arrow.numbers(part) for name, part in zip(KEY, different.T, strict=False)}
    first = "unit" if len(parts) == 1 else KEY[0]
    keys = {first: names.take(pa.array(different[:, 0]))} | dict([*keys.items()][1:])
    happens = None if yes_no is None else second_answers(records, yes_no)[order]
    offsets = arrow.offsets(np.bincount(pair))
    return _Table(keys, offsets, scores[order], rater[order], raters, happens)


def _moments(table: _Table) -> tuple[Float64, Float64]:
    """Return mean and sample variance of each pair; the variance of one rating is NaN."""
    parts = [part.tolist() for part in np.split(table.scores, table.offsets[1:-1])]
    means = [statistics.fmean(part) for part in parts]
    variances = [statistics.variance(part) if len(part) > 1 else math.nan for part in parts]
    return np.array(means), np.array(variances)


def _subset(
    rated: Ratings, majority: Int64, classes: tuple[int, ...], outside: Outside
) -> Mapping[str, Any]:
    """Compute alpha of pairs with a majority among ``classes``, or of all pairs for all classes."""
    members = np.isin(majority, classes) | (len(classes) == len(CLASSES))
    values = rated.values
    if outside == "drop":
        values = np.where(np.isin(values, classes), values, math.nan)
    kept = Ratings(values, rated.offsets, None, rated.n_raters)
    rows = disagreements(kept, "interval", members[None].astype(np.int64))
    return {
        "classes": list(classes),
        "n_pairs": int(members.sum()),
        "alpha": float(alphas_of(rows)[0]),
    }


def _experts(
    means: Float64,
    variances: Float64,
    width: float | None,
    least: float | None,
    share: float | None,
) -> Any:
    """Return a mask of the pairs for experts: bool[n], None if not requested."""
    if width is None:
        return None
    near = np.min([np.abs(means - edge) for edge in EDGES], axis=0) <= width
    if share is not None:
        known = np.sort(variances[near & ~np.isnan(variances)])
        k = min(round(share * len(means)), len(known))
        least = known[-k] if k else math.inf
    return near if least is None else near & (variances >= least)


def _share(marked: Any) -> Mapping[str, Any]:
    return {"n": int(marked.sum()), "share": int(marked.sum()) / len(marked)}


def _letters(numbers: Int64) -> pa.Array:
    """Return class numbers 1 to 4 as letters, null for 0."""
    codes = np.where(numbers > 0, len(CLASSES) - numbers, -1)
    return pa.array(CLASSES).take(pa.array(codes, mask=codes < 0))


def _counts(numbers: Int64) -> Mapping[str, int]:
    return {
        letter: int((numbers == len(CLASSES) - code).sum()) for code, letter in enumerate(CLASSES)
    }
