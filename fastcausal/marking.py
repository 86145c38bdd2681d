"""Settings of reading relations: roles, links, examples, words and types."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from fastcausal.arrays.reading import ROLES, checked_roles
from fastcausal.errors import InputError
from fastcausal.files.values import shown
from fastcausal.options import ExampleUnit, LabelPolicy, LonePolicy, Trigger, TypePolicy, check

MAX_ROLES = 30
WORDS = ("blank", "letters", "nltk")
WordRule = str | os.PathLike[str] | Callable[[str], Sequence[str]]
CAUSAL_TRACKS = (("cause", "effect"), ("signal",))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RELATION = ("caus", "effect", "signal")  # beginnings of words for causal relations
_NO_RELATION = re.compile(r"not?|non|never|none|neither|without|(?:non|un|a)caus.*")


class LinkRoles(NamedTuple):
    """The roles at the ends of links of one type."""

    type: str
    source: str
    target: str


@dataclass(frozen=True)
class Marking:
    """Settings of reading relations, for gold and predictions alike.

    Parameters
    ----------
    unplaced : {"error", "skip"}
        Stop at marked texts that their spans do not fit, or leave these out, counted.
    links : sequence of str, optional
        Take marked links of these types alone for relations; labels of spans decide the roles.
        By default all types without a word such as "not"; ``reading.notes`` counts those that name
        no cause.
    roles : str or sequence of str, optional
        Name the roles, from 1 to 30, separated by commas; by default cause,effect,signal.
    tracks : str or sequence, optional
        Group the roles that compete: a+b,c; by default cause+effect, each other role alone.
    role : str, sequence of str, or mapping of role to labels, optional
        Read these labels as a role, whatever their case: cause=Drug,ARG0; may be given several
        times.
    link : str, sequence of str, or mapping of type to roles, optional
        Take links of this type alone: TYPE from cause to effect, or TYPE=effect>cause; may be given
        several times. The direction of the link decides the roles, not the labels of its ends.
    example : {"line", "sentence", "document"}, optional
        Make an example of each line, sentence or document of marked texts.
    lone : {"drop", "keep", "pair"}
        Drop spans without links, keep each as a relation, or pair those of an example. With
        ``pair``, an example with exactly one lone cause and one lone effect gets one relation, with
        all lone signals.
    trigger : {"signal", "none"}
        Read the trigger of an event as its signal, or as nothing.
    words : {"blank", "letters", "nltk"}, callable or path, optional
        Cut texts into words: by blanks, letters (Chinese, Thai ...), nltk, or as FILE lists them.
        A file has rows of ``text`` and ``words``. A list ``tokens`` of an example goes before it.
    types : {"ignore", "require"}
        Pair relations whatever their types, or only relations of one type.

    Raises
    ------
    ValueError
        An unknown value, a role that ``roles`` lacks, or a label of two roles.

    Examples
    --------
    >>> from fastcausal.marking import Marking
    >>> marking = Marking.make(roles="cause,effect,degree", role="cause=Drug,Ursache")
    >>> marking.role_of("drug"), marking.role_of("Degree"), marking.role_of("signal")
    (0, 2, None)
    >>> Marking.make(link=["causes", "caused_by=effect>cause"]).link[1]
    LinkRoles(type='caused_by', source='effect', target='cause')
    """

    unplaced: LabelPolicy = "error"
    links: Sequence[str] | None = None
    roles: tuple[str, ...] = ROLES
    tracks: tuple[tuple[str, ...], ...] | None = None
    role: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    link: tuple[LinkRoles, ...] = ()
    example: ExampleUnit | None = None
    lone: LonePolicy = "drop"
    trigger: Trigger = "signal"
    words: WordRule | None = None  # None is "blank"
    types: TypePolicy = "ignore"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) is not None:
                check(name, getattr(self, name), choices)
        if isinstance(self.links, str) or (self.links is not None and not self.links):
            raise ValueError(f"links is {self.links!r}, expected a list of types")
        if len(self.roles) > MAX_ROLES:
            raise ValueError(f"{len(self.roles)} roles, expected at most {MAX_ROLES}")
        used = [("tracks", chain(*self.tracks or ())), ("role", self.role)]
        used += [("link", each[1:]) for each in self.link]
        for name, roles in used:
            for role in roles:
                if role not in self.roles:
                    known = ", ".join(self.roles)
                    raise ValueError(f'{name} has the role "{role}", expected one of {known}')
        self._roles_by_label  # noqa: B018 refuses a label of two roles

    @classmethod
    def make(cls, **given: Any) -> Marking:
        """Make the settings of arguments; text as on the command line, or Python's own values."""
        given = {name: value for name, value in given.items() if value is not None}
        refuse_unknown(given)
        if not given:
            return MARKING
        for name, parse in _PARSED.items():
            if name in given:
                given[name] = parse(given[name])
        if given.get("words") == "blank":
            del given["words"]
        if isinstance(given.get("links"), list | tuple):
            given["links"] = tuple(given["links"])
        return cls(**given)

    def given(self) -> dict[str, Any]:
        """Return the settings other than the defaults, as arguments of `make`."""
        return {name: getattr(self, name) for name in self.changed}

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Names of the settings other than the defaults."""
        return tuple(n for n in FIELDS if getattr(self, n) != getattr(MARKING, n))

    @cached_property
    def changes_reading(self) -> bool:
        """True if a setting other than those of scores is changed."""
        return not {*self.changed} <= {*OF_SCORES}

    def of_scores(self) -> Marking:
        """Return the settings for relations that are read already."""
        return Marking(roles=self.roles, tracks=self.tracks, types=self.types)

    def role_of(self, label: str | None) -> int | None:
        """Return the role of a label, in any case; None for any other label."""
        return self._roles_by_label.get(label.strip().lower()) if label is not None else None

    @cached_property
    def _roles_by_label(self) -> dict[str, int]:
        known = {role.lower(): k for k, role in enumerate(self.roles)}
        for role, labels in self.role.items():
            for label in labels:
                number = self.roles.index(role)
                if known.setdefault(label.strip().lower(), number) != number:
                    raise ValueError(f'role has the label "{label}" twice, of two roles')
        return known

    def judge_link(self, type: str | None) -> tuple[bool, str]:
        """Return True if links of a type are relations, and the note to count, "" for none."""
        return _judge_link(type, self._wanted)

    @cached_property
    def _wanted(self) -> tuple[str, ...] | None:
        return tuple(self.links or [each.type for each in self.link]) or None


@lru_cache(maxsize=256)
def _judge_link(type: str | None, links: tuple[str, ...] | None) -> tuple[bool, str]:
    name = (type or "").strip()
    called = f"link of type {shown(name)}" if name else "link without a type"
    if links is not None:
        chosen = name.lower() in {each.strip().lower() for each in links}
        return chosen, "" if chosen else f"{called} left out"
    words = [word.lower() for word in _WORD.findall(name)]
    if any(map(_NO_RELATION.fullmatch, words)):
        return False, f"{called} left out"
    understood = not name or any(word.startswith(_RELATION) for word in words)
    return True, "" if understood else f"{called} taken as a relation"


def refuse_unknown(given: Iterable[str]) -> None:
    """Raise TypeError for the name of no setting."""
    for name in given:
        if name not in _NAMES:
            raise TypeError(f"unexpected keyword argument '{name}'")


def tracks_of(
    roles: Sequence[str], tracks: Sequence[Sequence[str]] = CAUSAL_TRACKS
) -> tuple[tuple[str, ...], ...]:
    """Return the tracks of these roles alone; a role in no track is alone.

    >>> tracks_of(("cause", "effect", "degree")), tracks_of(("reason", "claim"))
    ((('cause', 'effect'), ('degree',)), (('reason',), ('claim',)))
    """
    kept = [tuple(role for role in track if role in roles) for track in tracks]
    alone = [(role,) for role in roles if role not in chain(*kept)]
    return tuple(sorted(filter(None, (*kept, *alone)), key=lambda track: roles.index(track[0])))


def _parse_roles(given: Any) -> tuple[str, ...]:
    names = _split(given, ",")
    try:
        return checked_roles(names)
    except InputError as error:
        raise ValueError(str(error)) from error


def _parse_tracks(given: Any) -> tuple[tuple[str, ...], ...]:
    """Return tracks of ``a+b,c`` or of sequences of roles."""
    tracks = tuple(_split(track, "+") for track in _split(given, ","))
    roles = [*chain(*tracks)]
    if not all(tracks) or len(set(roles)) < len(roles):
        raise ValueError(f"tracks is {given!r}, expected groups of roles such as a+b,c, each once")
    return tracks


def _parse_role(given: Any) -> dict[str, tuple[str, ...]]:
    """Return the labels of each role, of ``NAME=LABEL,LABEL``."""
    labels: dict[str, tuple[str, ...]] = {}
    for name, value in _pairs("role", given, "NAME=LABEL,LABEL"):
        more = _split(value, ",") if value else ()
        if not all(more) or not more:
            raise ValueError(f"role is {given!r}, expected NAME=LABEL,LABEL")
        labels[name] = (*labels.get(name, ()), *more)
    return labels


def _parse_link(given: Any) -> tuple[LinkRoles, ...]:
    """Return the types of links with the roles of their ends, of ``TYPE`` or ``TYPE=a>b``."""
    links: list[LinkRoles] = []
    for type, value in _pairs("link", given, "TYPE or TYPE=effect>cause"):
        ends = ("cause", "effect") if value is None else _split(value, ">")
        if not type or len(ends) != 2 or not all(ends) or ends[0] == ends[1]:
            raise ValueError(f"link is {given!r}, expected TYPE or TYPE=effect>cause")
        if any(type.lower() == other.type.lower() for other in links):
            raise ValueError(f'link has the type "{type}" twice, expected once')
        links.append(LinkRoles(type, *ends))
    if not links:
        raise ValueError(f"link is {given!r}, expected one type or more")
    return tuple(links)


def _pairs(name: str, given: Any, form: str) -> Iterable[tuple[str, Any]]:
    """Yield the name and the value, None without one, of each ``NAME=VALUE``."""
    if isinstance(given, Mapping):
        yield from given.items()
        return
    for text in [given] if isinstance(given, str) else given:
        if isinstance(text, LinkRoles):
            yield text.type, text[1:]
            continue
        if not isinstance(text, str):
            raise ValueError(f"{name} is {given!r}, expected {form}")
        key, sign, value = text.partition("=")
        yield key.strip(), value if sign else None


def _split(given: Any, sign: str) -> tuple[Any, ...]:
    """Split text at a sign; return sequences as they are."""
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(sign))
    return tuple(given)


_PARSED: Mapping[str, Callable[[Any], Any]] = {
    "roles": _parse_roles, "tracks": _parse_tracks, "role": _parse_role, "link": _parse_link,
}  # fmt: skip
_CHOICES: Mapping[str, Any] = {
    "unplaced": LabelPolicy, "example": ExampleUnit, "lone": LonePolicy, "trigger": Trigger,
    "types": TypePolicy,
}  # fmt: skip
FIELDS = tuple(each.name for each in fields(Marking))
_NAMES: Collection[str] = frozenset(FIELDS)
MARKING = Marking()
# Settings of scoring, which any source takes
OF_SCORES = ("tracks", "types")
