"""The page as one HTML file, which loads nothing and runs only what it was made with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

from fastcausal.options import Judged
from fastcausal.report.escapes import html_text
from fastcausal.report.page.page import digest_of_code
from fastcausal.tasks.annotate.slots import Slotted

FOLDER = Path(__file__).parent / "page"
SCRIPTS = ("text", "answers", "claims", "saved", "page")

# Question, words on the two buttons and their keys, by what is judged.
ASKED = {
    "answers": ("Is the model's answer valid?", ("Valid", "v"), ("Invalid", "i")),
    "claims": ("Is the claim supported?", ("Supported", "s"), ("Not supported", "n")),
}
# Of data inside an element: nothing of it ends the element or opens a comment.
_ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


@dataclass(frozen=True)
class Sheet:
    """Everything that a page shows and saves.

    Attributes
    ----------
    kind : {"answers", "claims"}
    stem : str
        The name of the file to save, without the rater and the suffix.
    rater : str
        Empty where the rater is to fill it in.
    file : list of str or int
        The file to save, with slots.
    words : (str, str)
        JSON of the two answers, yes first.
    answers : list of bool or None
        What is judged so far.
    items : list of dict
        What the page shows of each item: ``id`` and more.
    by : str
        Of claims: the side whose articles judge them.
    articles : list of str
        Of claims: the articles.
    """

    kind: Judged
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
        """The sheet as ASCII that an HTML element can hold, with a digest of all of it."""
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
