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
from fastcausal.arrays.arrow import is_utf8, numbers, strings, strings_between, texts_of
from fastcausal.arrays.distinct import number_texts
from fastcausal.errors import Problems
from fastcausal.files.files import Source
from fastcausal.formats._native import split_rows
from fastcausal.formats.reading.format import Format
from fastcausal.formats.spans import located
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence
from fastcausal.relations import Relations

Int64 = npt.NDArray[np.int64]
MIN_FIELDS, MAX_FIELDS = 4, 11  # fields of a row
HEADERS = (["index", "text"], ["index", "text", "cause", "effect"])
ROW = re.compile(r"[\d.]+")  # an index; a header has none


class TextSlices(NamedTuple):
    """Texts of a column as places in bytes."""

    data: bytes  # UTF-8
    # int64[n]
    starts: Int64
    stops: Int64

    @classmethod
    def join(cls, texts: Sequence[str]) -> TextSlices:
        """Join texts."""
        encoded = [text.encode() for text in texts]
        stops = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return cls(b"".join(encoded), np.concatenate([[0], stops[:-1]]).astype(np.int64), stops)

    def texts(self) -> list[str]:
        """Return the texts themselves."""
        places = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
        return [self.data[start:stop].decode() for start, stop in places]

    def strings(self) -> pa.Array:
        """Copy the texts; their places are in increasing order."""
        return strings_between(self.data, self.starts, self.stops)

    def take(self, rows: Int64) -> TextSlices:
        """Keep the texts of these rows, in this order."""
        return TextSlices(self.data, self.starts[rows], self.stops[rows])


@dataclass(frozen=True)
class SectionRows:
    """Rows of texts with a cause and an effect each."""

    name: str  # The source, for messages
    # string; of three parts, ``0001.00026.1``, for one of several relations of a section
    index: pa.Array
    text: TextSlices
    cause: TextSlices
    effect: TextSlices
    lines: Int64 | None = None  # int64[n] or None: The line of each row
    # Unusual properties of lines, with their frequency
    notes: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.index)

    def locate(self, row: int) -> str:
        """Return the place of a row for messages."""
        place = f"row {row}" if self.lines is None else str(self.lines[row])
        join = ": " if self.lines is None else ":"
        return f'{self.name}{join}{place}: index "{self.index[row].as_py()}"'

    def take(self, rows: Int64) -> SectionRows:
        """Keep these rows, in this order."""
        columns = {name: getattr(self, name).take(rows) for name in ("text", "cause", "effect")}
        lines = None if self.lines is None else self.lines[rows]
        return replace(self, index=self.index.take(numbers(rows)), lines=lines, **columns)

    def sections(
        self,
        by_text: bool = False,  # True makes rows with another text a section of their own
    ) -> tuple[Int64, pa.Array]:
        """Group the rows by section."""
        # Returns section, int64[n]: the section of each row; sections are in the order of their
        # first rows; names, pyarrow.Array: the index without the number of the relation; a name
        # that came before gets ``#2``.
        dots = np.asarray(pc.count_substring(self.index, "."))
        several = np.flatnonzero(dots == 2)  # one of several relations
        roots = pc.replace_substring_regex(self.index.take(numbers(several)), r"\.[^.]*$", "")
        keys = roots
        if by_text:
            texts = strings(self.text.take(several).texts())
            keys = pc.binary_join_element_wise(roots, texts, "\n")
        (group,), _ = number_texts([keys])
        rows = np.arange(len(self))
        first = rows.copy()  # the first row of each row's section
        first[several] = several[np.unique(group, return_index=True)[1]][group]
        begins = first == rows
        section: Int64 = (np.cumsum(begins) - 1)[first]
        rows[several] = len(self) + np.arange(len(several))
        names = pa.concat_arrays([self.index, roots]).take(numbers(rows[begins]))
        return section, _different(names)


def documents_of(names: pa.Array) -> pa.Array:
    """Return the first part of each name.

    >>> documents_of(strings(["0001.00026.1", "0001.00027#2", "7"])).to_pylist()
    ['0001', '0001', '7']
    """
    data, places = texts_of(names)
    letters = np.frombuffer(data, np.uint8)
    ends = np.append(np.flatnonzero((letters == ord(".")) | (letters == ord("#"))), len(letters))
    starts, stops = places[:-1], places[1:]
    return strings_between(data, starts, np.minimum(ends[np.searchsorted(ends, starts)], stops))


def _different(names: pa.Array) -> pa.Array:
    """Number names that occur again."""
    if len(number_texts([names])[1]) == len(names):
        return names
    listed = names.to_pylist()
    taken = set(listed)
    times: Counter[str] = Counter()
    different = []
    for name in listed:
        times[name] += 1
        other = name
        while times[name] > 1 and (other := f"{name}#{times[name]}") in taken:
            times[name] += 1
        taken.add(other)
        different.append(other)
    return strings(different)


def read_rows(
    source: Source,
    # With fewer fields a row is an error, and if `MIN_FIELDS` a blank line. Missing fields are
    # empty.
    fewest: int = MIN_FIELDS,
    # True: the first line is a header. False: it is one unless it begins with an index.
    header: bool = True,
    remark: str = "",  # Ends the message about a row with too few fields
) -> SectionRows:
    """Read rows; leading white space of texts, causes and effects is dropped."""
    if not is_utf8(source.data):
        _ = source.text  # raises the error that names the byte
    data = source.data
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    first = data.partition(b"\n")[0].decode()
    begins = bool(ROW.fullmatch(first.partition(";")[0].strip()))
    notes: Counter[str] = Counter()
    if begins and header:
        notes["first line begins with an index, but is dropped as the header"] = 1
    skipped = 1 if header or not begins else 0
    places, fields = _split(data, skipped)
    numbers_of_lines = np.arange(len(fields), dtype=np.int64) + skipped + source.first
    blank = fields == 0
    if fewest < MIN_FIELDS:
        notes["blank lines are left out"] = int(blank.sum())
        kept = np.flatnonzero(~blank)
        places, fields, numbers_of_lines = (
            np.take(each, kept, axis=-1) for each in (places, fields, numbers_of_lines)
        )
    problems = Problems()
    for row in np.flatnonzero(fields < fewest).tolist():
        got = f"{fields[row]} fields, expected at least {fewest}" if fields[row] else "a blank line"
        problems.add(f"{source.name}:{numbers_of_lines[row]}: {got}{remark}")
    problems.raise_if_any()
    notes[f"rows with fewer than {MIN_FIELDS} fields"] = int((fields < MIN_FIELDS).sum())
    notes[f"rows with more than {MAX_FIELDS} fields: a ; in a text moves all that follows"] = int(
        (fields > MAX_FIELDS).sum()
    )
    index, text, cause, effect = (TextSlices(data, *places[:, k]) for k in range(MIN_FIELDS))
    return SectionRows(source.name, index.strings(), text, cause, effect, numbers_of_lines, +notes)


def _split(data: bytes, skipped: int) -> tuple[Int64, Int64]:
    """Return starts and stops of the first four fields of lines, and the numbers of all fields."""
    # The places are int64[2, 4, n]; a line feed at the end begins no line, a blank one has no
    # fields.
    n = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    places, fields = np.empty((2, MIN_FIELDS, n), np.int64), np.empty(n, np.int64)
    split_rows(data, places[0], places[1], fields)
    return places[..., skipped:], fields[skipped:]


def read(
    # ``Index; Text; Cause; Effect``, then perhaps ``Offset_Sentence2``, ``Offset_Sentence3``, start
    # and end of the cause and of the effect in characters, and the marked sentence. A ``"`` is a
    # letter. Rows of one text whose indices differ in their third part alone are one example.
    source: str | os.PathLike[str] | Source,
    like: Relations | None = None,  # As in `fastcausal.formats.spans.located`
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
) -> Relations:
    r"""Read the files of FinCausal's task 2, 2020 to 2023.

    >>> rows = b"Index; Text; Cause; Effect\n1.0; Rain caused floods; Rain; floods\n"
    >>> read(Source("x.csv", rows)).to_examples()[0]["relations"]
    [{'cause': [(0, 1)], 'effect': [(2, 3)]}]
    """
    # The table has the column ``document``, the first part of the index. Spans are found
    # by their characters, if these hold their text, else by their text.
    source = Source.open(source)
    rows = read_rows(source, fewest=2, header=False)
    cells = _cells_of(source, rows)
    section, ids = rows.sections(by_text=True)
    names = ids.to_pylist()
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
    return located(rows.name, examples, like, occurrence, places, lines, names, marking)


def _cells_of(source: Source, rows: SectionRows) -> list[list[str]]:
    """Return all fields of each row; refuse other than 2 or 4 to 11 of them."""
    lines = re.split("\r\n|\r|\n", source.text)
    assert rows.lines is not None
    cells = [lines[line - source.first].split(";") for line in rows.lines.tolist()]
    problems = Problems()
    for k, fields in enumerate(cells):
        if len(fields) != 2 and not MIN_FIELDS <= len(fields) <= MAX_FIELDS:
            expected = f"expected 2 or {MIN_FIELDS} to {MAX_FIELDS}"
            problems.add(f"{rows.locate(k)}: {len(fields)} fields, {expected}")
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
    """Return True if the header is FinCausal's."""
    if source.is_json:
        return False
    header = source.data[:1000].partition(b"\n")[0].decode(errors="replace")
    names = [name.strip().lower() for name in header.split(";")]
    return names in HEADERS or names[:MIN_FIELDS] == HEADERS[1]


FORMAT = Format(
    "fincausal",
    read,
    suffixes=(".csv",),
    takes=("like", "occurrence", "words"),
    sniff=_is_fincausal,
)
