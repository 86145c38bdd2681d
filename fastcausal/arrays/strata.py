"""Groups of examples by the values of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.numerals import plain
from fastcausal.errors import InputError
from fastcausal.options import AUTO, CLUSTERS, NO_CLUSTER

Int64 = npt.NDArray[np.int64]
DOCUMENT = "doc_id"  # the document column of formats
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9:]+)?)?")
By: TypeAlias = str | Sequence[str] | None
"""A column whose values define subsets, several columns, or none."""


def columns_by(by: By) -> tuple[str, ...]:
    """Return the columns without repeats.

    >>> columns_by("genre"), columns_by(["genre", "year", "genre"]), columns_by(None)
    (('genre',), ('genre', 'year'), ())
    """
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by or ()))


def source_of(by: str) -> str:
    """Return the column that makes subsets: ``date`` of ``date<2022-01-01``.

    >>> source_of("date<2022-01-01"), source_of("genre")
    ('date', 'genre')
    """
    return by.partition("<")[0]


def name_cluster(cluster: str | None) -> str | None:
    """Return the column of clusters if one is named.

    >>> name_cluster("page"), name_cluster("auto"), name_cluster("none"), name_cluster(None)
    ('page', None, None, None)
    """
    return None if cluster in (AUTO, NO_CLUSTER) else cluster


def find_cluster(examples: pa.Table) -> str | None:
    """Return the first of `CLUSTERS` that is a column without nulls whose values repeat.

    >>> find_cluster(pa.table({"topic": ["a", "b", "b"], "doc": [1, 2, 3], "article": [4, 4, 4]}))
    'topic'
    """
    for name in CLUSTERS:
        if name in examples.column_names and not examples[name].null_count:
            try:
                values, _ = texts_of_column(examples, name)
            except InputError:  # neither text nor numbers
                continue
            if 1 < len(values) < len(examples):  # one cluster would tell nothing
                return name
    return None


def joint_strata(examples: pa.Table, columns: Sequence[str]) -> tuple[list[tuple[str, ...]], Int64]:
    """Return the combinations of values that occur, and the index of each example's combination."""
    combinations: list[tuple[str, ...]] = [()]
    codes = np.zeros(len(examples), np.int64)
    for column in columns:
        names, values = strata_of(examples, column)
        both, codes = np.unique(codes * len(names) + values, return_inverse=True)
        pairs = (divmod(int(k), len(names)) for k in both)
        combinations = [(*combinations[before], names[value]) for before, value in pairs]
    return combinations, codes


def strata_of(examples: pa.Table, by: str) -> tuple[list[str], Int64]:
    """Return the names of a column's strata, and the stratum of each example."""
    # Strata are the distinct values as text; `name_stratum` tells a missing value from a text.
    values, codes = texts_of_column(examples, by)
    return [name_stratum(value) for value in values], codes


def require_columns(present: Sequence[str], wanted: Iterable[str]) -> None:
    """Raise InputError for a column of strata or clusters that examples lack."""
    for name in wanted:
        if name not in present and (name := source_of(name)) not in present:
            raise InputError(f'gold has no column "{name}", it has {", ".join(present) or "none"}')


def texts_of_column(examples: pa.Table, name: str) -> tuple[list[str | None], Int64]:
    """Return the distinct values of a column as text, and the index of each example's value."""
    # Whole numbers have no decimal point, whether they were numbers or text.
    # ``date<2022-01-01`` or ``year<2022`` cuts a column: its values are ``yes`` and ``no``.
    require_columns(examples.column_names, [name])
    if name not in examples.column_names:
        return _cut(name, *texts_of_column(examples, source_of(name)))
    try:
        values = arrow.joined(pc.cast(examples[name], pa.string()))
    except pa.ArrowException as error:  # no cast, or bytes that are not text
        kind = examples[name].type
        raise InputError(f'column "{name}" is {kind}, expected text or numbers') from error
    encoded = pc.dictionary_encode(values)
    codes = arrow.values_of(encoded.indices).astype(np.int64)
    names = plain(encoded.dictionary)  # 2021.0, from a column with missing values, is 2021
    if names.equals(encoded.dictionary):
        return names.to_pylist(), codes
    merged = names.dictionary_encode(null_encoding="encode")
    return merged.dictionary.to_pylist(), arrow.values_of(merged.indices).astype(np.int64)[codes]


def _cut(by: str, values: list[str | None], codes: Int64) -> tuple[list[str | None], Int64]:
    """Return ``yes`` for values below the limit of ``by``, ``no`` for others, None for missing."""
    column, _, limit = by.partition("<")
    is_number = _NUMBER.fullmatch(limit)
    form, expected = (_NUMBER, "a number") if is_number else (_DATE, "a date as 2022-01-31")
    for value in (limit, *values):
        if value is not None and not form.fullmatch(value):
            place = f"--by {by}" if value == limit else f'column "{column}"'
            raise InputError(f'{place}: "{value}", expected {expected}')
    measure: Callable[[str], Any] = float if is_number else str
    border = measure(limit)
    cut = [None if v is None else "yes" if measure(v) < border else "no" for v in values]
    names = list(dict.fromkeys(cut))
    return names, np.array([names.index(name) for name in cut], np.int64)[codes]


def name_stratum(value: str | None) -> str:
    """Return the name of a stratum: ``null`` for a missing value, quotes around a text "null".

    >>> [*map(name_stratum, (None, "null", '"null"', "nulls"))]
    ['null', '"null"', '""null""', 'nulls']
    """
    if value is None:
        return "null"
    return f'"{value}"' if value.strip('"') == "null" else value


def sorted_strata(examples: pa.Table, by: str) -> tuple[list[str], Int64]:
    """Return a column's strata as ascending text, and the stratum of each example."""
    names, codes = strata_of(examples, by)
    ordered = sorted(names)
    place = {name: k for k, name in enumerate(ordered)}
    return ordered, np.array([place[name] for name in names], np.int64)[codes]


def sum_by(weights: Int64, group: Int64, n_groups: int) -> Int64:
    """Sum the columns of each group: int64[n_draws, n_groups].

    >>> sum_by(np.array([[1, 2, 3]]), np.array([1, 0, 1]), 2)
    array([[2, 4]])
    """
    sums = np.zeros((len(weights), n_groups), np.int64)
    order = np.argsort(group, kind="stable")
    present, first = np.unique(group[order], return_index=True)
    if len(first):
        sums[:, present] = np.add.reduceat(weights[:, order], first, axis=1)
    return sums
