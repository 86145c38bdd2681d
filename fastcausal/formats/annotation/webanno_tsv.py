r"""WebAnno TSV 3: a token per line, a column for each feature of each layer.

::

    #T_SP=webanno.custom.Causal|label               a layer of spans
    #T_RL=webanno.custom.Link|BT_webanno.custom.Causal    a layer of relations between them
    1-1  0-5   Heavy   Cause[1]  _                  a span of several lines has a number
    1-4  18-24 floods  Effect    1-1[1_0]           from span 1 of line 1-1 to the only span here
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import shown
from fastcausal.formats.annotation.layers import SOURCE, TARGET, Structure, document_of
from fastcausal.formats.annotation.links import Document
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

VERSION = re.compile(r"#FORMAT=WebAnno TSV (\S+)\s*")
UNIT = re.compile(r"([0-9]{1,9})-([0-9]{1,9}(\.[0-9]{1,9})?)")
OFFSETS = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")
ENDS = re.compile(r"([0-9]{1,9}-[0-9.]{1,19})(?:\[([0-9]{1,9})_([0-9]{1,9})\])?")
MAX_GAP = 1 << 20  # characters between two sentences, which the file omits
_ESCAPE = re.compile(r"\\(->|.)", re.DOTALL)
_ITEMS = re.compile(r"((?:\\.|[^|])*+)(\||$)", re.DOTALL)
_VALUE = re.compile(r"((?:\\.|[^\[])*+)(?:\[([0-9]{1,9})\])?", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r"}


class Layer(NamedTuple):
    """A layer declared in the header."""

    name: str
    features: tuple[str, ...]  # A column each; one unnamed column for a layer without features
    # Indices of slot features; their targets are in the next column
    slots: frozenset[int] = frozenset()
    base: str | None = None  # For relations: the layer that they connect
    is_chain: bool = False

    @property
    def width(self) -> int:
        """Number of its columns in each line."""
        return len(self.features) + (self.base is not None)


@dataclass
class TsvLines:
    """The layers and structures of a file."""

    layers: list[Layer] = field(default_factory=list)
    structures: list[Structure] = field(default_factory=list)  # Sentences, tokens, spans, relations
    notes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._spans: dict[tuple[str, str], Structure] = {}  # by layer, and number or line
        self._arcs: list[tuple[Layer, str, dict[str, str], str]] = []

    @property
    def width(self) -> int:
        """Number of columns of a line."""
        return 3 + sum(layer.width for layer in self.layers)

    def add(self, type: str, values: dict[str, Any], package: str = "") -> Structure:
        """Add a structure with the next number as id."""
        structure = Structure(str(len(self.structures)), type, package, values)
        self.structures.append(structure)
        return structure

    def unit(self, unit: str, bounds: tuple[int, int], cells: Sequence[str]) -> None:
        """Add the annotations in the columns of a token, or of a part of one."""
        at = 0
        for layer in self.layers:
            columns = [_items(cell) for cell in cells[at : at + layer.width]]
            at += layer.width
            if not columns or all(items is None for items in columns):
                continue
            if layer.is_chain:
                self.notes["chain left out"] += 1
            elif layer.base is None:
                self._add_spans(layer, unit, bounds, columns)
            else:
                self._add_arcs(layer, unit, columns)

    def _add_spans(
        self, layer: Layer, unit: str, bounds: tuple[int, int], columns: list[list[str] | None]
    ) -> None:
        plain = [
            k for k in range(len(columns)) if k not in layer.slots and k - 1 not in layer.slots
        ]
        self.notes["slot left out"] += sum(columns[k] is not None for k in layer.slots)
        for stacked in _stacked(layer, [columns[k] for k in plain]):
            values, numbers = zip(*map(_value, stacked), strict=True)
            number = next((n for n in numbers if n is not None), None)
            named = {layer.features[k]: v for k, v in zip(plain, values, strict=True)}
            where = (layer.name, unit if number is None else f"[{number}]")
            span = self._spans.get(where)
            if span is None:
                package, _, type = layer.name.rpartition(".")
                held = {k: v for k, v in named.items() if v is not None}
                limits = dict(zip(("begin", "end"), bounds, strict=True))
                self._spans[where] = self.add(type, held | limits, package)
            else:
                span.values["begin"] = min(span.values["begin"], bounds[0])
                span.values["end"] = max(span.values["end"], bounds[1])

    def _add_arcs(self, layer: Layer, unit: str, columns: list[list[str] | None]) -> None:
        for stacked in _stacked(layer, columns):
            values = zip(layer.features, (_value(item)[0] for item in stacked[:-1]), strict=True)
            self._arcs.append((layer, unit, {k: v for k, v in values if v}, stacked[-1]))

    def link(self) -> None:
        """Add the relations, once all spans are known."""
        for layer, unit, values, ends in self._arcs:
            match = ENDS.fullmatch(ends)
            if match is None:
                raise InputError(
                    f"{unit}: {shown(ends)}, expected the line that a relation is from"
                )
            package, _, type = layer.name.rpartition(".")
            ids = {
                SOURCE: self._id(layer, match[1], match[2]),
                TARGET: self._id(layer, unit, match[3]),
            }
            self.add(type, values | ids, package)

    def _id(self, layer: Layer, unit: str, number: str | None) -> str:
        """Return the id of a relation's span; an unknown span has an id without structure."""
        named = unit if number in (None, "0") else f"[{number}]"
        span = self._spans.get((layer.base or "", named))
        return f"none at {unit}" if span is None or span.id is None else span.id


def read(
    source: str | os.PathLike[str] | Source,  # WebAnno TSV 3.0 to 3.3
    marking: Marking = MARKING,
) -> Relations:
    """Read one annotator's marks in one document."""
    # An example per sentence, see
    # `fastcausal.formats.annotation.links.relations_of`; sentences and tokens come from the file.
    # The layer of Cause, Effect and Signal is found as in UIMA CAS JSON. Chains and slots are left
    # out, and counted in ``reading.notes``.
    return parse(Source.open(source), marking).relations()


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of a file."""
    return [parse(source, marking)]


def parse(source: Source, marking: Marking = MARKING) -> Document:
    """Parse the spans and links of a file; errors as in `read`."""
    lines = TsvLines()
    text, end = "", 0  # the document so far, and its length in UTF-16 units
    problems = Problems()
    for first, said, rows in _sentences(source, lines, problems):
        try:
            text, end = _add_sentence(lines, text, end, said, rows)
        except InputError as error:
            problems.add(f"{source.name}:{first}: {error}")
    problems.raise_if_any()
    if not text:
        raise InputError(f"{source.name}: a WebAnno TSV file without sentences")
    try:
        lines.link()
        document = document_of(source.name, text, lines.structures, marking=marking)
    except InputError as error:
        raise type(error)(f"{source.name}: {error.problem}") from error
    document.notes.update(+lines.notes)
    return document


def _sentences(
    source: Source, lines: TsvLines, problems: Problems
) -> Iterator[tuple[int, str, list[list[str]]]]:
    """Yield number of the first line, text and rows of each sentence; read the header."""
    said: list[str] = []
    rows: list[list[str]] = []
    first = 0
    for number, line in source.lines():
        line = line.removesuffix("\r")
        try:
            if line.startswith("#FORMAT="):
                _require_version(line)
            elif line.startswith("#T_") and not rows:
                lines.layers.append(_layer(line))
            elif line.startswith("#Text="):
                if rows:
                    yield first, "\n".join(said), rows
                    said, rows = [], []
                said.append(line[6:])
                first = first if len(said) > 1 else number
            elif line and not line.startswith("#") and not line.isspace():
                rows.append(_row(line, lines.width))
        except InputError as error:
            problems.add(f"{source.name}:{number}: {error}")
    if said or rows:
        yield first, "\n".join(said), rows


def _require_version(line: str) -> None:
    match = VERSION.fullmatch(line)
    if match is None or not match[1].startswith("3"):
        raise InputError(f"{shown(line[8:])}, expected WebAnno TSV 3: export the project anew")


def _layer(line: str) -> Layer:
    kind, _, rest = line.partition("=")
    name, *features = rest.rstrip().split("|")
    if kind == "#T_RL":
        base = features.pop() if features else ""
        if not base.startswith("BT_"):
            raise InputError(f"{shown(line)}: expected the layer that it connects, BT_...")
        return Layer(name, tuple(features), base=base[3:])
    if kind not in ("#T_SP", "#T_CH"):
        raise InputError(f"{shown(line)}, expected #T_SP, #T_CH or #T_RL")
    slots = frozenset(k for k, feature in enumerate(features) if feature.startswith("ROLE_"))
    return Layer(name, tuple(features) or ("",), slots, is_chain=kind == "#T_CH")


def _row(line: str, width: int) -> list[str]:
    cells = line.split("\t")
    if len(cells) == width + 1 and not cells[-1]:
        cells.pop()  # WebAnno ends lines with a tab
    if len(cells) != width:
        raise InputError(f"{len(cells)} columns, the header says {width}")
    return cells


def _add_sentence(
    lines: TsvLines, text: str, end: int, said: str, rows: list[list[str]]
) -> tuple[str, int]:
    """Add a sentence; return the text of the document so far, and its length in UTF-16 units."""
    if not rows:
        return text, end
    units = [(cells[0], *_bounds(cells)) for cells in rows]
    start = units[0][1]
    if not 0 <= start - end <= MAX_GAP:
        raise InputError(f"the sentence starts at {start}, the one before ends at {end}")
    sentence = _fitting(
        said, [(a - start, b - start, c[2]) for (_, a, b), c in zip(units, rows, strict=True)]
    )
    stop = start + _n_units(sentence)
    lines.add("Sentence", {"begin": start, "end": stop})
    for (name, a, b), cells in zip(units, rows, strict=True):
        if "." not in name:
            lines.add("Token", {"begin": a, "end": b})
        lines.unit(name, (a, b), cells[3:])
    return text + "\n" * (start - end) + sentence, stop


def _bounds(cells: Sequence[str]) -> tuple[int, int]:
    match = OFFSETS.fullmatch(cells[1])
    if match is None or UNIT.fullmatch(cells[0]) is None:
        raise InputError(
            f"{shown(' '.join(cells[:2]))}, expected the number of a token and its offsets"
        )
    return int(match[1]), int(match[2])


def _fitting(said: str, tokens: Sequence[tuple[int, int, str]]) -> str:
    """Return the text of a sentence, with or without escapes, so that its tokens fit."""
    # Releases differ in their escapes.
    for text in (_unescaped(said), said):
        wide = text.encode("utf-16-le", "surrogatepass")
        wrong = next(
            (
                (token, there)
                for a, b, token in tokens
                if (there := wide[2 * a : 2 * b].decode("utf-16-le", "replace"))
                not in (token, _unescaped(token))
            ),
            None,
        )
        if wrong is None:
            return text
    assert wrong is not None
    raise InputError(f"token {shown(wrong[0])}, but its characters are {shown(wrong[1])}")


def _n_units(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)


def _items(cell: str) -> list[str] | None:
    """Return the annotations of a cell, or None."""
    if cell == "_":
        return None
    if not cell:
        raise InputError("an empty column, expected _ where there is no annotation")
    if not cell:
        raise InputError("an empty column, expected _ where there is no annotation")
    items = []
    for match in _ITEMS.finditer(cell):
        items.append(match[1])
        if not match[2]:
            break
    return items


def _stacked(layer: Layer, columns: Sequence[list[str] | None]) -> list[tuple[str, ...]]:
    """Return the annotations of a layer in a line: a value from each of its columns."""
    filled = [items for items in columns if items is not None]
    if len(filled) != len(columns) or len({*map(len, filled)}) > 1:
        raise InputError(f"{layer.name}: columns of different numbers of annotations")
    return list(zip(*filled, strict=True))


def _value(item: str) -> tuple[str | None, str | None]:
    """Return the value of an annotation, or None, and its number, or None."""
    match = _VALUE.fullmatch(item)
    if match is None:
        raise InputError(f"{shown(item)}, expected a value, perhaps with a number in brackets")
    return None if match[1] == "*" else _unescaped(match[1]), match[2]
