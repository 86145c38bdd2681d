"""Forms of answers other than JSON: each is a record in `FORMS`, with a recogniser and a reader.

::

    text ── tags, XML ─────────── roles as elements ──┐
         ── Markdown ──────────── roles as columns    ├─▶ relations: {"cause": [...], ...}
         ── YAML, lines ───────── roles as labels     │
         ── arrows, a phrase ─────────────────────────┘
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from fastcausal.formats.model_output.labels import labelled
from fastcausal.formats.model_output.shapes import (
    NO_WORDS,
    role_keys,
    says_none,
)

Relation = dict[str, list[str]]
RoleText = tuple[str, str]

_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
_MARKUP = " \t*_`\"'"
_PAIRS = ('""', "“”", "''", "\u2018\u2019", "**", "__", "``", "«»")
_NOTHING = NO_WORDS | {"", "-", "–", "—", "[]", "~", "not applicable"}
_SIGNALS = re.compile(r"\s*(?:[,;]|<br ?/?>)\s*")
_BREAK = re.compile(r"\s*<br ?/?>\s*")


class AnswerForm(NamedTuple):
    """A form of answers.

    Attributes
    ----------
    name : str
        For notes and the signature.
    mark : re.Pattern
        Occurs in every answer of this form.
    read : callable
        Returns the relations in a text; an empty list if the text denies relations, None if it
        has another form.
    """

    name: str
    mark: re.Pattern[str]
    read: Callable[[str], list[Relation] | None]


def noted(form: AnswerForm) -> str:
    """Return the note that counts answers of a form."""
    return f"answer as {form.name}"


def formed(text: str, notes: Counter[str]) -> list[Any] | None:
    r"""Return the relations of an answer in one of `FORMS`, None for another answer.

    Examples
    --------
    >>> formed("Here they are:\n1. **Cause:** rain\n   **Effect:** floods", Counter())
    [{'cause': ['rain'], 'effect': ['floods']}]
    >>> formed("- rain -> floods", Counter()), formed("It was the rain.", Counter())
    ([{'cause': ['rain'], 'effect': ['floods']}], None)
    """
    plain = _FENCE.sub("", text)
    for form in FORMS:
        if form.mark.search(plain) and (relations := form.read(plain)) is not None:
            notes[noted(form)] += 1
            return relations
    return None


def _whole(relations: Iterable[Relation]) -> list[Relation] | None:
    """Return the relations that have spans; None if none has both a cause and an effect."""
    filled = [relation for relation in relations if relation]
    return filled if any({"cause", "effect"} <= relation.keys() for relation in filled) else None


def _grouped(
    pairs: Iterable[RoleText | None], texts_of: Callable[[str, str], list[str]]
) -> list[Relation] | None:
    """Group texts into relations; None, or a repeated first role, ends a complete relation."""
    relations: list[Relation] = [{}]
    first = ""
    for pair in pairs:
        current = relations[-1]
        is_whole = {"cause", "effect"} <= current.keys()
        if pair is None or (is_whole and pair[0] == first):
            relations.append(current := {})
        if pair is not None:
            first = first if current else pair[0]
            for text in texts_of(*pair):
                current.setdefault(pair[0], []).append(text)
    return _whole(relations)


def _one(role: str, text: str) -> list[str]:
    """Return the text of a role as it stands."""
    text = " ".join(text.split())
    return [] if text.strip(".").casefold() in _NOTHING else [text]


def _several(role: str, text: str) -> list[str]:
    """Return the texts of a role, without marks around them; signals may be listed."""
    parts = (_SIGNALS if role == "signal" else _BREAK).split(_bare(text))
    return [one for part in parts for one in _one(role, _bare(part))]


def _bare(text: str) -> str:
    """Remove pairs of marks and quotes around a text."""
    text = text.strip()
    while len(text) > 1 and text[0] + text[-1] in _PAIRS:
        text = text[1:-1].strip()
    return text


def role_of(name: str) -> str | None:
    """Return the role that a name of an element, a column or a label stands for."""
    return next(iter(role_keys([name])), None)


_TAG = re.compile(r"<(/?)(ARG[01]|SIG\d*)>", re.IGNORECASE)
_ROLES = {"ARG0": "cause", "ARG1": "effect"}
_SENTENCES = re.compile(r"\n|[\"'] *, *[\"']")


def _of_tags(text: str) -> list[Relation] | None:
    """Read sentences with the tags of the Causal News Corpus, one for each relation."""
    return _whole(_of_sentence(sentence) for sentence in _SENTENCES.split(text))


def _of_sentence(sentence: str) -> Relation:
    relation: Relation = {}
    texts: list[str] = []
    opened: dict[str, int] = {}  # the place in texts of each open tag
    at = 0
    for tag in _TAG.finditer(sentence):
        texts.append(sentence[at : tag.start()])
        at, name = tag.end(), tag[2].upper()
        if not tag[1]:
            opened.setdefault(name, len(texts))
        elif name in opened and (words := " ".join(" ".join(texts[opened.pop(name) :]).split())):
            relation.setdefault(_ROLES.get(name, "signal"), []).append(words)
    return relation


_ELEMENT = re.compile(
    r"<(?P<name>[A-Za-z][\w-]*)(?P<keys>(?:\s+[\w-]+\s*=\s*\"[^\"<>]*\")*)\s*"
    r"(?:/>|>(?P<text>[^<>]*)</(?P=name)\s*>|>)|</[\w-]+\s*>"
)
_KEY = re.compile(r"([\w-]+)\s*=\s*\"([^\"]*)\"")
_NO_ELEMENT = re.compile(r"\s*(?:<\?xml[^<>]*>\s*)?<(\w*relations)\s*(?:/>|>\s*</\1\s*>)\s*")


def _of_xml(text: str) -> list[Relation] | None:
    return [] if _NO_ELEMENT.fullmatch(text) else _grouped(_elements(text), _one)


def _elements(text: str) -> Iterator[RoleText | None]:
    """Yield the texts of elements and attributes that name roles, None at other elements."""
    for element in _ELEMENT.finditer(text):
        name = element["name"] or element[0][2:-1]
        role = role_of(name)
        if role is None:
            yield None
        for key, value in _KEY.findall(element["keys"] or ""):
            if role is None and (named := role_of(key)):
                yield named, html.unescape(value)
        if role is not None and element["text"]:
            yield role, html.unescape(element["text"])


_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
_CELL = re.compile(r"(?<!\\)\|")


def _of_tables(text: str) -> list[Relation] | None:
    """Read Markdown tables whose header names a cause and an effect."""
    lines = text.splitlines()
    relations: list[Relation] = []
    columns: list[str | None] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        cells = _CELL.split(line.strip().removeprefix("|").removesuffix("|"))
        if "|" not in line:
            columns = []
        elif _RULE.fullmatch(following):
            columns = [role_of(cell.strip(_MARKUP)) for cell in cells]
            columns = columns if {"cause", "effect"} <= set(columns) else []
        elif columns and not _RULE.fullmatch(line):
            relation: Relation = {}
            for role, cell in zip(columns, cells, strict=False):
                for words in _several(role, cell.replace("\\|", "|")) if role else ():
                    relation.setdefault(role or "", []).append(words)
            relations.append(relation)
    return _whole(relations)


_NO_YAML = re.compile(r"\s*(?:---\s*)?\w*relations\s*:\s*\[\s*\]\s*", re.IGNORECASE)


def _of_yaml(text: str) -> list[Relation] | None:
    return [] if _NO_YAML.fullmatch(text) else _grouped(labelled(text, role_of, is_yaml=True), _one)


def _of_lines(text: str) -> list[Relation] | None:
    return _grouped(labelled(text, role_of), _several)


_ARROW = re.compile(r"(?<!-)-+>|(?<!=)=+>|[→⇒⟶➔➜]")
_BULLET = re.compile(r"(?:[-*+•]|\(?\d+[.)]) ")
_ON_ARROW = re.compile(r"-[\[(](?P<signal>[^\[\]()]+)[\])]\Z")
_BESIDE = re.compile(r"[\[(;|,] ?(?:signals?|connective|marker) ?[:=]", re.IGNORECASE)


def _of_arrows(text: str) -> list[Relation] | None:
    """Read lines of a cause, an arrow and an effect; None if a line has several arrows."""
    pairs: list[RoleText | None] = []
    for line in text.splitlines():
        parts = _ARROW.split(" ".join(line.split()))
        if len(parts) > 2:
            return None
        if len(parts) == 2:
            pairs += [None, *_of_arrow(*parts)]
    return _grouped(pairs, _several)


def _of_arrow(cause: str, effect: str) -> Iterator[RoleText]:
    """Yield the texts beside an arrow; the signal stands on it, or in brackets."""
    if role_of(cause.strip(_MARKUP)) and role_of(effect.strip(_MARKUP)):
        return  # a header
    cause = cause[bullet.end() :] if (bullet := _BULLET.match(cause)) else cause
    if on := _ON_ARROW.search(cause):
        cause = cause[: on.start()].rstrip("-")
        yield "signal", on["signal"]
    if beside := _BESIDE.search(effect):
        yield "signal", effect[beside.end() :].strip(" .").rstrip("])")
        effect = effect[: beside.start()]
    yield "cause", cause
    yield "effect", effect


_ANSWER = re.compile(r"\A\W*(?:final )?answer\W*:", re.IGNORECASE)


def _of_phrase(text: str) -> list[Relation] | None:
    return [] if says_none(_ANSWER.sub("", text)) else None


# The first that reads an answer counts.
FORMS = (
    AnswerForm("tags", re.compile(r"<ARG[01]>", re.IGNORECASE), _of_tags),
    AnswerForm("xml", re.compile(r"<\w*(?:cause|relation)", re.IGNORECASE), _of_xml),
    AnswerForm("markdown", re.compile(r"^.*\|.*\n\s*\|?\s*:?-", re.MULTILINE), _of_tables),
    AnswerForm("yaml", re.compile(r"^ *\w*relations *:|^ *- +\w*cause\w* *:", re.M), _of_yaml),
    AnswerForm("lines", re.compile("cause", re.IGNORECASE), _of_lines),
    AnswerForm("arrows", _ARROW, _of_arrows),
    AnswerForm("phrase", re.compile(r"\bno", re.IGNORECASE), _of_phrase),
)
