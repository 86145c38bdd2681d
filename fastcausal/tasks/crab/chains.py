"""Causal chains: three events of a story, with two strong pairs.

Romanou et al. (2023), sections 2 and 5.2, figure 2 (right), tables 4 and 7.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.strata import By
from fastcausal.counts.confusions import group_scores
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.options import Border, CrabTask, GoldFrom, Policy, check
from fastcausal.report.groups import Groups
from fastcausal.report.report import Report
from fastcausal.significance.sums import Int64
from fastcausal.tasks.crab._shapes import count_chains, list_chains
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.files import CLASSES, JudgedPairs
from fastcausal.tasks.crab.formula import ChainFormula
from fastcausal.tasks.crab.pairwise import digest_of
from fastcausal.tasks.crab.shapes import (
    MEASURES,
    ClassedPairs,
    Shape,
    groups_of,
    present_shapes,
    present_units,
    read_judged,
    sums_by_type,
    typed_rows,
    types_in,
    units_of,
    values_in,
)

Int8 = npt.NDArray[np.int8]

TYPES = ("mediation", "confounding", "collider")
ABSENT = "-"  # a missing pair
PER_CHAIN = ("topic_id", "x", "y", "z", "type", "n_scored_pairs", *MEASURES)


ChainReport = Report
"""Counts and means of causal chains by type; ``report["mediation"].f1``.

Attributes
----------
n_chains : int
coverage : dict or None
    Number and share of answers read; None without answers.
per_chain : pyarrow.Table
    Chains by topic and events; F1 and exact match are null without answers.
"""

SHAPE = Shape(
    titles={"n_chains": "causal chains"},
    columns={"n_chains": "chains"},
    table="per_chain",
    fields=PER_CHAIN,
)


@dataclass(frozen=True)
class Strengths:
    """Classes of the strong pairs of chains, and of the third pair by type."""

    # Letters of classes; weak pairs may also be ``-``, a missing pair
    high: str
    mediation: str
    confounding: str
    collider: str

    def __post_init__(self) -> None:
        for name, letters in asdict(self).items():
            known = "".join(CLASSES) + ABSENT * (name != "high")
            odd = not isinstance(letters, str) or not letters or not set(letters) <= set(known)
            if odd or len(set(letters)) < len(letters):
                got = f'"{letters}"' if isinstance(letters, str) else repr(letters)
                raise ValueError(f"{name} is {got}, expected some of the letters {known}")
            if name != "high" and (both := set(self.high) & set(letters)):
                raise ValueError(
                    f'{name} is "{letters}" and high is "{self.high}": a weak pair may not be '
                    f"strong, expected no {' or '.join(sorted(both))} in one of the two"
                )

    def signature(self) -> dict[str, str]:
        """Return the sorted letters of each attribute."""
        order = (*CLASSES, ABSENT)
        return {name: "".join(sorted(v, key=order.index)) for name, v in asdict(self).items()}

    def bits(self, letter: str) -> int:
        """Return the possible roles of a pair with a class, as bits of csrc/tasks/shapes.hpp."""
        return sum((letter in letters) << k for k, letters in enumerate(asdict(self).values()))


@dataclass(frozen=True, eq=False)
class Codes:
    """Pairs as small numbers, each for a class in gold and an answer."""

    of_pair: Int8  # int8[n_pairs]: class * (n_labels + 2) + label of the answer + 1
    # int8[n_codes]: Possible roles of a code in a chain; the last code is a missing pair
    bits: Int8
    # int64[n_codes]: Labels of each code, for `group_scores`
    gold: Int64
    pred: Int64

    @classmethod
    def of(cls, judged: ClassedPairs, strengths: Strengths) -> Codes:
        """Compute the codes of judged pairs."""
        width = judged.n_labels + 2
        answers = judged.counted + np.int8(1)
        of_class = np.array([strengths.bits(letter) for letter in (*CLASSES, ABSENT)], np.int8)
        return cls(
            judged.classes * np.int8(width) + answers,
            np.append(np.repeat(of_class[:-1], width), of_class[-1]),
            np.append(np.repeat(judged.labels_of_classes, width), -1),
            np.append(np.tile(np.arange(-1, width - 1), len(CLASSES)), -1),
        )

    def labels_of(self, pattern: Int64) -> tuple[Int64, Int64]:
        """Return gold labels and answers of patterns, three pairs each: int64[3 * n]."""
        each = np.unravel_index(pattern, (len(self.bits),) * 3)
        of_pair = np.stack(each, axis=1).ravel()
        return self.gold[of_pair], self.pred[of_pair]


def chains(
    gold: Any,
    pred: Any = None,
    task: CrabTask = "multiclass",
    *,
    high: str = "A",
    mediation: str = "BC",
    confounding: str = "C",
    collider: str = "D",
    column: str = "prediction",
    border: Border = "up",
    gold_from: GoldFrom = "class",
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    pattern: str | None = None,
) -> ChainReport:
    """Count causal chains by type, and score the answers to their pairs: tables 4 and 7.

    A chain has three events x < y < z of a story; two of its pairs are strong and one is weak: xz
    in a mediation, yz in a confounding, xy in a collider. Each chain gets an exact match and an F1
    from its pairs, as in `frames`; scores are means over chains.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin.
    pred : path, table or list, optional
        Answers of a system. None: only count chains.
    task : {"score", "multiclass", "three", "binary"}
        The question that was asked. Scores become classes. In ``"three"``, the second answer stands
        for the classes B and C; in ``"binary"``, yes stands for A and B.
    high : str
        Take pairs of these classes as strong.
    mediation : str
        Expect one of these classes between x and z, - for no pair. No strong class is allowed in
        any type.
    confounding : str
        Expect one of these classes between y and z, - for no pair.
    collider : str
        Expect one of these classes between x and y, - for no pair.
    column, border, gold_from, undefined, unparsed, unmatched, pattern
        See `fastcausal.tasks.crab.pairwise.pairwise`.

    Returns
    -------
    ChainReport

    Raises
    ------
    InputError
        A source cannot be read or joined, or a policy forbids it.
    ValueError
        A letter is no class, a class is both strong and weak, or a task or policy is unknown.

    Examples
    --------
    >>> gold = [
    ...     {"topic_id": 1, "event_order_a": a, "event_order_b": b, "class": c}
    ...     for a, b, c in [(1, 2, "A"), (1, 3, "A"), (2, 3, "C"), (1, 4, "B"), (2, 4, "A")]
    ... ]
    >>> report = chains(gold, ["A", "A", "D", "B", "A"])
    >>> report.per_chain.select(["x", "y", "z", "type", "em"]).to_pylist()[1]
    {'x': 1, 'y': 2, 'z': 4, 'type': 'mediation', 'em': 1.0}
    >>> report["overall"].n_chains, report["confounding"].em
    (2, 0.0)
    """
    check("task", task, CrabTask)
    choices = Choices(task, column, border, gold_from, undefined, unparsed, unmatched, pattern)
    strengths = Strengths(high, mediation, confounding, collider)
    signature = choices.signature("crab-chains", {**choices.pair_settings, **strengths.signature()})
    return report_of(read_judged(gold, pred, choices), strengths, signature, system_of(pred))


def report_of(
    judged: ClassedPairs, strengths: Strengths, signature: str, system: str | None = None
) -> ChainReport:
    """Find and score the chains of judged pairs."""
    codes = Codes.of(judged, strengths)
    counts = counts_of(judged.pairs, codes)
    kinds = np.flatnonzero(counts)
    type_of, pattern = np.divmod(kinds, counts.shape[1])
    n_scored, f1, exact = group_scores(
        *codes.labels_of(pattern),
        judged.n_labels,
        np.arange(0, 3 * len(pattern) + 1, 3),
        undefined=judged.choices.undefined,
    )
    times = counts.ravel()[kinds]
    about = Statistics(
        ChainFormula(MEASURES, TYPES),
        signature,
        typed_rows(np.stack([f1, exact], axis=1), type_of, len(TYPES)),
        times,
        system=system,
        warnings=judged.warnings,
    )
    whole = partial(_add_units, about, judged.pairs, codes, kinds, n_scored)
    groups = _groups(about, type_of, times, n_scored)
    return present_shapes(SHAPE, about, groups, judged.coverage, whole)


def counts_of(pairs: JudgedPairs, codes: Codes) -> Int64:
    """Count chains by type and by the codes of their three pairs: int64[3, n_codes ** 3]."""
    counts = np.zeros((len(TYPES), len(codes.bits) ** 3), np.int64)
    count_chains(pairs.starts, pairs.a, pairs.b, codes.of_pair, codes.bits, counts)
    return counts


def chains_of(pairs: JudgedPairs, codes: Codes, n_chains: int) -> Int64:
    """List chains by topic and events: story, x, y, z, type and pattern, int64[n_chains, 6]."""
    rows = np.empty((n_chains, 6), np.int64)
    list_chains(pairs.starts, pairs.a, pairs.b, codes.of_pair, codes.bits, rows)
    return rows[np.lexsort(rows.T[3::-1])]


def _groups(statistics: Statistics, type_of: Int64, times: Int64, n_scored: Int64) -> Groups:
    """Return counts and means by type; a row is a chain, or stands for several equal ones."""
    formula = statistics.formula
    assert isinstance(formula, ChainFormula)
    sums = {
        "n_chains": sums_by_type(times, type_of, len(TYPES)),
        "n_scored": sums_by_type(times * (n_scored > 0), type_of, len(TYPES)),
    }
    return groups_of(formula, statistics.rows, statistics.times, sums)


def _add_units(
    about: Statistics, pairs: JudgedPairs, codes: Codes, kinds: Int64, n_scored: Int64
) -> Statistics:
    """Add a unit per chain to statistics with a row for equal chains."""
    story, x, y, z, type_of, pattern = chains_of(pairs, codes, about.n_units).T
    row_of = np.searchsorted(kinds, type_of * len(codes.bits) ** 3 + pattern)
    named = {"topic_id": (pairs.topics, story), "x": x, "y": y, "z": z}
    units = units_of(named, (TYPES, type_of), {"n_scored_pairs": n_scored[row_of]})
    return replace(about, units=units, row_of=row_of, gold=digest_of(pairs))


def present(statistics: Statistics, by: By = None) -> ChainReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    return present_units(SHAPE, statistics, _group_units, by)


def _group_units(statistics: Statistics) -> Groups:
    assert statistics.units is not None
    n_scored = values_in(statistics.units, ("n_scored_pairs",))["n_scored_pairs"]
    type_of = types_in(statistics)
    return _groups(statistics, type_of, np.ones_like(type_of), n_scored)
