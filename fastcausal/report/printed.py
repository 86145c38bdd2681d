"""Results with a printed form, JSON and Arrow."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fastcausal.report.escapes import html_text, line_text, markdown_paragraph

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.report.grid import Grid


class Printed(ABC):
    """A result with its own content and the common forms of output."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: undefined values are None."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return the numbers as a table; undefined values are null."""

    @abstractmethod
    def to_table(self, counts: bool = False) -> Grid:
        """Return a table for the terminal; ``counts`` adds further counts."""

    @abstractmethod
    def _notes(self) -> Sequence[str]:
        """Lines below the tables: legend, warnings, signature."""

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return all printed tables."""
        return [self.to_table(counts)]

    def to_json(self) -> str:
        """Write `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export `to_arrow` through the Arrow C stream interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_markdown(self, counts: bool = False) -> str:
        """Write tables of GitHub's Markdown, warnings and signature."""
        return to_markdown(self.to_tables(counts), self._notes())

    def to_latex(self, counts: bool = False) -> str:
        """Write tables for the LaTeX package booktabs; warnings and signature are comments."""
        return to_latex(self.to_tables(counts), self._notes())

    def to_csv(self, counts: bool = False) -> str:
        """Write tables as CSV, numbers with all digits; undefined values are empty.

        Several tables are separated by an empty line. Text that a spreadsheet would read as a
        formula starts with an apostrophe.
        """
        return to_csv(self.to_tables(counts))

    def __str__(self) -> str:
        return to_text(self.to_tables(), self._notes())

    def _repr_html_(self) -> str:
        return to_html(self.to_tables(), self._notes())


def to_text(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables for a terminal of 80 columns, and the notes below them."""
    return "\n".join([*map(str, grids), *notes])


def to_markdown(grids: Iterable[Grid], notes: Sequence[str] = ()) -> str:
    """Write tables, and every note as a paragraph."""
    parts = [grid.to_markdown() for grid in grids]
    return "\n".join([*parts, *(f"{markdown_paragraph(note)}\n" for note in notes)])


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
