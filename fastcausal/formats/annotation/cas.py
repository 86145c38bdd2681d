"""UIMA CAS JSON of relations, which INCEpTION imports as a document with marks."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import Problems
from fastcausal.files.files import replacing
from fastcausal.formats.annotation.drawing import DrawnExample, drawn, types_column
from fastcausal.formats.annotation.layers import SOURCE, TARGET, utf16_units
from fastcausal.formats.reading.builder import messages, not_held
from fastcausal.formats.sentences import SearchedSentence
from fastcausal.relations import Relations

SPAN, LINK = "webanno.custom.Causal", "webanno.custom.CausalLink"
SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
ANNOTATION = "uima.tcas.Annotation"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
SOFA = 1  # id of the text


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write one document with a sentence per line, in the layout 0.4."""
    # Spans are in the layer ``Causal``, links in ``CausalLink``, both with a feature ``label``.
    # Each relation gets its own spans, so that reading returns them unchanged and in order.
    # InputError if a text is missing or of another length.
    path = Path(target)
    lost = Problems()
    made = _Cas()
    for drawing in drawn(relations, lost):
        made.add(drawing, lost)
    with replacing(target) as file:
        file.write(json.dumps(made.document(path.stem), ensure_ascii=False).encode())
    held = {"text", "length", "relations", "tagged", UNPARSED, *types_column(relations)}
    if relations.ids is not None:
        ids = [f"{path.stem}:{number}" for number in range(1, len(relations) + 1)]
        held |= {"id"} if relations.ids.to_pylist() == ids else set()
    return not_held(relations.table, held, "UIMA CAS JSON does not hold {}") + messages(lost)


class _Cas:
    """The structures of a document under construction."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._offset = 0  # of the next line, in UTF-16 units
        self._structures: list[dict[str, Any]] = []

    def add(self, drawing: DrawnExample, lost: Problems) -> None:
        """Add an example as a line."""
        line = drawing.text.replace("\n", " ").replace("\r", " ")
        if line != drawing.text:
            lost.add(f"{drawing.example.name}: the line ends in its text become spaces")
        at = utf16_units(line)
        words = SearchedSentence(line, drawing.example.by_letters)
        self._add(f"{SEGMENT}.Sentence", at[0], at[-1])
        for start, stop in zip(words.starts, words.stops, strict=True):
            self._add(f"{SEGMENT}.Token", at[start], at[stop])
        names = [
            self._add(SPAN, at[start], at[stop], {"label": label})
            for label, start, stop in drawing.marks
        ]
        for type, source, to in drawing.links:
            _, start, stop = drawing.marks[to]
            ends = {f"@{SOURCE}": names[source], f"@{TARGET}": names[to]}
            self._add(LINK, at[start], at[stop], {**ends, "label": type})
        self._lines.append(line)
        self._offset += at[-1] + 1

    def _add(
        self, type: str, start: int, stop: int, values: Mapping[str, Any] | None = None
    ) -> int:
        name = SOFA + 1 + len(self._structures)
        place = {"begin": self._offset + start, "end": self._offset + stop}
        self._structures.append(
            {"%ID": name, "%TYPE": type, "@sofa": SOFA, **place, **(values or {})}
        )
        return name

    def document(self, title: str) -> dict[str, Any]:
        """Return the whole document with its types."""
        text = "\n".join(self._lines)
        end, self._offset = max(self._offset - 1, 0), 0
        self._add(METADATA, 0, end, {"documentTitle": title})
        sofa = {"%ID": SOFA, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView"}
        sofa |= {"mimeType": "text", "sofaString": text}
        names = [structure["%ID"] for structure in self._structures]
        return {
            "%TYPES": _types(),
            "%FEATURE_STRUCTURES": [sofa, *self._structures],
            "%VIEWS": {"_InitialView": {"%SOFA": SOFA, "%MEMBERS": names}},
        }


def _types() -> dict[str, Any]:
    return {
        f"{SEGMENT}.Sentence": _type(ANNOTATION),
        f"{SEGMENT}.Token": _type(ANNOTATION),
        METADATA: _type("uima.tcas.DocumentAnnotation", documentTitle="uima.cas.String"),
        SPAN: _type(ANNOTATION, label="uima.cas.String"),
        LINK: _type(ANNOTATION, label="uima.cas.String", **{SOURCE: SPAN, TARGET: SPAN}),
    }


def _type(parent: str, **features: str) -> dict[str, Any]:
    ranges = {name: {"%NAME": name, "%RANGE": range} for name, range in features.items()}
    return {"%SUPER_TYPE": parent, **ranges}
