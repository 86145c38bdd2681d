"""UIMA CAS XMI, as INCEpTION, WebAnno and DKPro write it, through dkpro-cassis."""

from __future__ import annotations

import io
import os
import re
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats.annotation.faults import TAKES
from fastcausal.formats.annotation.layers import Structure, document_of
from fastcausal.formats.annotation.links import Document
from fastcausal.formats.reading.format import Format
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

TYPES = "TypeSystem.xml"
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")


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
    try:
        import cassis
    except ImportError as error:
        raise InputError(
            f"{source.name}: UIMA CAS XMI is read by dkpro-cassis: pip install fastcausal[cas], "
            "or export as UIMA CAS JSON or WebAnno TSV"
        ) from error
    content = _xml(source)
    try:
        types = _xml(source.beside(TYPES))
    except InputError as error:
        raise InputError(f"{source.name}: its types are missing: {error}") from error
    try:
        cas = cassis.load_cas_from_xmi(content, typesystem=cassis.load_typesystem(types))
        text, listed = cas.sofa_string, [_structure(each) for each in cas.select_all_annotations()]
    except Exception as error:  # damaged files raise many types
        raise InputError(f"{source.name}: UIMA CAS XMI that cannot be read: {error}") from error
    if not isinstance(text, str):
        raise InputError(f"{source.name}: UIMA CAS XMI without a text")
    try:
        positions = range(len(text) + 1)
        return document_of(source.name, text, listed, positions=positions, marking=marking)
    except InputError as error:
        raise type(error)(f"{source.name}: {error.problem}") from error


def sniff(source: Source) -> bool:
    """Return True for the XML of a CAS."""
    return b"<xmi:XMI" in source.data[:4096]


def _xml(source: Source) -> io.BytesIO:
    """Return XML as UTF-8; refuse entity declarations, which no CAS has."""
    if "<!" in source.text and re.search(r"<!(DOCTYPE|ENTITY)", source.text):
        raise InputError(f"{source.name}: XML with a document type, which a CAS does not have")
    return io.BytesIO(_DECLARATION.sub("", source.text, count=1).encode())


def _structure(item: Any) -> Structure:
    """Convert a feature structure; references become the numbers of their targets."""
    package, _, type = item.type.name.rpartition(".")
    values = {f.name: getattr(item, f.name, None) for f in item.type.all_features}
    plain = {name: getattr(value, "xmiID", value) for name, value in values.items()}
    return Structure(str(item.xmiID), type, package, plain)


FORMAT = Format(
    "xmi",
    read,
    suffixes=(".xmi",),
    folder=(".xmi",),
    sniff=sniff,
    documents=documents,
    empty=False,
    takes=TAKES,
)
