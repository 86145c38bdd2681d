"""Files of claims: articles by topic, split into claims for raters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.values import find_most_common, kind, shown
from fastcausal.options import Side
from fastcausal.tasks.claims.formula import SIDES


class Pairs(list[tuple[str, Any]]):
    """An object of JSON with all its keys in order: sentences may repeat."""


@dataclass(frozen=True)
class Claim:
    """A claim of an article."""

    text: str
    judgment: bool | None  # True if the other article supports it; None without a judgment
    sentence: str | None = None  # The sentence with the claim
    support: tuple[str, ...] = ()  # Sentences of the other article that support it


@dataclass(frozen=True)
class Topic:
    """An article and its claims, in order."""

    name: str
    article: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class ClaimFile:
    """The claims of one side, of one system and rater."""

    name: str  # The file, for messages
    side: Side  # {"prediction", "reference"}: The side of the articles with these claims
    topics: tuple[Topic, ...]  # In the order of the file
    # The JSON itself. Its objects with the key ``judgment`` are the claims, in this order.
    document: Pairs


def read_claim_file(source: str | os.PathLike[str] | Source) -> ClaimFile:
    """Read a file of the claims of one side, topic by topic."""
    # The form is {topic: {side: article, "claims": ...}}; side is prediction or reference. Claims
    # are {sentence: {"claim", "judgment"}}, {sentence: [{"claim", "judgment"}, ...]} or [{"claim",
    # "judgment"}, ...]. A sentence may repeat, and its list may be empty.
    file = Source.open(source)
    document = document_of(file)
    if not isinstance(document, Pairs):
        raise InputError(f"{file.name} is {_kind(document)}, expected an object of topics")
    if not document:
        raise InputError(f"{file.name} has no topics")
    if again := find_most_common([name for name, _ in document]):
        raise InputError(f'{file.name}: topic "{again[0]}" occurs {again[1]} times')
    problems = Problems()
    topics: list[tuple[Side, Topic]] = []
    for name, value in document:
        try:
            topics.append(_topic(name, value))
        except InputError as error:
            problems.add(f'{file.name}: topic "{name}": {error}')
    problems.raise_if_any()
    side = topics[0][0]
    for other, topic in topics:
        if other != side:
            raise InputError(
                f'{file.name}: topic "{topic.name}" has a {other}, '
                f'topic "{topics[0][1].name}" a {side}, expected one side in a file'
            )
    return ClaimFile(file.name, side, tuple(topic for _, topic in topics), document)


def document_of(file: Source) -> Any:
    """Decode the JSON of a whole file, objects as `Pairs`; raise InputError if it is invalid."""
    try:
        return json.loads(file.text, object_pairs_hook=Pairs)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(file.name, error)) from error


def entries_of_topic(file: Source) -> dict[str, Any]:
    """Return the entries of the first topic; {} for a file without topics."""
    try:
        document = document_of(file) if file.data.lstrip().startswith(b"{") else None
    except InputError:
        return {}
    first = document[0][1] if isinstance(document, Pairs) and document else None
    return dict(first) if isinstance(first, Pairs) else {}


def _topic(name: str, value: Any) -> tuple[Side, Topic]:
    entries = _object(value, "the topic")
    sides = [side for side in SIDES if side in entries]
    if len(sides) != 1:
        raise InputError(f"expected an article as one of {', '.join(SIDES)}")
    article = entries[sides[0]]
    if not isinstance(article, str):
        raise InputError(f'"{sides[0]}" is {_kind(article)}, expected text')
    if "claims" not in entries:
        raise InputError('no "claims"')
    numbered = enumerate(_claims(entries["claims"]))
    return sides[0], Topic(name, article, tuple(_claim(k, *claim) for k, claim in numbered))


def _claims(claims: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield each claim with its sentence."""
    if isinstance(claims, Pairs):
        for sentence, value in claims:
            for record in [value] if isinstance(value, Pairs) else _list(value, "a sentence"):
                yield sentence, record
    else:
        for record in _list(claims, '"claims"'):
            yield None, record


def _claim(number: int, sentence: str | None, value: Any) -> Claim:
    try:
        record = _object(value, "it")
        text, judgment = (_entry(record, name) for name in ("claim", "judgment"))
        if not isinstance(text, str):
            raise InputError(f'"claim" is {_kind(text)}, expected text')
        if not isinstance(judgment, bool | None):
            got = shown(judgment) if isinstance(judgment, str) else _kind(judgment)
            raise InputError(f'"judgment" is {got}, expected true, false or null')
        support = record.get("support") or []
        if not isinstance(support, list) or not all(isinstance(each, str) for each in support):
            raise InputError(f'"support" is {_kind(support)}, expected a list of sentences')
    except InputError as error:
        raise InputError(f"claim {number}: {error}") from error
    return Claim(text, judgment, sentence, tuple(support))


def _entry(record: dict[str, Any], name: str) -> Any:
    if name not in record:
        raise InputError(f'no "{name}"')
    return record[name]


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, Pairs):
        raise InputError(f"{what} is {_kind(value)}, expected an object")
    if again := find_most_common([key for key, _ in value]):
        raise InputError(f'an object has the key "{again[0]}" {again[1]} times')
    return dict(value)


def _list(value: Any, what: str) -> list[Any]:
    if isinstance(value, list) and not isinstance(value, Pairs):
        return value
    raise InputError(f"{what} is {_kind(value)}, expected claims")


def _kind(value: Any) -> str:
    return "an object" if isinstance(value, Pairs) else kind(value)
