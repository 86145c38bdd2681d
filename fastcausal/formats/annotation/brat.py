"""brat: a text in ``NAME.txt`` and its marks in ``NAME.ann``."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source, replacing_together
from fastcausal.files.values import pause_gc, shown
from fastcausal.formats.annotation import SUFFIX, TEXT_SUFFIX
from fastcausal.formats.annotation.drawing import Pen, types_column
from fastcausal.formats.annotation.faults import Faults, UnplacedError
from fastcausal.formats.annotation.links import (
    MAX_SHOWN,
    SIGNAL,
    Document,
    Event,
    Link,
    Mark,
    Words,
    reads_whole,
)
from fastcausal.formats.annotation.passages import CharRange, lines_of, passages
from fastcausal.formats.examples import examples
from fastcausal.formats.reading.builder import messages, not_held
from fastcausal.formats.sentences import WHITE, SearchedSentence
from fastcausal.formats.words import WordCutter
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

_SPAN = re.compile(
    r"(T\S*)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)(?:\t(.*))?", re.DOTALL
)
_RELATION = re.compile(r"(R\S*)\t(\S+) [^\s:]+:(\S+) [^\s:]+:(\S+)\s*")
_EVENT = re.compile(r"(E\S*)\t([^\s:]+):(\S+)((?: +[^\s:]+:\S+)*)\s*")
_LEFT_OUT = {"E": "event that cannot be read", "*": "equivalence", "A": "attribute",
             "M": "attribute", "N": "normalization", "#": "comment"}  # fmt: skip


def read(
    # ``NAME.ann``, with ``NAME.txt`` in the same folder; either name will do. An empty ``.ann`` is
    # a document without marks. A loaded source is the ``.ann``.
    source: str | os.PathLike[str] | Source,
    marking: Marking = MARKING,
) -> Relations:
    """Read one annotator's marks in one document."""
    # An example per non-blank line of the text, with tokens separated by white
    # space, or of the whole text, see `fastcausal.formats.annotation.links.relations_of`. Spans are
    # of type Cause, Effect or Signal in any case, or of a label in ``role``; relations between them
    # go from Cause and Signal (the first argument) to Effect (the second), or as ``link`` says. An
    # event is a relation of its arguments, with its trigger as the signal. The document is NAME,
    # the annotator the name of the folder. ``reading.notes`` counts ignored spans, relations,
    # events and other lines.
    return parse(source, marking).relations()


def load(source: str | os.PathLike[str]) -> Source:
    """Load the annotations from the path of either file; empty if there are no marks."""
    name = os.fspath(source)
    path = Path(name)
    if name == "-" or not path.name:
        raise InputError(f"{name}: brat has two files, expected the path of one of them")
    if path.suffix.lower() == TEXT_SUFFIX:
        path = path.with_suffix(SUFFIX)
    try:
        return Source.open(path)
    except InputError as error:
        if str(error) != f"{path} is empty" or not path.with_suffix(TEXT_SUFFIX).exists():
            raise
        return Source(os.fspath(path), b"")


@pause_gc()
def parse(source: str | os.PathLike[str] | Source, marking: Marking = MARKING) -> Document:
    """Parse the spans and links of a file; parameters and errors as in `read`."""
    annotations = source if isinstance(source, Source) else load(source)
    path = Path(annotations.name)
    # brat counts a byte-order mark as a character; so do all later offsets.
    text = annotations.beside(path.stem + TEXT_SUFFIX).text
    faults = Faults()
    notes: Counter[str] = Counter()
    words = Words(text)
    marks: list[Mark] = []
    names: dict[str, int] = {}  # of spans
    links: list[tuple[str, str, str, str]] = []
    events: dict[str, tuple[str, str, list[list[str]], int]] = {}
    for number, line in annotations.lines():
        line = line.removesuffix("\r")
        if not line or line.isspace():
            continue
        try:
            if span := _SPAN.fullmatch(line):
                if span[1] in names:
                    raise InputError(f"{span[1]} occurs twice")
                names[span[1]] = len(marks)
                marks.append(_mark(text, words, span))
            elif relation := _RELATION.fullmatch(line):
                links.append((relation[1], relation[3], relation[4], relation[2]))
            elif event := _EVENT.fullmatch(line):
                if event[1] in events:
                    raise InputError(f"{event[1]} occurs twice")
                arguments = [each.split(":", 1) for each in event[4].split()]
                events[event[1]] = event[2], event[3], arguments, len(links)
            elif line[0] in _LEFT_OUT:
                notes[_LEFT_OUT[line[0]]] += 1
            else:
                raise InputError(f"{shown(line)}, expected a line of brat's standoff format")
        except InputError as error:
            faults.note(f"{annotations.name}:{number}", error)
    annotator = path.absolute().parent.name.removesuffix(".zip")
    try:
        faults.raise_if_any()
    except UnplacedError as error:
        return Document.misplaced(annotations.name, path.stem, annotator, error, marking)
    triggers = names | {event: names[each[1]] for event, each in events.items() if each[1] in names}
    is_whole = reads_whole(marking, annotations.name, "line")
    pieces = [(0, len(text))] if is_whole else lines_of(text)
    return Document(
        file=annotations.name,
        name=path.stem,
        annotator=annotator,
        text=text,
        sentences=passages(
            text, pieces, rule=WordCutter.choose(marking.words), file=annotations.name
        ),
        marks=marks,
        links=_links(links, triggers, notes),
        notes=notes,
        example_id=path.stem if is_whole else None,
        marking=marking,
        events=_events(events, triggers),
        is_mixed=True,
    )


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of a file."""
    return [parse(source, marking)]


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write ``NAME.ann`` and, beside it, ``NAME.txt`` with a sentence per line."""
    # Each relation gets its own spans, so that reading returns them unchanged and in order. Both
    # files replace their targets once complete. An old ``NAME.ann`` is removed before the new text
    # appears, so marks never stand beside a foreign text.
    # InputError if the target is not ``NAME.ann``, or a text is missing or of another length.
    path = Path(target)
    if path.suffix.lower() != SUFFIX:
        raise InputError(
            f"{path}: brat has two files, expected the name of the first: NAME{SUFFIX}"
        )
    out = _Lines()
    lost = Problems()
    for example in examples(relations):
        text = example.require_text()
        if not text.strip(WHITE):
            lost.add(f"{example.name} has a blank text, which is not a sentence when it is read")
        line = text.replace("\n", " ").replace("\r", " ")
        if line != text:
            lost.add(f"{example.name}: the line ends in its text become spaces")
        out.sentence(line, example.by_letters)
        for where, spans, type in example.readable(lost):
            if reason := out.relation(spans, relations.roles, type):
                lost.add(f"{where} {reason}")
    with replacing_together(path.with_suffix(TEXT_SUFFIX), path) as (text_file, marks_file):
        text_file.write("".join(out.text).encode())
        marks_file.write("".join(out.lines).encode())
    held = {"text", "length", "relations", "tagged", UNPARSED, *types_column(relations)}
    if relations.ids is not None:
        ids = [f"{path.stem}:{number}" for number in range(1, len(relations) + 1)]
        held |= {"id"} if relations.ids.to_pylist() == ids else set()
    return not_held(relations.table, held, "brat files do not hold {}") + messages(lost)


class _Lines(Pen):
    """The two files under construction."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.lines: list[str] = []
        self._offset = 0  # of the current sentence
        self._n = 0
        self._n_spans = self._n_links = self._n_events = 0
        self._sentence = SearchedSentence("")

    def sentence(self, text: str, by_letters: bool) -> None:
        """Start the next sentence."""
        self._offset += self._n
        self._n = len(text) + 1
        self.text.append(text + "\n")
        self._sentence = SearchedSentence(text, by_letters)

    def name(self, text: str) -> str:
        """Return a name without white space, which ends names in brat, and colons."""
        return "_".join(re.split(r"[\s:]+", text.strip()))

    def mark(self, label: str, spans: Sequence[CharRange]) -> str:
        """Add the line of a mark; return its name."""
        self._n_spans += 1
        sentence = self._sentence
        parts = [(sentence.starts[a], sentence.stops[b - 1]) for a, b in sorted(spans)]
        where = ";".join(f"{self._offset + a} {self._offset + b}" for a, b in parts)
        text = " ".join(sentence.text[a:b] for a, b in parts)
        name = f"T{self._n_spans}"
        self.lines.append(f"{name}\t{label} {where}\t{text}\n")
        return name

    def link(self, type: str, source: str, target: str) -> None:
        """Add the line of a link."""
        self._n_links += 1
        self.lines.append(f"R{self._n_links}\t{type} Arg1:{source} Arg2:{target}\n")

    def event(self, type: str, filled: Mapping[str, Sequence[CharRange]]) -> bool:
        """Draw an event with its signal as the trigger; return False without a signal."""
        trigger = SIGNAL.capitalize()
        if trigger not in filled:
            return False
        names = {label: self.mark(label, spans) for label, spans in filled.items()}
        arguments = " ".join(f"{label}:{name}" for label, name in names.items())
        self._n_events += 1
        self.lines.append(f"E{self._n_events}\t{type}:{names[trigger]} {arguments}\n")
        return True


def _mark(text: str, words: Words, span: re.Match[str]) -> Mark:
    parts = [(int(start), int(stop)) for start, stop in map(str.split, span[3].split(";"))]
    mark = words.mark(span[2], parts)
    if span[4] is None:
        return mark
    n_words = sum(len(words.touched(*part)) for part in parts)
    # A long mark on a short line is skipped early.
    if n_words > len(span[4]) or " ".join(text[a:b] for a, b in parts).split() != span[4].split():
        there = " ".join(text[a : min(b, a + MAX_SHOWN)] for a, b in parts[:MAX_SHOWN])
        raise UnplacedError(f"{span[1]} is {shown(span[4])}, but its characters are {shown(there)}")
    return mark


def _links(
    linked: list[tuple[str, str, str, str]], names: Mapping[str, int], notes: Counter[str]
) -> list[Link]:
    """Return the relations between marks; count those of other things."""
    links = []
    for name, *ends, type in linked:
        source, target = map(names.get, ends)
        if source is None and target is None:
            notes["relation of other spans"] += 1
        links.append(Link(name, source, target, type))
    return links


def _events(
    events: Mapping[str, tuple[str, str, list[list[str]], int]], names: Mapping[str, int]
) -> list[Event]:
    """Return the events of a file; other events among their arguments are their triggers."""
    named = {event: [ref for _, ref in each[2] if ref in events] for event, each in events.items()}
    circular = _in_circles(named)
    return [
        Event(
            type, names.get(trigger), tuple((name, names.get(ref)) for name, ref in arguments),
            n_links, event in circular,
        )
        for event, (type, trigger, arguments, n_links) in events.items()
    ]  # fmt: skip


def _in_circles(named: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the events that lead back to themselves through what they name."""
    # Strongly connected components as Tarjan finds them, without recursion.
    found: set[str] = set()
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for root in named:
        work = [] if root in low else [(root, iter(named[root]), -1)]
        while work:
            event, rest, place = work[-1]
            if place < 0:
                place = low[event] = len(low)
                work[-1] = event, rest, place
                path.append(event)
                on_path.add(event)
            for other in rest:
                if other not in low:
                    work.append((other, iter(named[other]), -1))
                    break
                if other in on_path:
                    low[event] = min(low[event], low[other])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[event])
                if low[event] == place:
                    component = [path.pop()]
                    while component[-1] != event:
                        component.append(path.pop())
                    on_path.difference_update(component)
                    if len(component) > 1 or event in named[event]:
                        found.update(component)
    return found
