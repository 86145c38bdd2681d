"""Pages read back: the text in the cells of their tables."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from fastcausal.report.page import Page, Section, html_of


class Reader(HTMLParser):
    """The text of every cell, row by row, of all tables and of each, and the tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.tags: set[str] = set()
        self.cell: int | None = None
        self.is_axis = False  # in a picture: its numbers are no text of the table
        self.feed(html)
        self.close()

    @property
    def rows(self) -> list[list[str]]:
        return [row for table in self.tables for row in table]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.is_axis |= tag == "svg"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            row = self.tables[-1][-1]
            self.cell = len(row)
            row += [""] * int(dict(attrs).get("colspan") or 1)

    def handle_endtag(self, tag: str) -> None:
        self.is_axis &= tag != "svg"
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.is_axis:
            self.tables[-1][-1][self.cell] += data


def tables_of(sections: Sequence[Section]) -> dict[str, list[list[list[str]]]]:
    """The tables of each section by its title, read back from a page."""
    tables = {}
    for section in sections:
        reader = Reader(html_of(Page("", [section])))
        assert not reader.tags & {"b", "i", "img"}  # which names of tests have
        tables[section.title] = reader.tables
    return tables


def data_of(html: str) -> Any:
    """The data of the script of a page."""
    found = re.search(r'id="packed">([^<]*)<', html)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def parts_of(rows: list[list[str]]) -> dict[str, list[list[str]]]:
    """Rows below the header by the name of their part, the header above each."""
    head, *rows = rows
    parts: dict[str, list[list[str]]] = {}
    for row in rows:
        if not any(row[1:]):
            parts[row[0]] = [head]
        else:
            parts.setdefault(next(reversed(parts), ""), [head]).append(row)
    return parts


def check_cells(rows: list[list[str]], told: Mapping[str, Any], bounds: Any = None) -> None:
    """Hold the rows below a header to JSON by name of row and column, and to its intervals."""
    (_, *names), *rows = rows
    assert [name for name, *_ in rows] == [*told]
    for group, *cells in rows:
        for name, cell in zip(names, cells, strict=True):
            wanted = told[group][name]
            if isinstance(wanted, int):
                assert cell == str(wanted)
                continue
            value, _, inside = cell.removesuffix("]").partition(" [")
            assert _is(value, wanted)
            if bounds is None:
                assert not inside
            else:
                limits = inside.split(", ") if ", " in inside else [inside] * 2
                assert all(map(_is, limits, bounds[group][name] or (None, None)))


def _is(text: str, value: float | None) -> bool:
    """Tell whether a cell is a number of four decimals, or undefined."""
    if value is None or text == "undefined":
        return value is None and text == "undefined"
    return abs(float(text) - value) <= 0.50001e-4
