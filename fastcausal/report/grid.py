"""Tables of named rows, written for terminals, Markdown, LaTeX, CSV and HTML.

A terminal never cuts numbers or names. Text from data is never markup.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from fastcausal.report.escapes import (
    Cell,
    cell_rows,
    cell_text,
    csv_value,
    html_text,
    latex_text,
    line_text,
    markdown_paragraph,
    markdown_text,
)
from fastcausal.report.numbers import Bounded, Scale, number_columns, shares_in

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

Texts = tuple[str, ...]

WIDTH = 80  # of a table as text
GAP = 2  # between two columns
LONG_HEADER = 24  # headers of this length are broken into lines
SHORT_NAME = 16  # smallest width to which names of rows are broken, or half of the table
FALL = 24  # letters of the longest bar of a waterfall
BEST, TIED = "best", "tied"  # emphasis: the best value; values not significantly worse


class Grid:
    """Named rows in parts, of numbers or of text."""

    # On a narrow terminal, columns of numbers continue in a block below; text is broken within its
    # columns.
    # share_rows, share_parts: rows and parts whose cells in these columns are shares; None: all.

    def __init__(
        self,
        title: str,  # The line above the table; empty for none
        columns: Sequence[str],  # Headers of the cells
        corner: str = "",  # Header of the names of rows
        *,
        digits: int = 4,  # Decimals of the numbers; CSV has all digits
        signed: Sequence[str] = (),  # Columns that show the sign of positive numbers, except in CSV
        shares: Sequence[str] = (),  # Columns of shares, which `to_percent` turns into percent
        share_rows: Collection[str] | None = None,
        share_parts: Collection[str] | None = None,
        text: bool = False,  # True if cells are text
        falling: str = "",  # Column of counts drawn as a waterfall, see `fall_of`
        # Rows by name of their part and of the row; the part ``""`` has no line above it.
        parts: Mapping[str, Mapping[str, Sequence[Cell]]] | None = None,
    ) -> None:
        self.title = title
        self.header: Texts = (corner, *columns)
        self.digits: int = digits
        self.signs: list[str] = ["+" if name in signed else "" for name in columns]
        self.shares: Sequence[str] = shares
        self.share_rows: Collection[str] | None = share_rows
        self.share_parts: Collection[str] | None = share_parts
        self.scores: dict[tuple[str, str], str] = {}  # of part and row: the score in its cells
        self.percent: frozenset[str] | None = None  # scores shown so; None: nothing is
        self.emphasis: dict[tuple[str, str, str], str] = {}  # of part, row and column
        self.caption: str = ""  # of tables to paste
        self.text = text
        self.falling = falling
        self.parts: list[tuple[str, list[tuple[str, tuple[Cell, ...]]]]] = [("", [])]
        for part, rows in (parts or {}).items():
            if part:
                self.part(part)
            for name, cells in rows.items():
                self.add(name, *cells)

    def part(self, name: str) -> None:
        """Begin a part; its name is a line above its rows."""
        self.parts.append((name, []))

    def add(self, name: str, *cells: Cell, score: str = "") -> None:
        """Add a row; missing cells are empty. ``score`` names the score in all of its cells."""
        if score:
            self.scores[self.parts[-1][0], name] = score
        empty = ("",) * (len(self.header) - 1 - len(cells))
        self.parts[-1][1].append((name, (*cells, *empty)))

    def round(self, digits: int) -> bool:
        """Set the number of decimals; return False if no cell is a float."""
        self.digits = digits
        return any(isinstance(cell, float) for *_, cell in self._cells())

    def show_percent(self, scales: Mapping[str, Scale] = MappingProxyType({})) -> list[str]:
        """Show shares in percent, with two decimals fewer; return the names of all shown so.

        Shares are in the columns `shares`, in columns whose last word is a score of that kind, and
        in rows of such a score. Cells have the name of what makes them shares: row, part or column.
        """
        self.percent = frozenset(shares_in(scales))
        found = dict.fromkeys(
            self._name_of_share(part, row, column)
            for part, row, column, cell in self._cells()
            if isinstance(cell, float) and cell == cell and self._is_percent(part, row, column)
        )
        if found and self.caption:
            self.caption += f". In percent: {', '.join(found)}"
        return [*found]

    def emphasize_best(
        self,
        scale_of: Callable[[str, str], Scale | None],  # Takes a part and the last word of a column
    ) -> bool:
        """Emphasize the best value of each part and column, by the direction of its scale."""
        # Returns True if a value was emphasized: a part of one row has no best value.
        for k, column in enumerate(self.header[1:]):
            for part, rows in self.parts:
                scale = scale_of(part, _last_word(column)) if len(rows) > 1 else None
                if scale is None or not scale.sign:
                    continue
                values = {n: cell for n, cells in rows if isinstance(cell := cells[k], float)}
                best = max((scale.sign * v for v in values.values() if v == v), default=None)
                for name, value in values.items():
                    if scale.sign * value == best:
                        self.emphasis[part, name, column] = BEST
        return bool(self.emphasis)

    def _cells(self) -> Iterator[tuple[str, str, str, Cell]]:
        """Yield part, row, column and value of every cell."""
        for part, rows in self.parts:
            for name, cells in rows:
                for column, cell in zip(self.header[1:], cells, strict=True):
                    yield part, name, column, cell

    def _is_percent(self, part: str, row: str, column: str) -> bool:
        if self.percent is None:
            return False
        if (part, row) in self.scores:
            return self.scores[part, row] in self.percent
        if column in self.shares:
            in_rows = self.share_rows is None or row in self.share_rows
            return in_rows and (self.share_parts is None or part in self.share_parts)
        return _last_word(column) in self.percent

    def _name_of_share(self, part: str, row: str, column: str) -> str:
        if (part, row) in self.scores or (column in self.shares and self.share_rows is not None):
            return row.strip()
        if column in self.shares and self.share_parts is not None:
            return part or column
        return column or row

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text  # names from data are not markup

        for piece in self._pieces(options.max_width):
            yield Text(piece) if isinstance(piece, str) else _table(piece)

    def lines(self, width: int = WIDTH) -> list[str]:
        """Return the lines that rich prints outside a terminal of this width."""
        # Rich, which takes longer than a score, is only needed to break what is too wide.
        pieces = [*self._pieces(width)]
        texts = [_plain(piece, width) for piece in pieces]
        if all(text is not None for text in texts) and _is_unicode(sys.stdout):
            return [line.rstrip() for text in texts for line in text or ()]
        from rich.console import Console

        console = Console(width=width, color_system=None, force_terminal=False)
        with console.capture() as capture:
            console.print(self)
        return [line.rstrip() for line in capture.get().splitlines()]

    def __str__(self) -> str:
        return "\n".join(filter(None, self.lines()))

    def _pieces(self, width: int) -> Iterator[str | _Piece]:
        """Yield lines of text, and tables between them."""
        if self.falling:
            yield from self._draw_fall()._pieces(width)
            return
        header, *names = cell_rows([self.header, *([part] for part, _ in self.parts)])
        lines = [cell_rows(rows) for _, rows in self._texts()]
        parts = [(part, rows) for (part,), rows in zip(names, lines, strict=True) if rows]
        if self.title:
            yield cell_text(self.title) + "\n" * bool(parts)
        for widths in [None] if self.text else _blocks(_widths(header, parts), width):
            for k, (part, rows) in enumerate(parts):
                if part:
                    if any(header) and not k:
                        yield _Piece(widths, header, [], is_headed=True)
                    yield f"\n{part}" if k or any(header) else part
                yield _Piece(widths, header, rows, any(header) and not k and not part)
            if parts:
                yield ""

    def to_markdown(self) -> str:
        """Write a table of GitHub's Markdown, between its title and its caption."""
        if self.falling:
            return self._draw_fall().to_markdown()
        lines = [*([markdown_paragraph(self.title), ""] if self.title else [])]
        lines.append(_markdown_row(map(markdown_text, self.header)))
        lines.append(_markdown_row((":--", *(("--:", ":--")[self.text],) * len(self.header[1:]))))
        for part, rows in self._emphasized(markdown_text, "**{}**", "{}\u2020"):
            if part:
                lines.append(_markdown_row((f"**{markdown_text(part).strip()}**", *self._empty())))
            lines += map(_markdown_row, rows)
        lines += ["", markdown_paragraph(self.caption)] if self.caption else []
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        r"""Write a ``tabular`` with the rules of the package booktabs; the title is a comment.

        With a caption it is a ``table``, with the title in its caption.
        """
        lines = [f"% {line_text(self.title)}"] if self.title else []
        if self.caption:
            said = latex_text(f"{self.title}. {self.caption}." if self.title else self.caption)
            lines = [r"\begin{table}", r"\centering", rf"\caption{{{said}}}"]
        kinds = "l" * len(self.header) if self.text else "l" + "r" * len(self.header[1:])
        lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        if any(self.header):
            lines += [_latex_row(map(latex_text, self.header)), r"\midrule"]
        for k, (part, rows) in enumerate(
            self._emphasized(latex_text, r"\textbf{{{}}}", r"{}$^{{\dagger}}$")
        ):
            if part:
                lines += [r"\midrule"] if k > 1 or self.parts[0][1] else []
                lines.append(
                    rf"\multicolumn{{{len(self.header)}}}{{l}}{{\textit{{{latex_text(part)}}}}} \\"
                )
            lines += map(_latex_row, rows)
        lines += [r"\bottomrule", r"\end{tabular}", *([r"\end{table}"] if self.caption else [])]
        return "\n".join(lines) + "\n"

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

    def _draw_fall(self) -> Grid:
        """Return the table with its waterfall as a column of text."""
        drawn = copy(self)
        drawn.falling, drawn.header, drawn.signs = "", (*self.header, ""), [*self.signs, ""]
        column = self.header[1:].index(self.falling)
        drawn.parts = []
        for part, rows in self.parts:
            fall = fall_of(cells[column] for _, cells in rows)
            most = max((end for _, end in fall), default=0)
            drawn.parts.append(
                (
                    part,
                    [
                        (name, (*cells, _fall_bar(*ends, most, is_loss(cells[column]))))
                        for (name, cells), ends in zip(rows, fall, strict=True)
                    ],
                )
            )
        return drawn

    def _texts(self) -> Iterator[tuple[str, list[Texts]]]:
        """Yield the names of parts, with their rows as text."""
        for part, rows in self.parts:
            names = [name for name, _ in rows]
            shown = [
                ([self._is_percent(part, name, column) for name in names], sign)
                for column, sign in zip(self.header[1:], self.signs, strict=True)
            ]
            columns = zip(*(cells for _, cells in rows), strict=True) if rows else [[]] * len(shown)
            yield (
                part,
                [*zip(names, *number_columns(columns, shown, self.digits), strict=True)],
            )

    def _emphasized(
        self, written: Callable[[str], str], best: str, tied: str
    ) -> Iterator[tuple[str, list[Texts]]]:
        """Yield the parts as markup; ``best`` and ``tied`` are patterns of emphasized values."""
        patterns = {BEST: best, TIED: tied}
        for part, rows in self._texts():
            yield (
                part,
                [
                    tuple(
                        patterns.get(self.emphasis.get((part, row[0], column), ""), "{}").format(
                            written(text)
                        )
                        for column, text in zip(self.header, row, strict=True)
                    )
                    for row in rows
                ],
            )

    def _empty(self) -> Texts:
        return ("",) * len(self.header[1:])


def fall_of(cells: Iterable[Cell]) -> list[tuple[int, int]]:
    """Return the ends of the bars of a waterfall: a loss hangs from the end of the bar before it.

    >>> fall_of([72, -1, 71, -4, 0, -28, 39])
    [(0, 72), (71, 72), (0, 71), (67, 71), (67, 67), (39, 67), (0, 39)]
    """
    ends: list[tuple[int, int]] = []
    level = 0
    for cell in cells:
        n = cell if isinstance(cell, int) else 0
        ends.append((level + n, level) if n <= 0 else (0, n))
        level = ends[-1][n > 0]
    return ends


def is_loss(cell: Cell) -> bool:
    """Return True for a count below 0."""
    return isinstance(cell, int) and cell < 0


def _fall_bar(start: int, end: int, most: int, loss: bool) -> str:
    """Draw a bar from start to end; a loss of anything has a letter."""
    if start == end:
        return "." * FALL
    a = min(round(FALL * start / most), FALL - 1)
    b = max(round(FALL * end / most), a + 1)
    return ("." * a + "=-"[loss] * (b - a)).ljust(FALL, ".")


class _Piece(NamedTuple):
    """Rows of a table, which share the widths of their columns."""

    widths: dict[int, int] | None  # of the columns of a block; None: all, of text
    header: Texts
    rows: Sequence[Texts]
    is_headed: bool

    @property
    def shown(self) -> list[int]:
        """The columns of the block."""
        return [*(range(len(self.header)) if self.widths is None else self.widths)]


def _table(piece: _Piece) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),  # the box adds the rest of the gap
        show_header=piece.is_headed,
    )
    for k in piece.shown:
        table.add_column(
            Text(piece.header[k]),
            width=None if piece.widths is None else piece.widths[k],
            justify="right" if k and piece.widths is not None else "left",
            overflow="fold",
        )
    for row in piece.rows:
        table.add_row(*(Text(row[k]) for k in piece.shown))
    return table


def _plain(piece: str | _Piece, width: int) -> list[str] | None:
    """Return the lines of a piece; None if one must be broken."""
    if isinstance(piece, str):
        lines = piece.split("\n")
        return lines if all(_width(line) <= width for line in lines) else None
    rows = [piece.header, *piece.rows] if piece.is_headed else piece.rows
    needed = {k: max(_width(row[k]) for row in rows) for k in piece.shown}
    needed[piece.shown[-1]] = max(1, needed[piece.shown[-1]])
    widths = piece.widths or needed
    total = sum(widths.values()) + GAP * (len(widths) - 1)
    if total > width or any(needed[k] > widths[k] for k in widths):
        return None
    lines = []
    for row in rows:
        cells = {k: row[k].rstrip() for k in widths}
        fills = {k: " " * (widths[k] - _width(cell)) for k, cell in cells.items()}
        right = cells.keys() - {0} if piece.widths else ()
        filled = (fills[k] + c if k in right else c + fills[k] for k, c in cells.items())
        lines.append((" " * GAP).join(filled))
    if piece.is_headed:
        lines.insert(1, "─" * total)
    return lines


def _width(text: str) -> int:
    """Count the columns of a terminal that text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _is_unicode(stream: Any) -> bool:
    """Return True for a stream that takes any character."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def _blocks(widths: Sequence[int], width: int) -> Iterator[dict[int, int]]:
    """Yield the columns of each block with their widths; names of rows start every block."""
    names, *numbers = widths
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


def _widths(header: Texts, parts: Iterable[tuple[str, list[Texts]]]) -> list[int]:
    """Return the width of each column that breaks no number."""
    rows = [row for _, part in parts for row in part]
    return [
        max(min(_width(name), LONG_HEADER), *(_width(row[k]) for row in rows), 1)
        for k, name in enumerate(header)
    ]


def _last_word(column: str) -> str:
    """Return the name of the score in a column such as ``macro f1``."""
    return column.lower().rpartition(" ")[2]


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


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
