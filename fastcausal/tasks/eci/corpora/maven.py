"""Documents of MAVEN-ERE: JSON lines of clusters of mentions, and of predicted mentions.

::

    {"id": ..., "events": [{"id": ..., "mention": [{"id": ..., "sent_id": 0, "offset": [3, 4]}]}],
     "sentences": [...], "causal_relations": {"CAUSE": [[event, event]], ...}}       gold
    {"id": ..., "causal_relations": {"CAUSE": [[mention, mention]], ...}}            predictions
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fastcausal.errors import Problems
from fastcausal.files.values import kind, shown
from fastcausal.tasks.eci.corpora.documents import (
    MAX_SENTENCES,
    NONE,
    EventDocument,
    Mention,
    Pair,
)

KEYS = ("causal_relations", "temporal_relations", "subevent_relations", "event_mentions", "events")
LABELS = {
    "causal": ("CAUSE", "PRECONDITION"),
    "temporal": ("BEFORE", "OVERLAP", "CONTAINS", "SIMULTANEOUS", "ENDS-ON", "BEGINS-ON"),
    "subevent": ("subevent",),
}


def is_line(row: Any) -> bool:
    """Return True for a JSON object that is a document of MAVEN-ERE.

    >>> is_line({"id": "d", "causal_relations": {}}), is_line({"doc_id": "d", "a": "x"})
    (True, False)
    """
    return isinstance(row, Mapping) and "id" in row and any(key in row for key in KEYS)


def read_lines(
    rows: Iterable[tuple[str, Mapping[str, Any]]],  # (place, object)
    relation: str,  # "causal", "temporal" or "subevent"
    problems: Problems,
) -> list[EventDocument]:
    """Read documents of MAVEN-ERE."""
    # A relation of two events is one of all their mentions.
    documents = [_document(place, row, relation, problems) for place, row in rows]
    problems.raise_if_any()
    return documents


def _document(
    place: str, row: Mapping[str, Any], relation: str, problems: Problems
) -> EventDocument:
    id = row.get("id")
    if not isinstance(id, str):
        problems.add(f'{place}: "id" is {kind(id)}, expected a string')
    besides = {name: v for name, v in row.items() if isinstance(v, str) and name != "id"}
    document = EventDocument(place, str(id), besides)
    texts = row.get("sentences")
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        document.sentences.update(enumerate(texts))
    _add_mentions(document, row, relation, problems)
    for label, a, b in _relations(place, row, relation, problems):
        unknown = [end for end in (a, b) if end not in document.clusters]
        if unknown and "events" in row:
            problems.add(f'{place}: a relation of "{unknown[0]}", expected an id of its events')
        else:
            document.pairs.append(Pair(a, b, label))
    return document


def _add_mentions(
    document: EventDocument, row: Mapping[str, Any], relation: str, problems: Problems
) -> None:
    """Store mentions, and the mentions of each event of a line with events."""
    if "events" not in row:
        for mention in _objects(document.file, row, "event_mentions", problems):
            _add(document, mention, row, problems)
        return
    for event in _objects(document.file, row, "events", problems):
        mentions = _objects(document.file, event, "mention", problems)
        ids = [_add(document, mention, row, problems) for mention in mentions]
        document.clusters[str(event.get("id"))] = [id for id in ids if id]
    if relation == "temporal":
        for timex in _objects(document.file, row, "TIMEX", problems):
            if id := _add(document, timex, row, problems):
                document.clusters[id] = [id]


def _add(
    document: EventDocument, mention: Mapping[str, Any], row: Mapping[str, Any], problems: Problems
) -> str:
    id, sentence = mention.get("id"), mention.get("sent_id")
    if not isinstance(id, str) or not id:
        problems.add(f'{document.file}: a mention with "id" {kind(id)}, expected a string')
        return ""
    if sentence is not None and not (type(sentence) is int and 0 <= sentence < MAX_SENTENCES):
        got = shown(sentence)
        expected = f"an integer from 0 to {MAX_SENTENCES - 1}"
        problems.add(f'{document.file}: "sent_id" of mention "{id}" is {got}, expected {expected}')
        return ""
    if id in document.mentions:
        problems.add(f'{document.file}: mention "{id}" occurs twice')
    document.mentions[id] = Mention(
        sentence, _characters(document, row, sentence, mention.get("offset"))
    )
    return id


def _characters(
    document: EventDocument, row: Mapping[str, Any], sentence: int | None, offset: Any
) -> tuple[tuple[int, int], ...]:
    """Find the characters of tokens of a sentence; none if the line lacks tokens or texts."""
    try:
        tokens, text = row["tokens"][sentence], document.sentences[sentence or 0]
        ends: list[tuple[int, int]] = []
        for token in tokens:
            start = text.index(token, ends[-1][1] if ends else 0)
            ends.append((start, start + len(token)))
        first, stop = offset
        return ((ends[first][0], ends[stop - 1][1]),)
    except (KeyError, TypeError, ValueError, IndexError):
        return ()


def _relations(
    place: str, row: Mapping[str, Any], relation: str, problems: Problems
) -> Iterator[tuple[str, str, str]]:
    """Yield label and ends of each relation, in the order of the file."""
    key = f"{relation}_relations"
    lists = row.get(key, {})
    if relation == "subevent":
        lists = {"subevent": row.get(key, [])}
    if not isinstance(lists, Mapping):
        problems.add(f'{place}: "{key}" is {kind(lists)}, expected an object')
        return
    for label, pairs in lists.items():
        if label not in (*LABELS[relation], NONE):
            known = ", ".join((*LABELS[relation], NONE))
            problems.add(f'{place}: label "{label}" in "{key}", expected one of {known}')
        elif not isinstance(pairs, list):
            problems.add(f'{place}: "{label}" is {kind(pairs)}, expected a list of pairs')
        else:
            for pair in pairs:
                if isinstance(pair, list | tuple) and len(pair) == 2 and _are_texts(pair):
                    yield label, *pair
                else:
                    problems.add(f'{place}: "{label}" holds {str(pair)[:60]}, expected two ids')


def _are_texts(pair: Any) -> bool:
    return all(isinstance(end, str) and end for end in pair)


def _objects(
    place: str, row: Mapping[str, Any], key: str, problems: Problems
) -> Iterator[Mapping[str, Any]]:
    values = row.get(key, [])
    if not isinstance(values, list | tuple):
        problems.add(f'{place}: "{key}" is {kind(values)}, expected a list')
        return
    for value in values:
        if isinstance(value, Mapping):
            yield value
        else:
            problems.add(f'{place}: "{key}" holds {kind(value)}, expected objects')
