"""Documents in the XML of CAT: EventStoryLine (PLOT_LINK) and Causal-TimeBank (CLINK)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import shown
from fastcausal.tasks.eci.corpora.documents import (
    MAX_SENTENCES,
    UNKNOWN_DIRECTION,
    EventDocument,
    Mention,
    Pair,
)

_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
EVENT = re.compile(r"(NEG_)?ACTION_\w+|EVENT")
LINKS = {
    "PLOT_LINK": UNKNOWN_DIRECTION,
    "CLINK": "CLINK",
}  # with the label of a link without a type
MAX_ELEMENTS = 10_000_000


@dataclass
class _Link:
    name: str
    label: str
    line: int
    ends: dict[str, str] = field(default_factory=dict)


@dataclass
class _Reader:
    """Elements of a file, collected by the parser."""

    source: Source
    tokens: dict[str, tuple[int | None, str]] = field(default_factory=dict)
    anchors: dict[str, list[str]] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    within: list[str] = field(default_factory=list)
    links: list[_Link] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    token: str | None = None
    markable: str | None = None
    link: _Link | None = None
    n_elements: int = 0

    def parse(self) -> None:
        """Read the file; InputError for invalid XML, or XML with a document type."""
        text = self.source.text
        if "<!" in text and re.search(r"<!(DOCTYPE|ENTITY)", text):
            raise InputError(f"{self.source.name}: XML with a document type, expected none")
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.texts.append
        try:
            self.parser.Parse(_DECLARATION.sub("", text, count=1).encode(), True)
        except expat.ExpatError as error:
            place = f"{self.source.name}:{error.lineno}"
            problem = expat.errors.messages[error.code]
            raise InputError(f"{place}: invalid XML: {problem}") from error

    def start(self, name: str, values: Mapping[str, str]) -> None:
        self.n_elements += 1
        if self.n_elements > MAX_ELEMENTS:
            raise InputError(f"{self.source.name}: more than {MAX_ELEMENTS} elements of XML")
        if name == "token":
            number = values.get("sentence", "")
            self.token = _id(values, "t_id")
            sentence = int(number[:20]) if number.isdecimal() else None
            if sentence is not None and sentence >= MAX_SENTENCES:
                place = f"{self.source.name}:{self.parser.CurrentLineNumber}"
                expected = f"a number below {MAX_SENTENCES}"
                raise InputError(f"{place}: sentence {shown(number)}, expected {expected}")
            self.tokens[self.token] = (sentence, "")
            self.texts.clear()
        elif name == "token_anchor" and self.markable is not None:
            self.anchors[self.markable].append(_id(values, "t_id"))
        elif name in LINKS:
            label = values.get("relType") or LINKS[name]
            self.link = _Link(name, label, self.parser.CurrentLineNumber)
            self.links.append(self.link)
        elif name in ("source", "target") and self.link is not None:
            self.link.ends[name] = _id(values, "m_id")
        elif self.within == ["Document", "Markables"]:
            self.markable = _id(values, "m_id")
            self.anchors[self.markable] = []
            if EVENT.fullmatch(name):
                self.events.add(self.markable)
        self.within.append(name)

    def end(self, name: str) -> None:
        self.within.pop()
        if name == "token" and self.token is not None:
            self.tokens[self.token] = (self.tokens[self.token][0], "".join(self.texts))
            self.token = None
        elif name in LINKS:
            self.link = None
        elif self.within == ["Document", "Markables"]:
            self.markable = None


def read_xml(
    source: Source, id: str, columns: Mapping[str, str], problems: Problems
) -> list[EventDocument]:
    """Read the events and causal links of a document.

    The id of an event of EventStoryLine is its token numbers, joined by ``_`` as in its lists of
    pairs. Events of Causal-TimeBank have ids of their own.
    """
    reader = _Reader(source)
    reader.parse()
    document = EventDocument(source.name, id, columns)
    places = _sentences(document, reader)
    is_story = b"ACTION_" in source.data
    for markable, tokens in reader.anchors.items():
        if unknown := [token for token in tokens if token not in places]:
            problems.add(f'{source.name}: "{markable}" marks the unknown token "{unknown[0]}"')
        elif tokens:  # without tokens it is a chain of mentions
            name = reader.names[markable] = "_".join(tokens) if is_story else markable
            words = tuple(places[token][1] for token in tokens)
            is_event = markable in reader.events
            if is_event or name not in document.mentions:
                document.mentions[name] = Mention(places[tokens[0]][0], words, is_event)
    for link in reader.links:
        _add_link(document, reader, link, problems)
    return [document]


def _add_link(document: EventDocument, reader: _Reader, link: _Link, problems: Problems) -> None:
    place = document.place(link.line)
    ends = []
    for end in ("source", "target"):
        mention = link.ends.get(end)
        if mention in reader.names:
            ends.append(reader.names[mention])
        elif mention not in reader.anchors:
            got = "no" if mention is None else f'the unknown event "{mention}" as'
            problems.add(f"{place}: {link.name} with {got} {end}")
    if len(ends) == 2:
        document.pairs.append(Pair(ends[0], ends[1], link.label, link.line))


def _sentences(
    document: EventDocument, reader: _Reader
) -> dict[str, tuple[int | None, tuple[int, int]]]:
    """Join tokens by blanks; return the sentence of each token and its characters there."""
    places: dict[str, tuple[int | None, tuple[int, int]]] = {}
    texts: dict[int, list[str]] = {}
    lengths: dict[int, int] = {}
    for token, (sentence, text) in reader.tokens.items():
        number = -1 if sentence is None else sentence
        start = lengths.get(number, 0)
        texts.setdefault(number, []).append(text)
        lengths[number] = start + len(text) + 1
        places[token] = sentence, (start, start + len(text))
    document.sentences.update({k: " ".join(words) for k, words in texts.items() if k >= 0})
    return places


def _id(values: Mapping[str, str], name: str) -> str:
    return values.get(name, values.get("id", ""))
