"""Text from data as text of Markdown, LaTeX and CSV, never as more."""

from __future__ import annotations

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
    **{ord(c): f"{{{c}}}" for c in "[]*"},  # after the end of a line: its options
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def line_text(text: str) -> str:
    r"""Replace what ends a line, or no text may hold, by a space.

    Examples
    --------
    >>> line_text("a\nb\x85c\0d")
    'a b c d'
    """
    return "".join(c if c.isprintable() or ord(c) > 0xFFFF else " " for c in text)


def markdown_text(text: str) -> str:
    r"""Escape all that Markdown would take for more than text.

    Examples
    --------
    >>> print(markdown_text("multi_relation | <b> https://x.y"))
    multi\_relation \| \<b\> https\://x.y
    """
    escaped = line_text(text).translate(_MARKDOWN)
    return escaped.replace("://", "\\://").replace("www.", "www\\.")


def latex_text(text: str) -> str:
    r"""Escape all that LaTeX would take for more than text.

    Examples
    --------
    >>> print(latex_text("100% of multi_relation [$x$] \\input"))
    100\% of multi\_relation {[}\$x\${]} \textbackslash{}input
    """
    return line_text(text).translate(_LATEX).replace("--", "-{}-")


def csv_value(value: Cell) -> Cell:
    """Empty what is undefined; put an apostrophe before text that looks like a formula.

    Examples
    --------
    >>> csv_value("=1+1"), csv_value("a=b"), csv_value(-1.5), csv_value(float("nan"))
    ("'=1+1", 'a=b', -1.5, None)
    """
    if isinstance(value, str):
        text = value.replace("\r", " ")  # which not all readers of CSV take for text
        return f"'{text}" if value.startswith(_FORMULA) else text
    return None if value != value else value
