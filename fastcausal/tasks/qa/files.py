"""Questions with their gold answers, and predicted answers: the files of SQuAD."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

import pyarrow as pa

from fastcausal.arrays.arrow import numbers, offsets, strings
from fastcausal.counts.task import find_protocol, resolve
from fastcausal.errors import InputError, Problems, Remedy
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.lines import first_object
from fastcausal.files.packed import suffix_of
from fastcausal.files.records import Records, read_records
from fastcausal.files.texts import RowTexts, texts_in
from fastcausal.files.values import kind, pause_gc
from fastcausal.options import QuestionProtocol
from fastcausal.tasks.qa.questions import (
    PLAIN,
    AnswerTexts,
    QuestionTexts,
    plain_texts,
    stored_answers,
    stored_texts,
    texts_array,
)

Placed = tuple[str, Mapping[str, Any]]
"""An object and its place, for messages."""

OBJECT = (dict, Mapping)  # dict first: its check takes a tenth of the time
LIST = (list, tuple)
OWN = ("id", "question", "answers")
OF_FINCAUSAL = ("id", "text", "question", "answer")  # columns of its years 2025 and 2026
_FILLED = re.compile(rb"\S")
ANSWERS = '{"text": string or [string, ...]} or a list of {"text": string}'


@pause_gc()
def read_questions(
    # SQuAD's JSON ``{"data": [{"paragraphs": [{"qas": [...]}]}]}``, or ``{"data": [...]}``, or rows
    # as in `fastcausal.files.records.read_records`. A question has the keys ``id``, ``question``
    # and ``answers``: ``{"text": [...]}``, ``{"text": ...}`` for one answer, or a list of
    # ``{"text": ...}``. Texts and numbers under other keys are kept.
    source: Any,
    name: str = "gold",  # For messages of a source that is not a file
) -> QuestionTexts:
    """Read questions and their gold answers."""
    if isinstance(source, QuestionTexts):
        return source
    records = _rows(source, name, _list_questions)
    ids = _ids(records)
    texts, answers = stored_texts(records, "question"), stored_answers(records)
    if texts is not None and answers is not None:
        asked = RowTexts(texts, records.locate)
        return QuestionTexts(ids, texts, *answers, records.drop(*OWN), asked)
    rows = records.objects()
    texts = texts_array([row.get("question") for row in rows])
    lists = [_answers(row) or () for row in rows]
    right = texts_array([*chain.from_iterable(lists)])
    if texts is None or right is None or not all(lists):
        _refuse(records, ids, _question_fault)
    has_more = not {*OWN}.issuperset(records.names)
    besides = [*map(_besides, rows)] if has_more else ()
    asked = RowTexts(texts, records.locate)
    return QuestionTexts(ids, texts, right, offsets(map(len, lists)), besides, asked)


def read_gold(
    gold: Any, protocol: QuestionProtocol = "squad-1.1", **options: Any
) -> tuple[Any, Any]:
    """Return gold to score many systems with, and its own answers as predictions."""
    sides: tuple[Any, Any] = resolve(find_protocol("qa", protocol).read)(gold, **options)
    return sides


def public(
    gold: Any, protocol: QuestionProtocol = "squad-1.1", **options: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return gold with empty answers, and empty predictions."""
    rows: tuple[list[dict[str, Any]], list[dict[str, Any]]]
    rows = resolve(find_protocol("qa", protocol).public)(gold, **options)
    return rows


def read_squad(gold: Any, **options: Any) -> tuple[QuestionTexts, AnswerTexts]:
    """Return questions to score many systems with, and their first gold answers as predictions."""
    questions = read_questions(gold)
    first = questions.answers.take(numbers(questions.lists[:-1]))
    return questions, AnswerTexts(questions.ids, first)


def clear_squad(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return questions with an empty gold answer, and empty predictions.

    >>> clear_squad([{"id": 1, "question": "Why?", "answers": {"text": ["rain"]}}])[0]
    [{'id': '1', 'question': 'Why?', 'answers': {'text': ['']}}]
    """
    questions = read_questions(gold)
    ids = questions.ids.to_pylist()
    rows = [
        {"id": id, "question": text, "answers": {"text": [""]}}
        for id, text in zip(ids, plain_texts(questions.texts), strict=True)
    ]
    return rows, [{"id": id, "prediction_text": ""} for id in ids]


def take_answers(source: Any, column: str, name: str) -> Records:
    """Return rows of a table with this name for a column of answers."""
    records = read_records(source, may_be_empty=True).renamed(column, name)
    if name != OWN[-1]:
        return records
    rows = [{**row, name: _as_answers(row.get(name))} for row in records.objects()]
    return Records(records.name, rows, lines=records.lines)


def _as_answers(answers: Any) -> Any:
    """Return gold answers in a form of SQuAD; a text is one answer."""
    if isinstance(answers, str):
        return {"text": [answers]}
    are_texts = isinstance(answers, LIST) and all(isinstance(each, str) for each in answers)
    return {"text": answers} if are_texts else answers


@pause_gc()
def read_answers(
    # ``{id: answer}``, or rows as in `fastcausal.files.records.read_records` with ``id`` and
    # ``prediction_text``; other keys are ignored. An object with the key ``id`` is a row.
    source: Any,
    name: str = "pred",  # For messages of a source that is not a file
) -> AnswerTexts:
    """Read predicted answers."""
    if isinstance(source, AnswerTexts):
        return source
    records = _rows(source, name, _list_answers)
    ids = _ids(records)
    texts = stored_texts(records, "prediction_text")
    if texts is None:
        texts = texts_array([row.get("prediction_text") for row in records.objects()])
    if texts is None:
        _refuse(records, ids, _answer_fault)
    return AnswerTexts(ids, texts, texts_in(records, "question"))


def _rows(
    source: Any, name: str, of_object: Callable[[str, Mapping[str, Any]], Records]
) -> Records:
    """Read the rows of a source; ``of_object`` makes rows of an object without the key ``id``."""
    if isinstance(source, str | os.PathLike | Source):
        file = Source.open(source)
        if _is_table(file):
            return read_records(file, may_be_empty=True)
        name, source = file.name, file.document()
        if not isinstance(source, list | Mapping):
            raise InputError(f"{name} is {kind(source)}, expected an object or a list")
    if not isinstance(source, Mapping):
        return read_records(source, name, may_be_empty=True)
    values = source.values()
    if values and all(isinstance(value, OBJECT) and value for value in values):
        rows = [{**row, "id": id} for id, row in source.items()]
        return Records(name, rows, places=[name] * len(rows))
    return Records(name, [source], places=[name]) if "id" in source else of_object(name, source)


def _is_table(file: Source) -> bool:
    """Return True if a file is a table or JSON lines, not one JSON value."""
    if binary.sniff(file.data) is not None or suffix_of(file.name) in (".csv", ".tsv"):
        return True
    end = file.data.find(b"\n")
    goes_on = end >= 0 and _FILLED.search(file.data, end)
    return bool(goes_on) and "id" in first_object(file)


def _list_answers(name: str, answers: Mapping[str, Any]) -> Records:
    """Return answers by id as rows."""
    rows = [{"id": id, "prediction_text": answer} for id, answer in answers.items()]
    return Records(name, rows, places=[name] * len(rows))


def _ids(records: Records) -> pa.Array:
    if not len(records):
        return strings([])
    ids = records.keys("id")
    require_unique(ids, records.locate)
    return ids


def _refuse(
    records: Records, ids: pa.Array, fault: Callable[[str, str, Mapping[str, Any]], str | None]
) -> NoReturn:
    """Raise InputError for the faults of all rows; the caller knows that there is one."""
    if all(map(records.find, OF_FINCAUSAL)) and not records.find("answers", "prediction_text"):
        found = ", ".join(records.names)
        remedy = Remedy("protocol", ("fincausal-2025",), "reads these columns")
        raise InputError(f"{records.header}: found {found}, of FinCausal 2025", remedy=remedy)
    problems = Problems()
    for k, (id, record) in enumerate(zip(ids.to_pylist(), records.objects(), strict=True)):
        if message := fault(records.locate(k), id, record):
            problems.add(message)
    problems.raise_if_any()
    raise AssertionError


def _question_fault(place: str, id: str, record: Mapping[str, Any]) -> str | None:
    answers = _answers(record)
    if not isinstance(record.get("question"), str):
        return _fault(place, id, record, "question", "a string")
    if answers is None or not all(isinstance(answer, str) for answer in answers):
        return _fault(place, id, record, "answers", ANSWERS)
    return None if answers else f'{place}: id "{id}" has no answer, expected at least one'


def _answer_fault(place: str, id: str, record: Mapping[str, Any]) -> str | None:
    if isinstance(record.get("prediction_text"), str):
        return None
    return _fault(place, id, record, "prediction_text", "a string")


def _list_questions(name: str, document: Mapping[str, Any]) -> Records:
    """Return the questions of a document of articles as rows."""
    problems = Problems()
    placed = [*_questions(name, document, problems)]
    problems.raise_if_any()
    return Records(name, [row for _, row in placed], places=[place for place, _ in placed])


def _questions(name: str, document: Mapping[str, Any], problems: Problems) -> Iterator[Placed]:
    """Yield the questions of a document, with or without paragraphs."""
    for place, article in _items(f"{name}: ", document, "data", problems):
        if "paragraphs" not in article:
            yield place, article
            continue
        for part, paragraph in _items(f"{place}.", article, "paragraphs", problems):
            yield from _items(f"{part}.", paragraph, "qas", problems)


def _items(start: str, record: Mapping[str, Any], key: str, problems: Problems) -> Iterator[Placed]:
    """Yield the objects in a list of a record; ``start`` begins messages about them."""
    values = record.get(key)
    if not isinstance(values, list | tuple):
        got = f"is {kind(values)}" if key in record else "is missing"
        problems.add(f"{start}{key} {got}, expected a list")
        return
    for k, value in enumerate(values):
        if isinstance(value, OBJECT):
            yield f"{start}{key}[{k}]", value
        else:
            problems.add(f"{start}{key}[{k}] is {kind(value)}, expected an object")


def _answers(record: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the answers to a question, not yet checked to be texts; None for another form."""
    answers = record.get("answers")
    if isinstance(answers, OBJECT):
        texts = answers.get("text")
    elif isinstance(answers, LIST):
        texts = [answer.get("text") if isinstance(answer, OBJECT) else None for answer in answers]
    else:
        return None
    if isinstance(texts, LIST):
        return texts
    return [texts] if isinstance(texts, str) else None  # one text, as in published questions


def _besides(record: Mapping[str, Any]) -> Mapping[str, str | int | float]:
    return {k: v for k, v in record.items() if k not in OWN and isinstance(v, PLAIN)}


def _fault(place: str, id: str, record: Mapping[str, Any], key: str, expected: str) -> str:
    """Return the message for an invalid value of a key."""
    got = f'no "{key}": found {", ".join(record)[:200]}'
    if key in record:
        got = f'"{key}" is {kind(record[key])}, expected {expected}'
    return f'{place}: id "{id}": {got}'
