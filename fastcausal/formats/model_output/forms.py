"""Forms of answers other than JSON: each is a record in `FORMS`, with a recogniser and a reader.

::

    text ── tags, XML ─────────── roles as elements ──┐
         ── Markdown, CSV ─────── roles as columns    ├─▶ relations: {"cause": [...], ...}
         ── YAML, lines ───────── roles as labels     │
         ── arrows, a phrase ─────────────────────────┘
"""

from __future__ import annotations

import csv
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
from fastcausal.formats.reading.builder import UnreadError

Relation = dict[str, list[str]]
RoleText = tuple[str, str]

_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:\w+[ \t]*)?$", re.MULTILINE)
_MARKUP = " \t*_`\"'"
_PAIRS = ('""', "“”", "''", "\u2018\u2019", "**", "__", "``", "«»")
_NOTHING = NO_WORDS | {"", "-", "–", "—", "[]", "~", "not applicable"}
# Neither a text of the sentence nor a denial.
_UNKNOWN = {"unknown", "unclear", "unspecified", "not specified", "not stated", "?"}
_SIGNALS = re.compile(r"\s*(?:[,;]|<br ?/?>)\s*")
_BREAK = re.compile(r"\s*<br ?/?>\s*")


class AnswerForm(NamedTuple):
    """A form of answers."""

    name: str  # For notes and the signature
    mark: re.Pattern[str]  # Occurs in every answer of this form
    # Returns the relations in a text; an empty list if the text denies relations, None if it
    # has another form
    read: Callable[[str], list[Relation] | None]


def noted(form: AnswerForm) -> str:
    """Return the note that counts answers of a form."""
    return f"answer as {form.name}"


def formed(text: str, notes: Counter[str]) -> list[Any] | None:
    r"""Return the relations of an answer in one of `FORMS`, None for another answer.

    >>> formed("Here they are:\n1. **Cause:** rain\n   **Effect:** floods", Counter())
    [{'cause': ['rain'], 'effect': ['floods']}]
    >>> formed("- rain -> floods", Counter()), formed("It was the rain.", Counter())
    ([{'cause': ['rain'], 'effect': ['floods']}], None)
    """
    plain = _FENCE.sub("", text)
    denial: AnswerForm | None = None
    for form in FORMS:
        if not form.mark.search(plain) or (relations := form.read(plain)) is None:
            continue
        if relations:
            notes[noted(form)] += 1
            return relations
        denial = denial or form  # another form may hold relations
    if denial is not None:
        notes[noted(denial)] += 1
    return None if denial is None else []


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
    denied: set[str] = set()  # roles without a text, in words
    for pair in pairs:
        current = relations[-1]
        is_whole = {"cause", "effect"} <= current.keys()
        if pair is None or (is_whole and pair[0] == first):
            relations.append(current := {})
        if pair is not None:
            first = first if current else pair[0]
            denied |= {pair[0]} if _is_denial(pair[1]) else set()
            for text in texts_of(*pair):
                current.setdefault(pair[0], []).append(text)
    is_denial = {"cause", "effect"} <= denied and not any(relations)
    return [] if is_denial else _whole(relations)


def _is_denial(text: str) -> bool:
    return _strip_marks(text).strip(".").casefold() in _NOTHING - {""}


def _read_text(role: str, text: str) -> list[str]:
    """Return the text of a role as it stands."""
    text = " ".join(text.split())
    return [] if text.strip(".").casefold() in _NOTHING | _UNKNOWN else [text]


def _split_texts(role: str, text: str) -> list[str]:
    """Return the texts of a role, without marks around them; signals may be listed."""
    parts = (_SIGNALS if role == "signal" else _BREAK).split(_strip_marks(text))
    return [one for part in parts for one in _read_text(role, _strip_marks(part))]


def _strip_marks(text: str) -> str:
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
_SQUARE = re.compile(r"\[(/?)(cause|effect|signal)\]", re.IGNORECASE)
_SQUARE_TAGS = {"cause": "ARG0", "effect": "ARG1", "signal": "SIG0"}


def _read_tags(text: str) -> list[Relation] | None:
    """Read sentences with tags of the Causal News Corpus or ``[CAUSE]``, one for a relation."""
    tagged = _SQUARE.sub(lambda tag: f"<{tag[1]}{_SQUARE_TAGS[tag[2].lower()]}>", text)
    relations = [_read_sentence(sentence) for sentence in _SENTENCES.split(tagged)]
    if tagged == text or any({"cause", "effect"} <= relation.keys() for relation in relations):
        return _whole(relations)
    # A line for each part.
    parts = ((role, text) for one in relations for role, texts in one.items() for text in texts)
    return _grouped(parts, _read_text)


def _read_sentence(sentence: str) -> Relation:
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


def _read_xml(text: str) -> list[Relation] | None:
    return [] if _NO_ELEMENT.fullmatch(text) else _grouped(_elements(text), _read_text)


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


def _read_tables(text: str) -> list[Relation] | None:
    """Read Markdown tables whose header names a cause and an effect."""
    lines = text.splitlines()
    relations: list[Relation] = []
    columns: list[str | None] = []
    is_table = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        cells = _CELL.split(line.strip().removeprefix("|").removesuffix("|"))
        if "|" not in line:
            columns = []
        elif _RULE.fullmatch(following):
            columns = [role_of(cell.strip(_MARKUP)) for cell in cells]
            columns = columns if {"cause", "effect"} <= set(columns) else []
            is_table |= bool(columns)
        elif columns and not _RULE.fullmatch(line):
            relation: Relation = {}
            for role, cell in zip(columns, cells, strict=False):
                for words in _split_texts(role, cell.replace("\\|", "|")) if role else ():
                    relation.setdefault(role or "", []).append(words)
            relations.append(relation)
    return [] if is_table and not any(relations) else _whole(relations)


_LONGEST_HEADER = 200


def _read_separated(text: str) -> list[Any] | None:
    """Read rows of CSV or TSV below a header that names a cause and an effect."""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if len(line) > _LONGEST_HEADER or "cause" not in line.casefold():
            continue
        for separator in ("\t", ",", ";"):
            if separator not in line:
                continue
            names = line.split(separator)
            columns = [role_of(name.strip(_MARKUP)) for name in names]
            if {"cause", "effect"} <= set(columns) and all(len(n.split()) < 3 for n in names):
                return _read_rows(lines[k + 1 :], separator, columns)
    return None


def _read_rows(lines: list[str], separator: str, columns: list[str | None]) -> list[Any]:
    """Return the relations of rows up to a blank line."""
    relations: list[Any] = []
    end = next((k for k, line in enumerate(lines) if not line.strip()), len(lines))
    try:
        rows = [*csv.reader(lines[:end], delimiter=separator, skipinitialspace=True)]
    except csv.Error as error:
        return [UnreadError(str(error))]
    for cells in rows:
        if len(cells) != len(columns):
            reason = f"a row has {len(cells)} cells, its header {len(columns)}"
            relations.append(UnreadError(reason))
            continue
        relation: Relation = {}
        for role, cell in zip(columns, cells, strict=True):
            for words in _split_texts(role, cell) if role else ():
                relation.setdefault(role or "", []).append(words)
        if relation:
            relations.append(relation)
    return relations


_NO_YAML = re.compile(r"\s*(?:---\s*)?\w*relations\s*:\s*\[\s*\]\s*", re.IGNORECASE)


def _read_yaml(text: str) -> list[Relation] | None:
    return (
        []
        if _NO_YAML.fullmatch(text)
        else _grouped(labelled(text, role_of, is_yaml=True), _read_text)
    )


def _read_lines(text: str) -> list[Relation] | None:
    return _grouped(labelled(text, role_of), _split_texts)


_ARROW = re.compile(r"(?<!-)-+>|(?<!=)=+>|[→⇒⟶➔➜]")
_BULLET = re.compile(r"(?:[-*+•]|\(?\d+[.)]) ")
_ON_ARROW = re.compile(r"-[\[(](?P<signal>[^\[\]()]+)[\])]\Z")
_ROLE_BEHIND = re.compile(r"(?<!\s)\s*[\[(](?P<role>cause|effect)[\])][*_]*\Z", re.IGNORECASE)
_BESIDE = re.compile(r"[\[(;|,] ?(?:signals?|connective|marker) ?[:=]", re.IGNORECASE)


def _read_arrows(text: str) -> list[Relation] | None:
    """Read lines of a cause, an arrow and an effect; None if a line has several arrows."""
    pairs: list[RoleText | None] = []
    for line in text.splitlines():
        parts = _ARROW.split(" ".join(line.split()))
        if len(parts) > 2:
            return None
        if len(parts) == 2:
            pairs += [None, *_read_arrow(*parts)]
    return _grouped(pairs, _split_texts)


def _read_arrow(cause: str, effect: str) -> Iterator[RoleText]:
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
    sides = (cause.strip(), effect.strip(" ."))
    marks = [_ROLE_BEHIND.search(side) for side in sides]
    roles = [mark["role"].lower() if mark else "" for mark in marks]
    if roles[0] == roles[1] != "":
        return
    is_backward = roles[0] == "effect" or roles[1] == "cause"
    order = ("effect", "cause") if is_backward else ("cause", "effect")
    for role, mark, side in zip(order, marks, sides, strict=True):
        yield role, side[: mark.start()] if mark else side


_NO_ROW = re.compile(r"\|(?:[ \t]*(?:(?:[-–—]+|none|n/?a)[ \t]*)?\|)+", re.IGNORECASE)
_ANSWER = re.compile(r"\A\W*(?:final )?answer\W*:", re.IGNORECASE)


def _read_phrase(text: str) -> list[Relation] | None:
    denies = _NO_ROW.fullmatch(text.strip()) or says_none(_ANSWER.sub("", text))
    return [] if denies else None


# The first that reads an answer counts.
FORMS = (
    AnswerForm("tags", re.compile(r"<ARG[01]>|\[/cause\]", re.IGNORECASE), _read_tags),
    AnswerForm("xml", re.compile(r"<\w*(?:cause|relation)", re.IGNORECASE), _read_xml),
    AnswerForm("markdown", re.compile(r"^.*\|.*\n\s*\|?\s*:?-", re.MULTILINE), _read_tables),
    AnswerForm("csv", re.compile("cause", re.IGNORECASE), _read_separated),
    AnswerForm("yaml", re.compile(r"^ *\w*relations *:|^ *- +\w*cause\w* *:", re.M), _read_yaml),
    AnswerForm("lines", re.compile("cause", re.IGNORECASE), _read_lines),
    AnswerForm("arrows", _ARROW, _read_arrows),
    AnswerForm("phrase", re.compile(r"\bno|\bn/?a\b|\A\s*\|", re.IGNORECASE), _read_phrase),
)
