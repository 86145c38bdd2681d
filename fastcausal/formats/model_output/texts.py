"""Relations in a model's text: without thinking, in a fence, in prose, repaired."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastcausal.files.values import kind
from fastcausal.formats.logs.replies import failed, reply_of
from fastcausal.formats.model_output.brackets import repairing, value_at
from fastcausal.formats.model_output.forms import formed
from fastcausal.formats.model_output.shapes import (
    JSON,
    Notes,
    answered,
    fault_in,
    is_pair,
    plain_relations,
    relation_of,
)
from fastcausal.formats.reading.builder import UnreadError

MAY_BE_JSON = re.compile(r"""\s*+["\[{\-0-9tfnNI]""")
# These visit each letter once, for any text.
THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
THOUGHT = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
FENCE = re.compile(r"```(.*?)(?:```|\Z)", re.DOTALL)
# Brackets before a key, a text or a bracket; brackets in prose differ.
START = re.compile(r"""\{(?=\s*+(?:["'“”}]|\w++\s*+:))|\[(?=\s*+[\[{"'“”\]])""")
LANGUAGE = re.compile(r"\s*\w*\s*")


def relations_in(
    answer: Any,  # str, list, mapping or anything else: A model's text, or a parsed JSON value
    notes: Notes,  # Counts the ways of reading
) -> list[Any] | UnreadError:
    """Read the relations of a raw answer."""
    # Returns list of (dict or UnreadError), or UnreadError: relations in the form of
    # `fastcausal.formats.spans`, or the reason for each unreadable one; or the reason why the whole
    # answer is unreadable.
    value = answer
    try:
        if isinstance(answer, str) and MAY_BE_JSON.match(answer):
            value = JSON.decode(answer)
    except (ValueError, RecursionError):
        value = answer
    plain = plain_relations(value)
    if plain is not None:
        return plain
    try:
        if isinstance(value, Mapping) and (reply := reply_of(value, notes)) is not value:
            return relations_in(reply, notes)
        entries = _entries(value, value is not answer, notes)
    except UnreadError as reason:
        return UnreadError(str(reason), (answer or None) if isinstance(answer, str) else None)
    relations = [relation_of(entry, notes) for entry in entries]
    return [relation for relation in relations if relation is not None]


def _entries(value: Any, is_parsed: bool, notes: Notes) -> list[Any]:
    """Return the entries for relations in an answer; raise UnreadError if there are none."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | list):
        value = value[0]  # of one text, as in the samples of lm-eval
    if isinstance(value, str):
        notes["answer in a string"] += is_parsed
        return _searched(value, notes)
    if value is None:
        raise UnreadError("the answer is empty")
    entries = [value] if is_pair(value) else answered(value, notes)
    if entries is None:
        if (fault := fault_in(value)) is not None:
            raise failed(fault)
        shape = "an object without relations" if isinstance(value, dict) else kind(value)
        raise UnreadError(f"the answer is {shape}, expected an object with relations")
    return entries


def _searched(text: str, notes: Notes) -> list[Any]:
    """Find the relations in a text that is not JSON as a whole."""
    text, n_thoughts = THINKING.subn("", text)
    *thought, text = THOUGHT.split(text)  # the prompt may have opened the thinking
    notes["thinking left out"] += bool(n_thoughts or thought)
    answers = _read_answers(text, notes)
    if not any(answer.relations or answer.error for answer in answers):  # [] may be a signal
        relations = formed(text, notes)
        if relations is not None:
            return relations
    if not answers:
        raise UnreadError(_why_not(text, bool(n_thoughts or thought)))
    return _chosen(answers, text, notes)


def _why_not(text: str, is_thinking: bool) -> str:
    if not text.strip():
        return "the answer is thinking alone" if is_thinking else "the answer is empty"
    if START.search(text) and repairing() is None:
        return "the answer has no valid JSON of relations; fastcausal[llm] repairs broken ones"
    return "the answer has no relations in any form"


def _read_answers(text: str, notes: Notes) -> list[Answer]:
    """Return the answers in all fences, then those around them, each from left to right."""
    if "```" not in text:
        return list(_answers(text, notes))
    pieces = FENCE.split(text)
    fenced = [answer for piece in pieces[1::2] for answer in _answers(piece, notes)]
    for answer in fenced:
        answer.in_fence = True
    around = [answer for piece in pieces[::2] for answer in _answers(piece, notes)]
    return fenced + around or list(_answers(text, notes))


def _chosen(answers: list[Answer], text: str, notes: Notes) -> list[Any]:
    """Return the relations of the first answer that has any; count the other answers."""
    # Relations that are separate objects belong together. An answer without relations counts if
    # there is no other.
    filled = [answer for answer in answers if answer.relations]
    chosen = filled[:1] or answers[:1]
    if chosen[0].is_single:
        singles = [answer for answer in filled if answer.is_single]
        fenced = [answer.relations for answer in singles if answer.in_fence]
        # Text around fences may repeat their content.
        chosen = [a for a in singles if a.in_fence or a.relations not in fenced]
    place = "answer in a fence" if chosen[0].in_fence else "answer in prose"
    notes[place] += chosen[0].in_fence or _is_within(chosen, text)
    n_said = sum(1 for answer in answers if answer.relations or answer.error)
    notes["further answer left out"] += max(n_said - len(chosen), 0)
    relations: list[Any] = []
    for answer in chosen:
        if answer.error is not None:
            raise answer.error
        notes.update(answer.notes)
        relations += answer.relations
    return relations


def _is_within(chosen: list[Answer], text: str) -> bool:
    """Return True if other text surrounds answers outside fences."""
    return "```" in text or bool(
        (LANGUAGE.sub("", text[: chosen[0].start], count=1) + text[chosen[-1].stop :]).strip()
    )


@dataclass
class Answer:
    """An answer at its place in a text."""

    start: int
    stop: int
    relations: list[Any]  # Its entries for relations
    is_single: bool  # True for a single relation, which others may follow
    notes: Notes  # Its ways of reading
    error: UnreadError | None = None  # The reason why it is unreadable
    in_fence: bool = False  # True in a fence, which identifies the answer


def _answers(text: str, known: Notes) -> Iterator[Answer]:
    """Yield the answers in a text from left to right, without nested ones."""
    at = 0
    while opening := START.search(text, at):
        start = opening.start()
        opened = value_at(text, start)
        at = opened.stop
        notes = Notes({opened.way: 1} if opened.way else ())
        notes.own = known.own
        error = None
        try:
            relations = answered(opened.value, notes)
        except UnreadError as reason:
            relations, error = [], reason
        is_single = relations == [opened.value]
        if opened.last is not None:
            is_single = opened.value is None
            relations = [*(relations or ()), opened.last]
        if relations is not None:
            yield Answer(start, at, relations, is_single, notes, error)
