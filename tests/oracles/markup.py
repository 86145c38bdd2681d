"""Tagged sentences read character by character, and token by token as the official programs do.

Sources: docs/formats.md for the strict reading; the loops of the scorers of the Causal News Corpus
for the official tags; the definition of IOB2 for its spans. Shares nothing with the package.
"""

from __future__ import annotations


def strict_reading(text: str) -> tuple[int, list[tuple[int, int, int]]] | None:
    """Read strictly, character by character: every tag is a place between two characters."""
    plain = ""
    places = []
    i = 0
    while i < len(text):
        if text.startswith(("<ARG", "</ARG", "<SIG", "</SIG"), i):
            end = i + 1
            while end < len(text) and text[end] not in "<>":
                end += 1
            if end == len(text) or text[end] == "<":
                return None
            places.append((len(plain), text[i : end + 1]))
            i = end + 1
        else:
            plain += text[i]
            i += 1
    token_of: list[int | None] = []
    n = 0
    for k, char in enumerate(plain):
        white = char in " \t\n\r\x0b\x0c"
        if not white and (k == 0 or token_of[-1] is None):
            n += 1
        token_of.append(None if white else n - 1)
    spans = []
    opened: dict[str, int] = {}
    for place, tag in places:
        name = tag.strip("</>")
        if name not in ("ARG0", "ARG1") and not (name[:3] == "SIG" and name[3:].isdigit()):
            return None
        if not tag.startswith("</"):
            if name in opened:
                return None
            opened[name] = place
            continue
        if name not in opened:
            return None
        touched = [t for t in token_of[opened.pop(name) : place] if t is not None]
        if not touched:
            return None
        role = {"ARG0": 0, "ARG1": 1}.get(name, 2)
        spans.append((role, touched[0], touched[-1] + 1))
    return None if opened else (n, sorted(spans))


def official_tags(text: str) -> tuple[list[str], list[str]]:
    """Tag a sentence as the official programs do, token by token."""
    arguments, signals = [], []
    tag = following = "O"
    for token in text.split(" "):
        if "<ARG0>" in token:
            tag, following = "B-C", "I-C"
        elif "</ARG0>" in token:
            tag, following = "I-C", "O"
        elif "<ARG1>" in token:
            tag, following = "B-E", "I-E"
        elif "</ARG1>" in token:
            tag, following = "I-E", "O"
        arguments.append(tag)
        tag = following
    tag = following = "O"
    for token in text.split(" "):
        if "<SIG" in token:
            tag, following = "B-S", "O" if "</SIG" in token else "I-S"
        elif "</SIG" in token:
            tag, following = "I-S", "O"
        signals.append(tag)
        tag = following
    return arguments, signals


def strict_iob2(sequence: list[str]) -> list[tuple[str, int, int]]:
    spans = []
    opened = None
    for k, tag in enumerate([*sequence, "O"]):
        if opened and tag != f"I-{opened[0]}":
            spans.append((*opened, k))
            opened = None
        if tag.startswith("B-"):
            opened = (tag[2:], k)
    return spans
