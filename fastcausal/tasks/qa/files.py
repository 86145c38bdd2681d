"""Questions with their gold answers, and predicted answers: the files of SQuAD."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from fastcausal.errors import InputError, Problems
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.lines import first_object
from fastcausal.files.packed import suffix_of
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import kind, without_collection

Placed = tuple[str, Mapping[str, Any]]
"""An object and its place, for messages."""

NOTHING: Mapping[str, str | int | float] = MappingProxyType({})
OBJECT = (dict, Mapping)  # a dict is recognised in a tenth of the time
PLAIN = (str, int, float)  # a union would be made again each time
LIST = (list, tuple)
OWN = ("id", "question", "answers")
ANSWERS = '{"text": string or [string, ...]} or a list of {"text": string}'


class Question(NamedTuple):
    """A question, its gold answers, and the other texts and numbers of its record."""

    text: str
    answers: tuple[str, ...]
    besides: Mapping[str, str | int | float] = NOTHING


@without_collection()
def read_questions(source: Any, name: str = "gold") -> dict[str, Question]:
    """Read questions and their gold answers by id.

    Parameters
    ----------
    source : path, mapping, table or iterable of mappings
        SQuAD's JSON ``{"data": [{"paragraphs": [{"qas": [...]}]}]}``, or ``{"data": [...]}``, or
        the rows of `fastcausal.files.records.read_records`. A question is ``{"id", "question",
        "answers"}``, its answers ``{"text": [...]}``, ``{"text": ...}`` for one answer, or a list
        of ``{"text": ...}``; texts and numbers under other keys are kept.
    name : str
        The name for messages of a source that is not a file.

    Raises
    ------
    InputError
        The source has another form, an id repeats, or a question has no answer.

    Examples
    --------
    >>> read_questions([{"id": 1, "question": "Why?", "answers": {"text": ["rain"]}}])["1"].answers
    ('rain',)
    """
    problems = Problems()
    questions = {}
    records = _rows(source, name, _of_articles)
    for k, id, record in _named(records):
        text, answers = record.get("question"), _answers(record)
        if not isinstance(text, str):
            problems.add(_fault(records.where(k), id, record, "question", "a string"))
        elif answers is None:
            problems.add(_fault(records.where(k), id, record, "answers", ANSWERS))
        elif not answers:
            problems.add(f'{records.where(k)}: id "{id}" has no answer, expected at least one')
        else:
            questions[id] = Question(text, answers, _besides(record))
    problems.raise_if_any()
    return questions


def read_gold(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Read gold for many runs, and answer each question by its first answer."""
    if options.get("protocol") == "fincausal-2025":
        from fastcausal.tasks.qa.fincausal2025 import read_sides

        return read_sides(gold)
    questions = read_questions(gold)
    rows = [
        {**each.besides, "id": id, "question": each.text, "answers": {"text": each.answers}}
        for id, each in questions.items()
    ]
    right = [{"id": id, "prediction_text": e.answers[0]} for id, e in questions.items()]
    return rows, right


def public(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return questions with an empty answer, and empty answers to them.

    Examples
    --------
    >>> public([{"id": 1, "question": "Why?", "answers": {"text": ["rain"]}}])[0]
    [{'id': '1', 'question': 'Why?', 'answers': {'text': ['']}}]
    """
    if options.get("protocol") == "fincausal-2025":
        unanswered = [row | {"answer": ""} for row in read_gold(gold, **options)[0]]
        return unanswered, unanswered
    questions = read_questions(gold)
    rows = [
        {"id": id, "question": each.text, "answers": {"text": [""]}}
        for id, each in questions.items()
    ]
    return rows, [{"id": id, "prediction_text": ""} for id in questions]


@without_collection()
def read_answers(source: Any, name: str = "pred") -> dict[str, str]:
    """Read predicted answers by id.

    Parameters
    ----------
    source : path, mapping, table or iterable of mappings
        ``{id: answer}``, or the rows of `fastcausal.files.records.read_records`: ``{"id",
        "prediction_text"}``; other keys are ignored. An object with the key ``id`` is such a
        row.
    name : str
        The name for messages of a source that is not a file.

    Raises
    ------
    InputError
        The source has another form, or an id repeats.

    Examples
    --------
    >>> read_answers({"a": "rain"}) == read_answers([{"id": "a", "prediction_text": "rain"}])
    True
    """
    problems = Problems()
    answers = {}
    records = _rows(source, name, _of_answers)
    for k, id, record in _named(records):
        answer = record.get("prediction_text")
        if isinstance(answer, str):
            answers[id] = answer
        else:
            problems.add(_fault(records.where(k), id, record, "prediction_text", "a string"))
    problems.raise_if_any()
    return answers


def _rows(
    source: Any, name: str, of_object: Callable[[str, Mapping[str, Any]], Records]
) -> Records:
    """Read rows; ``of_object`` reads an object without an id."""
    if isinstance(source, str | os.PathLike | Source):
        file = Source.open(source)
        if _is_table(file):
            return read_records(file, may_be_empty=True)
        name, source = file.name, file.document()
        if not isinstance(source, list | Mapping):
            raise InputError(f"{name} is {kind(source)}, expected an object or a list")
    if not isinstance(source, Mapping):
        return read_records(source, name, may_be_empty=True)
    return Records(name, [source], places=[name]) if "id" in source else of_object(name, source)


def _is_table(file: Source) -> bool:
    """Return True if a file has rows of a table, not one JSON value."""
    if binary.sniff(file.data) is not None or suffix_of(file.name) in (".csv", ".tsv"):
        return True
    return b"\n" in file.data.rstrip() and "id" in first_object(file)


def _of_answers(name: str, answers: Mapping[str, Any]) -> Records:
    """Return answers by id as rows."""
    rows = [{"id": id, "prediction_text": answer} for id, answer in answers.items()]
    return Records(name, rows, places=[name] * len(rows))


def _named(
    records: Records,
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield the number, id and object of each row."""
    if not len(records):
        return
    ids = records.keys("id")
    require_unique(ids, records.where)
    for k, (id, row) in enumerate(zip(ids.to_pylist(), records.objects(), strict=True)):
        yield k, id, row


def _of_articles(name: str, document: Mapping[str, Any]) -> Records:
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


def _answers(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the texts of the answers to a question, None if they have another form."""
    answers = record.get("answers")
    if isinstance(answers, OBJECT):
        texts = answers.get("text")
        if isinstance(texts, str):  # one answer, as in the published questions
            texts = [texts]
    elif isinstance(answers, LIST):
        texts = [answer.get("text") if isinstance(answer, OBJECT) else None for answer in answers]
    else:
        return None
    if not isinstance(texts, LIST):
        return None
    return tuple(texts) if all(isinstance(text, str) for text in texts) else None


def _besides(record: Mapping[str, Any]) -> Mapping[str, str | int | float]:
    plain = {k: v for k, v in record.items() if k not in OWN and isinstance(v, PLAIN)}
    return plain or NOTHING


def _fault(place: str, id: str, record: Mapping[str, Any], key: str, expected: str) -> str:
    """Return the message for an invalid value of a key."""
    got = f'"{key}" is {kind(record[key])}, expected {expected}' if key in record else f'no "{key}"'
    return f'{place}: id "{id}": {got}'
