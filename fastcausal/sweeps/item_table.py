"""The answers of several runs to each item, as arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import find_cluster, name_cluster
from fastcausal.counts.item_sums import sum_items
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.systems import is_counts, read_systems
from fastcausal.errors import InputError, counted, format_some
from fastcausal.files.files import Source
from fastcausal.files.keys import encode, order_by_number, places_of, repeated
from fastcausal.files.packed import name_of, stem_of
from fastcausal.options import AUTO, CLUSTERS, MissingPolicy
from fastcausal.report.report import Report
from fastcausal.significance.laws import binomial
from fastcausal.significance.sums import EXACT, Float64, Int64
from fastcausal.sweeps.answers import has_samples
from fastcausal.sweeps.pairing import intersect, require_same
from fastcausal.sweeps.systems import list_logs
from fastcausal.tasks.values.answers import (
    ValueAnswers,
    answers_of,
    examples_of,
    means_of,
    refuse_large,
)
from fastcausal.tasks.values.count import refuse_missing, statistics_of
from fastcausal.tasks.values.files import read_answers
from fastcausal.tasks.values.reading import ValueReading

CHANGES = ("unknown", "down", "same", "up")
Mask = npt.NDArray[np.bool_]
Named = tuple[str, str, ValueAnswers]  # own name of a run, name of its file, answers


@dataclass(frozen=True)
class ItemTable:
    """The answers of each run to each item: arrays of the shape [n_runs, n_items]."""

    runs: tuple[str, ...]
    ids: pa.Array  # ascending, integers by number
    clusters: pa.Array  # null without any
    n: Int64  # answers with a value; under the policy zero also crashed ones
    value: Float64  # the mean of these, NaN without any
    right: Int64  # of them 1 or more
    crashed: Int64  # answers without a value

    @cached_property
    def flaky(self) -> Mask:
        """Mark items that are right in some answers of a run and not in others."""
        return np.asarray((self.right > 0) & (self.right < self.n))

    @cached_property
    def change(self) -> Int64:
        """Index of each item's change in `CHANGES`, of two runs."""
        before, after = self.value
        unknown = np.isnan(before) | np.isnan(after)
        steps = (after > before).astype(np.int64) - (after < before)
        return np.where(unknown, 0, 2 + steps)

    def bounds(self, confidence: float) -> tuple[Float64, Float64]:
        """Return the exact bounds of the shares of right answers; NaN without answers."""
        size = int(self.n.max(initial=0)) + 1
        pairs, place = np.unique(self.right * size + self.n, return_inverse=True)
        each = (divmod(pair, size) for pair in pairs.tolist())
        bounds = [binomial(right, n, confidence) if n else (np.nan, np.nan) for right, n in each]
        low, high = np.array(bounds, np.float64).reshape(-1, 2).T
        place = place.reshape(self.n.shape)
        return low[place], high[place]


def tabulate(
    runs: Mapping[str, ValueAnswers], missing: MissingPolicy, cluster: str | None
) -> ItemTable:
    """Count the answers of each run to each item."""
    if missing == "error":
        _refuse_missing(runs)
    ids = [answers.ids for answers in runs.values()]
    sizes = [len(each) for each in ids]
    different = ids[:1] if all(each.equals(ids[0]) for each in ids) else ids  # equal ones once
    places, names = encode(pa.chunked_array(different, pa.string()), order_by_number)
    places = np.tile(places, len(ids) // len(different))
    shape = len(runs), len(names)
    cells = places + np.repeat(np.arange(len(runs)) * len(names), sizes)

    def count(mask: Mask) -> Int64:
        return np.bincount(cells[mask], minlength=shape[0] * shape[1])

    values = np.concatenate([_values_of(answers) for answers in runs.values()])
    lacks = np.isnan(values)
    crashed = count(lacks)
    if missing == "zero":
        values, lacks = np.where(lacks, 0.0, values), np.zeros(len(values), bool)
    n = count(~lacks)
    several = (n + (0 if missing == "zero" else crashed)).reshape(shape).max(axis=1, initial=0) > 1
    for answers, has in zip(runs.values(), several.tolist(), strict=True):
        if has:
            examples_of(answers)  # refuses repeats that no column tells apart
    return ItemTable(
        tuple(runs),
        names,
        _clusters_of(runs, names, cluster),
        n.reshape(shape),
        _means(values[~lacks], cells[~lacks], n).reshape(shape),
        count(values >= 1).reshape(shape),
        crashed.reshape(shape),
    )


def _values_of(answers: ValueAnswers) -> Float64:
    """Return the value of each answer, NaN if it crashed; a ratio of 0/0 is 1."""
    [(name, (tops, bottoms))] = answers.scores.items()
    refuse_large(answers, name)
    if bottoms is None:
        return tops
    values = np.ones(len(tops))
    np.divide(tops, bottoms, out=values, where=bottoms != 0)
    return np.where(np.isnan(tops) | np.isnan(bottoms), np.nan, values)


def _means(values: Float64, cells: Int64, n: Int64) -> Float64:
    """Return the mean of the values of each cell, rounded once; NaN without values."""
    sums = np.bincount(cells, values, len(n))
    means = np.full(len(n), np.nan)
    np.divide(sums, n, out=means, where=n > 0)
    whole = values == np.rint(values)
    if whole.all() and np.abs(sums).max(initial=0) < EXACT:
        return means
    several = (n > 1)[cells]
    rows = np.flatnonzero(several)
    rows = rows[np.argsort(cells[rows], kind="stable")]
    sizes = np.where(n > 1, n, 0)
    exact = means_of(values[rows], np.cumsum(sizes) - sizes, sizes)
    return np.where(n > 1, exact, means)


def _clusters_of(
    runs: Mapping[str, ValueAnswers], names: pa.Array, cluster: str | None
) -> pa.Array:
    """Return the cluster of each item, from the first run that has it; null without any."""
    found = pa.nulls(len(names), pa.string())
    column = name_cluster(cluster)
    for answers in runs.values():
        lacks = np.flatnonzero(~arrow.is_valid(found))
        if not len(lacks):
            break
        places = places_of(names, answers.ids)
        if cluster == AUTO and column is None:
            column = _find_cluster(answers, places[places >= 0])
        if column is None or column not in answers.columns:
            continue
        texts = answers.columns[column].cast(pa.string())
        of_run = texts.take(pa.array(places, mask=places < 0))
        found = pc.coalesce(found, of_run)
    return found


def _find_cluster(answers: ValueAnswers, rows: Int64) -> str | None:
    """Return the column of clusters of a run, if its items have one."""
    columns = {name: answers.columns[name] for name in CLUSTERS if name in answers.columns}
    return find_cluster(pa.table(columns).take(pa.array(rows))) if columns else None


def list_changed(runs: Mapping[str, ValueAnswers]) -> list[str]:
    """Say of each run how many items have other inputs than in the first run."""
    said = []
    (name, first), *others = runs.items()
    for other, answers in others:
        if first.contents is None or answers.contents is None:
            continue
        places = places_of(answers.ids, first.ids)
        before = first.contents.take(pa.array(places, mask=places < 0))
        unlike = pc.fill_null(pc.not_equal(before, answers.contents), False)
        if ids := answers.ids.filter(unlike).unique().to_pylist():
            items = f"{counted(len(ids), 'item')}{format_some(ids)}"
            said.append(f"{name} and {other} have other inputs for {items}")
    return said


def _refuse_missing(runs: Mapping[str, ValueAnswers]) -> None:
    """Raise InputError for answers that crashed, and for items that a run lacks."""
    for answers in runs.values():
        if (lacks := np.isnan(_values_of(answers))).any():
            raise refuse_missing(answers, lacks)
    every = {name: answers.ids.unique() for name, answers in runs.items()}
    require_same(every, intersect(every))


def read_runs(
    sources: Any,
    reading: ValueReading,
    score: str | None = None,  # of counts, each unit's own
    roles: Sequence[str] = (),  # names of sources without one, or with the same one
) -> dict[str, ValueAnswers]:
    """Read the answers of runs by name."""
    # A run has its own name, or that of its file; runs that share a name are named by their files.
    found = [*_read_each(sources, reading, score, roles)]
    if not found:
        raise InputError("no runs, expected at least one")
    own, files, answers = zip(*found, strict=True)
    names: Sequence[str] = own if repeated(own) is None else files
    again = repeated(names)
    if again and len(roles) == len(names):
        names, again = roles, None
    if again:
        raise InputError(f'two runs have the name "{names[again[0]]}", expected a name each')
    return dict(zip(names, answers, strict=True))


def only_score(answers: ValueAnswers, score: str | None) -> ValueAnswers:
    """Return the answers with one score: the named one, or the only one."""
    if score is None and len(answers.scores) > 1:
        named = ", ".join(answers.scores)
        raise InputError(f"{answers.name}: several scores, name one with --score: {named}")
    return replace(answers, scores={s: v for s, v in answers.scores.items() if score in (None, s)})


def load_sides(runs: Mapping[str, ValueAnswers], reading: ValueReading) -> list[Statistics]:
    """Return the statistics of runs, with a row for each item."""
    sides = {
        name: statistics_of(answers, reading, name)
        if answers.counted is None
        else replace(answers.counted, system=name)
        for name, answers in runs.items()
    }
    return [*(sum_items(sides) if any(map(has_samples, sides.values())) else sides).values()]


def _read_each(
    sources: Any, reading: ValueReading, score: str | None, roles: Sequence[str]
) -> Iterator[Named]:
    """Yield each run with its own name and the name of its file; progress counts sources."""
    quiet, listed = replace(reading, progress=None), [*_list_sources(sources)]
    unnamed = dict(enumerate(roles, 1))
    for k, (name, source) in enumerate(listed, 1):
        is_path = isinstance(source, str | os.PathLike)
        file = name or (stem_of(source) if is_path else unnamed.get(k, f"run {k}"))
        read = _read(source, file, quiet, score)
        for answers in read:
            own = answers.system or file
            if name is not None:
                own = name if len(read) == 1 else f"{name} {own}"
            yield own, file if len(read) == 1 else own, answers
        reading.report(k, len(listed))


def _list_sources(sources: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield each source with its name, if it is given; a folder gives its runs or logs."""
    if isinstance(sources, Mapping):
        yield from sources.items()
        return
    for source in sources:
        if not (isinstance(source, str | os.PathLike) and Path(source).is_dir()):
            yield None, source
            continue
        from fastcausal.sweeps.folder import counts_of_runs

        if held := counts_of_runs(Path(source)):
            yield from held.items()
        elif logs := list_logs(source):
            yield from ((log.name if log.is_dir() else None, log) for log in logs)
        else:
            raise InputError(f"{source}: expected runs of a sweep, logs, or a file")


def _read(
    source: Any, name: str, reading: ValueReading, score: str | None
) -> Sequence[ValueAnswers]:
    """Read the answers of a source: one run, or several by their systems."""
    if isinstance(source, ValueAnswers):
        return [source]
    found: Mapping[str, Statistics] = {}
    if isinstance(source, Statistics | Report):
        found = {name: source if isinstance(source, Statistics) else source.statistics}
    elif is_counts(source):
        found = read_systems(source)
        made = replace(reading, missing="error") if reading.missing == "skip" else reading
        for each in found.values():  # the policy skip is only the default
            made.check_counts(name_of(source), each.formula)
    else:
        read = read_answers(source, reading)
        if not isinstance(read, Source):
            return read
        found = read_systems(read.name)
    kept = tuple(dict.fromkeys((*reading.kept_columns, *reading.found_columns)))
    several = len(found) > 1
    return [
        replace(made, system=system) if several else made
        for system, each in found.items()
        for made in [answers_of(each, system, score, kept)]
    ]
