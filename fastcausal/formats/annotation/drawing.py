"""Relations drawn for annotation tools: marks of their spans, and links to the effect.

::

    Relations ── drawn ──▶ DrawnExample: marks, links ──▶ writer of a tool
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from fastcausal.arrays.reading import arguments_of
from fastcausal.errors import Problems
from fastcausal.files.values import shown
from fastcausal.formats.annotation.links import CAUSES, type_of
from fastcausal.formats.annotation.passages import CharRange
from fastcausal.formats.examples import Example, examples
from fastcausal.formats.reading.builder import RoleSpan
from fastcausal.formats.sentences import SearchedSentence
from fastcausal.marking import MARKING
from fastcausal.relations import Relations

SIGNALS = "Signals"  # the type of links of further roles
TOUCHING = "has spans of one role that touch, which become one"


class Pen(ABC):
    """A drawer of one relation after another; the tool's own draws marks and links."""

    splits = False  # True: the tool has no marks of several parts, and each part becomes a mark

    @abstractmethod
    def mark(self, label: str, spans: Sequence[CharRange]) -> Any:
        """Draw a mark on spans in tokens; return its name."""

    @abstractmethod
    def link(self, type: str, source: Any, target: Any) -> None:
        """Draw a link between two marks by their names."""

    def name(self, text: str) -> str:
        """Return the tool's spelling of a label or type."""
        return text

    def event(self, type: str, filled: Mapping[str, Sequence[CharRange]]) -> bool:
        """Draw a relation as an event, with its spans by label; return False if it cannot."""
        return False

    def relation(
        self, spans: Iterable[RoleSpan], roles: tuple[str, ...], type: str | None = None
    ) -> str | None:
        """Draw a relation; return a message if it is lost in whole or in part."""
        by_role: dict[int, list[CharRange]] = {}
        for role, start, stop in spans:
            by_role.setdefault(role, []).append((start, stop))
        if not by_role:
            return None
        labels = [self.name(role.capitalize()) for role in roles]
        kind = CAUSES if type is None else self.name(type)
        cause, effect = (*arguments_of(roles), -1)[:2]
        lost = _loses(type, kind)
        for role in (cause, effect):
            if role not in by_role:
                if self.event(kind, {labels[k]: by_role[k] for k in sorted(by_role)}):
                    return self._changes(by_role.values()) or lost
                name = roles[role].capitalize() if role >= 0 else "second role"
                return f"has no {name} and is left out"
        causes, effects = by_role.pop(cause), by_role.pop(effect)
        targets = self._marks(labels[effect], effects)
        self._links(kind, self._marks(labels[cause], causes), targets)
        for role in sorted(by_role):
            for span in by_role[role]:
                self._links(SIGNALS, [self.mark(labels[role], [span])], targets)
        if self.splits and len(causes) * len(effects) > 1:
            return "has several spans of one role, each of which makes a relation"
        if any(len({*marks}) < len(marks) for marks in by_role.values()):
            return TOUCHING
        return self._changes((causes, effects)) or lost

    def _changes(self, sides: Iterable[list[CharRange]]) -> str | None:
        touching = any(b[0] <= a[1] for bounds in sides for a, b in pairwise(sorted(bounds)))
        return TOUCHING if touching else None

    def _marks(self, label: str, spans: list[CharRange]) -> list[Any]:
        parts = [[span] for span in sorted(spans)] if self.splits else [spans]
        return [self.mark(label, part) for part in parts]

    def _links(self, type: str, sources: list[Any], targets: list[Any]) -> None:
        for source in sources:
            for target in targets:
                self.link(type, source, target)


def _loses(type: str | None, written: str) -> str | None:
    """Return a message if a type is not read back as it was."""
    if type_of(written) != type:
        return f"has the type {shown(type)}, which is read back as {shown(type_of(written))}"
    if not MARKING.judge_link(written)[0]:
        return f"has the type {shown(type)}, which only --link {written} reads back"
    return None


def types_column(relations: Relations) -> tuple[str, ...]:
    """Return the name of the column of types if these are of relations."""
    return () if relations.types is None else ("types",)


class DrawnMark(NamedTuple):
    """A mark, with its characters of the text."""

    label: str
    start: int
    stop: int


class DrawnLink(NamedTuple):
    """A link between two marks by their numbers."""

    type: str
    source: int
    target: int


class DrawnExample(Pen):
    """The marks and links of an example, in a tool with marks of one part."""

    splits = True

    def __init__(self, example: Example) -> None:
        self.example = example
        self.text: str = example.require_text()
        self.marks: list[DrawnMark] = []
        self.links: list[DrawnLink] = []
        self._sentence = SearchedSentence(self.text, example.by_letters)

    def mark(self, label: str, spans: Sequence[CharRange]) -> int:
        """Draw a mark on one span in tokens; return its number."""
        ((start, stop),) = spans
        bounds = self._sentence.starts[start], self._sentence.stops[stop - 1]
        self.marks.append(DrawnMark(label, *bounds))
        return len(self.marks) - 1

    def link(self, type: str, source: int, target: int) -> None:
        """Draw a link between two marks by their numbers."""
        self.links.append(DrawnLink(type, source, target))


def drawn(relations: Relations, lost: Problems) -> Iterator[DrawnExample]:
    """Yield the drawing of each example; add messages on losses to ``lost``."""
    for example in examples(relations):
        drawing = DrawnExample(example)
        for where, spans, type in example.readable(lost):
            if reason := drawing.relation(spans, relations.roles, type):
                lost.add(f"{where} {reason}")
        yield drawing
