"""FinCausal's task 2: a row per relation, fields separated by ``;`` without quotes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers, strings
from fastcausal.errors import Problems
from fastcausal.files.files import Source
from fastcausal.formats.reading.format import Format
from fastcausal.formats.spans import located
from fastcausal.options import Occurrence
from fastcausal.relations import Relations

Int64 = npt.NDArray[np.int64]
FEWEST, MOST = 4, 11  # fields of a row
SPACES = b" \t\x0b\x0c\x1c\x1d\x1e\x1f"  # white space of ASCII within a line
HEADERS = (["index", "text"], ["index", "text", "cause", "effect"])
ROW = re.compile(r"[\d.]+")  # an index; a header has none


class TextSlices(NamedTuple):
    """Texts of a column as places in bytes.

    Attributes
    ----------
    data : bytes
        UTF-8.
    starts, stops : int64[n]
    """

    data: bytes
    starts: Int64
    stops: Int64

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextSlices:
        """Join texts."""
        encoded = [text.encode() for text in texts]
        stops = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return cls(b"".join(encoded), np.concatenate([[0], stops[:-1]]).astype(np.int64), stops)

    def texts(self) -> list[str]:
        """Return the texts themselves."""
        places = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
        return [self.data[start:stop].decode() for start, stop in places]

    def take(self, rows: Int64) -> TextSlices:
        """Keep some texts, in this order."""
        return TextSlices(self.data, self.starts[rows], self.stops[rows])


@dataclass(frozen=True)
class SectionRows:
    """Rows of texts with a cause and an effect each.

    Attributes
    ----------
    name : str
        The source, for messages.
    index : pyarrow.Array
        string; of three parts, ``0001.00026.1``, for one of several relations of a section.
    text, cause, effect : TextSlices
    lines : int64[n] or None
        The line of each row.
    notes : Counter
        What was strange about lines, and how often.
    """

    name: str
    index: pa.Array
    text: TextSlices
    cause: TextSlices
    effect: TextSlices
    lines: Int64 | None = None
    notes: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.index)

    def where(self, row: int) -> str:
        """Return the place of a row for messages."""
        place = f"row {row}" if self.lines is None else str(self.lines[row])
        join = ": " if self.lines is None else ":"
        return f'{self.name}{join}{place}: index "{self.index[row].as_py()}"'

    def take(self, rows: Int64) -> SectionRows:
        """Keep some rows, in this order."""
        columns = {name: getattr(self, name).take(rows) for name in ("text", "cause", "effect")}
        lines = None if self.lines is None else self.lines[rows]
        return replace(self, index=self.index.take(numbers(rows)), lines=lines, **columns)

    def sections(self, by_text: bool = False) -> tuple[Int64, list[str]]:
        """Gather rows of one section.

        Parameters
        ----------
        by_text : bool
            Rows of another text are a section of their own.

        Returns
        -------
        section : int64[n]
            Of each row; sections are in the order of their first rows.
        names : list of str
            The index without the number of the relation; a name that came before gets ``#2``.
        """
        one_of_several = pc.equal(pc.count_substring(self.index, "."), 2)
        roots = pc.replace_substring_regex(self.index, r"\.[^.]*$", "")
        names = pc.if_else(one_of_several, roots, self.index)
        rows = pc.cast(numbers(np.arange(len(self))), pa.string())
        parts = [pc.if_else(one_of_several, roots, ""), pc.if_else(one_of_several, "", rows)]
        if by_text:
            parts.append(pc.if_else(one_of_several, strings(self.text.texts()), ""))
        keys = pc.binary_join_element_wise(*parts, "\n")
        section = np.asarray(keys.dictionary_encode().indices, np.int64)
        first = np.unique(section, return_index=True)[1]
        return section, _different(names.take(numbers(first)).to_pylist())


def _different(names: list[str]) -> list[str]:
    """Number names that occur again."""
    if len(set(names)) == len(names):
        return names
    taken = set(names)
    times: Counter[str] = Counter()
    different = []
    for name in names:
        times[name] += 1
        other = name
        while times[name] > 1 and (other := f"{name}#{times[name]}") in taken:
            times[name] += 1
        taken.add(other)
        different.append(other)
    return different


def read_rows(
    source: Source, fewest: int = FEWEST, header: bool = True, remark: str = ""
) -> SectionRows:
    r"""Read rows; leading white space of texts, causes and effects is dropped.

    Parameters
    ----------
    source : Source
    fewest : int
        Rows with fewer fields are an error, and blank lines too if that is `FEWEST`. Missing fields
        are empty.
    header : bool
        The first line is a header, whatever it holds; False: unless it begins with an index.
    remark : str
        Ends the message about a row with too few fields.

    Raises
    ------
    InputError
        The file is not UTF-8, or a row has too few fields.

    Examples
    --------
    >>> rows = read_rows(Source("x.csv", b"Index; Text; Cause; Effect\n1.0; a b; a; b\n"))
    >>> rows.index.to_pylist(), rows.text.texts(), rows.cause.texts(), rows.where(0)
    (['1.0'], ['a b'], ['a'], 'x.csv:2: index "1.0"')
    """
    _ = source.text  # UTF-8
    data = source.data
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = _lines(data)
    first = data[: lines[0][1]].decode() if len(lines) else ""
    begins = bool(ROW.fullmatch(first.partition(";")[0].strip()))
    notes: Counter[str] = Counter()
    if begins and header:
        notes["first line begins with an index, but is dropped as the header"] = 1
    skipped = 1 if header or not begins else 0
    bounds, fields = _fields(data, lines[skipped:])
    numbers_of_lines = np.arange(len(bounds), dtype=np.int64) + skipped + source.first
    blank = fields == 0
    if fewest < FEWEST:
        notes["blank lines are left out"] = int(blank.sum())
        bounds, fields, numbers_of_lines = (
            each[~blank] for each in (bounds, fields, numbers_of_lines)
        )
    problems = Problems()
    for row in np.flatnonzero(fields < fewest).tolist():
        got = f"{fields[row]} fields, expected at least {fewest}" if fields[row] else "a blank line"
        problems.add(f"{source.name}:{numbers_of_lines[row]}: {got}{remark}")
    problems.raise_if_any()
    notes[f"rows with fewer than {FEWEST} fields"] = int((fields < FEWEST).sum())
    notes[f"rows with more than {MOST} fields: a ; in a text moves all that follows"] = int(
        (fields > MOST).sum()
    )
    index = [data[start:stop].decode() for start, stop in bounds[:, 0].tolist()]
    text, cause, effect = (_stripped(data, *bounds[:, k].T.copy()) for k in range(1, FEWEST))
    return SectionRows(source.name, strings(index), text, cause, effect, numbers_of_lines, +notes)


def _lines(data: bytes) -> Int64:
    """Return start and end of each line; a line feed at the end begins no line: int64[n, 2]."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    if len(data) and data[-1:] != b"\n":
        ends = np.append(ends, len(data))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    return np.column_stack([starts, ends]).astype(np.int64)


def _fields(data: bytes, lines: Int64) -> tuple[Int64, Int64]:
    """Return the places of the first four fields, and the number of fields, 0 in a blank line."""
    starts, ends = lines.T
    separators = np.append(np.flatnonzero(np.frombuffer(data, np.uint8) == ord(";")), len(data))
    first = np.searchsorted(separators, starts)
    fields = np.searchsorted(separators, ends) - first + 1
    bounds = np.empty((len(lines), FEWEST, 2), np.int64)
    start = starts
    for k in range(FEWEST):
        stop = np.minimum(separators[np.minimum(first + k, len(separators) - 1)], ends)
        bounds[:, k, 0], bounds[:, k, 1] = start, stop
        start = np.minimum(stop + 1, ends)
    return bounds, np.where(starts == ends, 0, fields)


def _stripped(data: bytes, starts: Int64, stops: Int64) -> TextSlices:
    """Leave out leading white space."""
    letters = np.frombuffer(data + b"\n", np.uint8)
    spaces = np.zeros(256, bool)
    spaces[list(SPACES)] = True
    at = np.flatnonzero(spaces[letters[starts]] & (starts < stops))
    while len(at):
        starts[at] += 1
        at = at[spaces[letters[starts[at]]] & (starts[at] < stops[at])]
    for row in np.flatnonzero((letters[starts] >= 0x80) & (starts < stops)).tolist():
        rest = data[starts[row] : stops[row]].decode().lstrip()
        starts[row] = stops[row] - len(rest.encode())
    return TextSlices(data, starts, stops)


def read(
    source: str | os.PathLike[str] | Source,
    like: Relations | None = None,
    occurrence: Occurrence = "gap",
) -> Relations:
    r"""Read the files of FinCausal's task 2, 2020 to 2023.

    Parameters
    ----------
    source : path
        ``Index; Text; Cause; Effect``, then perhaps ``Offset_Sentence2``, ``Offset_Sentence3``,
        start and end of the cause and of the effect in characters, and the marked sentence. A
        ``"`` is a letter. Rows of one text whose indices differ in their third part alone are one
        example.
    like, occurrence
        As in `fastcausal.formats.spans.located`.

    Returns
    -------
    Relations
        With the column ``document``, the first part of the index. Spans are found by their
        characters, if these hold their text, else by their text.

    Raises
    ------
    InputError
        A row has other than 2 or 4 to 11 fields.

    Examples
    --------
    >>> rows = b"Index; Text; Cause; Effect\n1.0; Rain caused floods; Rain; floods\n"
    >>> read(Source("x.csv", rows)).to_examples()[0]["relations"]
    [{'cause': [(0, 1)], 'effect': [(2, 3)]}]
    """
    source = Source.open(source)
    rows = read_rows(source, fewest=2, header=False)
    cells = _cells_of(source, rows)
    section, names = rows.sections(by_text=True)
    examples: list[dict[str, Any]] = []
    lines: list[int] = []
    assert rows.lines is not None
    columns = [column.texts() for column in (rows.text, rows.cause, rows.effect)]
    for k, text, cause, effect, of_row, line in zip(
        section.tolist(), *columns, cells, rows.lines.tolist(), strict=True
    ):
        if k == len(examples):
            document = names[k].partition(".")[0]
            examples.append({"id": names[k], "text": text, "relations": [], "document": document})
            lines.append(line)
        if cause or effect:
            spans = (_span(text, cause, of_row[6:8]), _span(text, effect, of_row[8:10]))
            examples[k]["relations"].append(dict(zip(("cause", "effect"), spans, strict=True)))
    places = [f"{rows.name}:{line}" for line in lines]
    return located(rows.name, examples, like, occurrence, places, lines, names)


def _cells_of(source: Source, rows: SectionRows) -> list[list[str]]:
    """Return all fields of each row; refuse other than 2 or 4 to 11 of them."""
    lines = re.split("\r\n|\r|\n", source.text)
    assert rows.lines is not None
    cells = [lines[line - source.first].split(";") for line in rows.lines.tolist()]
    problems = Problems()
    for k, fields in enumerate(cells):
        if len(fields) != 2 and not FEWEST <= len(fields) <= MOST:
            problems.add(f"{rows.where(k)}: {len(fields)} fields, expected 2 or {FEWEST} to {MOST}")
    problems.raise_if_any()
    return cells


def _span(text: str, span: str, offsets: Sequence[str]) -> str | dict[str, int]:
    """Return the characters of a span if they hold it, else the span."""
    try:
        start, stop = (int(float(offset)) for offset in offsets)
    except (ValueError, OverflowError):
        return span
    return {"start": start, "stop": stop} if span and text[start:stop] == span else span


def _is_fincausal(source: Source) -> bool:
    """Return True by the header."""
    if source.is_json:
        return False
    header = source.data[:1000].partition(b"\n")[0].decode(errors="replace")
    names = [name.strip().lower() for name in header.split(";")]
    return names in HEADERS or names[:FEWEST] == HEADERS[1]


FORMAT = Format(
    "fincausal",
    read,
    suffixes=(".csv",),
    takes=("like", "occurrence"),
    sniff=_is_fincausal,
)
