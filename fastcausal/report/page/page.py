"""One HTML file for every page: header, cards, tabs, and a part made by a script."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.files.files import replacing
from fastcausal.report.escapes import page_text
from fastcausal.report.grid import Grid
from fastcausal.report.numbers import Bounded, number_text
from fastcausal.report.page.table import Drawn, bar_shapes

FOLDER = Path(__file__).parent
LEVEL = 6  # of gzip: the highest takes twice as long for 2% less
EXAMPLES = ("columns", "marks", "example", "list", "filters", "page")  # scripts of their table
SCORES, ERRORS, COMPARE, ABOUT = "Scores", "Errors", "Compare", "About"
DIGITS = 3  # of the numbers on cards
WASM = " 'wasm-unsafe-eval'"  # source of a policy that allows WebAssembly, and no other code


class Section(NamedTuple):
    """A part of a page: a heading, then tables and lines."""

    title: str  # The heading; empty for none
    grids: Sequence[Grid | Drawn] = ()
    lines: Sequence[str] = ()  # Text such as the signature
    tab: str = SCORES  # The tab that holds it
    markup: str = ""  # HTML below the lines, of this package alone


class Card(NamedTuple):
    """The main scores of a system, in large type."""

    # The system, and the name of its score
    name: str
    score: str
    value: float  # The score; `Bounded` has an interval
    level: str = "interval"  # Name of the interval, such as ``95% confidence interval``
    # Other scores, and the same score of parts such as roles
    scores: Mapping[str, float] = {}
    groups: Mapping[str, float] = {}
    standing: str = ""  # Remark such as ``best``
    note: str = ""  # A line below

    @property
    def bounds(self) -> str:
        """The ends of the interval; empty without one."""
        value = self.value
        if not isinstance(value, Bounded) or value.low != value.low:
            return ""
        return f"{value.low:.{DIGITS}f} to {value.high:.{DIGITS}f}"

    @staticmethod
    def shown(value: float) -> str:
        """Format a number of a card."""
        return number_text(float(value), DIGITS)

    @staticmethod
    def bar(value: float) -> str:
        """Draw a number of a card."""
        return bar_shapes(value)


class Scripted(NamedTuple):
    """A part of a page, made by a script from data; the first tab."""

    title: str  # Name of the tab
    # HTML; CSS and JavaScript besides the common ones of every page
    markup: str
    style: str
    script: str
    data: Mapping[str, Any] | None = None  # Plain values ready for JSON
    runs_wasm: bool = False  # True if the script compiles WebAssembly
    is_last: bool = False  # True if it stands below the sections of its tab

    @classmethod
    def read_folder(
        cls,
        folder: Path,
        name: str,
        title: str,
        scripts: Sequence[str],
        data: Mapping[str, Any] | None = None,
    ) -> Scripted:
        """Read the files of a part: NAME.html, perhaps NAME.css, and scripts."""
        style = _read(folder / f"{name}.css") if (folder / f"{name}.css").exists() else ""
        script = "\n".join(_read(folder / f"{each}.js") for each in scripts)
        return cls(title, _read(folder / f"{name}.html"), style, script, data)


class Page(NamedTuple):
    """Content of a page."""

    title: str
    sections: Sequence[Section]
    part: Scripted | None = None
    cards: Sequence[Card] = ()
    facts: Sequence[tuple[str, str]] = ()  # Names and values below the title
    warnings: Sequence[str] = ()  # Warnings, shown prominently


def title_of(title: str, *names: str | None) -> str:
    """Put the names of what a page compares before its title.

    >>> title_of("3 errors", "careful", "recess"), title_of("3 errors", None)
    ('careful, recess: 3 errors', '3 errors')
    """
    return ": ".join(filter(None, (", ".join(filter(None, names)), title)))


class Tab(NamedTuple):
    """A tab of a page."""

    name: str
    sections: Sequence[Section]
    part: Scripted | None = None

    @property
    def id(self) -> str:
        """Its address on the page."""
        return re.sub(r"\W+", "-", self.name.lower())


def tabs_of(page: Page) -> list[Tab]:
    """Return the tabs of a page: its part, sections by tab, and the tab ``ABOUT`` last."""
    order = {name: k for k, name in enumerate((SCORES, ERRORS, COMPARE))}
    names = dict.fromkeys(section.tab for section in page.sections)
    ordered = sorted(names, key=lambda name: order.get(name, 3 if name != ABOUT else 4))
    held = {name: [each for each in page.sections if each.tab == name] for name in ordered}
    tabs = [Tab(name, sections) for name, sections in held.items()]
    if page.part is None:
        return tabs
    return [Tab(page.part.title, held.pop(page.part.title, ()), page.part),
            *(tab for tab in tabs if tab.name != page.part.title)]  # fmt: skip


def examples_part(columns: Mapping[str, Any]) -> Scripted:
    """Make the part of examples, from their columns: see docs/pages.md."""
    return Scripted.read_folder(FOLDER, "examples", "Examples", (*EXAMPLES, "start"), columns)


def items_part(columns: Mapping[str, Any]) -> Scripted:
    """Make the part of items of runs, from their columns: see docs/pages.md."""
    part = Scripted.read_folder(FOLDER, "examples", "Items", (*EXAMPLES, "items"), columns)
    return part._replace(style=_read(FOLDER / "items.css"))


def board_part() -> Scripted:
    """Make the part that groups the rows of a leaderboard, and draws scores against a column."""
    return Scripted.read_folder(FOLDER, "board", SCORES, ["board"])


def examples_table() -> Scripted:
    """Make the part of examples that another script starts, with columns of its own."""
    return Scripted.read_folder(FOLDER, "examples", "Examples", EXAMPLES)


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html")


def html_of(page: Page) -> str:
    """Write a page; text from data is escaped."""
    from markupsafe import Markup

    part = page.part
    style = _read(FOLDER / "page.css") + ("" if part is None else part.style)
    scripts = [_read(FOLDER / f"{name}.js") for name in ("common", "frame")]
    script = "\n".join([*scripts, *([] if part is None else [part.script])])
    rendered = _template().render(
        page=page,
        tabs=tabs_of(page),
        name_of=lambda table: Drawn.wrap(table).grid.title,
        html_of=lambda table: Drawn.wrap(table).to_html(),
        packed=part and part.data and Markup(packed_json(part.data)),
        style=Markup(style),
        style_digest=Markup(digest_of_code(style)),
        script=Markup(script),
        script_digest=Markup(digest_of_code(script) + WASM * (part is not None and part.runs_wasm)),
    )
    return page_text(rendered)


def digest_of_code(code: str) -> str:
    """Return the source for a content security policy that allows this script or style."""
    from hashlib import sha256  # loads OpenSSL

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
