"""Sections of tables and pictures, and the columns of examples below them, as one HTML file."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.formats.io.files import replacing
from fastcausal.tables import Grid

FOLDER = Path(__file__).parent


class Section(NamedTuple):
    """A part of a page: a heading, then lines, tables and pictures.

    Attributes
    ----------
    title : str
        The heading; empty for none.
    grids : sequence of Grid
    pictures : sequence of (str, str)
        The text that stands for a picture, and its SVG.
    lines : sequence of str
        Text such as warnings and the signature.
    """

    title: str
    grids: Sequence[Grid] = ()
    pictures: Sequence[tuple[str, str]] = ()
    lines: Sequence[str] = ()


class Page(NamedTuple):
    """Content of a page.

    Attributes
    ----------
    title : str
    sections : sequence of Section
    examples : mapping, optional
        Columns of examples, plain values ready for JSON: see docs/pages.md.
    """

    title: str
    sections: Sequence[Section]
    examples: Mapping[str, Any] | None = None


def html_of(page: Page) -> str:
    """Write a page; text from data is text."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined
    )
    packed = None if page.examples is None else packed_json(page.examples)
    return environment.get_template("page.html").render(page=page, packed=packed)


def packed_json(columns: Mapping[str, Any]) -> str:
    """Write plain values as JSON, gzipped, in base64: the same bytes each time."""
    data = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(data.encode("utf-8", "surrogatepass"), mtime=0)).decode()


def write_page(path: str | os.PathLike[str], page: Page) -> None:
    """Write a page to a file, whole or not at all; OutputError where that fails."""
    html = html_of(page).encode()
    with replacing(path) as file:
        file.write(html)
