"""Statistics of values: `fastcausal.statistics`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import numbers
from fastcausal.counts.files import take_one
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.systems import read_systems
from fastcausal.errors import InputError, Remedy, format_some
from fastcausal.files.files import Source
from fastcausal.options import MissingPolicy
from fastcausal.significance.sums import Float64
from fastcausal.tasks.values.answers import TEXTS, Examples, ValueAnswers, examples_of, values_of
from fastcausal.tasks.values.files import read_answers
from fastcausal.tasks.values.formula import CONTENT, WITHIN, ValueFormula
from fastcausal.tasks.values.reading import ValueReading, choose_name, choose_rule

Mask = npt.NDArray[np.bool_]


def statistics(
    source: Any,
    score: str | Iterable[str] | None = None,
    *,
    value: str | None = None,
    numerator: str | None = None,
    denominator: str | None = None,
    id: str | None = None,
    cluster: str | None = "auto",
    epoch: str | None = None,
    over: str = "mean",
    missing: MissingPolicy = "error",
    system: str | None = None,
    answers: str | None = None,
    sample: str | None = None,
) -> Statistics:
    """Read the values of examples from the output of any evaluation.

    Parameters
    ----------
    source : path, pyarrow.Table, object with ``__arrow_c_stream__``, or list of dict
        A log of inspect-ai, samples of lm-evaluation-harness or a folder of them, an export of
        another harness, a plain table, or a count file, recognised by content.
    score : str or iterable of str, optional
        Scores by name, such as ``match``, ``dicty.a`` or ``exact_match,flex``; in tables, columns.
        By default the only score.
    value : str, optional
        Column of values; names with dots lead into JSON, such as ``metrics.f1``.
    numerator, denominator : str, optional
        Columns whose sums make a ratio.
    id, epoch : str, optional
        Columns of a table: by default ``id``, else ``doc_id``; and ``epoch``.
    cluster : str, optional
        Column, or key of metadata or of the document, to keep for drawing by cluster; by default
        those that `compare` takes, where there are such.
    over : str
        ``mean``, ``first``, ``best``, ``pass@K``, ``pass^K``, ``max`` or ``min`` of the answers of
        an example.
    missing : {"error", "skip", "zero"}
        Refuse answers without a score, leave them out, or count them as 0.
    system : str, optional
        Name of the system; by default its name in the log.
    answers : str, optional
        Another name of ``over``.
    sample : str, optional
        Another name of ``epoch``.

    Returns
    -------
    Statistics
        A row for each example, whatever the number of its answers.

    Raises
    ------
    InputError
        The source cannot be read, a score, column or id is missing, or a value is not a number.
    ValueError
        A rule or policy is unknown.

    Examples
    --------
    >>> import fastcausal as fc
    >>> runs = [[{"id": k, "value": k % n == 0} for k in range(12)] for n in (2, 3)]
    >>> half, third = map(fc.statistics, runs)
    >>> half.scores()["value"], fc.compare(half, third)["value"].delta
    (array([0.5]), -0.16666666666666669)
    """
    scores = () if score is None else (score,) if isinstance(score, str) else tuple(score)
    epoch = choose_name("epoch", epoch, "sample", sample)
    reading = ValueReading(
        scores, value=value, numerator=numerator, denominator=denominator, id=id,
        cluster=cluster, epoch=epoch, over=choose_rule(over, answers), missing=missing,
    )  # fmt: skip
    return take_one(source, load(source, reading, system))


def load(source: Any, reading: ValueReading, system: str | None = None) -> dict[str, Statistics]:
    """Read statistics by name of system."""
    read = read_answers(source, reading)
    if not isinstance(read, Source):
        every = [statistics_of(answers, reading, system) for answers in read]
        return {each.system or name_of(source): each for each in every}
    systems = read_systems(read.name)
    for statistics in systems.values():
        reading.check_counts(read.name, statistics.formula)
    return systems


def name_of(source: Any) -> str:
    """Return the name of a source that does not name its system."""
    from fastcausal.files.packed import stem_of

    return stem_of(source) if isinstance(source, str | os.PathLike) else "rows"


def statistics_of(
    answers: ValueAnswers, reading: ValueReading, system: str | None = None
) -> Statistics:
    """Make a row for each example of one system."""
    if answers.is_ratio:
        reading.require_plain()
        if any(bottoms is None for _, bottoms in answers.scores.values()):
            names = ", ".join(answers.scores)
            raise InputError(f"{answers.name}: {names} are means and ratios: name one kind alone")
    examples, rule = examples_of(answers), reading.over
    if rule == "first":
        answers, rule = answers.take(examples.order[examples.starts]), "mean"
        examples = examples_of(answers)
    missing = [_are_missing(*columns) for columns in answers.scores.values()]
    unscored, lost = np.logical_or.reduce(missing), np.logical_and.reduce(missing)
    if unscored.any() and reading.missing == "error":
        raise refuse_missing(answers, unscored)
    counted = _fill_zeros(answers) if reading.missing == "zero" else answers
    columns, variances = list[Float64](), dict[str, Float64]()
    for name in answers.scores:
        values, weights, variances[name] = values_of(counted, name, examples, rule)
        columns += [values, weights]
    rows = np.column_stack(columns)
    kept = np.ones(len(rows), bool)
    if reading.missing == "skip":
        kept = examples.sums(lost) < examples.sizes
        if not kept.any():
            raise InputError(f"{answers.name}: no example has a score")
    formula = ValueFormula(
        tuple(answers.scores), "ratio" if answers.is_ratio else "mean", reading.over,
        reading.missing, tuple(sorted(answers.lower)),
    )  # fmt: skip
    units = _units(answers, examples, unscored, variances)
    left_out = None if kept.all() else units.filter(numbers(~kept))
    return Statistics.of_units(
        formula,
        formula.signature([answers.about["format"]]),
        rows if left_out is None else rows[kept],
        units if left_out is None else units.filter(numbers(kept)),
        {"source": dict(answers.about), **({TEXTS: answers.texts} if reading.with_texts else {})},
        system=system or answers.system,
        warnings=dict(answers.warnings),
        left_out=left_out,
    )


def _are_missing(values: Float64, denominators: Float64 | None) -> Mask:
    """Return a mask of the answers without a score."""
    return np.isnan(values) if denominators is None else np.isnan(values) | np.isnan(denominators)


def _fill_zeros(answers: ValueAnswers) -> ValueAnswers:
    """Return the answers with 0 for every missing value of a mean."""
    filled = {n: (np.where(np.isnan(each), 0, each), b) for n, (each, b) in answers.scores.items()}
    return replace(answers, scores=filled)


def refuse_missing(answers: ValueAnswers, unscored: Mask) -> InputError:
    """Return the error for answers without a score."""
    ids = answers.ids.filter(numbers(unscored)).unique().to_pylist()
    names = ", ".join(answers.scores)
    return InputError(
        f"{answers.name}: {unscored.sum()} of {len(unscored)} answers without {names}"
        f"{format_some(ids[:4])}, expected a score for each",
        Remedy("missing", ("skip", "zero"), "would leave them out or count 0"),
    )


def _units(
    answers: ValueAnswers,
    examples: Examples,
    unscored: Mask,
    variances: Mapping[str, Float64],
) -> pa.Table:
    """Return a row for each example: id, kept columns, digest, and counts of its answers."""
    first = numbers(examples.order[examples.starts])
    columns: dict[str, Any] = {"id": examples.ids}
    for name, column in answers.columns.items():
        if (of_examples := _reduce_to_examples(answers, name, column, examples)) is not None:
            columns[name] = of_examples
    if answers.contents is not None:
        columns[CONTENT] = answers.contents.take(first)
    columns["n_answers"] = numbers(examples.sizes)
    columns["n_errors"] = numbers(examples.sums(answers.errors))
    columns["n_limits"] = numbers(examples.sums(answers.limits))
    columns["n_unscored"] = numbers(examples.sums(unscored))
    for name, variance in variances.items():
        if not np.isnan(variance).all():
            columns[f"{WITHIN}:{name}"] = numbers(variance, ~np.isnan(variance))
    return pa.table(columns)


def _reduce_to_examples(
    answers: ValueAnswers, name: str, column: pa.Array, examples: Examples
) -> pa.Array | None:
    """Return a column of examples; None if the answers of an example differ in it."""
    column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    firsts = column.take(numbers(examples.order[examples.starts]))
    if examples.sizes.max() > 1:
        try:
            codes = column.dictionary_encode("encode").indices
        except pa.ArrowException:
            return None
        in_order = codes.take(numbers(examples.order)).to_numpy(zero_copy_only=False)
        lead = np.repeat(in_order[examples.starts], examples.sizes)
        if (in_order != lead).any():
            return None
    return firsts
