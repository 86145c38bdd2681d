"""Tables of named rows, written for terminals, Markdown, LaTeX, CSV and HTML.

A terminal never cuts numbers or names. Text from data is never markup.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from fastcausal.report.escapes import (
    Cell,
    cell_text,
    csv_value,
    html_text,
    latex_text,
    line_text,
    markdown_text,
)

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

Texts = tuple[str, ...]

WIDTH = 80  # of a table as text
GAP = 2  # between two columns
LONG_HEADER = 24  # headers of this length are broken into lines
SHORT_NAME = 16  # smallest width to which names of rows are broken, or half of the table
UNDEFINED = "undefined"


class Bounded(float):
    """A number with bounds, NaN if unknown.

    Examples
    --------
    >>> nan = float("nan")
    >>> number_text(Bounded(0.5, 0.25, 0.75)), number_text(Bounded(1.0, nan, nan))
    ('0.5000 [0.2500, 0.7500]', '1.0000 [undefined]')
    """

    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Self:
        """Make a number with its bounds."""
        number = super().__new__(cls, value)
        number.low, number.high = low, high
        return number

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]
        return float(self), self.low, self.high


def number_text(value: Cell, digits: int = 4, sign: str = "") -> str:
    """Format a number for tables; NaN and None are undefined.

    The sign ``"+"`` shows the sign of positive numbers too.

    Examples
    --------
    >>> number_text(2 / 3), number_text(7), number_text(float("nan"))
    ('0.6667', '7', 'undefined')
    """
    if value is None or value != value:
        return UNDEFINED
    if isinstance(value, Bounded):
        low, high = (number_text(bound, digits, sign) for bound in (value.low, value.high))
        bounds = low if low == high == UNDEFINED else f"{low}, {high}"
        return f"{number_text(float(value), digits, sign)} [{bounds}]"
    return f"{value:{sign}.{digits}f}" if isinstance(value, float) else str(value)


class Grid:
    """Named rows in parts, of numbers or of text.

    On a narrow terminal, columns of numbers continue in a block below; text is broken within its
    columns.

    Parameters
    ----------
    title : str
        The line above the table; empty for none.
    columns : sequence of str
        Headers of the cells.
    corner : str
        Header of the names of rows.
    digits : int
        Decimals of the numbers; CSV has all digits.
    signed : sequence of str
        Columns that show the sign of positive numbers, except in CSV.
    text : bool
        True if cells are text.
    parts : mapping of str to mapping, optional
        Rows by name of their part and of the row; the part ``""`` has no line above it.

    Examples
    --------
    >>> grid = Grid("ants", ["legs", "weight"])
    >>> grid.add("worker", 6, 0.00531)
    >>> grid.part("of the nest")
    >>> grid.add("queen", 6, None)
    >>> print(grid)
    ants
            legs     weight
    ───────────────────────
    worker     6     0.0053
    of the nest
    queen      6  undefined
    >>> print(grid.to_csv(), end="")
    part,name,legs,weight
    ,worker,6,0.00531
    of the nest,queen,6,
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[str],
        corner: str = "",
        *,
        digits: int = 4,
        signed: Sequence[str] = (),
        text: bool = False,
        parts: Mapping[str, Mapping[str, Sequence[Cell]]] | None = None,
    ) -> None:
        self.title = title
        self.header: Texts = (corner, *columns)
        self.digits = digits
        self.signs: list[str] = ["+" if name in signed else "" for name in columns]
        self.text = text
        self.parts: list[tuple[str, list[tuple[str, tuple[Cell, ...]]]]] = [("", [])]
        for part, rows in (parts or {}).items():
            if part:
                self.part(part)
            for name, cells in rows.items():
                self.add(name, *cells)

    def part(self, name: str) -> None:
        """Begin a part; its name is a line above its rows."""
        self.parts.append((name, []))

    def add(self, name: str, *cells: Cell) -> None:
        """Add a row; missing cells are empty."""
        empty = ("",) * (len(self.header) - 1 - len(cells))
        self.parts[-1][1].append((name, (*cells, *empty)))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text  # names from data are not markup

        parts = [(part, rows) for part, rows in self._lines() if rows]
        if self.title:
            yield Text(cell_text(self.title) + "\n" * bool(parts))
        for widths in [None] if self.text else self._blocks(options.max_width):
            header = any(self.header)
            for k, (part, rows) in enumerate(parts):
                if part:
                    if header and not k:
                        yield self._table(widths, [], show_header=True)
                    yield Text(f"\n{part}" if k or header else part)
                yield self._table(widths, rows, show_header=header and not k and not part)
            if parts:
                yield Text()  # rich would search an empty str for markup

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=WIDTH, color_system=None, force_terminal=False)
        with console.capture() as capture:
            console.print(self)
        return "\n".join(filter(None, map(str.rstrip, capture.get().splitlines())))

    def to_markdown(self) -> str:
        """Write a table of GitHub's Markdown, below its title."""
        lines = [*([markdown_text(self.title), ""] if self.title else [])]
        lines.append(_markdown_row(self.header))
        lines.append(
            _markdown_row((":--", *(("--:", ":--")[self.text],) * len(self.header[1:])), str)
        )
        for part, rows in self._texts():
            if part:
                lines.append(
                    _markdown_row((f"**{markdown_text(part).strip()}**", *self._empty()), str)
                )
            lines += [_markdown_row(row) for row in rows]
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the package booktabs; the title is a comment."""
        lines = [f"% {line_text(self.title)}"] if self.title else []
        kinds = "l" * len(self.header) if self.text else "l" + "r" * len(self.header[1:])
        lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        if any(self.header):
            lines += [_latex_row(self.header), r"\midrule"]
        for k, (part, rows) in enumerate(self._texts()):
            if part:
                lines += [r"\midrule"] if k > 1 or self.parts[0][1] else []
                lines.append(
                    rf"\multicolumn{{{len(self.header)}}}{{l}}{{\textit{{{latex_text(part)}}}}} \\"
                )
            lines += map(_latex_row, rows)
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def to_csv(self) -> str:
        """Write rows of values with all digits; undefined values are empty.

        With several parts, a column names the part; bounds have their own columns. Text that a
        spreadsheet would read as a formula starts with an apostrophe.
        """
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        parts = len(self.parts) > 1
        bounded = {
            k
            for _, rows in self.parts
            for _, cells in rows
            for k, cell in enumerate(cells)
            if isinstance(cell, Bounded)
        }
        columns = _spread(self.header[1:], bounded, lambda name: (f"{name}_low", f"{name}_high"))
        writer.writerow(map(csv_value, [*["part"] * parts, self.header[0] or "name", *columns]))
        for part, rows in self.parts:
            for name, cells in rows:
                row = [*[part] * parts, name.strip(), *_spread(cells, bounded, _bounds)]
                writer.writerow(map(csv_value, row))
        return written.getvalue()

    def to_html(self) -> str:
        """Write an HTML table with the title as its caption."""
        caption = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        head = "".join(f"<th>{html_text(name)}</th>" for name in self.header)
        body = ""
        for part, rows in self._texts():
            if part:
                body += f'<tr><th colspan="{len(self.header)}">{html_text(part)}</th></tr>'
            for name, *cells in rows:
                texts = "".join(f"<td>{html_text(cell)}</td>" for cell in cells)
                body += f"<tr><th>{html_text(name)}</th>{texts}</tr>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _texts(self) -> Iterator[tuple[str, list[Texts]]]:
        """Yield the names of parts, with their rows as text."""
        for part, rows in self.parts:
            yield part, [(name, *map(self._text, cells, self.signs)) for name, cells in rows]

    def _lines(self) -> Iterator[tuple[str, list[Texts]]]:
        """Yield the same for a terminal, each name and cell on one line."""
        for part, rows in self._texts():
            yield cell_text(part), [tuple(map(cell_text, row)) for row in rows]

    def _text(self, cell: Cell, sign: str) -> str:
        return number_text(cell, self.digits, sign)

    def _empty(self) -> Texts:
        return ("",) * len(self.header[1:])

    def _table(
        self, widths: dict[int, int] | None, rows: Sequence[Texts], show_header: bool
    ) -> RenderableType:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),  # the box adds the rest of the gap
            show_header=show_header,
        )
        shown = range(len(self.header)) if widths is None else list(widths)
        for k in shown:
            table.add_column(
                Text(cell_text(self.header[k])),
                width=None if widths is None else widths[k],
                justify="right" if k and widths is not None else "left",
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(Text(row[k]) for k in shown))
        return table

    def _blocks(self, width: int) -> Iterator[dict[int, int]]:
        """Yield the columns of each block with their widths; names of rows start every block."""
        names, *numbers = self._widths()
        least = min(names, max(SHORT_NAME, width // 2))
        blocks: list[dict[int, int]] = [{}]
        left = width - least
        for k, needed in enumerate(numbers, 1):
            if blocks[-1] and needed + GAP > left:
                blocks.append({})
                left = width - least
            blocks[-1][k] = needed
            left -= needed + GAP
        for block in blocks:
            room = width - sum(block.values()) - GAP * len(block)
            yield {0: max(least, min(names, room)), **block}

    def _widths(self) -> list[int]:
        """Return the width of each column that breaks no number."""
        from rich.cells import cell_len

        rows = [row for _, part in self._lines() for row in part]
        return [
            max(min(cell_len(header), LONG_HEADER), *(cell_len(row[k]) for row in rows), 1)
            for k, header in enumerate(map(cell_text, self.header))
        ]


def to_text(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables for a terminal of 80 columns, and the notes below them."""
    return "\n".join([*map(str, grids), *notes])


def to_markdown(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables, and every note as a paragraph."""
    parts = [grid.to_markdown() for grid in grids]
    return "\n".join([*parts, *(f"{markdown_text(note)}\n" for note in notes)])


def to_latex(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables, and every note as a comment."""
    return "\n".join(grid.to_latex() for grid in grids) + "".join(
        f"% {line_text(note)}\n" for note in notes
    )


def to_csv(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write the tables alone, an empty line between two of them."""
    return "\n".join(grid.to_csv() for grid in grids)


def to_html(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables, and every note as a paragraph."""
    return "".join(
        [*(grid.to_html() for grid in grids), *(f"<p>{html_text(n)}</p>" for n in notes)]
    )


RENDERERS: dict[str, Callable[[Iterable[Grid], Sequence[str]], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
}


def _spread(
    cells: Iterable[Cell], bounded: set[int], bounds: Callable[[Cell], Sequence[Cell]]
) -> Iterator[Cell]:
    """Return cells of CSV; bounded columns are followed by their bounds."""
    for k, cell in enumerate(cells):
        yield cell
        if k in bounded:
            yield from bounds(cell)


def _bounds(cell: Cell) -> tuple[Cell, Cell]:
    return (cell.low, cell.high) if isinstance(cell, Bounded) else ("", "")


def _markdown_row(cells: Iterable[str], written: Callable[[str], str] = markdown_text) -> str:
    return f"| {' | '.join(map(written, cells))} |"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"
