"""Relations drawn for annotation tools: marks of their spans, and links to the effect.

::

    Relations ── drawn ──▶ DrawnExample: marks, links ──▶ writer of a tool
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from fastcausal.errors import Problems
from fastcausal.formats.annotation.passages import CharRange
from fastcausal.formats.cnc.markup import CAUSE, EFFECT, SIGNAL
from fastcausal.formats.examples import Example, examples
from fastcausal.formats.reading.builder import RoleSpan
from fastcausal.formats.sentences import SearchedSentence
from fastcausal.relations import ROLES, Relations

CAUSES, SIGNALS = "Causes", "Signals"  # types of links


class Pen(ABC):
    """A drawer of one relation after another; the tool's own draws marks and links."""

    splits = False  # True: the tool has no marks of several parts, and each part becomes a mark

    @abstractmethod
    def mark(self, role: int, spans: Sequence[CharRange]) -> Any:
        """Draw a mark on spans in tokens; return its name."""

    @abstractmethod
    def link(self, type: str, source: Any, target: Any) -> None:
        """Draw a link between two marks by their names."""

    def relation(self, spans: Iterable[RoleSpan], roles: tuple[str, ...]) -> str | None:
        """Draw a relation; return a message if it is lost in whole or in part."""
        by_role: dict[str, list[CharRange]] = {}
        for role, start, stop in spans:
            by_role.setdefault(roles[role], []).append((start, stop))
        if not by_role:
            return None
        for name in (ROLES[CAUSE], ROLES[EFFECT]):
            if name not in by_role:
                return f"has no {name.capitalize()} and is left out"
        causes, effects = by_role.pop(ROLES[CAUSE]), by_role.pop(ROLES[EFFECT])
        signals = by_role.pop(ROLES[SIGNAL], [])
        targets = self._marks(EFFECT, effects)
        self._links(CAUSES, self._marks(CAUSE, causes), targets)
        for signal in signals:
            self._links(SIGNALS, [self.mark(SIGNAL, [signal])], targets)
        if by_role:
            return f"loses its spans of {', '.join(by_role)}"
        if self.splits and len(causes) * len(effects) > 1:
            return "has several spans of one role, each of which makes a relation"
        touching = any(
            b[0] <= a[1] for bounds in (causes, effects) for a, b in pairwise(sorted(bounds))
        )
        if touching or len({*signals}) < len(signals):
            return "has spans of one role that touch, which become one"
        return None

    def _marks(self, role: int, spans: list[CharRange]) -> list[Any]:
        parts = [[span] for span in sorted(spans)] if self.splits else [spans]
        return [self.mark(role, part) for part in parts]

    def _links(self, type: str, sources: list[Any], targets: list[Any]) -> None:
        for source in sources:
            for target in targets:
                self.link(type, source, target)


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

    def mark(self, role: int, spans: Sequence[CharRange]) -> int:
        """Draw a mark on one span in tokens; return its number."""
        ((start, stop),) = spans
        bounds = self._sentence.starts[start], self._sentence.stops[stop - 1]
        self.marks.append(DrawnMark(ROLES[role].capitalize(), *bounds))
        return len(self.marks) - 1

    def link(self, type: str, source: int, target: int) -> None:
        """Draw a link between two marks by their numbers."""
        self.links.append(DrawnLink(type, source, target))


def drawn(relations: Relations, lost: Problems) -> Iterator[DrawnExample]:
    """Yield the drawing of each example; add messages on losses to ``lost``."""
    for example in examples(relations):
        drawing = DrawnExample(example)
        for where, spans in example.readable(lost):
            if reason := drawing.relation(spans, relations.roles):
                lost.add(f"{where} {reason}")
        yield drawing
