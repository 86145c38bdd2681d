"""The page as one HTML file, which loads nothing and runs only its own scripts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

from fastcausal.options import JudgedKind
from fastcausal.report.escapes import html_text
from fastcausal.report.page.page import digest_of_code
from fastcausal.tasks.annotate.slots import Slotted

FOLDER = Path(__file__).parent / "page"
SCRIPTS = ("text", "answers", "claims", "saved", "page")

# Question, words on the two buttons and their keys, by kind of item.
ASKED = {
    "answers": ("Is the model's answer valid?", ("Valid", "v"), ("Invalid", "i")),
    "claims": ("Is the claim supported?", ("Supported", "s"), ("Not supported", "n")),
}
# For data inside an element: they cannot end the element or open a comment.
_ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


@dataclass(frozen=True)
class Sheet:
    """The content of a page, shown and saved.

    Attributes
    ----------
    kind : {"answers", "claims"}
    stem : str
        The name of the file to save, without the rater and the suffix.
    rater : str
        Empty if the rater is to fill it in.
    file : list of str or int
        The file to save, with slots.
    words : (str, str)
        JSON of the two answers, yes first.
    answers : list of bool or None
        Judgments so far.
    items : list of dict
        The displayed content of each item: ``id`` and more.
    by : str
        For claims: the side of the judging articles.
    articles : list of str
        For claims: the articles.
    """

    kind: JudgedKind
    stem: str
    rater: str
    file: Slotted
    words: tuple[str, str]
    answers: list[bool | None]
    items: list[dict[str, Any]]
    by: str = ""
    articles: tuple[str, ...] = ()

    @cached_property
    def json(self) -> str:
        """The sheet as ASCII safe in an HTML element, with a digest of its content."""
        values = asdict(self)
        digest = sha256(json.dumps(values).encode()).hexdigest()[:32]
        return json.dumps(values | {"digest": digest}).translate(_ESCAPED)


def page_of(sheet: Sheet) -> str:
    """Return the HTML of a page."""
    question, (yes, yes_key), (no, no_key) = ASKED[sheet.kind]
    style = _part("page.css")
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    return Template(_part("page.html")).substitute(
        title=html_text(f"{sheet.stem}: {question}"),
        question=html_text(question),
        rules=_part(f"{sheet.kind}.html"),
        yes=yes,
        yes_key=yes_key,
        no=no,
        no_key=no_key,
        style=style,
        style_digest=digest_of_code(style),
        script=script,
        script_digest=digest_of_code(script),
        data=sheet.json,
    )


def _part(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
