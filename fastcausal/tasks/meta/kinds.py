"""Kinds of labels: numbers of a level of measurement, or classes without order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.counts.labels import classes_of
from fastcausal.errors import InputError, Remedy, format_some
from fastcausal.files.keys import encode
from fastcausal.files.records import Records
from fastcausal.options import Level
from fastcausal.significance.sums import LARGEST
from fastcausal.tasks.labels.ratings import Float64, label_name

NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
MIXED = Remedy("level", ("nominal",), "takes all labels as words")


def labels_of(human: Records, label: str, level: Level | None) -> tuple[pa.Array, Level]:
    """Return the labels of people, numbers or words, and their level of measurement.

    >>> records = Records("human", [{"label": 2}, {"label": 5}])
    >>> labels_of(records, "label", None)[1], labels_of(records, "label", "ratio")[1]
    ('ordinal', 'ratio')
    """
    # By default words are nominal, as are 0 and 1; whole numbers are ordinal, others interval.
    labels = human.labels(label)
    if pa.types.is_string(labels.type):
        _require_words(human, label, labels, level)
        return labels, "nominal"
    values = finite(labels, human, label)
    if level is None:
        given = values[~np.isnan(values)]
        whole = bool((given == np.trunc(given)).all())
        level = "nominal" if is_binary(values) else "ordinal" if whole else "interval"
    return arrow.numbers(values, ~np.isnan(values)), level


def _require_words(human: Records, label: str, labels: pa.Array, level: Level | None) -> None:
    """Refuse words at a level that needs numbers, and numbers among them unless named nominal."""
    if level == "nominal":
        return
    numbers = pc.match_substring_regex(labels, NUMBER)
    if level is None and not pc.any(numbers).as_py():
        return
    row = pc.index(numbers, False).as_py()
    raise InputError(
        f'{human.locate(row)}: "{label}" is "{labels[row].as_py()}", expected a number'
        + ("" if level is None else f" for the level {level}"),
        MIXED,
    )


def is_binary(values: Float64) -> bool:
    """Return True if all numbers are 0 or 1."""
    return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())


def finite(labels: pa.Array, records: Records, name: str) -> Float64:
    """Return numbers as float64[n], NaN for null; refuse infinite and too large ones."""
    values: Float64 = arrow.values_of(labels.cast(pa.float64(), safe=False), np.nan) + 0.0  # no -0
    if (large := np.abs(values) > LARGEST).any():
        row = int(np.argmax(large))
        got = "infinite" if math.isinf(values[row]) else f"{values[row]:g}"
        raise InputError(
            f'{records.locate(row)}: "{name}" is {got}, expected a number from '
            f"{-LARGEST:g} to {LARGEST:g}"
        )
    return values


def judges_in(scores: Records, labels: pa.Array, other: set[str | None]) -> list[str]:
    """Return the columns with more than half of their values among people's labels, ascending.

    >>> records = Records("scores", [{"judge": "A", "text": "x"}, {"judge": "B", "text": "A"}])
    >>> judges_in(records, pa.array(["A", "B", "C"]), set())
    ['judge']
    """
    known = labels.drop_null().unique()
    names = []
    for name in scores.names:
        if name in other or not scores.has(name):
            continue
        try:
            values = column_of(scores, name, labels.type).drop_null()
        except InputError:
            continue
        if 2 * (pc.sum(pc.is_in(values, known)).as_py() or 0) > len(values):
            names.append(name)
    if not names:
        examples = format_some([label_name(v, None) if isinstance(v, float) else v
                            for v in known.to_pylist()])  # fmt: skip
        raise InputError(
            f"{scores.name}: no column with labels of people{examples}, expected one per judge"
        )
    return sorted(names)


def column_of(records: Records, name: str, kind: pa.DataType) -> pa.Array:
    """Return a column of labels in the type of people's: float64 or string[n]."""
    if pa.types.is_string(kind):
        return records.texts(name)
    return arrow.numbers(values := records.numbers(name) + 0.0, ~np.isnan(values))


def number_classes(columns: Sequence[pa.Array]) -> tuple[list[Float64], tuple[str, ...]]:
    """Return the class of each label, NaN without one, and the names of all classes, ascending.

    >>> number_classes([pa.array(["B", None]), pa.array(["A"])])
    ([array([ 1., nan]), array([0.])], ('A', 'B'))
    """
    places, different = encode(pa.concat_arrays(columns))
    classes = classes_of(different.to_pylist())
    codes = np.where(places < 0, np.nan, places)
    ends = np.cumsum([len(column) for column in columns])
    named = (label_name(c, None) if isinstance(c, float) else str(c) for c in classes)
    return np.split(codes, ends[:-1]), tuple(named)
