"""One tagged sentence: ``<ARG1>Floods</ARG1> came <SIG0>after</SIG0> <ARG0>rain</ARG0>``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise

from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.reading.builder import RoleSpan, UnreadError
from fastcausal.options import TagReading, check

CAUSE, EFFECT, SIGNAL = range(3)
SPACE = b" \t\n\r\x0b\x0c"
TOKEN = re.compile(r"[^ \t\n\r\x0b\x0c]+")
# A tag without its ">" is still a tag, an unreadable one.
_TAG = re.compile(rb"(</?(?:ARG|SIG)[^<>]*>?)")
_SIGNAL_TAG = re.compile(rb"</?SIG[0-9]+>")
_ODD_SIGNAL = re.compile(r"</?SIG(?!\d+>)")
_OFFICIAL_TAG = re.compile(r"</?ARG[01]>|</?SIG")
OFFICIAL = ("cnc-2023", "cnc-2022")  # readings of official scorers, by line order, not ids
# Numbers of csrc/tags/tagged.hpp; "letters" counts tokens alone.
NATIVE = {"strict": 0, "aligned": 0, "cnc-2023": 1, "cnc-2022": 2, "letters": 3}
TagMark = tuple[int, int, bool]  # (token, role, closes): a tag
TagRun = tuple[bool, int, int, int]  # (begins, role, start, stop): B- and I- tags, or I- tags alone


def parse(
    text: str,  # Tags: ``<ARG0>`` cause, ``<ARG1>`` effect, ``<SIG0>``, ``<SIG1>``, ... signal.
    # ``strict``: tags are removed; tokens are
    # separated by ASCII white space in the rest; a span covers every token with a character between
    # its tags. ``aligned`` differs for sentences that rewrite a known text, see
    # `fastcausal.formats.cnc.aligned`. The others are the readings of the scorers of those years:
    # tokens end at single spaces, a tag acts on its own token, one-word arguments stay open.
    tags: str = "strict",
) -> tuple[int, list[RoleSpan]]:
    """Read one tagged sentence."""
    # Returns the number of tokens, and sorted spans; roles are 0 cause, 1 effect, 2 signal.
    # UnreadError under ``strict``: a tag is unknown, closes nothing, is never closed, is opened
    # again while open, or marks no token. The other readings accept everything.
    return reading(tags)(text)


def reading(tags: str) -> Callable[[str], tuple[int, list[RoleSpan]]]:
    """Return the function behind `parse` for one reading."""
    check("tags", tags, TagReading)
    return READINGS[tags]


def count_tokens(text: str, tags: str = "strict") -> int:
    """Return the number of tokens of a plain sentence under a reading of tags."""
    if tags in OFFICIAL:
        return text.count(" ") + 1
    if tags == "letters":
        return len(token_bounds(text, by_letters=True)[0])
    return len(text.encode("utf-8", "surrogatepass").split())


def holds_tags(text: str) -> bool:
    """Return True if a plain sentence contains a tag."""
    return "<" in text and _TAG.search(text.encode()) is not None


def strip_tags(text: str) -> str:
    """Return the sentence without its tags."""
    return "".join(pieces_of(text)[::2])


def pieces_of(text: str) -> list[str]:
    """Split a sentence into text, tag, text, ..., tag, text."""
    return [piece.decode() for piece in _TAG.split(text.encode())]


def chunks(runs: Iterable[TagRun], *, relaxed: bool) -> list[RoleSpan]:
    """Return the spans of a sequence of IOB2 tags.

    An I- run continues a span of its role that ends at its start; without one it marks nothing,
    or its own span if ``relaxed``.
    """
    spans: list[RoleSpan] = []
    for begins, role, start, stop in runs:
        if not begins and spans and spans[-1][0] == role and spans[-1][2] == start:
            spans[-1] = (role, spans[-1][1], stop)
        elif begins or relaxed:
            spans.append((role, start, stop))
    return spans


def _strict(text: str) -> tuple[int, list[RoleSpan]]:
    first, *rest = _TAG.split(text.encode("utf-8", "surrogatepass"))
    n = len(first.split())  # tokens so far, the last one perhaps incomplete
    glued = first != b"" and first[-1] not in SPACE  # true if text would continue that token
    content = 0  # pieces with tokens so far
    opened: dict[bytes, tuple[int, int]] = {}  # tag name: first token, content before it
    waiting: list[bytes] = []  # opened, without text yet
    spans: list[RoleSpan] = []
    for k in range(0, len(rest), 2):
        tag, piece = rest[k], rest[k + 1]
        role = _ROLES[tag] if tag in _ROLES else _signal(tag)
        if tag[1] != 47:  # "/"
            name = tag[1:]
            if name in opened:
                raise UnreadError(f"<{_show(name)} is opened again before it is closed")
            opened[name] = (-1, content)
            waiting.append(name)
        else:
            start, before = opened.pop(tag[2:], (-1, -1))
            if before in (-1, content):
                fault = "closes nothing" if before < 0 else "marks no token"
                raise UnreadError(f"{_show(tag)} {fault}")
            spans.append((role, start, n))
        if piece:
            if glued and piece[0] not in SPACE:
                n -= 1
            for name in waiting:
                opened[name] = (n, opened[name][1])
            waiting.clear()
            words = len(piece.split())
            n += words
            content += words > 0
            glued = piece[-1] not in SPACE
    if opened:
        raise UnreadError(f"<{_show(next(iter(opened)))} is never closed")
    spans.sort()
    return n, spans


def _signal(tag: bytes) -> int:
    if _SIGNAL_TAG.fullmatch(tag):
        return SIGNAL
    raise UnreadError(f"unknown tag {_show(tag)}")


def _show(tag: bytes) -> str:
    """Shorten a tag for a message."""
    return " ".join(tag[:20].decode("utf-8", "replace").split()) + ("..." if len(tag) > 20 else "")


def odd_signal_tag(text: str) -> bool:
    """Return True if a signal tag lacks a plain number, as in ``<SIG0A>``."""
    return _ODD_SIGNAL.search(text) is not None


def _official(text: str, relaxed: bool = False) -> tuple[int, list[RoleSpan]]:
    n = text.count(" ") + 1
    marks: list[TagMark] = []
    token = last = 0
    for match in _OFFICIAL_TAG.finditer(text):
        token += text.count(" ", last, match.start())
        last = match.start()
        tag = match[0]
        marks.append((token, SIGNAL if "S" in tag else int(tag[-2]), tag[1] == "/"))
    return n, _read_marks(marks, n, relaxed)


def apply_tagging(
    spans: Iterable[RoleSpan],  # (role, start, stop); roles 0 cause, 1 effect, 2 signal
    length: int,  # Tokens of the sentence, separated by single spaces
    tags: str,
) -> list[RoleSpan]:
    """Read the spans of a relation as if they had been written as tags.

    >>> apply_tagging([(0, 0, 1), (1, 2, 4)], 5, "cnc-2023")
    [(0, 0, 2), (1, 2, 4)]
    """
    # The result is sorted. UnreadError if tags cannot hold the spans: causes overlap, or effects
    # do.
    spans = sorted(spans)
    for (role, _, stop), (other, start, _) in pairwise(spans):
        if role == other != SIGNAL and start < stop:
            raise UnreadError(f"two spans of role {role} overlap at token {start}")
    if tags not in OFFICIAL:
        return spans
    ends = [((start, role, False), (stop - 1, role, True)) for role, start, stop in spans]
    marks = sorted(mark for both in ends for mark in both)
    return _read_marks(marks, length, relaxed=tags == "cnc-2022")


def _read_marks(marks: Iterable[TagMark], n: int, relaxed: bool) -> list[RoleSpan]:
    """Read tags in the order of their tokens, as the official scorers do."""
    arguments: list[tuple[int, int]] = []  # (token, rank); a token takes its lowest rank
    signals: dict[int, set[bool]] = {}  # token: {True if it opens, False if it closes}
    for token, role, closes in marks:
        if role == SIGNAL:
            signals.setdefault(token, set()).add(not closes)
        elif not arguments or arguments[-1][0] != token:
            arguments.append((token, 2 * role + closes))
        else:
            arguments[-1] = min(arguments[-1], (token, 2 * role + closes))
    tracks = (
        [(token, rank // 2, rank % 2 == 0, rank % 2 == 1) for token, rank in arguments],
        [(token, SIGNAL, True in kinds, False in kinds) for token, kinds in signals.items()],
    )
    spans = [s for track in tracks if track for s in chunks(_runs(track, n), relaxed=relaxed)]
    spans.sort()
    return spans


def _runs(marks: list[tuple[int, int, bool, bool]], n: int) -> list[TagRun]:
    """Return tag runs from tokens that open or close a role: (token, role, opens, closes).

    An open run continues up to the next token that opens or closes anything.
    """
    nexts = [token for token, *_ in marks[1:]] + [n]
    return [
        (opens, role, token, token + 1 if closes else stop)
        for (token, role, opens, closes), stop in zip(marks, nexts, strict=True)
    ]


_ROLES = {
    f"<{slash}{name}>".encode(): role
    for slash in ("", "/")
    for name, role in [("ARG0", CAUSE), ("ARG1", EFFECT), *((f"SIG{k}", SIGNAL) for k in range(9))]
}
READINGS: dict[str, Callable[[str], tuple[int, list[RoleSpan]]]] = {
    "strict": _strict,
    "aligned": _strict,
    "cnc-2023": _official,
    "cnc-2022": partial(_official, relaxed=True),
}
