"""Prodigy: a JSON object per text, with tokens, spans of tokens and relations between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.values import require, shown
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.passages import CharRange
from fastcausal.formats.annotation.tasks import NUMBER, AnnotatedText, read_lines
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

NOTHING = type(None)
LABEL = (str, NOTHING)
SPAN = {"start?": int, "end?": int, "token_start?": int, "token_end?": int, "label?": LABEL}
ENDS = ("head", "child")
SHAPE = {
    "text": str,
    "tokens": [{"start": int, "end": int}],
    "relations": [{"head": int, "child": int, "label?": LABEL}],
}
HELD = ("id", "text", "tokens", "spans", "relations", "answer")
ACCEPT = "accept"


def read(source: Source, marking: Marking = MARKING) -> Relations:
    """Read a dataset of Prodigy, a JSON object per line."""
    # An example per line, see `fastcausal.formats.annotation.links.relations_of`, with the key
    # ``id``, else ``_input_hash``. Its tokens are those of the line. A relation leads from its head
    # to its child, whose spans it names itself, or by one of their tokens. Lines with another
    # answer than "accept" are counted. Other keys are columns, unless they begin with ``_``.
    return relations_of(source.name, documents(source, marking))


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of each line; a line without "accept" gives one without text."""
    marked = read_lines(source, lambda row: _document(source.name, row, marking))
    if marked and not any(document.sentences or not document.notes for document in marked):
        raise InputError(f'{source.name}: a Prodigy dataset in which no answer is "{ACCEPT}"')
    return marked


def _document(file: str, row: Mapping[str, Any], marking: Marking) -> Document:
    name = row.get("id")
    name = row.get("_input_hash") if name is None else name
    if not isinstance(name, NUMBER):
        raise InputError('no "id" and no "_input_hash", expected one of them')
    annotator = row.get("_annotator_id") or row.get("_session_id") or Path(file).stem
    if (answer := row.get("answer", ACCEPT)) != ACCEPT:
        note = f"text of answer {shown(answer)} left out"
        return Document.make_empty(file, str(name), str(annotator), note)
    if marking.lone != "drop":  # of a project of spans alone
        row = {"relations": [], **row}
    require(row, SHAPE)
    columns = {n: v for n, v in row.items() if n not in HELD and not n.startswith("_")}
    bounds = [(token["start"], token["end"]) for token in row["tokens"]]
    text = AnnotatedText(file, str(name), str(annotator), row["text"], columns, marking, bounds)
    spans = _Spans(text, bounds)
    for k, span in enumerate(row.get("spans") or ()):
        require(span, SPAN, "spans", k)
        spans.add(span)
    for k, link in enumerate(row["relations"]):
        for end in ENDS:
            if link.get(f"{end}_span") is not None:
                require(link[f"{end}_span"], SPAN, "relations", k, f"{end}_span")
        source, target = (spans.find(link[end], link.get(f"{end}_span")) for end in ENDS)
        text.link(source, target, link.get("label"))
    return text.document()


class _Spans:
    """The spans of a text, by their characters and label."""

    def __init__(self, text: AnnotatedText, tokens: list[CharRange]) -> None:
        self._text, self._tokens = text, tokens
        self._labels: dict[CharRange, list[str | None]] = {}

    def add(self, span: Mapping[str, Any]) -> tuple[CharRange, str | None]:
        """Mark a span, once; return its characters and its label."""
        bounds, label = self._bounds(span), span.get("label")
        labels = self._labels.setdefault(bounds, [])
        if label is None and labels:
            label = labels[0]
        if label not in labels:
            labels.append(label)
            self._text.mark((bounds, label), label, *bounds)
        return bounds, label

    def find(self, token: int, span: Mapping[str, Any] | None) -> tuple[CharRange, str | None]:
        """Return the span at one end of a relation: as the relation says, else around a token."""
        if span is not None:
            return self.add(span)
        start, stop = self._bounds({"token_start": token, "token_end": token})
        around = (b for b in self._labels if b[0] <= start and stop <= b[1])
        return self.add(dict(zip(("start", "end"), next(around, (start, stop)), strict=True)))

    def _bounds(self, span: Mapping[str, Any]) -> CharRange:
        """Return the characters of a span, which its tokens decide."""
        first, last = span.get("token_start"), span.get("token_end")
        if first is None or last is None:
            if "start" in span and "end" in span:
                return span["start"], span["end"]
            raise InputError('a span without "token_start" and "token_end", or "start" and "end"')
        if not 0 <= first <= last < len(self._tokens):
            n = len(self._tokens)
            raise InputError(f"a span of tokens {first} to {last}, but the text has {n}")
        return self._tokens[first][0], self._tokens[last][1]


def is_row(row: Mapping[str, Any]) -> bool:
    """Return True if an object with relations is from Prodigy."""
    tokens, relations = row.get("tokens"), row.get("relations")
    if not isinstance(tokens, list) or not isinstance(relations, list):
        return False
    if not relations:
        return "_input_hash" in row
    return all(isinstance(r, dict) and {*ENDS} <= r.keys() for r in relations)
