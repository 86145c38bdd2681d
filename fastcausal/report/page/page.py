"""Sections of tables and pictures, and the columns of examples below them, as one HTML file."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.files.files import replacing
from fastcausal.report.escapes import page_text
from fastcausal.report.grid import Grid

FOLDER = Path(__file__).parent
LEVEL = 6  # of gzip: the highest takes twice as long for 2% less
SCRIPTS = ("columns", "example", "list", "page")


class Section(NamedTuple):
    """A part of a page: a heading, then lines, tables and pictures.

    Attributes
    ----------
    title : str
        The heading; empty for none.
    grids : sequence of Grid
        The description of a picture, and its SVG.
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
    """Write a page; text from data is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    style = _part("page.css")
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    shows_examples = page.examples is not None
    rendered = environment.get_template("page.html").render(
        page=page,
        packed=shows_examples and Markup(packed_json(page.examples or {})),
        style=Markup(style),
        style_digest=Markup(digest_of_code(style)),
        script=Markup(script),
        script_digest=Markup(digest_of_code(script) if shows_examples else "'none'"),
    )
    return page_text(rendered)


def digest_of_code(code: str) -> str:
    """Return the source for a content security policy that allows this script or style."""
    return f"'sha256-{base64.b64encode(sha256(code.encode()).digest()).decode()}'"


def packed_json(columns: Mapping[str, Any]) -> str:
    """Encode plain values as JSON, gzipped, in base64; equal values have equal bytes."""
    data = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Half of a surrogate pair, invalid in UTF-8, becomes a JSON escape.
    packed = gzip.compress(data.encode("utf-8", "backslashreplace"), LEVEL, mtime=0)
    return base64.b64encode(packed).decode()


def write_page(path: str | os.PathLike[str], page: Page) -> None:
    """Write a page to a file, completely or not at all; raise OutputError on failure."""
    html = html_of(page).encode("utf-8", "replace")  # file names may be invalid in UTF-8
    with replacing(path) as file:
        file.write(html)


def _part(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
