"""Tables of numbers that fit where they are shown: no number and no name is ever cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

Cells = tuple[str, ...]

WIDTH = 80  # of a table as text
GAP = 2  # between two columns
LONG_HEADER = 24  # from here on a header is broken into lines
SHORT_NAME = 16  # names of rows are broken no narrower than this, or a third of the width


class Grid:
    """Named rows of numbers, in parts; columns without room stand in a block below the others.

    Parameters
    ----------
    title : str
        The line above the table; empty for none.
    columns : sequence of str
        Headers of the numbers.
    corner : str
        Header of the names of rows.

    Examples
    --------
    >>> grid = Grid("ants", ["legs", "wings"])
    >>> grid.add("worker", "6", "0")
    >>> grid.part("of the nest")
    >>> grid.add("queen", "6", "4")
    >>> print(grid)
    ants
            legs  wings
    ───────────────────
    worker     6      0
    of the nest
    queen      6      4
    """

    def __init__(self, title: str, columns: Sequence[str], corner: str = "") -> None:
        self.title = title
        self.header: Cells = (corner, *columns)
        self.parts: list[tuple[str, list[Cells]]] = [("", [])]

    def part(self, name: str) -> None:
        """Begin a part; its name is a line above its rows."""
        self.parts.append((name, []))

    def add(self, name: str, *cells: str) -> None:
        """Add a row; cells that are not given are empty."""
        empty = ("",) * (len(self.header) - 1 - len(cells))
        self.parts[-1][1].append((name, *cells, *empty))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text  # what data is called is not markup

        if self.title:
            yield Text(f"{self.title}\n")
        for widths in self._blocks(options.max_width):
            for k, (part, rows) in enumerate(self.parts):
                if part:
                    yield Text(f"\n{part}" if k else part)
                yield self._table(widths, rows, show_header=not k and any(self.header))
            yield ""

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=WIDTH, color_system=None, force_terminal=False)
        with console.capture() as capture:
            console.print(self)
        return "\n".join(filter(None, map(str.rstrip, capture.get().splitlines())))

    def to_html(self, caption: str, notes: Sequence[str] = ()) -> str:
        """An HTML table; notes are paragraphs below it."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        body = ""
        for part, rows in self.parts:
            if part:
                body += f'<tr><th colspan="{len(self.header)}">{escape(part)}</th></tr>'
            for name, *cells in rows:
                numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
                body += f"<tr><th>{escape(name)}</th>{numbers}</tr>"
        return (
            f"<table><caption>{escape(caption)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        ) + "".join(f"<p>{escape(note)}</p>" for note in notes)

    def _table(
        self, widths: dict[int, int], rows: Sequence[Cells], show_header: bool
    ) -> RenderableType:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, GAP - 1, 0, 0),  # the rest of the gap is the box's
            show_header=show_header,
        )
        for k, width in widths.items():
            table.add_column(
                Text(self.header[k]),
                width=width,
                justify="right" if k else "left",
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(Text(row[k]) for k in widths))
        return table

    def _blocks(self, width: int) -> Iterator[dict[int, int]]:
        """The columns of each block and their widths; the names of rows begin every block."""
        names, *numbers = self._widths()
        least = min(names, max(SHORT_NAME, width // 3))
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
        """What each column needs to break no number."""
        from rich.cells import cell_len

        rows = [row for _, part in self.parts for row in part]
        return [
            max(min(cell_len(header), LONG_HEADER), *(cell_len(row[k]) for row in rows), 1)
            for k, header in enumerate(self.header)
        ]
