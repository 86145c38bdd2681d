"""The page of raters: a tab to judge, and their guide."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

from fastcausal.options import Form
from fastcausal.report.page import Page, Scripted, Section, html_of
from fastcausal.tasks.annotate.slots import Slotted
from fastcausal.tasks.answers.reasons import KINDS, SIDES

FOLDER = Path(__file__).parent / "page"
# Scripts of each form; all have the rest.
SCRIPTS: dict[Form, tuple[str, ...]] = {
    "answers": ("verdicts", "answers"),
    "causality": ("causality",),
    "claims": ("verdicts", "toggles", "claims"),
    "curation": ("verdicts", "toggles", "curation"),
    "pairs": ("pairs",),
}
COMMON = ("saved", "page")

# Title, the buttons of a verdict with their keys, and names of further keys, by form.
ASKED: dict[Form, tuple[str, dict[str, tuple[str, str]], dict[str, str]]] = {
    "answers": (
        "Is the model's answer valid?",
        {"yes": ("Valid", "v"), "no": ("Invalid", "i"), "unsure": ("Unsure", "d")},
        {},
    ),
    "causality": (
        "Is the pair causal?",
        {},
        {"y": "yes", "n": "no", "1": "to", "5": "go to a question"},
    ),
    "claims": (
        "Is the claim supported?",
        {"yes": ("Supported", "s"), "no": ("Not supported", "n")},
        {"1": "to", "9": "mark a sentence", "j": "next sentence", "k": "previous sentence"},
    ),
    "curation": (
        "Which relations are gold?",
        {"yes": ("All", "a"), "no": ("None", "n")},
        {"1": "to", "9": "take or drop a relation", "j": "next relation", "k": "previous one"},
    ),
    "pairs": (
        "How strongly did one event cause the other?",
        {},
        {"0": "to", "9": "score 0 to 90", "h": "score 100", "s": "type a score", "y": "yes",
         "n": "no"},
    ),
}  # fmt: skip
REASON_KEYS = dict(zip(SIDES + KINDS, "ceblaow", strict=True))
# For data inside an element: they cannot end the element or open a comment.
_ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


@dataclass(frozen=True)
class Sheet:
    """The content of a page, shown and saved."""

    kind: Form
    stem: str  # The name of the file to save, without the rater and the suffix
    rater: str  # Empty if the rater is to fill it in
    file: Slotted  # The file to save, with slots
    answers: list[Any]  # Answers so far, as the script of the form has them; None without one
    items: list[dict[str, Any]]  # The displayed content of each item: ``id`` and more
    more: Mapping[str, Any] = field(default_factory=dict)  # What the form needs besides
    suffix: str = ".json"

    @cached_property
    def json(self) -> str:
        """JSON of the sheet in ASCII, safe in an HTML element, with a digest of its content."""
        values = asdict(self)
        values |= values.pop("more")
        digest = sha256(json.dumps(values).encode()).hexdigest()[:32]
        return json.dumps(values | {"digest": digest}).translate(_ESCAPED)


def page_of(sheet: Sheet) -> str:
    """Return the HTML of a page: a tab to judge, and the guide for raters."""
    title, asked, keyed = ASKED[sheet.kind]
    of_reasons = [("Wrong", SIDES), ("Why", KINDS)] if sheet.kind == "answers" else []
    markup = Template(_part("page.html")).substitute(
        verdicts="\n".join(_button(id, *each) for id, each in asked.items()),
        reasons="\n".join(_reasons(title, names) for title, names in of_reasons),
        data=sheet.json,
    )
    known = {key: name for name, key in asked.values()} | keyed
    names = " ".join(
        f"<kbd>{key}</kbd> {name}{'' if name == 'to' else ','}" for key, name in known.items()
    )
    keys = Template(_part("keys.html")).substitute(keys=names)
    guide = Section("", tab="Guide", markup=_part(f"{sheet.kind}.html") + keys)
    script = "\n".join(_part(f"{name}.js") for name in ("text", *SCRIPTS[sheet.kind], *COMMON))
    part = Scripted("Judge", markup, _part("page.css"), script)
    return html_of(Page(title, [guide], part, facts=[("file", sheet.stem)]))


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
