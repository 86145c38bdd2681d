"""Tables of a page: bars, intervals and links in the cells of a grid, drawn as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from fastcausal.report.escapes import Cell, html_text
from fastcausal.report.grid import Grid, fall_of, is_loss
from fastcausal.report.numbers import Bounded, number_text

Links = Mapping[tuple[str, str, str], str]
NO_LINKS: Links = MappingProxyType({})
COLOURS = 7  # of the parts of a stacked bar
LEAST = 0.25  # share of an axis for the lines of scores: an axis that leaves them less omits zero
STEPS = 4  # of an axis, at most
NARROWEST = 1e-4  # width of an axis, as a share of its largest number: six digits tell its ticks
LEAST_WIDTH = 1e-300  # of an axis that floats can divide
EQUAL = 1e-9


class Drawn(NamedTuple):
    """A table with pictures in its cells."""

    grid: Grid
    shares: Sequence[str] = ()  # Columns with a bar from 0 to 1, and a line between the bounds
    counts: Sequence[str] = ()  # Columns with a bar up to the largest of their counts
    # Columns with a dot and a line between the bounds, on an axis in the header; that of signed
    # ones, which are differences, always has zero
    intervals: Sequence[str] = ()
    # Columns of counts shown as one stacked bar, in an additional column
    stacked: Sequence[str] = ()
    heat: bool = False  # True to tint each count by its share of the row
    links: Links = NO_LINKS  # Addresses by part, row and column; the corner is that of names
    marks: Mapping[str, str] = {}  # Words after the names of rows
    words: Mapping[str, str] = {}  # Headers in words; the name of the column becomes a tooltip

    @classmethod
    def wrap(cls, table: Grid | Drawn) -> Drawn:
        """Return a grid as a table without pictures."""
        return table if isinstance(table, Drawn) else cls(table)

    def to_html(self) -> str:
        """Write the table; text from data is escaped."""
        grid, columns = self.grid, self.grid.header[1:]
        caption = f"<caption>{html_text(grid.title)}</caption>" if grid.title else ""
        scales = [self._scale(k) for k in range(len(columns))]
        head = self._head(grid.header[0]) + "".join(map(self._head, columns, scales))
        head += '<th scope="col">total</th>' if self.stacked else ""
        head += '<th scope="col">waterfall</th>' if grid.falling else ""
        sums = [sum(self._parts_of(cells)) for _, rows in grid.parts for _, cells in rows]
        most = max(sums, default=0)
        body = ""
        for part, rows in grid.parts:
            if part:
                width = len(grid.header) + bool(self.stacked) + bool(grid.falling)
                body += f'<tr><th colspan="{width}" scope="rowgroup">{html_text(part)}</th></tr>'
            falls = self._falls(rows)
            for name, cells in rows:
                shown = self._name(part, name) + "".join(
                    self._cell((part, name, column), cell, cells, scale, sign)
                    for column, cell, scale, sign in zip(
                        columns, cells, scales, grid.signs, strict=True
                    )
                )
                if self.stacked:
                    parts = self._parts_of(cells)
                    shown += (
                        f'<td class="wide-bar">{_stack(parts, most)}<span>{sum(parts)}</span></td>'
                    )
                shown += next(falls, "")
                body += f"<tr>{shown}</tr>"
        kind = ' class="words"' if grid.text else ""
        return f"<table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _head(self, name: str, scale: tuple[float, float] | None = None) -> str:
        """Write the header of a column, with its axis or the colour of its part of the bars."""
        if scale is not None and name in self.intervals:
            text = html_text(self.words.get(name, name))
            return f'<th scope="col" class="interval">{_axis(*scale)}<span>{text}</span></th>'
        key = ""
        if name in self.stacked:
            colour = self.stacked.index(name) % COLOURS
            key = f'<svg class="key" aria-hidden="true"><rect class="k{colour}"/></svg>'
        if name in self.words:
            title = f' title="{html_text(name)}"'
            return f'<th scope="col"{title}>{key}{html_text(self.words[name])}</th>'
        return f'<th scope="col">{key}{html_text(name)}</th>'

    def _name(self, part: str, name: str) -> str:
        mark = self.marks.get(name)
        tag = f' <span class="tag">{html_text(mark)}</span>' if mark else ""
        text = self._link((part, name, self.grid.header[0]), html_text(name))
        return f'<th scope="row">{text}{tag}</th>'

    def _link(self, place: tuple[str, str, str], text: str) -> str:
        """Make a link of a text if its place has an address."""
        address = self.links.get(place)
        return text if address is None else f'<a href="{html_text(address)}">{text}</a>'

    def _cell(
        self,
        place: tuple[str, str, str],
        cell: Cell,
        cells: Sequence[Cell],
        scale: tuple[float, float],
        sign: str,
    ) -> str:
        text = html_text(number_text(cell, self.grid.digits, sign))
        number, bracket, rest = text.partition(" [")
        text = f"{number}<small>{bracket}{rest}</small>" if bracket else number
        text = self._link(place, text) if cell else text
        picture, kind = "", ""
        if isinstance(cell, int | float) and cell == cell:
            if place[2] in (*self.shares, *self.counts):
                picture = _bar(cell, *scale)
            elif place[2] in self.intervals:
                return f'<td class="interval">{_interval(cell, *scale)}<span>{text}</span></td>'
            elif self.heat:
                total = sum(each for each in cells if isinstance(each, int))
                picture, kind = _tint(cell / total if total else 0.0), ' class="heat"'
        return f"<td{kind}>{text}{picture}</td>"

    def _scale(self, column: int) -> tuple[float, float]:
        """Return both ends of the scale of a column."""
        name = self.grid.header[1 + column]
        cells = [cells[column] for _, rows in self.grid.parts for _, cells in rows]
        values = [float(cell) for cell in cells
                  if isinstance(cell, int | float) and math.isfinite(cell)]  # fmt: skip
        if name in self.intervals:
            ends = [end for cell in cells if isinstance(cell, Bounded)
                    for end in (cell.low, cell.high) if math.isfinite(end)]  # fmt: skip
            low, high = min([*values, *ends], default=0.0), max([*values, *ends], default=1.0)
            most = max(abs(low), abs(high))
            if self.grid.signs[column] or high - low >= LEAST * most:
                low, high = min(low, 0.0), max(high, 0.0)
            high = max(high, low + NARROWEST * most)
            return _round_out(low, high) if LEAST_WIDTH < high - low < math.inf else (0.0, 1.0)
        if name in self.counts:
            return 0.0, max(values, default=1.0) or 1.0
        return 0.0, 1.0

    def _falls(self, rows: Sequence[tuple[str, Sequence[Cell]]]) -> Iterator[str]:
        """Draw the bars of a waterfall, if there is one."""
        if self.grid.falling:
            column = self.grid.header[1:].index(self.grid.falling)
            counts = [cells[column] for _, cells in rows]
            fall = fall_of(counts)
            most = max((end for _, end in fall), default=0) or 1
            for (start, end), cell in zip(fall, counts, strict=True):
                place = f'x="{percent(start, 0, most)}" width="{percent(end - start, 0, most)}"'
                bar = f'<rect class="k{int(is_loss(cell))}" {place} height="100%"/>'
                yield f'<td class="wide-bar"><svg class="stack" aria-hidden="true">{bar}</svg></td>'

    def _parts_of(self, cells: Sequence[Cell]) -> list[int]:
        places = [self.grid.header[1:].index(name) for name in self.stacked]
        return [cells[k] for k in places if isinstance(cells[k], int)]  # type: ignore[misc]


def percent(value: float, low: float = 0.0, high: float = 1.0) -> str:
    """Return a place on a scale in percent, as SVG writes it, limited to the picture.

    >>> percent(0.5), percent(3, 0, 2)
    ('50%', '100%')
    """
    share = (value - low) / (high - low)
    return f"{100 * min(max(share, 0.0), 1.0):.4g}%"


def _bar(value: float, low: float = 0.0, high: float = 1.0) -> str:
    return f'<svg class="bar" aria-hidden="true">{bar_shapes(value, low, high)}</svg>'


def bar_shapes(value: float, low: float = 0.0, high: float = 1.0) -> str:
    """Return the shapes of a bar, and of the line between the bounds of its value."""
    if value != value:
        return ""
    bar = f'<rect width="{percent(value, low, high)}" height="100%"/>'
    return bar + _line(value, low, high)


def _step(width: float) -> float:
    """Return the distance of the ticks of an axis: 1, 2 or 5 times a power of ten.

    >>> _step(0.9), _step(7)
    (0.5, 2.0)
    """
    power = 10.0 ** math.floor(math.log10(width / STEPS))
    return next(k * power for k in (1, 2, 5, 10) if k * power * STEPS >= width * (1 - EQUAL))


def _round_out(low: float, high: float) -> tuple[float, float]:
    """Return the ticks around a range.

    >>> _round_out(0.0, 0.85), _round_out(-0.1, 0.28)
    ((0.0, 1.0), (-0.1, 0.30000000000000004))
    """
    step = _step(high - low)
    ends = math.floor(low / step + EQUAL) * step, math.ceil(high / step - EQUAL) * step
    return ends if math.isclose(_step(ends[1] - ends[0]), step) else _round_out(*ends)


def _ticks(low: float, high: float) -> list[float]:
    """Return the ticks of an axis.

    >>> _ticks(-2.0, 6.0)
    [-2.0, 0.0, 2.0, 4.0, 6.0]
    """
    step = _step(high - low)
    return [step * k for k in range(round(low / step), round(high / step) + 1)]


def _axis(low: float, high: float) -> str:
    """Draw the ticks of an axis with their numbers."""
    texts = "".join(f'<text x="{percent(tick, low, high)}" y="1em">{tick:.6g}</text>'
                    for tick in _ticks(low, high))  # fmt: skip
    return f'<svg class="axis" aria-hidden="true">{texts}</svg>'


def _interval(value: float, low: float, high: float) -> str:
    zero = "".join(
        f'<line class="{"tick" if tick else "zero"}" x1="{at}" x2="{at}" y1="0" y2="100%"/>'
        for tick in _ticks(low, high) for at in (percent(tick, low, high),)
    )  # fmt: skip
    dot = f'<circle cx="{percent(value, low, high)}" cy="50%" r="4"/>'
    return f'<svg aria-hidden="true">{zero}{_line(value, low, high)}{dot}</svg>'


def _line(value: float, low: float, high: float) -> str:
    """Draw the line between the bounds of a value, if it has any."""
    if not isinstance(value, Bounded) or math.isnan(value.low) or math.isnan(value.high):
        return ""
    ends = f'x1="{percent(value.low, low, high)}" x2="{percent(value.high, low, high)}"'
    return f'<line {ends} y1="50%" y2="50%"/>'


def _stack(parts: Sequence[int], most: int) -> str:
    shapes, at = "", 0
    for k, n in enumerate(parts):
        if n:
            place = f'x="{percent(at, 0, most)}" width="{percent(n, 0, most)}"'
            shapes += f'<rect class="k{k % COLOURS}" {place} height="100%"/>'
        at += n
    return f'<svg class="stack" aria-hidden="true">{shapes}</svg>'


def _tint(share: float) -> str:
    opacity = f'fill-opacity="{0.45 * share:.3g}"'
    return f'<svg aria-hidden="true"><rect width="100%" height="100%" {opacity}/></svg>'
