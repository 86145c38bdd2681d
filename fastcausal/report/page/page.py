"""Sections of tables and pictures, and a part that a script makes, as one HTML file."""

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
SCRIPTS = ("columns", "example", "list", "page")  # of examples


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


class Scripted(NamedTuple):
    """A part of a page that a script makes of data.

    Attributes
    ----------
    name, title : str
        The id of its element, and the heading.
    markup, style, script : str
        HTML below the heading, and CSS and JavaScript beside those of every page.
    data : mapping
        Plain values ready for JSON.
    leads : bool
        True to stand above the sections.
    """

    name: str
    title: str
    markup: str
    style: str
    script: str
    data: Mapping[str, Any]
    leads: bool = False

    @classmethod
    def of_folder(
        cls,
        folder: Path,
        name: str,
        title: str,
        scripts: Sequence[str],
        data: Mapping[str, Any],
        leads: bool = False,
    ) -> Scripted:
        """Read the files of a part: NAME.html, perhaps NAME.css, and scripts."""
        style = _read(folder / f"{name}.css") if (folder / f"{name}.css").exists() else ""
        script = "\n".join(_read(folder / f"{each}.js") for each in scripts)
        return cls(name, title, _read(folder / f"{name}.html"), style, script, data, leads)


class Page(NamedTuple):
    """Content of a page.

    Attributes
    ----------
    title : str
    sections : sequence of Section
    part : Scripted, optional
    """

    title: str
    sections: Sequence[Section]
    part: Scripted | None = None


def examples_part(columns: Mapping[str, Any]) -> Scripted:
    """Make the part of examples, from their columns: see docs/pages.md."""
    return Scripted.of_folder(FOLDER, "examples", "Examples", SCRIPTS, columns)


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
    part = page.part
    style = _read(FOLDER / "page.css") + ("" if part is None else part.style)
    script = "" if part is None else f"{_read(FOLDER / 'common.js')}\n{part.script}"
    rendered = environment.get_template("page.html").render(
        page=page,
        part=part,
        packed=part and Markup(packed_json(part.data)),
        style=Markup(style),
        style_digest=Markup(digest_of_code(style)),
        script=Markup(script),
        script_digest=Markup(digest_of_code(script) if part else "'none'"),
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


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
