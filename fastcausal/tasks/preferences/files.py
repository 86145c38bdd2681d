"""Files of preferences, and the key that names the systems of their places."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.values import kind, shown
from fastcausal.options import Choice

Path_ = str | os.PathLike[str] | Source
Places = Mapping[str, Mapping[str, str]]


class Preference(NamedTuple):
    """A rater's choice or scores of the systems on a topic."""

    rater: str
    topic: str
    # By system: 1 for the chosen system and 0 for the others, or scores from 1 to 5. None if
    # missing.
    values: Mapping[str, int | None]


def read_preferences(
    # {topic: {"best_prediction_reference": PLACE, "PLACE_likert": 1 to 5, ...}}, and raters
    files: Sequence[tuple[Source, str]],
    key: Path_,  # {topic: {PLACE: system, ...}}
    choice: Choice,  # made with the reference at hand, or with only the topic; or the scores
) -> list[Preference]:
    r"""Read the preferences of raters, topic by topic in the order of the key.

    >>> key = Source("key.json", b'{"Flood": {"first": "a", "second": "b"}}')
    >>> ann = Source("ann.json", b'{"Flood": {"best_prediction_topic": "second"}}')
    >>> read_preferences([(ann, "ann")], key, "topic")
    [Preference(rater='ann', topic='Flood', values={'a': 0, 'b': 1})]
    """
    key = Source.open(key)
    systems = _systems(key)
    origins: dict[str, str] = {}
    preferences = []
    for file, rater in files:
        if rater in origins:
            raise InputError(f'{origins[rater]} and {file.name} are both of rater "{rater}"')
        origins[rater] = file.name
        topics = _topics(file)
        if unlike := topics.keys() ^ systems.keys():
            raise InputError(f'{file.name} and {key.name} have different topics: "{min(unlike)}"')
        if choice != "scores":
            _require_asked(file, topics, f"best_prediction_{choice}")
        for topic, places in systems.items():
            said, where = topics[topic], f'{file.name}: topic "{topic}"'
            values = (
                _scores(said, places, where, key.name)
                if choice == "scores"
                else _chosen(said, places, where, f"best_prediction_{choice}")
            )
            preferences.append(Preference(rater, topic, dict(values)))
    return preferences


def _require_asked(file: Source, topics: Mapping[str, Mapping[str, Any]], name: str) -> None:
    if not any(name in said for said in topics.values()):
        raise InputError(f'{file.name}: no "{name}", expected one in its topics')


def _chosen(
    said: Mapping[str, Any], places: Mapping[str, str], where: str, name: str
) -> Iterator[tuple[str, int | None]]:
    """Yield each system with 1 if it was chosen, else 0; None without a choice."""
    chosen = said.get(name)
    if chosen is not None and chosen not in [*places]:
        expected = ", ".join(places)
        raise InputError(f'{where}: "{name}" is {shown(chosen)}, expected one of {expected}')
    for place, system in places.items():
        yield system, None if chosen is None else int(place == chosen)


def _scores(
    said: Mapping[str, Any], places: Mapping[str, str], where: str, key: str
) -> Iterator[tuple[str, int | None]]:
    """Yield each system with its score, None for 0 and null."""
    for name in said:
        place = name.removesuffix("_likert")
        if place != name and place not in places:
            raise InputError(f'{key}: {where.partition(": ")[2]}: no system for "{place}"')
    for place, system in places.items():
        score = said.get(f"{place}_likert")
        if score is not None and (type(score) is not int or not 0 <= score <= 5):
            raise InputError(
                f'{where}: "{place}_likert" is {shown(score)}, expected 1 to 5, or 0 for none'
            )
        yield system, score or None


def _systems(key: Source) -> Places:
    """Return the system of each place, by topic."""
    topics = _topics(key)
    for topic, places in topics.items():
        where = f'{key.name}: topic "{topic}"'
        for place, system in places.items():
            if not isinstance(system, str) or not system:
                raise InputError(f'{where}: "{place}" is {shown(system)}, expected a system')
        if len({*places.values()}) < max(2, len(places)):
            named = ", ".join(places.values()) or "no system"
            raise InputError(f"{where}: {named}, expected two different systems or more")
    return topics


def _topics(file: Source) -> dict[str, dict[str, Any]]:
    document = file.document_to_store()
    if not isinstance(document, dict) or not document:
        raise InputError(f"{file.name} is {kind(document)}, expected an object of topics")
    for topic, value in document.items():
        if not isinstance(value, dict):
            raise InputError(f'{file.name}: topic "{topic}" is {kind(value)}, expected an object')
    return document
