"""The page of raters: a tab to judge, and their guide."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

from fastcausal.options import JudgedKind
from fastcausal.report.page import Page, Scripted, Section, html_of
from fastcausal.tasks.annotate.slots import Slotted
from fastcausal.tasks.answers.reasons import KINDS, SIDES

Parts = tuple[str | None, str | None]

FOLDER = Path(__file__).parent / "page"
SCRIPTS = ("text", "answers", "claims", "saved", "page")

# Question, and the buttons of its answers with their keys, by kind of item.
ASKED = {
    "answers": (
        "Is the model's answer valid?",
        {"yes": ("Valid", "v"), "no": ("Invalid", "i"), "unsure": ("Unsure", "d")},
    ),
    "claims": (
        "Is the claim supported?",
        {"yes": ("Supported", "s"), "no": ("Not supported", "n")},
    ),
}
REASON_KEYS = dict(zip(SIDES + KINDS, "ceblaow", strict=True))
# For data inside an element: they cannot end the element or open a comment.
_ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


@dataclass(frozen=True)
class Sheet:
    """The content of a page, shown and saved."""

    kind: JudgedKind  # {"answers", "claims"}
    stem: str  # The name of the file to save, without the rater and the suffix
    rater: str  # Empty if the rater is to fill it in
    file: Slotted  # The file to save, with slots
    words: tuple[str, ...]  # JSON of the answers: yes, no, and perhaps unsure
    answers: list[int | None]  # Judgments so far, as indices of ``words``
    items: list[dict[str, Any]]  # The displayed content of each item: ``id`` and more
    # For answers: side and kind of the reason of each judgment so far
    reasons: tuple[Parts, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()  # For answers: all sides and kinds of reasons
    by: str = ""  # For claims: the side of the judging articles
    articles: tuple[str, ...] = ()  # For claims: the articles

    @cached_property
    def json(self) -> str:
        """JSON of the sheet in ASCII, safe in an HTML element, with a digest of its content."""
        values = asdict(self)
        digest = sha256(json.dumps(values).encode()).hexdigest()[:32]
        return json.dumps(values | {"digest": digest}).translate(_ESCAPED)


def page_of(sheet: Sheet) -> str:
    """Return the HTML of a page: a tab to judge, and the guide for raters."""
    question, asked = ASKED[sheet.kind]
    of_reasons = [("Wrong", SIDES), ("Why", KINDS)] if sheet.parts else []
    markup = Template(_part("page.html")).substitute(
        verdicts="\n".join(_button(id, *each) for id, each in asked.items()),
        reasons="\n".join(_reasons(title, names) for title, names in of_reasons),
        data=sheet.json,
    )
    names = " ".join(f"<kbd>{key}</kbd> {name}," for name, key in asked.values())
    keys = Template(_part("keys.html")).substitute(keys=names)
    guide = Section("", tab="Guide", markup=_part(f"{sheet.kind}.html") + keys)
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    part = Scripted("Judge", markup, _part("page.css"), script)
    return html_of(Page(question, [guide], part, facts=[("file", sheet.stem)]))


def _reasons(title: str, names: tuple[str, ...]) -> str:
    """Write the buttons for the sides or the kinds of reasons."""
    buttons = [_button(f"reason-{name}", name.capitalize(), REASON_KEYS[name]) for name in names]
    lines = "\n".join([f"<span>{title}</span>", *buttons])
    return f'<div role="group" aria-label="{title}">\n{lines}\n</div>'


def _button(id: str, name: str, key: str) -> str:
    """Write a button that is pressed or not, with its key."""
    return (
        f'<button id="{id.replace(" ", "-")}" type="button" aria-pressed="false" '
        f'aria-keyshortcuts="{key}">{name}<kbd aria-hidden="true">{key}</kbd></button>'
    )


def _part(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
