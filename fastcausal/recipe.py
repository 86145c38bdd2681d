"""Recipes of scores: a protocol, policies and the reading of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

from fastcausal._version import __version__
from fastcausal.arrays.kept import Key
from fastcausal.marking import MARKING, Marking, tracks_of
from fastcausal.options import (
    Join,
    Occurrence,
    Policy,
    ProtocolName,
    ReadFormat,
    TagReading,
    check,
    check_policies,
    implied,
)
from fastcausal.protocols import (
    RECESS,
    ArgumentProtocol,
    Protocol,
    line_of,
    protocol_named,
    with_settings,
)

SPANS, FORMS, WORDS, ROLES = "spans", "answers", "words", "roles"  # settings from the data
AS_GIVEN = "as-given"  # the reading of tags if relations are used as they are


class Signature(str):
    """Signature line: all settings that the scores depend on."""

    settings: Mapping[str, str]

    def __new__(cls, settings: Mapping[str, str]) -> Self:
        """Print settings."""
        line = super().__new__(cls, line_of(settings))
        line.settings = settings
        return line

    def __getnewargs__(self) -> tuple[Mapping[str, str]]:  # type: ignore[override]
        return (self.settings,)

    def mark_as_given(self) -> Signature:
        """Return the signature for relations used as they are."""
        return Signature({**self.settings, "tags": AS_GIVEN})

    def joint(self, other: Signature) -> Signature | None:
        """Return the signature of two parts of one evaluation; None if the parts do not add up.

        The whole uses relations as they are if one part does. It has located spans if one part
        has them; two parts must locate spans by the same rule. Its answers have the forms of both
        parts.
        """
        mine, theirs = self.settings, other.settings
        joint = {**mine, **theirs}
        if FORMS in joint:
            both = (setting[FORMS].split("+") for setting in (mine, theirs) if FORMS in setting)
            joint[FORMS] = "+".join(sorted(set(chain.from_iterable(both))))
        if AS_GIVEN in (mine.get("tags"), theirs.get("tags")):
            joint["tags"] = AS_GIVEN
        free = {FORMS, "tags"} if joint.get("tags") == AS_GIVEN else {FORMS}
        free |= {n for n in (SPANS, WORDS) if None in (mine.get(n), theirs.get(n))}
        differ = {name for name in joint if mine.get(name) != theirs.get(name)}
        return Signature(joint) if differ <= free else None


class Reads(NamedTuple):
    """Reading of predictions, as `fastcausal.read` takes it."""

    format: ReadFormat | None = None
    answers: str | None = None
    occurrence: Occurrence = "gap"
    id: str | None = None


AS_IT_IS = Reads()


@dataclass(frozen=True)
class Recipe:
    """All settings that the scores depend on, besides the data."""

    protocol: Protocol = RECESS
    unparsed: Policy = "error"
    unmatched: Policy = "error"
    reads: Reads = AS_IT_IS
    marking: Marking = MARKING
    join: Join | None = None  # None: by id if both sides have one, else by position

    def __post_init__(self) -> None:
        check_policies(self.unparsed, self.unmatched)
        if self.join is not None:
            check("join", self.join, Join)

    @classmethod
    def make(
        cls,
        protocol: ProtocolName | Protocol | Recipe,
        unparsed: Policy = "error",
        unmatched: Policy = "error",
        format: ReadFormat | None = None,
        tags: TagReading | None = None,
        answers: str | None = None,
        occurrence: Occurrence = "gap",
        id: str | None = None,
        join: Join | None = None,
        arguments: Sequence[str] | str | None = None,
        iou: float | None = None,
        match: str | None = None,
        **marking: Any,
    ) -> Recipe:
        """Make the recipe of arguments of `fastcausal.score`."""
        own = {"arguments": arguments, "iou": iou, "match": match}
        if any(value is not None for value in own.values()):
            if isinstance(protocol, Recipe):
                raise ValueError("a recipe has a protocol of its own, expected no settings of it")
            protocol = with_settings(protocol_named(protocol), **own)
        # A recipe replaces all of them.
        given = (unparsed, unmatched, format, tags, answers, occurrence, id, join)
        is_plain = given == _PLAIN and not marking
        if is_plain and isinstance(protocol, Protocol):
            return protocol.derived.get(_RECIPE) or protocol.derived.setdefault(
                _RECIPE, cls(protocol)
            )
        if isinstance(protocol, Recipe):
            if is_plain:
                return protocol
            raise ValueError("a recipe has policies and reading of its own, expected no others")
        if isinstance(protocol, str):
            return cls.make(protocol_named(protocol), *given, **marking)
        reads = Reads(format or implied(answers), answers, occurrence, id)
        marks = Marking.make(**marking)
        chosen = _add_tracks(_add_tags(protocol_named(protocol), tags), marks)
        return cls(chosen, unparsed, unmatched, reads, marks, join)

    @property
    def of_gold(self) -> dict[str, Any]:
        """Arguments of `fastcausal.formats.read_marked` for gold."""
        return {"marking": self.marking, "lenient": True}

    @property
    def of_pred(self) -> dict[str, Any]:
        """Arguments of `fastcausal.formats.read_marked` for predictions."""
        return {**self.reads._asdict(), "marking": self.marking, "lenient": True}

    def of_relations(self) -> Recipe:
        """Return the recipe for relations that are read already."""
        return replace(self, reads=AS_IT_IS, marking=self.marking.of_scores())

    @property
    def can_stream(self) -> bool:
        """True if both sides may be read batch by batch."""
        return self.join is None and not self.marking.changes_reading

    def signature(
        self,
        # True if relations are used as they are, although the protocol reads tags otherwise.
        as_given: bool = False,
        # Settings from the data: the rule by which spans were located, the forms of answers.
        found: Iterable[tuple[str, str]] = (),
    ) -> Signature:
        """Return the signature line: all settings that the scores depend on."""
        settings: dict[str, str] = {}
        for name, value in sorted(found):
            settings[name] = f"{settings[name]}+{value}" if name in settings else value
        signature = self._signature
        if ROLES in settings and isinstance(self.protocol, ArgumentProtocol):
            names = self.protocol.arguments or settings[ROLES].split("+")[:2]
            settings["arguments"] = "+".join(names)
        elif ROLES in settings:
            tracks = tracks_of(settings[ROLES].split("+"), self.protocol.tracks)
            settings["tracks"] = ",".join(map("+".join, tracks))
        if settings:
            signature = Signature({**signature.settings, **settings})
        return signature.mark_as_given() if as_given else signature

    @cached_property
    def _signature(self) -> Signature:
        settings = {
            "program": "fastcausal",
            "version": __version__,
            "protocol": self.protocol.name,
            **self.protocol.settings,
            **({"types": "require"} if self.marking.types == "require" else {}),
            "unparsed": self.unparsed,
            "unmatched": self.unmatched,
        }
        return Signature(settings)


_PLAIN = ("error", "error", None, None, None, "gap", None, None)  # default arguments
_RECIPE: Key[Recipe] = Key("recipe")  # of `Protocol.derived`


def _add_tags(protocol: Protocol, tags: TagReading | None) -> Protocol:
    """Return the protocol with another reading of tags; ValueError if its own is not strict."""
    if tags is None or tags == protocol.tags:
        return protocol
    if protocol.tags != "strict":
        raise ValueError(f"tags is {tags}, but {protocol.name} reads them as {protocol.tags}")
    return replace(protocol, tags=tags)


def _add_tracks(protocol: Protocol, marking: Marking) -> Protocol:
    """Return the protocol with the given tracks."""
    if marking.tracks is None or isinstance(protocol, ArgumentProtocol):
        return protocol
    return replace(protocol, tracks=tracks_of(marking.roles, marking.tracks))
