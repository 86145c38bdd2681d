"""WebAnno and INCEpTION: UIMA CAS as JSON, one file per document and annotator."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fastcausal.errors import InputError, invalid_json
from fastcausal.formats.annotation.links import (
    Bounds,
    Document,
    Link,
    Mark,
    Words,
    lines_of,
    passages,
    role_of,
)
from fastcausal.formats.io.files import Source
from fastcausal.formats.io.format import Format
from fastcausal.formats.io.values import KINDS, kind
from fastcausal.relations import Relations

NEW, OLD = "%FEATURE_STRUCTURES", "_views"  # what tells the two layouts
SOURCE, TARGET = "Governor", "Dependent"  # the ends of an arrow, as both layouts call them
USUAL = ("label", "value")  # names of a label, where several features might hold it
NO_LAYER = "no layer of cause, effect and signal"
Kind = TypeVar("Kind")


class Structure(NamedTuple):
    """A feature structure: a sentence, a token, a marked span, a link, ..."""

    id: str | None
    type: str  # without its package
    package: str
    values: dict[str, Any]


def read(source: str | os.PathLike[str] | Source, feature: str | None = None) -> Relations:
    """Read what one annotator marked in one document.

    Parameters
    ----------
    source : path
        UIMA CAS JSON, as WebAnno and INCEpTION export it: the layout 0.4 or the one before.
    feature : str, optional
        The feature that holds Cause, Effect or Signal. If not given, the one that holds most of
        these; where none does, the only text feature of the only layer of spans of one's own.

    Returns
    -------
    Relations
        An example per sentence, see `fastcausal.formats.annotation.links.Document.relations`.
        Sentences and tokens are those of the file; where it has none, lines and what white space
        separates.

    Raises
    ------
    InputError
        The file is not of either layout, or a position is out of its text.
    """
    return parse(source, feature).relations()


def parse(source: str | os.PathLike[str] | Source, feature: str | None = None) -> Document:
    """Return the spans and links of a file, for parameters and errors see `read`."""
    source = Source.open(source)
    data = _load(source)
    try:
        text, structures = _new(data) if NEW in data else _old(data)
        return _document(source.name, text, structures, feature)
    except InputError as error:
        raise InputError(f"{source.name}: {str(error).removeprefix(f'{source.name}: ')}") from error


def sniff(source: Source) -> bool:
    """Tell whether JSON is a UIMA CAS; within a string its quotes would be escaped."""
    text = source.text
    return f'"{NEW}"' in text or (f'"{OLD}"' in text and '"_referenced_fss"' in text)


def _document(name: str, text: str, structures: list[Structure], feature: str | None) -> Document:
    positions = _positions(text)

    def bounds(structure: Structure) -> Bounds:
        ends = []
        for end in ("begin", "end"):
            value = structure.values.get(end, 0)  # the older layout leaves zeros out
            if type(value) is not int or not 0 <= value < len(positions):
                raise InputError(f'"{end}" of {_name(structure)} is {value!r:.40}, expected '
                                 f"a position in a text of {len(positions) - 1}")  # fmt: skip
            ends.append(positions[value])
        if ends[1] < ends[0]:
            raise InputError(f"{_name(structure)} ends before it begins")
        return ends[0], ends[1]

    sentences = [bounds(s) for s in structures if s.type == "Sentence"]
    tokens = [bounds(s) for s in structures if s.type == "Token"]
    layer, feature = _layer(structures, feature)
    words = Words(text)
    marks: list[Mark] = []
    numbers: dict[str | None, int] = {}
    for structure in structures:
        if (structure.package, structure.type) == layer:
            label = structure.values.get(feature) if feature is not None else None
            label = label if isinstance(label, str) else None
            numbers[structure.id] = len(marks)
            marks.append(words.mark(label, [bounds(structure)]))
    numbers.pop(None, None)
    title, annotator = _names(name, structures)
    return Document(
        file=name,
        name=title,
        annotator=annotator,
        text=text,
        sentences=passages(text, sentences or lines_of(text), tokens or None),
        marks=marks,
        links=_links(structures, numbers),
        notes=Counter([NO_LAYER] if layer is None else []),
    )


def _layer(
    structures: Sequence[Structure], feature: str | None
) -> tuple[tuple[str, str] | None, str | None]:
    """Return the layer (package and type) of the spans, and the feature that holds their label."""
    spans = [s for s in structures if s.type not in ("Sentence", "Token") and not _is_link(s)]
    votes = Counter(
        (s.package, s.type, name)
        for s in spans
        for name, value in s.values.items()
        if isinstance(value, str) and role_of(value) is not None and feature in (None, name)
    )
    if votes:
        *layer, best = max(votes, key=lambda vote: (votes[vote], vote[2] in USUAL, vote))
        return (layer[0], layer[1]), best
    ends = {_end(s, end) for s in structures if _is_link(s) for end in (SOURCE, TARGET)} - {None}
    linked = {(s.package, s.type) for s in spans if s.id in ends}
    own = {(s.package, s.type) for s in spans if "custom" in s.package.split(".")}
    if len(linked or own) != 1:
        return None, None
    (only,) = linked or own
    texts = {
        name
        for s in spans
        if (s.package, s.type) == only
        for name, value in s.values.items()
        if isinstance(value, str) and not name.startswith("_")
    }
    return only, feature or (texts.pop() if len(texts) == 1 else None)


def _links(structures: Sequence[Structure], numbers: dict[str | None, int]) -> list[Link]:
    """Return the links from or to a mark."""
    links = [
        Link(_name(s), numbers.get(_end(s, SOURCE)), numbers.get(_end(s, TARGET)))
        for s in structures
        if _is_link(s)
    ]
    return [link for link in links if (link.source, link.target) != (None, None)]


def _is_link(structure: Structure) -> bool:
    return SOURCE in structure.values or TARGET in structure.values


def _end(structure: Structure, end: str) -> str | None:
    return _id(structure.values.get(end))


def _name(structure: Structure) -> str:
    return f"{structure.type} {structure.id}" if structure.id is not None else structure.type


def _names(file: str, structures: Iterable[Structure]) -> tuple[str, str]:
    """Name document and annotator, as far as the file says, else as an exported project does.

    There, each document has a folder with a file per annotator: a file cannot tell the document
    unless the annotator is known to be another.
    """
    said = {"documentTitle": "", "documentId": ""}
    for structure in structures:
        if structure.type == "DocumentMetaData":
            values = ((name, structure.values.get(name)) for name in said)
            said |= {name: value for name, value in values if isinstance(value, str)}
    title, owner = said.values()
    path = Path(file)
    annotator = owner if owner and owner != title else path.stem
    folder = path.absolute().parent.name
    return title or (path.stem if path.stem != annotator else folder) or path.stem, annotator


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
    inside = {_id(member) for member in members} if isinstance(members, list) else None
    structures = []
    texts = {}
    for item in _expect(f'"{NEW}"', listed, list):
        item = _expect("a structure", item, dict)
        name = _id(item.get("%ID"))
        package, _, type = _expect('"%TYPE"', item.get("%TYPE"), str).rpartition(".")
        values = {key.lstrip("@^"): value for key, value in item.items() if key[:1] != "%"}
        if type == "Sofa":
            texts[name] = values.get("sofaString")
        elif inside is None or name in inside:
            structures.append(Structure(name, type, package, values))
    return _text(texts, _id(view.get("%SOFA"))), structures


def _old(data: dict[str, Any]) -> tuple[str, list[Structure]]:
    """Read the layout before: a list per type, of structures or of their ids."""
    shared = _expect('"_referenced_fss"', data.get("_referenced_fss", {}), dict)
    context = data.get("_context")
    types = context.get("_types") if isinstance(context, dict) else None
    structures = []
    for type, listed in _first_view(OLD, data[OLD]).items():
        known = types.get(type) if isinstance(types, dict) else None
        full = known.get("_id") if isinstance(known, dict) else None
        package = full.rpartition(".")[0] if isinstance(full, str) else ""
        for item in _expect(f'"{type}"', listed, list):
            name = None if isinstance(item, dict) else _id(item)
            values = _expect(f"{type} {name}", item if name is None else shared.get(name), dict)
            structures.append(Structure(name, type.rpartition(".")[2], package, values))
    everything: list[tuple[str | None, object]] = [(s.id, s.values) for s in structures]
    texts = {
        key: values["sofaString"]
        for key, values in [*everything, *shared.items()]
        if isinstance(values, dict) and "sofaString" in values
    }
    used = {_id(s.values.get("sofa")) for s in structures} - {None}
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


def _id(value: object) -> str | None:
    """Return an id as text: keys of objects are, numbers elsewhere are not."""
    return str(value) if type(value) in (int, str) else None


def _positions(text: str) -> Sequence[int]:
    """Return the character at each position of the file, which counts UTF-16 units as Java does."""
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text) + 1)
    units = [k for k, letter in enumerate(text) for _ in range(1 + (letter > "\uffff"))]
    return [*units, len(text)]


FORMAT = Format("webanno", read, folder=(".json",), sniff=sniff, document=parse)
