"""Submissions read by Python alone, line by line: the specification of the native reader."""

from __future__ import annotations

from collections import Counter
from itertools import count

import numpy as np

from fastcausal.arrays.arrow import joined, offsets_of
from fastcausal.errors import InputError, Problems
from fastcausal.files.keys import require_unique
from fastcausal.files.spelling import Spelling
from fastcausal.files.values import kind
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.submissions import (
    DISORDER,
    JOINED,
    KEYS,
    PASSED_OVER,
    _Predictions,
)
from fastcausal.formats.reading.builder import ColumnBuilder, column


def predictions(source, like, tags, start):
    """Read line by line; raise InputError for invalid lines."""
    notes = Counter()
    predictions, indexes, lines, columns = _checked_lines(source, like, tags, notes)
    named = tags not in OFFICIAL and all(isinstance(index, str) for index in indexes)
    ids, order = indexes if named else None, None
    if tags in OFFICIAL:
        notes[DISORDER] = _n_misplaced(indexes, like, start)
    elif not named:
        ids, order = _joined(source, lines, indexes, like, start)
        notes[JOINED] = _n_misplaced(indexes, None, start)
    sentences = column(source.name, "tagged", predictions)
    made = _Predictions(ids, sentences, notes, lines, columns.typed(source.name))
    return made if order is None else made.arranged(np.array(order))


def _checked_lines(source, like, tags, notes):
    """Return sentences, index, line and further columns of each line."""
    problems = Problems()
    predictions = []
    indexes = []
    lines = []
    columns = ColumnBuilder(KEYS)
    wanted = None if tags not in OFFICIAL or like is None else _n_relations(like)
    spelling = Spelling(*KEYS[:2])
    for line, row in source.objects(problems):
        row = spelling(row)
        prediction = row.get("prediction")
        k = len(lines) + problems.count  # every line is either added or a problem
        if wanted is not None and "prediction" in row and k < len(wanted):
            looked_at = _looked_at(prediction, wanted[k])
            notes[PASSED_OVER] += looked_at is not prediction
            prediction = looked_at
        if "prediction" not in row:
            found = ", ".join(row)[:200] or "no key"
            problems.add(f'{source.name}:{line}: no "prediction": found {found}')
        elif not isinstance(prediction, list):
            problems.add(
                f'{source.name}:{line}: "prediction" is {kind(prediction)}, '
                "expected a list of strings"
            )
        elif not all(isinstance(sentence, str) for sentence in prediction):
            odd = next(item for item in prediction if not isinstance(item, str))
            problems.add(
                f'{source.name}:{line}: "prediction" holds {kind(odd)}, expected a list of strings'
            )
        else:
            predictions.append(prediction)
            indexes.append(row.get("index"))
            lines.append(line)
            columns.add(row)
    problems.raise_if_any()
    return predictions, indexes, lines, columns


def _are_some(n, like):
    """Return True if n lines are fewer than the examples of gold, which has ids."""
    return like is not None and like.ids is not None and n < len(like)


def _joined(source, lines, indexes, like, start):
    """Join lines with gold by a numbered index."""
    n = len(indexes)
    in_order = all(index is None or index == k for k, index in enumerate(indexes, start))
    numbered = all(type(index) is int for index in indexes)
    if not numbered or (in_order and not _are_some(n, like)):
        _require_order(source, lines, indexes, start)
        return None, None
    stop = max(indexes) + 1 if like is None else start + len(like)
    problems = Problems()
    for line, index in zip(lines, indexes, strict=True):
        if not start <= index < stop:
            expected = f"{start} to {stop - 1}"
            problems.add(f'{source.name}:{line}: "index" is {index}, expected {expected}')
    problems.raise_if_any()
    require_unique(indexes, lambda k: f"{source.name}:{lines[k]}", lambda k: f"index {indexes[k]}")
    if like is not None and like.ids is not None:
        names = like.ids.to_pylist()
        return [names[index - start] for index in indexes], None
    if missing := stop - start - n:
        seen = set(indexes)
        first = next(k for k in count(start) if k not in seen)
        more = f", and {missing - 1} more" if missing > 1 else ""
        raise InputError(
            f"{source.name}: no line with index {first}{more}, expected {start} to {stop - 1}"
        )
    return None, sorted(range(n), key=indexes.__getitem__)


def _n_relations(like):
    counts = np.diff(offsets_of(joined(like.table["relations"]))).tolist()
    return counts


def _looked_at(prediction, n_gold):
    """Drop the values that official programs ignore from a prediction, unless they are text."""
    if n_gold == 0 and not isinstance(prediction, list):
        return []
    if not isinstance(prediction, list):
        return prediction
    surplus = [item for item in prediction[n_gold:] if isinstance(item, str)]
    kept = prediction[:n_gold] + surplus
    return prediction if len(kept) == len(prediction) else kept


def _require_order(source, lines, indexes, start):
    problems = Problems()
    for position, (line, index) in enumerate(zip(lines, indexes, strict=True), start):
        if index is not None and type(index) is not int:
            problems.add(f'{source.name}:{line}: "index" is {kind(index)}, expected {position}')
        elif index is not None and index != position:
            problems.add(f'{source.name}:{line}: "index" is {index}, expected {position}')
    problems.raise_if_any()


def _n_misplaced(indexes, like, start):
    """Count the lines that name another example: official readings use line order."""
    ids = like.ids.to_pylist() if like is not None and like.ids is not None else []
    count = 0
    for position, index in enumerate(indexes):
        named = isinstance(index, str) and position < len(ids)
        here = ids[position] if named else start + position
        count += index is not None and index != here
    return count
