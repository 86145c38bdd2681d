"""Questions with their gold answers, and predicted answers: the files of SQuAD."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.values import JSON, kind

Record = tuple[str, Any]
"""Where it is, for messages, and what it says."""

NOTHING: Mapping[str, str | int | float] = MappingProxyType({})
OBJECT = (dict, Mapping)  # a dict is told from others in a tenth of the time
ANSWERS = '{"text": string or [string, ...]} or a list of {"text": string}'


class Question(NamedTuple):
    """A question, its gold answers, and the texts and numbers that its record has besides."""

    text: str
    answers: tuple[str, ...]
    besides: Mapping[str, str | int | float] = NOTHING


def read_questions(source: Any, name: str = "gold") -> dict[str, Question]:
    """Read questions and their gold answers by id.

    Parameters
    ----------
    source : path, mapping or iterable of mappings
        A file, or what it holds: SQuAD's JSON ``{"data": [{"paragraphs": [{"qas": [...]}]}]}``, or
        ``{"data": [...]}``, a list or JSON lines of questions. A question is ``{"id", "question",
        "answers"}``, its answers ``{"text": [...]}``, ``{"text": ...}`` of one answer, or a list
        of ``{"text": ...}``; of other keys, texts and numbers are kept.
    name : str
        What messages call a source other than a file.

    Raises
    ------
    InputError
        It is not as described above, an id occurs twice, or a question has no answer.

    Examples
    --------
    >>> read_questions([{"id": 1, "question": "Why?", "answers": {"text": ["rain"]}}])["1"].answers
    ('rain',)
    """
    problems = Problems()
    name, content = _content(source, name, problems)
    records = content
    if isinstance(content, Mapping):
        records = _questions(name, content, problems)
    questions = {}
    for place, id, record in _named(records, problems):
        text, answers = record.get("question"), _answers(record)
        if not isinstance(text, str):
            problems.add(_fault(place, id, record, "question", "a string"))
        elif answers is None:
            problems.add(_fault(place, id, record, "answers", ANSWERS))
        elif not answers:
            problems.add(f'{place}: id "{id}" has no answer, expected at least one')
        else:
            questions[id] = Question(text, answers, _besides(record))
    problems.raise_if_any()
    return questions


def read_answers(source: Any, name: str = "pred") -> dict[str, str]:
    """Read predicted answers by id.

    Parameters
    ----------
    source : path, mapping or iterable of mappings
        A file, or what it would hold: ``{id: answer}``; a list or JSON lines of ``{"id",
        "prediction_text"}``, whose other keys are not looked at. An object with the key ``id`` is
        such a line.
    name : str
        What messages call a source other than a file.

    Raises
    ------
    InputError
        It is not as described above, or an id occurs twice.

    Examples
    --------
    >>> read_answers({"a": "rain"}) == read_answers([{"id": "a", "prediction_text": "rain"}])
    True
    """
    problems = Problems()
    name, content = _content(source, name, problems)
    if isinstance(content, Mapping):
        content = ((name, {"id": k, "prediction_text": v}) for k, v in content.items())
    answers = {}
    for place, id, record in _named(content, problems):
        answer = record.get("prediction_text")
        if isinstance(answer, str):
            answers[id] = answer
        else:
            problems.add(_fault(place, id, record, "prediction_text", "a string"))
    problems.raise_if_any()
    return answers


def _content(
    source: Any, name: str, problems: Problems
) -> tuple[str, Mapping[Any, Any] | Iterable[Record]]:
    """The name of a source, and its records or the one object that it is."""
    if isinstance(source, str | os.PathLike | Source):
        file = Source.open(source)
        name = file.name
        if _has_lines(file):
            return name, ((f"{name}:{k}", record) for k, record in file.objects(problems))
        source = _document(file)
    if isinstance(source, Mapping):
        return name, [(name, source)] if "id" in source else source
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise InputError(f"{name} is {kind(source)}, expected an object or a list")
    return name, ((f"{name}: record {k}", record) for k, record in enumerate(source))


def _has_lines(file: Source) -> bool:
    """Tell if a file is JSON lines: it has several, and the first is an object with an id."""
    lines = file.filled_lines()
    _, first = next(lines, (0, ""))  # white space that is not ASCII may be all there is
    if next(lines, None) is None:
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "id" in record


def _document(file: Source) -> Any:
    """The one JSON value of a file."""
    try:
        return JSON.decode(file.text)
    except InputError as error:
        raise InputError(f"{file.name}: {error}") from error
    except (ValueError, RecursionError) as error:  # RecursionError: deep nesting
        raise InputError(invalid_json(file.name, error)) from error


def _questions(name: str, document: Mapping[str, Any], problems: Problems) -> Iterator[Record]:
    """The questions of a document, whether they stand in paragraphs or not."""
    for place, article in _items(f"{name}: ", document, "data", problems):
        if "paragraphs" not in article:
            yield place, article
            continue
        for part, paragraph in _items(f"{place}.", article, "paragraphs", problems):
            yield from _items(f"{part}.", paragraph, "qas", problems)


def _items(start: str, record: Mapping[str, Any], key: str, problems: Problems) -> Iterator[Record]:
    """The objects in a list of a record; ``start`` is where messages about them begin."""
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


def _named(
    records: Iterable[Record], problems: Problems
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Records with their ids; what has none, or one that was there before, is a problem."""
    first: dict[str, str] = {}
    for place, record in records:
        if not isinstance(record, OBJECT):
            problems.add(f"{place} is {kind(record)}, expected an object")
            continue
        id = record.get("id")
        if not isinstance(id, str):
            if not isinstance(id, int) or isinstance(id, bool):
                got = f'"id" is {kind(id)}, expected a string' if "id" in record else 'no "id"'
                problems.add(f"{place}: {got}")
                continue
            id = str(id)
        if id in first:
            problems.add(f'{place}: id "{id}" occurs twice, first in {first[id]}')
        first[id] = place
        yield place, id, record


def _answers(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The texts of the answers to a question, None where they are of another form."""
    answers = record.get("answers")
    if isinstance(answers, OBJECT):
        texts = answers.get("text")
        if isinstance(texts, str):  # one answer, as in the published questions
            texts = [texts]
    elif isinstance(answers, list | tuple):
        texts = [answer.get("text") if isinstance(answer, OBJECT) else None for answer in answers]
    else:
        return None
    if not isinstance(texts, list | tuple):
        return None
    return tuple(texts) if all(isinstance(text, str) for text in texts) else None


def _besides(record: Mapping[str, Any]) -> Mapping[str, str | int | float]:
    own = ("id", "question", "answers")
    plain = {k: v for k, v in record.items() if k not in own and isinstance(v, str | int | float)}
    return plain or NOTHING


def _fault(place: str, id: str, record: Mapping[str, Any], key: str, expected: str) -> str:
    """Say what is wrong with the value of a key."""
    got = f'"{key}" is {kind(record[key])}, expected {expected}' if key in record else f'no "{key}"'
    return f'{place}: id "{id}": {got}'
