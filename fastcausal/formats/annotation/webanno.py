"""WebAnno and INCEpTION: UIMA CAS as JSON, one file per document and annotator."""

from __future__ import annotations

import json
import os
from typing import Any, TypeVar

from fastcausal.errors import InputError, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.values import KINDS, kind
from fastcausal.formats.annotation.layers import Structure, document_of, id_of
from fastcausal.formats.annotation.links import Document
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

NEW, OLD = "%FEATURE_STRUCTURES", "_views"  # keys of the two layouts
Kind = TypeVar("Kind")


def read(
    # UIMA CAS JSON, as WebAnno and INCEpTION export it: the layout 0.4 or the one before
    source: str | os.PathLike[str] | Source,
    # The feature of Cause, Effect or Signal. By default the feature with most of these labels;
    # without any, the only text feature of the only custom layer of spans.
    feature: str | None = None,
    marking: Marking = MARKING,
) -> Relations:
    """Read one annotator's marks in one document."""
    # An example per sentence, see
    # `fastcausal.formats.annotation.links.Document.relations`. Sentences and tokens come from the
    # file; by default they are lines, and tokens separated by white space.
    return parse(source, feature, marking).relations()


def parse(
    source: str | os.PathLike[str] | Source,
    feature: str | None = None,
    marking: Marking = MARKING,
) -> Document:
    """Parse the spans and links of a file; parameters and errors as in `read`."""
    source = Source.open(source)
    data = _load(source)
    try:
        text, structures = _new(data) if NEW in data else _old(data)
        return document_of(source.name, text, structures, feature, marking=marking)
    except InputError as error:
        reason = error.problem.removeprefix(f"{source.name}: ")
        raise type(error)(f"{source.name}: {reason}") from error


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of a file."""
    return [parse(source, marking=marking)]


def sniff(source: Source) -> bool:
    """Return True for JSON of a UIMA CAS; within a string its quotes would be escaped."""
    text = source.text
    return f'"{NEW}"' in text or (f'"{OLD}"' in text and '"_referenced_fss"' in text)


def _load(source: Source) -> dict[str, Any]:
    content = source.text
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:  # RecursionError: deep nesting
        raise InputError(invalid_json(source.name, error)) from error
    if not isinstance(data, dict) or not (NEW in data or OLD in data):
        raise InputError(
            f'{source.name}: expected UIMA CAS JSON, an object with "{NEW}" or "{OLD}"'
        )
    return data


def _new(data: dict[str, Any]) -> tuple[str, list[Structure]]:
    """Read layout 0.4: one list, references marked by ``@``, positions perhaps by ``^``."""
    listed = data[NEW]
    if isinstance(listed, dict):
        listed = [{"%ID": key, **_expect(key, item, dict)} for key, item in listed.items()]
    view = _first_view("%VIEWS", data.get("%VIEWS", {}))
    members = view.get("%MEMBERS")
    inside = {id_of(member) for member in members} if isinstance(members, list) else None
    structures = []
    texts = {}
    for item in _expect(f'"{NEW}"', listed, list):
        item = _expect("a structure", item, dict)
        name = id_of(item.get("%ID"))
        package, _, type = _expect('"%TYPE"', item.get("%TYPE"), str).rpartition(".")
        values = {key.lstrip("@^"): value for key, value in item.items() if key[:1] != "%"}
        if type == "Sofa":
            texts[name] = values.get("sofaString")
        elif inside is None or name in inside:
            structures.append(Structure(name, type, package, values))
    return _text(texts, id_of(view.get("%SOFA"))), structures


def _old(data: dict[str, Any]) -> tuple[str, list[Structure]]:
    """Read the older layout: a list per type, of structures or of their ids."""
    shared = _expect('"_referenced_fss"', data.get("_referenced_fss", {}), dict)
    context = data.get("_context")
    types = context.get("_types") if isinstance(context, dict) else None
    structures = []
    for type, listed in _first_view(OLD, data[OLD]).items():
        known = types.get(type) if isinstance(types, dict) else None
        full = known.get("_id") if isinstance(known, dict) else None
        package = full.rpartition(".")[0] if isinstance(full, str) else ""
        for item in _expect(f'"{type}"', listed, list):
            name = None if isinstance(item, dict) else id_of(item)
            values = _expect(f"{type} {name}", item if name is None else shared.get(name), dict)
            structures.append(Structure(name, type.rpartition(".")[2], package, values))
    everything: list[tuple[str | None, object]] = [(s.id, s.values) for s in structures]
    texts = {
        key: values["sofaString"]
        for key, values in [*everything, *shared.items()]
        if isinstance(values, dict) and "sofaString" in values
    }
    used = {id_of(s.values.get("sofa")) for s in structures} - {None}
    return _text(texts, used.pop() if len(used) == 1 else None), structures


def _first_view(name: str, views: object) -> dict[str, Any]:
    named = _expect(f'"{name}"', views, dict)
    view = named.get("_InitialView", next(iter(named.values()), {}))
    return _expect(f'a view of "{name}"', view, dict)


def _text(texts: dict[str | None, Any], wanted: str | None) -> str:
    text = texts.get(wanted, next(iter(texts.values()), None))
    return _expect('"sofaString", the text,', text, str)


def _expect(what: str, value: object, wanted: type[Kind]) -> Kind:
    if not isinstance(value, wanted):
        raise InputError(f"{what} is {kind(value)}, expected {KINDS[wanted]}")
    return value
