"""Answers in exports of platforms: scores by name, several systems in one file."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.errors import InputError
from fastcausal.files.cells import encodable
from fastcausal.files.values import follow_path, write_cell
from fastcausal.significance.sums import Float64
from fastcausal.tasks.values.answers import Text, ValueAnswers
from fastcausal.tasks.values.logs import (
    chosen,
    digest_of,
    find_labels,
    score_number,
    text_id,
    write_text,
)
from fastcausal.tasks.values.reading import ValueReading


class ExportedAnswer(NamedTuple):
    """An answer of an export, or a part of it with other scores."""

    where: str  # Its place, for messages
    id: Any
    scores: Mapping[str, Any]  # A score that the item does not have is no key
    row: Mapping[str, Any]  # Where options find ids, repeats and columns
    document: Any = None  # The item's own fields, which come before those of the row
    epoch: Any = None
    system: str | None = None
    is_error: bool = False
    texts: tuple[Any, Any, Any] = (None, None, None)  # Input, target and answer, to be read
    content: Any = None  # What the item is, so that other items of its id are seen

    def find(self, path: str) -> Any:
        """Return a value of the item's fields, else of the row; None without such a value."""
        value = follow_path(self.document, path)
        return follow_path(self.row, path) if value is None else value


def answers_of(
    name: str,
    about: Mapping[str, Any],  # `ValueAnswers.about`
    rows: Iterable[ExportedAnswer],
    reading: ValueReading,
    main: str | None = None,  # The score of those who ask for none
    lower: Iterable[str] = (),
) -> list[ValueAnswers]:
    """Return the answers of each system, in order of their first appearance."""
    reading.refuse(name, f"a file of {about['format']}", "scorer", "filter", "systems")
    answers = [_identify(answer, reading) for answer in rows]
    scores = _choose(name, answers, reading, main)
    # A crashed answer lacks the scores that other answers to its item have, and no others.
    items = {a.id for a in answers if any(_has(a, score) for score in scores)}
    systems: dict[str | None, dict[tuple[Any, ...], ExportedAnswer]] = {}
    for k, answer in enumerate(answers):
        has = any(_has(answer, score) for score in scores)
        if has or (answer.is_error and answer.id in items):
            own = systems.setdefault(answer.system, {})
            key: tuple[Any, ...] = (answer.id, answer.epoch)
            if key in own and any(_has(answer, s) and _has(own[key], s) for s in scores):
                key = (*key, k)  # a repeat, which the epochs have to tell
            own[key] = _merge(own[key], answer) if key in own else answer
    if not systems:
        raise InputError(f"{name}: no answer has {', '.join(scores)}, expected a value")
    return [
        _of_system(name, about, system, [*own.values()], scores, reading, [*lower])
        for system, own in systems.items()
    ]


def number_repeats(keys: Iterable[tuple[Any, Any]]) -> list[tuple[int, int]]:
    """Number distinct items in order, and the answers of each system to one.

    >>> number_repeats([("a", "rain"), ("b", "rain"), ("a", "sun"), ("a", "rain")])
    [(0, 0), (0, 0), (1, 0), (0, 1)]
    """
    items: dict[str, int] = {}
    seen: dict[tuple[Any, int], int] = {}
    numbers = []
    for system, item in keys:
        k = items.setdefault(digest_of(item), len(items))
        seen[system, k] = n = seen.get((system, k), -1) + 1
        numbers.append((k, n))
    return numbers


def _identify(answer: ExportedAnswer, reading: ValueReading) -> ExportedAnswer:
    """Return an answer with its id as text, and with the columns that options name."""
    id = answer.find(reading.id) if reading.id else answer.id
    epoch = answer.find(reading.epoch) if reading.epoch else answer.epoch
    system = write_cell(answer.find(reading.system)) if reading.system else answer.system
    return answer._replace(
        id=text_id(id, answer.where),
        scores={encodable(name): value for name, value in answer.scores.items()},
        epoch=write_cell(epoch),
        system=None if system is None else encodable(system),
    )


def _has(answer: ExportedAnswer, score: str) -> bool:
    return score in answer.scores or score.partition(".")[0] in answer.scores


def _merge(first: ExportedAnswer, other: ExportedAnswer) -> ExportedAnswer:
    scores, is_error = {**first.scores, **other.scores}, first.is_error or other.is_error
    return first._replace(scores=scores, is_error=is_error)


def _choose(
    name: str, answers: Sequence[ExportedAnswer], reading: ValueReading, main: str | None
) -> list[str]:
    if reading.is_ratio:
        return [reading.numerator or "", reading.denominator or ""]
    if reading.value is not None:
        return [reading.value]
    known = dict.fromkeys(score for answer in answers for score in answer.scores)
    if main in known and not reading.scores and reading.metric is None:
        return [main]
    return chosen(name, known, reading, lambda score: reading.metric in (None, score))


def _of_system(
    name: str,
    about: Mapping[str, Any],
    system: str | None,
    answers: list[ExportedAnswer],
    scores: Sequence[str],
    reading: ValueReading,
    lower: Sequence[str],
) -> ValueAnswers:
    numbers = {score: _numbers(answers, score) for score in scores}
    columns: Mapping[str, tuple[Float64, Float64 | None]]
    columns = {score: (values, None) for score, values in numbers.items()}
    if reading.is_ratio:
        top, bottom = numbers.values()
        ratio = reading.scores[0] if reading.scores else "/".join(scores)
        columns = {ratio: (top, bottom)}
    epochs = [answer.epoch for answer in answers]
    contents = [None if a.content is None else digest_of(a.content) for a in answers]
    return ValueAnswers(
        name,
        strings([answer.id for answer in answers]),
        columns,
        lambda row: answers[row].where,
        strings(epochs) if any(epoch is not None for epoch in epochs) else None,
        errors=[answer.is_error for answer in answers],
        contents=strings(contents) if any(contents) else None,
        columns=_keep_columns(name, answers, reading),
        about={key: encodable(str(value)) for key, value in about.items()},
        lower=tuple(score for score in columns if score in lower),
        system=system,
        texts=partial(_texts, answers),
    )


def _texts(answers: Sequence[ExportedAnswer], examples: Container[str]) -> Iterator[Text]:
    for answer in answers:
        if answer.id in examples:
            yield Text(answer.id, answer.epoch, *map(write_text, answer.texts))


def _numbers(answers: Sequence[ExportedAnswer], score: str) -> Float64:
    values = [answer.scores.get(score, follow_path(answer.scores, score)) for answer in answers]
    return np.array(
        [
            score_number(value, answer.where, answer.id, score)
            for value, answer in zip(values, answers, strict=True)
        ],
        np.float64,
    )


def _keep_columns(
    name: str, answers: Sequence[ExportedAnswer], reading: ValueReading
) -> dict[str, pa.Array]:
    columns = {}
    for key in reading.kept_columns:
        cells = [write_cell(answer.find(key)) for answer in answers]
        if not any(cell is not None for cell in cells):
            raise InputError(f'{name}: no answer has "{key}", expected a value to tell answers by')
        columns[key] = strings(cells)
    documents = [
        {**a.row, **(a.document if isinstance(a.document, Mapping) else {})} for a in answers
    ]
    return columns | find_labels(documents, reading)
