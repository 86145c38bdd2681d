"""UIMA CAS XMI, as INCEpTION, WebAnno and DKPro write it."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from typing import TypeAlias
from xml.etree import ElementTree

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats.annotation.layers import Structure, document_of
from fastcausal.formats.annotation.links import Document
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

TYPES = "TypeSystem.xml"
ID = "{http://www.omg.org/XMI}id"
SOFA, VIEW, FIRST_VIEW = "uima.cas.Sofa", "uima.cas.View", "_InitialView"
STRING, INTEGER = "uima.cas.String", "uima.cas.Integer"
Ranges: TypeAlias = dict[str, str]  # the type of each feature
# Types that are part of UIMA, above those of a file
_PLACE = {"sofa": SOFA, "begin": INTEGER, "end": INTEGER}
KNOWN: dict[str, Ranges] = {
    "uima.tcas.Annotation": _PLACE,
    "uima.tcas.DocumentAnnotation": {**_PLACE, "language": STRING},
}
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def read(
    # UIMA CAS XMI, with ``TypeSystem.xml`` beside it, in the same folder or zip
    source: str | os.PathLike[str] | Source,
    marking: Marking = MARKING,
) -> Relations:
    """Read one annotator's marks in one document."""
    # An example per sentence, see
    # `fastcausal.formats.annotation.links.relations_of`; equal to the same document read from UIMA
    # CAS JSON.
    return parse(Source.open(source), marking).relations()


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of a file."""
    return [parse(source, marking)]


def parse(source: Source, marking: Marking = MARKING) -> Document:
    """Parse the spans and links of a file; errors as in `read`."""
    root = _xml(source)
    try:
        types = _types(_xml(source.beside(TYPES)))
    except InputError as error:
        raise InputError(f"{source.name}: its types are missing: {error}") from error
    try:
        text, listed = _read_view(root, types)
        return document_of(source.name, text, listed, marking=marking)
    except InputError as error:
        raise type(error)(f"{source.name}: {error.problem}") from error


def sniff(source: Source) -> bool:
    """Return True for the XML of a CAS."""
    return b"<xmi:XMI" in source.data[:4096]


def _xml(source: Source) -> ElementTree.Element:
    """Parse XML; refuse entity declarations, which no CAS has."""
    if "<!" in source.text and re.search(r"<!(DOCTYPE|ENTITY)", source.text):
        raise InputError(f"{source.name}: XML with a document type, which a CAS does not have")
    try:
        return ElementTree.fromstring(_DECLARATION.sub("", source.text, count=1))
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{source.name}: XML that cannot be read: {error}") from error


def _types(root: ElementTree.Element) -> dict[str, Ranges | None]:
    """Return the features of each type, also of those above it; None for no annotation."""
    declared: dict[str, tuple[str, Ranges]] = {}
    for type in root.iterfind(".//{*}typeDescription"):
        features = type.iterfind("{*}features/{*}featureDescription")
        ranges = {_said(each, "name"): _said(each, "rangeTypeName") for each in features}
        declared[_said(type, "name")] = _said(type, "supertypeName"), ranges

    def inherited(name: str, known: dict[str, Ranges]) -> Ranges | None:
        """Return all features of a type; None for one that is of another kind."""
        features: Ranges = {}
        for _ in range(len(declared) + 1):  # a type may be said to be above itself
            if name in known:
                return known[name] | features
            if name not in declared:
                return None
            name, own = declared[name]
            features = own | features
        return None

    texts = {name for name in declared if inherited(name, {STRING: {}}) is not None} | {STRING}
    found = {name: inherited(name, KNOWN) for name in (*declared, *KNOWN)}
    return {
        name: ranges and {f: STRING if of in texts else of for f, of in ranges.items()}
        for name, ranges in found.items()
    }


def _said(element: ElementTree.Element, name: str) -> str:
    return (element.findtext(f"{{*}}{name}") or "").strip()


def _read_view(
    root: ElementTree.Element, types: dict[str, Ranges | None]
) -> tuple[str, list[Structure]]:
    """Return the text of the first view, and its annotations in the order of the file."""
    elements = {each.get(ID): each for each in root if each.get(ID) is not None}
    sofas = [e for e in elements.values() if _type(e) == SOFA]
    sofa = next((e for e in sofas if e.get("sofaID") == FIRST_VIEW), None)
    text = None if sofa is None else sofa.get("sofaString")
    if sofa is None or text is None:
        raise InputError("UIMA CAS XMI without a text")
    views = (e for e in root if _type(e) == VIEW and e.get("sofa") == sofa.get(ID))
    members = {name for view in views for name in view.get("members", "").split()}
    if absent := members - elements.keys():
        raise InputError(f"UIMA CAS XMI that cannot be read: no element has the id {min(absent)}")
    structures = []
    for element in (each for name, each in elements.items() if name in members):
        type = _type(element)
        if ranges := types.get(type):
            structures.append(_structure(element, type, ranges, elements))
        elif type not in types and not type.startswith("uima.cas."):
            raise InputError(f"UIMA CAS XMI that cannot be read: {TYPES} has no type {type}")
    return text, structures


def _type(element: ElementTree.Element) -> str:
    """Return a type with its package, which is a namespace in XML."""
    space, _, type = element.tag.rpartition("}")
    package = space.removeprefix("{http:///").removesuffix(".ecore").replace("/", ".")
    return type if package == "uima.noNamespace" else f"{package}.{type}"


def _structure(
    element: ElementTree.Element,
    type: str,
    ranges: Ranges,
    elements: Container[str | None],  # ids of all
) -> Structure:
    """Convert an annotation: numbers and references become integers."""
    values: dict[str, str | int | None] = {}
    for name, of in ranges.items():
        value = element.get(name)
        is_number = value is not None and _NUMBER.fullmatch(value) is not None
        values[name] = value if of == STRING else int(value or "") if is_number else None
        if is_number and not of.startswith("uima.cas.") and value not in elements:
            raise InputError(
                f"UIMA CAS XMI that cannot be read: {name} of {type} {element.get(ID)} is {value}, "
                "an id that no element has"
            )
    package, _, short = type.rpartition(".")
    return Structure(element.get(ID), short, package, values)
