"""Layers of a CAS in any file format: the layer of Cause, Effect and Signal, and its links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.errors import InputError
from fastcausal.formats.annotation.faults import UnplacedError
from fastcausal.formats.annotation.links import Document, Link, Mark, Words, reads_whole
from fastcausal.formats.annotation.passages import CharRange, lines_of, passages
from fastcausal.formats.words import WordCutter
from fastcausal.marking import MARKING, Marking

SOURCE, TARGET = "Governor", "Dependent"  # WebAnno's names for the ends of an arrow
USUAL = ("label", "value")  # preferred names if several features might be the label
NO_LAYER = "no layer of cause, effect and signal"
_ENDING = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$")
_IN_PROJECT = re.compile(r"(?:^|/)annotation/([^/]+)/([^/]+)\.(?:zip/[^/]+|[^./]+)$")


class Structure(NamedTuple):
    """A feature structure: a sentence, a token, a marked span, a link, ..."""

    id: str | None
    type: str  # without its package
    package: str
    values: dict[str, Any]


def document_of(
    name: str,  # The file; it names document and annotator if the content does not
    text: str,  # The document
    # Sentences, tokens, spans and links. ``begin`` and ``end`` count UTF-16 units, as Java does.
    structures: Sequence[Structure],
    # The feature of Cause, Effect or Signal. By default the feature with most of these labels;
    # without any, the only text feature of the only custom layer of spans.
    feature: str | None = None,
    # The character at each position, if positions count other units
    positions: Sequence[int] | None = None,
    marking: Marking = MARKING,
) -> Document:
    """Return the marks and links in the layer of Cause, Effect and Signal."""
    positions = utf16_positions(text) if positions is None else positions

    def bounds(structure: Structure) -> CharRange:
        ends = []
        for end in ("begin", "end"):
            value = structure.values.get(end, 0)  # the older layout omits zeros
            if type(value) is not int or not 0 <= value < len(positions):
                fault = UnplacedError if type(value) is int else InputError
                raise fault(f'"{end}" of {_name(structure)} is {value!r:.40}, expected '
                            f"a position in a text of {len(positions) - 1}")  # fmt: skip
            ends.append(positions[value])
        if ends[1] < ends[0]:
            raise UnplacedError(f"{_name(structure)} ends before it begins")
        return ends[0], ends[1]

    metadata = _read_metadata(structures)
    title, annotator = names_of(name, *metadata)
    layer, feature = _layer(structures, feature, marking)
    try:
        sentences = [bounds(s) for s in structures if s.type == "Sentence"]
        tokens = [bounds(s) for s in structures if s.type == "Token"]
        marks, numbers = _marks(text, structures, layer, feature, bounds)
    except UnplacedError as error:
        return Document.misplaced(name, title, annotator, error, marking)
    rule = WordCutter.choose(marking.words)
    is_whole = reads_whole(marking, name, "sentence")
    pieces = [(0, len(text))] if is_whole else sentences or lines_of(text)
    return Document(
        file=name,
        name=title,
        annotator=annotator,
        text=text,
        sentences=passages(text, pieces, tokens or None, rule, name),
        marks=marks,
        links=_links(structures, numbers),
        notes=Counter([NO_LAYER] if layer is None else []),
        example_id=example_id(name, metadata[0]) if is_whole else None,
        marking=marking,
    )


def _marks(
    text: str,
    structures: Iterable[Structure],
    layer: tuple[str, str] | None,
    feature: str | None,
    bounds: Callable[[Structure], CharRange],
) -> tuple[list[Mark], dict[str | None, int]]:
    """Return the spans of a layer, and the number of each by its id."""
    words = Words(text)
    marks: list[Mark] = []
    numbers: dict[str | None, int] = {}
    for structure in structures:
        if (structure.package, structure.type) == layer:
            label = structure.values.get(feature) if feature is not None else None
            label = label if isinstance(label, str) else None
            if structure.id is not None:
                numbers[structure.id] = len(marks)
            marks.append(words.mark(label, [bounds(structure)]))
    return marks, numbers


def _layer(
    structures: Sequence[Structure], feature: str | None, marking: Marking
) -> tuple[tuple[str, str] | None, str | None]:
    """Return the layer (package and type) of the spans, and the feature of their label."""
    # The layer that links of the wanted types connect comes first.
    spans = [s for s in structures if s.type not in ("Sentence", "Token") and not _is_link(s)]
    if marking.link:
        chosen = [s for s in structures if _is_link(s) and marking.judge_link(_type(s))[0]]
        ends = {_end(s, end) for s in chosen for end in (SOURCE, TARGET)} - {None}
        layers = {(s.package, s.type) for s in spans if s.id in ends}
        if len(layers) == 1:
            spans = [s for s in spans if (s.package, s.type) in layers]
    votes = Counter(
        (s.package, s.type, name)
        for s in spans
        for name, value in s.values.items()
        if isinstance(value, str) and marking.role_of(value) is not None and feature in (None, name)
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


def _links(structures: Sequence[Structure], numbers: Mapping[str | None, int]) -> list[Link]:
    """Return the links from or to a mark; the type of a link is the text of its label features."""
    links = [
        Link(_name(s), numbers.get(_end(s, SOURCE)), numbers.get(_end(s, TARGET)), _type(s))
        for s in structures
        if _is_link(s)
    ]
    return [link for link in links if (link.source, link.target) != (None, None)]


def _type(link: Structure) -> str | None:
    """Return the label of a link, or None."""
    labels = {n.lower(): v for n, v in link.values.items() if isinstance(v, str)}
    return next((labels[name] for name in (*USUAL, "type") if name in labels), None)


def _is_link(structure: Structure) -> bool:
    return SOURCE in structure.values or TARGET in structure.values


def _end(structure: Structure, end: str) -> str | None:
    return id_of(structure.values.get(end))


def _name(structure: Structure) -> str:
    return f"{structure.type} {structure.id}" if structure.id is not None else structure.type


def _read_metadata(structures: Iterable[Structure]) -> tuple[str, str]:
    """Return the title and the id of the document, from its metadata."""
    said = {"documentTitle": "", "documentId": ""}
    for structure in structures:
        if structure.type == "DocumentMetaData":
            values = ((name, structure.values.get(name)) for name in said)
            said |= {name: value for name, value in values if isinstance(value, str)}
    return said["documentTitle"], said["documentId"]


def names_of(file: str, title: str = "", owner: str = "") -> tuple[str, str]:
    """Name document and annotator.

    >>> names_of("project.zip/annotation/rain.txt/amy.zip/x.xmi")
    ('rain.txt', 'amy')
    >>> names_of("rain/amy.json"), names_of("rain/amy.json", "flood", "ben")
    (('rain', 'amy'), ('flood', 'ben'))
    """
    # In an exported project the folder has the name of the document, and the file or its zip the
    # name of the annotator. Elsewhere ``title`` and ``owner`` come first. Without them the stem of
    # the file names the annotator, and the document is the stem, or the folder if the stem is the
    # annotator.
    path = Path(file)
    if in_project := _IN_PROJECT.search(path.as_posix()):
        return in_project[1], in_project[2]
    annotator = owner if owner and owner != title else path.stem
    folder = path.absolute().parent.name
    return title or (path.stem if path.stem != annotator else folder) or path.stem, annotator


def example_id(file: str, title: str = "") -> str:
    """Return the id of a document that is one example: its name, or that of the file, without end.

    >>> example_id("project.zip/annotation/rain.txt/amy.zip/x.xmi"), example_id("rain/amy.json")
    ('rain', 'amy')
    """
    in_project = _IN_PROJECT.search(Path(file).as_posix())
    name = in_project[1] if in_project else title
    return _ENDING.sub("", name) if name else Path(file).stem


def id_of(value: object) -> str | None:
    """Return an id as text: keys of objects are text, ids elsewhere are numbers."""
    return str(value) if type(value) in (int, str) else None


def utf16_units(text: str) -> Sequence[int]:
    """Return the position of each character and of the end, in UTF-16 units.

    >>> utf16_units("a😀b")
    [0, 1, 3, 4]
    """
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text) + 1)
    return [0, *accumulate(1 + (letter > "\uffff") for letter in text)]


def utf16_positions(text: str) -> Sequence[int]:
    """Return the character at each position in UTF-16 units, as Java counts."""
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text) + 1)
    units = [k for k, letter in enumerate(text) for _ in range(1 + (letter > "\uffff"))]
    return [*units, len(text)]
