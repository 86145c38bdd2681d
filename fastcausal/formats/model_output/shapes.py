"""Relations in a model's JSON values: variant names of keys, wrappers, slips."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from fastcausal.arrays.examples import TYPE
from fastcausal.files.values import find_most_common, kind
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.marking import Marking
from fastcausal.relations import ROLES


class Notes(Counter[str]):
    """Counted ways of reading an answer; it knows the names of roles of one's own."""

    own: Mapping[str, str] = MappingProxyType({})  # Roles by normalised name of a key

    @classmethod
    def of_roles(cls, marking: Marking) -> Notes:
        """Return no notes, with the names of roles and labels that answers do not use."""
        notes = cls()
        names = [(role, role) for role in marking.roles if role not in ROLES]
        names += [(label, role) for role, labels in marking.role.items() for label in labels]
        if names:
            notes.own = {key_name(name): role for name, role in names}
        return notes


PLAIN_KEYS = frozenset({*ROLES, TYPE})
_HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair: JSON can escape one alone
NAMES = {
    **dict.fromkeys(("cause", "causes", "arg0"), "cause"),
    **dict.fromkeys(("effect", "effects", "arg1"), "effect"),
    **dict.fromkeys(("signal", "signals", "sig0", "connective", "connectives"), "signal"),
    **dict.fromkeys(("marker", "markers", "cue", "cues"), "signal"),
}
# Used for a role only if no name above is present: beside one they may be a comment.
FURTHER_NAMES = {
    **dict.fromkeys(("reason", "reasons"), "cause"),
    **dict.fromkeys(("consequence", "consequences", "outcome", "outcomes"), "effect"),
    **dict.fromkeys(("result", "results"), "effect"),
}
TRIGGERS = ("trigger", "triggers")  # a signal, or a cause if no other key is one
# Nothing under these means no relation.
OF_RELATIONS = {"relation", "relations", "relationship", "relationships", "answer", "answers"}
OF_RELATIONS |= {"pair", "pairs", "cause effect pairs", "extraction", "extractions", "final answer"}
WRAPPERS = OF_RELATIONS | {"output", "result", "results", "response"}
ARGUMENTS = ("arguments", "input", "args", "parameters")  # of a tool call, beside its name
TEXTS = {"text", "span", "phrase", "value", "string", "words"}
STARTS, STOPS = {"start", "begin", "start char"}, {"stop", "end", "end char"}
AFFIXES = re.compile(r"(?:causal )?(.+?)(?: (?:text|span|phrase|event|clause|word)s?)?", re.DOTALL)

# Two keys of a triple, read only together and beside no name above.
TRIPLES = (("subject", "object"), ("head", "tail"))
_PREDICATES = {"predicate", "relation", "relation type", "type", "label"}
_BACKWARD = re.compile(
    r"\b(?:by|due to|because|(?:results?|consequences?|effects?|stems?|arises?) (?:of|from))\b"
)

NO_WORDS = {"none", "no", "null", "n/a", "na", "nothing", "not causal", "empty"}
# A whole answer; docs/model-answers.md lists the phrases.
_NO = r"no (?:explicit )?(?:causal |cause[- ]effect )?(?:relation(?:ship)?s?|links?)"
_ANY = r"not \w+ (?:any |a )?(?:causal|cause[- ]effect) (?:relation(?:ship)?s?|links?)"
_NOTHING = (
    r"none|n/?a|no|nothing|not applicable|(?:it is )?(?:not|non)[- ]causal"
    r"|(?:there is )?no causality|no causes?(?: (?:and|or) (?:no )?effects?)?"
)
_IN = r"(?:the|this) (?:given )?(?:text|sentence|passage)"
NO_PHRASE = re.compile(
    rf"(?:there (?:are|is) )?{_NO}"
    r"(?: (?:(?:are|is|was|were) )?(?:found|present|stated|identified))?"
    rf"(?: in {_IN})?|(?:{_NOTHING})(?: in {_IN})?"
    rf"|{_IN} (?:contains|has|states|expresses) {_NO}|{_IN} does {_ANY}"
)
NO_SPAN = frozenset(
    spelling
    for word in ("none", "null", "n/a", "no signal", "not applicable")
    for spelling in (word, word.upper(), word.capitalize(), word.title())
)
SEVERAL = "several causes and several effects taken for one relation"
FAULTS = {"error", "errors"}  # beside these keys, an empty list or null is not an answer
DEPTH = 6  # of nested wrappers
MOST_KEYS = 8  # of objects whose roles are kept


def _object(pairs: list[tuple[str, Any]]) -> Any:
    value = dict(pairs)
    if len(value) < len(pairs) and (again := find_most_common([key for key, _ in pairs])):
        return UnreadError(f'an object has the key "{again[0]}" {again[1]} times')
    return value


JSON = json.JSONDecoder(object_pairs_hook=_object, strict=False)
"""Decodes JSON; a repeated key is an `UnreadError`, strings may contain line breaks."""


def answered(value: Any, notes: Notes, depth: int = DEPTH) -> list[Any] | None:
    """Return the entries for relations in a value, None if it contains no answer."""
    # UnreadError: the value is an answer with malformed relations.
    if isinstance(value, UnreadError):
        return [value]
    if depth and isinstance(value, Mapping):
        return _read_object(value, notes, depth)
    if depth and isinstance(value, list):
        entries, is_answer = _flatten_list(value, notes, depth)
        return entries if is_answer else None
    return None


def _flatten_list(values: list[Any], notes: Notes, depth: int) -> tuple[list[Any], bool]:
    """Flatten lists of relations; return them, and True if there is any relation."""
    entries: list[Any] = []
    is_answer = not values
    for value in values:
        inner = [value] if is_pair(value) else answered(value, notes, depth - 1)
        is_answer |= inner is not None
        entries += [value] if inner is None else inner
    return entries, is_answer


def _read_object(value: Mapping[str, Any], notes: Notes, depth: int) -> list[Any] | None:
    keys = set(role_keys(value, notes.own).values())
    if len(keys) == 1:
        (key,) = keys
        is_role = bool(value[key]) or key_name(key) not in FURTHER_NAMES  # {"result": {}} has none
        keys &= {key} if is_role and not _holds_relations(value[key], notes) else set()
    if keys:
        return [value]
    entries = _read_wrapped(_called(value), notes, depth)
    return entries or (entries if fault_in(value) is None else None)


def fault_in(value: Any) -> Any:
    """Return the error that an object names, None without one."""
    faults = (
        (value[key] for key in value if key_name(key) in FAULTS)
        if isinstance(value, Mapping)
        else ()
    )
    return next((fault for fault in faults if fault), None)


def _read_wrapped(value: Mapping[str, Any], notes: Notes, depth: int) -> list[Any] | None:
    """Return the relations of an object without roles: under a wrapper key, else any key."""
    for key, inner in value.items():
        if key_name(key) in WRAPPERS:
            notes["other name of a key"] += key != "relations"
            notes["further key"] += len(value) - 1
            return _wrapped(key, inner, notes, depth)
    # An empty list under another key lists something else: warnings, tool calls.
    inner = [answered(v, notes, depth - 1) for v in value.values() if not _is_empty(v)]
    if any(inner):
        return [entry for entries in inner for entry in entries or ()]
    return [] if [] in inner else None


def _is_empty(value: Any) -> bool:
    """Return True for an empty list, or a list of such lists only."""
    return isinstance(value, list) and all(map(_is_empty, value))


def _called(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a tool call as relations; return other objects unchanged."""
    key = next((key for key in ARGUMENTS if key in value), None) if "name" in value else None
    if key is None:
        return value
    arguments = value[key]
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = JSON.decode(arguments)
    return {"relations": arguments} if isinstance(arguments, list) else {key: arguments}


def says_none(text: str) -> bool:
    """Return True for a phrase that denies relations, such as "no causal relation".

    >>> says_none("No causal relations."), says_none("I see none.")
    (True, False)
    >>> says_none("**None.**"), says_none("Not causal"), says_none("No, the rain.")
    (True, True, False)
    """
    return (
        NO_PHRASE.fullmatch(" ".join(text.strip(" \t\r\n.!*_\"'`").casefold().split())) is not None
    )


def _wrapped(key: str, value: Any, notes: Notes, depth: int) -> list[Any] | None:
    """Return the relations under a wrapper key."""
    if key_name(key) not in OF_RELATIONS and not isinstance(value, str):
        return None if _is_empty(value) else answered(value, notes, depth - 1)
    if isinstance(value, str):
        if value.strip(" .").casefold() in NO_WORDS or says_none(value):
            value = None
        else:
            try:
                value = JSON.decode(value)
                notes["answer in a string"] += 1
            except (ValueError, RecursionError):
                pass
    if value is None or value is False:
        notes["relations said to be none"] += 1
        return []
    if isinstance(value, list):
        return _flatten_list(value, notes, depth)[0]
    if isinstance(value, Mapping | UnreadError):
        return answered(value, notes, depth - 1)
    raise UnreadError(f'"{key}" is {kind(value)}, expected a list')


def _holds_relations(value: Any, notes: Notes) -> bool:
    """Return True for an object with roles, or a list with one."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, Mapping) and bool(role_keys(item, notes.own)) for item in items)


def is_pair(value: Any) -> bool:
    """Return True for a list of two texts: a cause and its effect."""
    return isinstance(value, list) and [type(item) for item in value] == [str, str]


@lru_cache(1 << 10)
def key_name(key: str) -> str:
    """Normalise a key for comparison: ``causal_relations`` becomes ``relations``."""
    words = " ".join(re.split(r"[\s_-]+", key.strip(" _-").casefold()))
    affixed = AFFIXES.fullmatch(words)
    return affixed[1] if affixed else words


def role_keys(
    entry: Iterable[str],
    own: Mapping[str, str] = Notes.own,  # Further roles by name
) -> dict[str, str]:
    """Return the key of each role in a relation.

    >>> role_keys(["Causes", "reason", "trigger"])
    {'cause': 'Causes', 'signal': 'trigger'}
    >>> role_keys(["subject", "predicate", "object"]), role_keys(["object"])
    ({'cause': 'subject', 'effect': 'object'}, {})
    """
    entry = tuple(entry)
    few = not own and len(entry) <= MOST_KEYS
    return dict(_known_role_keys(entry)) if few else _find_role_keys(entry, own)


@lru_cache(1 << 10)
def _known_role_keys(entry: tuple[str, ...]) -> Mapping[str, str]:
    return _find_role_keys(entry, Notes.own)


def _find_role_keys(entry: tuple[str, ...], own: Mapping[str, str]) -> dict[str, str]:
    named = {key: key_name(key) for key in entry}
    keys: dict[str, str] = {}
    for roles in (own, NAMES, FURTHER_NAMES):
        for key, name in named.items():
            if name in roles:
                keys.setdefault(roles[name], key)
    for key, name in named.items():
        if name in TRIGGERS:
            keys.setdefault("signal" if "cause" in keys else "cause", key)
    if not keys.keys() & {"cause", "effect"}:
        by_name = {name: key for key, name in named.items()}
        for first, second in TRIPLES:
            if first in by_name and second in by_name:
                return keys | {"cause": by_name[first], "effect": by_name[second]}
    return keys


def plain_relations(value: Any) -> list[Any] | None:
    """Return the relations of an answer of the published schema; None for any other value."""
    if type(value) is dict and len(value) == 1 and type(value.get("relations")) is list:
        relations: list[Any] = value["relations"]
        return relations if all(map(_is_plain, relations)) else None
    return None


def _is_plain(entry: Any) -> bool:
    """Return True for a relation of texts and lists of texts, with a span."""
    if type(entry) is not dict or not entry.keys() <= PLAIN_KEYS or _are_several(entry):
        return False
    is_filled = False
    for key, value in entry.items():
        if key == TYPE:
            if type(value) is not str or value in NO_SPAN or value != _read_type(value):
                return False
            continue
        texts = value if type(value) is list else (value,)
        for text in texts:
            if type(text) is not str or text in NO_SPAN:
                return False
            is_filled |= text != ""
    return is_filled


def _are_several(relation: Mapping[str, Any]) -> bool:
    """Return True for a relation with several causes and several effects."""
    sides = (relation.get("cause"), relation.get("effect"))
    return all(isinstance(s, list) and len(s) > 1 and not _is_offsets(s) for s in sides)


def relation_of(entry: Any, notes: Notes) -> Any:
    """Convert a relation to the form of `fastcausal.formats.spans`, None if it has no span."""
    # Returns dict, UnreadError or None: for each role a text, characters, or a list of them.
    try:
        if _is_plain(entry):
            return entry
        relation = _relation(entry, notes)
    except UnreadError as reason:
        return reason
    if not any(value for key, value in relation.items() if key != TYPE):
        notes["relation without a span"] += 1
        return None
    return relation


def _relation(entry: Any, notes: Notes) -> dict[str, Any]:
    if isinstance(entry, UnreadError):
        raise entry
    if is_pair(entry):
        notes["relation as a pair of texts"] += 1
        entry = dict(zip(ROLES, entry, strict=False))
    if not isinstance(entry, Mapping):
        raise UnreadError(f"it is {kind(entry)}, expected an object")
    keys = role_keys(entry, notes.own)
    notes[SEVERAL] += _are_several({role: entry[key] for role, key in keys.items()})
    if not keys:
        keyed = f"the keys {', '.join(map(str, entry))}" if entry else "no keys"
        further = "".join(f", {role}" for role in dict.fromkeys(notes.own.values()))
        raise UnreadError(f"it has {keyed}, expected {_ROLES}{further}")
    of_type, n_types = "", 0
    if key_name(keys.get("cause", "")) in dict(TRIPLES):  # their type is a predicate
        keys = _directed(entry, keys)
    elif (key := next((key for key in entry if key_name(key) == TYPE), None)) is not None:
        of_type, n_types = _read_type(entry[key]), 1
    notes["other name of a key"] += sum(role != key for role, key in keys.items())
    notes["further key"] += len(entry) - len(keys) - n_types
    relation: dict[str, Any] = {role: _spans(role, entry[key], notes) for role, key in keys.items()}
    return relation | ({TYPE: of_type} if of_type else {})


def _read_type(value: Any) -> str:
    if not isinstance(value, str | None):
        raise UnreadError(f'its "{TYPE}" is {kind(value)}, expected a text')
    if value is not None and _HALF.search(value):
        raise UnreadError(f'its "{TYPE}" holds half of a surrogate pair, expected whole characters')
    return "" if value is None or value in NO_SPAN else value.strip()


def _directed(entry: Mapping[str, Any], keys: dict[str, str]) -> dict[str, str]:
    """Exchange cause and effect of a triple whose predicate is backward, such as "caused by"."""
    predicates = [entry[key] for key in entry if key_name(key) in _PREDICATES]
    said = [" ".join(re.split(r"[\s_-]+", p.casefold())) for p in predicates if isinstance(p, str)]
    if any(map(says_none, said)):
        return {}
    if any(map(_BACKWARD.search, said)):
        return keys | {"cause": keys["effect"], "effect": keys["cause"]}
    return keys


_ROLES = f"{', '.join(ROLES[:-1])} or {ROLES[-1]}"


def _spans(role: str, value: Any, notes: Notes) -> list[Any]:
    """Return the spans of a role, each as a text or its characters."""
    many = isinstance(value, list) and not _is_offsets(value)
    spans = [_span(role, item, notes) for item in (value if many else [value])]
    return [span for span in spans if span not in (None, "")]


def _span(role: str, value: Any, notes: Notes) -> Any:
    if isinstance(value, Mapping):
        value = _read_span(value, notes)
    if isinstance(value, str):
        if value in NO_SPAN:
            notes["span said to be none"] += 1
            return None
        return value.strip()
    if value is None or _is_offsets(value):
        return value
    raise UnreadError(f'"{role}" is {kind(value)}, expected a text or character offsets')


def _read_span(value: Mapping[str, Any], notes: Notes) -> Any:
    """Return a span given as an object: its text, else its start and stop."""
    parts = {key_name(key): part for key, part in value.items()}
    for name in parts:
        if name in TEXTS and parts[name] is not None:
            notes["span as an object"] += 1
            return parts[name] if isinstance(parts[name], str) else value
    bounds = [next((parts[n] for n in parts if n in names), None) for names in (STARTS, STOPS)]
    return bounds if _is_offsets(bounds) else (value or None)


def _is_offsets(value: Any) -> bool:
    return isinstance(value, list) and [type(bound) for bound in value] == [int, int]
