"""Answers to examples, one or more to each, and the rules that make one value of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy, Warnings
from fastcausal.significance.sums import EXACT, LARGEST, Float64, Int64

TEXTS = "texts"  # the fact that reads the texts of units, see `ValueAnswers.texts`
SAMPLE = "sample"  # the column of repeats of statistics with a row an answer
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Text(NamedTuple):
    """The texts of an answer, for people to read; None for what the source lacks."""

    id: str
    epoch: Any = None  # The repeat, as in ``ValueAnswers.epochs``
    input: str | None = None
    target: str | None = None
    answer: str | None = None


@dataclass(frozen=True)
class ValueAnswers:
    """The answers of one system, a row each."""

    name: str  # The source, for messages
    ids: pa.Array  # The example of each answer
    # Values, NaN if missing; denominators for ratios, else None
    scores: Mapping[str, tuple[Float64, Float64 | None]]
    where: Callable[[int], str]  # Place of an answer, for messages
    epochs: pa.Array | None = None  # Numbers or names of repeats
    # bool[n], optional: True for answers that ended in an error, or at a limit
    errors: Any = None
    limits: Any = None
    # Digest of each answer's example: of input and target, or of the document
    contents: pa.Array | None = None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)  # Other columns to keep
    # ``format``; and ``model``, ``task``, ``version``, ``prompts`` if the source has them
    about: Mapping[str, Any] = field(default_factory=dict)
    lower: tuple[str, ...] = ()  # Scores for which lower is better
    system: str | None = None
    warnings: Warnings = field(default_factory=dict)
    # Reads the texts of the answers to some examples, from the source again; None without texts
    texts: Callable[[Container[str]], Iterator[Text]] | None = field(default=None, repr=False)
    counted: Statistics | None = field(default=None, repr=False)  # What the answers were made from

    @property
    def is_ratio(self) -> bool:
        """True for ratios of sums, False for means."""
        return any(bottoms is not None for _, bottoms in self.scores.values())

    def take(self, rows: Int64) -> ValueAnswers:
        """Return the answers of these numbers."""

        def of(column: Any) -> Any:
            return None if column is None else np.asarray(column)[rows]

        numbers = arrow.numbers(rows)
        return replace(
            self,
            ids=self.ids.take(numbers),
            scores={name: (of(top), of(low)) for name, (top, low) in self.scores.items()},
            where=lambda row: self.where(int(rows[row])),
            epochs=None if self.epochs is None else self.epochs.take(numbers),
            errors=of(self.errors),
            limits=of(self.limits),
            contents=None if self.contents is None else self.contents.take(numbers),
            columns={name: column.take(numbers) for name, column in self.columns.items()},
        )


def number_of(value: Any) -> float:
    """Return a value of a score as a number; NaN for None.

    >>> [number_of(value) for value in ("C", "P", "N", True, "0.25", "Yes", None)]
    [1.0, 0.5, 0.0, 1.0, 0.25, 1.0, nan]
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        known = LETTERS.get(value, WORDS.get(value.strip().lower()))
        return float(value) if known is None else known
    if not isinstance(value, int | float):
        raise ValueError("no number")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def is_flags(value: Any) -> bool:
    """Return True for a list of booleans with one or more items."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, bool) for v in value)


def flags_of(cells: Sequence[Any]) -> tuple[Float64, Float64] | None:
    """Return the number of true booleans in each list, and the lengths; None for other cells.

    >>> flags_of([[True, False], None, [True]]), flags_of([[True], 0.5])
    ((array([ 1., nan,  1.]), array([ 2., nan,  1.])), None)
    """
    if not any(map(is_flags, cells)) or not all(c in (None, []) or is_flags(c) for c in cells):
        return None
    parts = [(math.nan, math.nan) if c is None else (sum(c), len(c)) for c in cells]
    tops, bottoms = np.array(parts, np.float64).T
    return tops, bottoms


@dataclass(frozen=True)
class Examples:
    """Examples in the order of their ids, with the places of their answers."""

    ids: pa.Array
    order: Int64  # int64[n_answers]: The answers, sorted by example
    # int64[n_examples]: Place of each example's first answer in ``order``, and number of its
    # answers
    starts: Int64
    sizes: Int64

    def sums(self, flags: Any) -> Int64:
        """Count the flagged answers of each example."""
        if flags is None:
            return np.zeros(len(self.ids), np.int64)
        return np.add.reduceat(np.asarray(flags, np.int64)[self.order], self.starts)


def examples_of(answers: ValueAnswers) -> Examples:
    """Group answers by example."""
    ids = arrow.joined(answers.ids)
    if pc.all(pc.less(ids[:-1], ids[1:])).as_py():  # each once, in order
        rows = np.arange(len(ids))
        return Examples(ids, rows, rows, np.ones(len(ids), np.int64))
    order = arrow.order_of_texts(ids)
    ascending = pc.take(ids, arrow.numbers(order))
    begins = np.ones(len(ids), bool)
    begins[1:] = arrow.values_of(pc.cast(pc.not_equal(ascending[1:], ascending[:-1]), pa.int8()))
    starts = np.flatnonzero(begins)
    sizes = np.diff(starts, append=len(ids))
    if len(starts) < len(ids):
        ascending = ascending.take(arrow.numbers(starts))
    examples = Examples(ascending, order, starts, sizes)
    if (sizes > 1).any():
        codes = np.empty(len(ids), np.int64)
        codes[order] = np.cumsum(begins) - 1
        _require_unique(answers, examples, codes)
    return examples


def _require_unique(answers: ValueAnswers, examples: Examples, codes: Int64) -> None:
    """Raise InputError if an example has two answers in one epoch, or without epochs."""
    if answers.epochs is None:
        k = int((examples.sizes > 1).argmax())
        id, n = examples.ids[k], examples.sizes[k]
        raise InputError(
            f'{answers.name}: id "{id}" occurs {n} times, expected once',
            Remedy("sample", ("COLUMN",), "would name the column of repeats"),
        )
    epochs = arrow.values_of(answers.epochs.dictionary_encode("encode").indices).astype(np.int64)
    pairs = np.lexsort((epochs, codes))
    same = (codes[pairs][1:] == codes[pairs][:-1]) & (epochs[pairs][1:] == epochs[pairs][:-1])
    if same.any():
        row = int(pairs[1:][same].min())
        raise InputError(
            f'{answers.where(row)}: id "{answers.ids[row]}", epoch {answers.epochs[row]} '
            "occurs twice, expected once"
        )


def answers_of(
    statistics: Statistics,
    name: str,  # of the system
    score: str | None = None,  # by flat name; by default the main one
    columns: Sequence[str] = (),  # to keep
) -> ValueAnswers:
    """Return the own score of each unit as its answer; a unit that was left out has none."""
    formula, units = statistics.formula, statistics.units
    tables = [each for each in (units, statistics.left_out) if each is not None]
    if units is None or not all("id" in each.column_names for each in tables):
        raise InputError(f"{name}: no ids to join by")
    own = formula.own_scores(statistics.rows, score)
    own = own if statistics.row_of is None else own[statistics.row_of]
    kept = ["id", *dict.fromkeys((SAMPLE, *columns))]
    parts = [each.select([c for c in kept if c in each.column_names]) for each in tables]
    table = pa.concat_tables(parts, promote_options="permissive")
    held = {column: arrow.joined(table[column]) for column in table.column_names}
    values = np.full(len(table), math.nan)
    values[: len(own)] = own
    title = score or formula.main_of_one
    lower = statistics.scale(title).better == "lower"
    return ValueAnswers(
        name,
        held.pop("id").cast(pa.string()),
        {title: (values, None)},
        lambda row: name,
        held.pop(SAMPLE, None),
        columns=held,
        about={"format": "counts", "signature": statistics.signature},
        lower=(title,) if lower else (),
        system=statistics.system,
        texts=statistics.facts.get(TEXTS),
        counted=statistics,
    )


def values_of(
    answers: ValueAnswers, name: str, examples: Examples, rule: str
) -> tuple[Float64, Float64, Float64]:
    """Return the value and the weight of each example, and the variance of its value."""
    # Value and weight are 0 for an example without this score. The variance is the variance of the
    # mean of its answers; NaN for a single answer, and for rules other than the mean.
    tops, bottoms = answers.scores[name]
    refuse_large(answers, name)
    scored = ~np.isnan(tops)
    if bottoms is not None:
        _check_denominators(answers, name, bottoms)
        scored &= ~np.isnan(bottoms)
    order = examples.order[scored[examples.order]]
    n = examples.sums(scored)
    ends = np.cumsum(n)
    groups = _Groups(tops[order], ends - n, n)
    if bottoms is not None:
        weights = _Groups(bottoms[order], ends - n, n).means()
        return groups.means(), weights, np.full(len(n), math.nan)
    _check_counts(answers, name, examples, n, rule)
    if rule == "best":
        rule = "min" if name in answers.lower else "max"
    return groups.reduce(rule), (n > 0).astype(np.float64), groups.variances(rule)


def refuse_large(answers: ValueAnswers, name: str) -> None:
    """Raise InputError for a value that is no finite number, or too large to add up exactly."""
    tops, _ = answers.scores[name]
    if (large := np.abs(tops) > LARGEST).any():
        row = int(large.argmax())
        raise InputError(
            f'{answers.where(row)}: id "{answers.ids[row]}": {name} is {tops[row]}, '
            f"expected a finite number from {-LARGEST:g} to {LARGEST:g}"
        )


def means_of(values: Float64, starts: Int64, sizes: Int64) -> Float64:
    """Return the mean of each group of values, rounded once; 0 for an empty group."""
    return _Groups(values, starts, sizes).means()


def _check_denominators(answers: ValueAnswers, name: str, bottoms: Float64) -> None:
    wrong = (bottoms < 0) | (bottoms > LARGEST)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f'{answers.where(row)}: id "{answers.ids[row]}": the denominator of {name} is '
            f"{bottoms[row]}, expected 0 to {LARGEST:g}"
        )
    if not (bottoms > 0).any():
        raise InputError(f"{answers.name}: all denominators of {name} are 0")


def _check_counts(
    answers: ValueAnswers, name: str, examples: Examples, n: Int64, rule: str
) -> None:
    """Raise InputError for fewer than K answers, and for unequal numbers with max and min."""
    least = int(rule[5:]) if rule.startswith("pass") else 0
    few = (n > 0) & (n < least)
    if few.any():
        k = int(few.argmax())
        raise InputError(
            f'{answers.name}: id "{examples.ids[k]}" has {n[k]} answers with {name}, '
            f"expected at least {least} for {rule}"
        )
    some = n[n > 0]
    if rule in ("max", "min") and len(some) and some.min() < some.max():
        k = int((n == some.min()).argmax())
        raise InputError(
            f'{answers.name}: id "{examples.ids[k]}" has {some.min()} answers with {name}, another '
            f"has {some.max()}, expected as many everywhere for {rule}"
        )


@dataclass(frozen=True)
class _Groups:
    """Values of answers, grouped by example."""

    values: Float64
    starts: Int64
    sizes: Int64

    def reduce(self, rule: str) -> Float64:
        """Return the value of each example; 0 without answers."""
        if rule == "mean":
            return self.means()
        if rule in ("max", "min"):
            best = np.maximum if rule == "max" else np.minimum
            return self._filled(best.reduceat(self.values, self._find_answered))
        return self._passes(int(rule[5:]), rule[4] == "@")

    @property
    def _find_answered(self) -> Int64:
        """Starts of the examples that have answers."""
        return self.starts[self.sizes > 0]

    def _filled(self, values: Any) -> Float64:
        filled = np.zeros(len(self.sizes))
        filled[self.sizes > 0] = values
        return filled

    def means(self) -> Float64:
        """Return the mean of each example, rounded once."""
        if not len(self.values):
            return np.zeros(len(self.sizes))
        if self.sizes.max() == 1:
            return self._filled(self.values)
        whole = (self.values == np.rint(self.values)).all()
        if whole and np.abs(self.values).max() * float(self.sizes.max()) < EXACT:
            sums = np.add.reduceat(self.values, self._find_answered)
            return self._filled(sums / self.sizes[self.sizes > 0])
        return self._filled([_mean(part.tolist()) for part in self._parts()])

    def _parts(self) -> list[Float64]:
        return np.split(self.values, self._find_answered[1:])

    def _passes(self, k: int, at_least_one: bool) -> Float64:
        """Return the share of all choices of k answers with at least one right, or all right."""
        if not len(self.values):
            return np.zeros(len(self.sizes))
        right = np.add.reduceat((self.values >= 1).astype(np.int64), self._find_answered)
        shares: dict[tuple[int, int], float] = {}
        passes = []
        for pair in zip(right.tolist(), self.sizes[self.sizes > 0].tolist(), strict=True):
            if pair not in shares:
                shares[pair] = _share(*pair, k, at_least_one)
            passes.append(shares[pair])
        return self._filled(passes)

    def variances(self, rule: str) -> Float64:
        """Return the variance of the mean of each example's answers; NaN for fewer than two."""
        variances = np.full(len(self.sizes), math.nan)
        several = self.sizes > 1
        if rule == "mean" and several.any():
            of = np.repeat(np.arange(len(self.sizes)), self.sizes)
            away = (self.values - self.means()[of]) ** 2
            sums = np.bincount(of, away, len(self.sizes))[several]
            n = self.sizes[several]
            variances[several] = sums / (n - 1) / n
        return variances


def _share(
    right: int,  # right answers among n
    n: int,
    k: int,
    at_least_one: bool,  # False: all k must be right
) -> float:
    """Return the share of choices of k of n answers with one right answer, or all right.

    >>> [round(_share(c, 4, 2, True), 4) for c in range(5)]
    [0.0, 0.5, 0.8333, 1.0, 1.0]
    """
    # Chen et al. 2021, equation 1.
    if at_least_one:
        return (math.comb(n, k) - math.comb(n - right, k)) / math.comb(n, k)
    return math.comb(right, k) / math.comb(n, k)


def _mean(values: Sequence[float]) -> float:
    """Return a mean that is rounded once."""
    return float(sum(map(Fraction, values)) / len(values))
