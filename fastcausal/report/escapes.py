"""Escaping of text from data for terminals, Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Cell = str | int | float | None

_MARKDOWN = {ord(c): f"\\{c}" for c in "\\`*_{}[]<>|~&$@#"}
_LATEX = {ord(c): f"\\{c}" for c in "&%$#_{}"} | {
    ord("\\"): r"\textbackslash{}",
    ord("~"): r"\textasciitilde{}",
    ord("^"): r"\textasciicircum{}",
    ord("<"): r"\textless{}",
    ord(">"): r"\textgreater{}",
    ord("|"): r"\textbar{}",
    ord('"'): r"\textquotedbl{}",
    ord("`"): r"\textasciigrave{}",
    **{ord(c): f"{{{c}}}" for c in "[]*"},  # after a line break LaTeX reads them as options
}
# Commands of terminals, line ends, and changes of the writing direction.
COMMANDS = (*range(32), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ON_A_LINE = {code: rf"\x{code:02x}" if code < 256 else rf"\u{code:04x}" for code in COMMANDS}
_ON_A_LINE |= {ord("\t"): r"\t", ord("\n"): r"\n"}
_PRINTED = {code: shown for code, shown in _ON_A_LINE.items() if chr(code) not in "\t\n"}
_NOT_IN_HTML = {code: "\ufffd" for code in _PRINTED if code < 0xA0 and chr(code) != "\r"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def printable(text: str) -> str:
    """Escape terminal commands, and characters that no output can hold."""
    return text.translate(_PRINTED).encode(errors="backslashreplace").decode()


def cell_text(text: str) -> str:
    """Escape text for one line, as a name or a cell of a table."""
    return text.translate(_ON_A_LINE).encode(errors="backslashreplace").decode()


def cell_rows(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Escape the cells of rows, each for one line."""
    return [tuple(map(cell_text, row)) for row in rows]


def html_text(text: str) -> str:
    r"""Escape everything that HTML would not read as text, and characters invalid in a page.

    >>> html_text("<b>\0")
    '&lt;b&gt;\ufffd'
    """
    from html import escape  # with names of all characters

    return escape(page_text(text))


def page_text(text: str) -> str:
    """Replace control characters, invalid in a page, by the replacement character."""
    return text.translate(_NOT_IN_HTML)


def line_text(text: str) -> str:
    """Replace line ends and invalid characters by a space."""
    return "".join(c if c.isprintable() or ord(c) > 0xFFFF else " " for c in text)


def markdown_text(text: str) -> str:
    """Escape everything that Markdown would not read as text."""
    escaped = line_text(text).translate(_MARKDOWN)
    return escaped.replace("://", "\\://").replace("www.", "www\\.")


def markdown_paragraph(text: str) -> str:
    r"""Escape text that is a paragraph, so that a leading dash or number starts no list.

    >>> print(markdown_paragraph("- 1"), markdown_paragraph("2. a"), markdown_paragraph("2.5 a"))
    \- 1 2\. a 2.5 a
    """
    alone = markdown_text(text).strip()
    return re.sub(r"^([0-9]{1,9}(?=[.)](?: |$))|(?=[-+]))", r"\1\\", alone)


def latex_text(text: str) -> str:
    """Escape everything that LaTeX would not read as text."""
    return line_text(text).translate(_LATEX).replace("--", "-{}-")


def csv_value(value: Cell) -> Cell:
    """Replace undefined values by nothing, and put an apostrophe before text like a formula.

    >>> csv_value("=1+1"), csv_value("a=b"), csv_value(-1.5), csv_value(float("nan"))
    ("'=1+1", 'a=b', -1.5, None)
    """
    if isinstance(value, str):
        # Some readers of CSV would not read it as text.
        text = value.replace("\r", " ").replace("\0", r"\x00")
        return f"'{text}" if value.startswith(_FORMULA) else text
    return None if value != value else value
