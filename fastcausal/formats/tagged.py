"""Sentences with tags around causes, effects and signals: ``<ARG1>Fires</ARG1> ...``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import pyarrow as pa

from fastcausal.errors import InputError, Problems
from fastcausal.formats.builder import Builder, Span, UnreadError, matching, taken
from fastcausal.relations import Relations

CAUSE, EFFECT, SIGNAL = range(3)
SPACE = b" \t\n\r\x0b\x0c"
TOKEN = re.compile(r"[^ \t\n\r\x0b\x0c]+")
# A tag that lacks its ">" is a tag all the same, and an unreadable one.
_TAG = re.compile(rb"(</?(?:ARG|SIG)[^<>]*>?)")
_SIGNAL_TAG = re.compile(rb"</?SIG[0-9]+>")
_OFFICIAL_TAG = re.compile(r"</?ARG[01]>|</?SIG")
Run = tuple[bool, int, int, int]  # (begins, role, start, stop): B- and I- tags, or I- tags alone


def read(
    source: Sequence[Sequence[str]], like: Relations | None = None, tags: str = "strict"
) -> Relations:
    """Read lists of tagged sentences, one list per example, one sentence per relation.

    Parameters
    ----------
    source : sequence of sequences of str
        The tagged sentences of each example.
    like : Relations, optional
        The gold side, example by example: ids, text and lengths come from it.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        How tags are read, see `parse`.

    Returns
    -------
    Relations
        Keeps the sentences in a column ``tagged``. A relation is null where its sentence cannot
        be read or has another number of tokens than its example.

    Raises
    ------
    InputError
        A sentence is not a string, or ``like`` has another number of examples.

    Examples
    --------
    >>> read([["<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>"], []]).to_examples()[0]["relations"]
    [{'cause': [(0, 1)], 'effect': [(2, 3)]}]
    """
    build = Builder("tagged sentences")
    rows = matching(like, None, len(source), build.name)
    expected = lengths(like, tags, rows)
    for k, (sentences, length) in enumerate(zip(source, expected, strict=True)):
        name = like.name(k) if like is not None else str(k)
        if isinstance(sentences, str) or not all(isinstance(s, str) for s in sentences):
            raise InputError(f"example {name}: expected a list of tagged sentences")
        add(build, f"example {name}", sentences, length, tags)
    return build.table({**taken(like, rows), "tagged": list(map(list, source))}, tags=tags)


def reread(relations: Relations, tags: str) -> Relations:
    """Interpret the tagged sentences of a table anew.

    Parameters
    ----------
    relations : Relations
        With the column ``tagged: list<string>`` that readers of tagged sentences add.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        The reading wanted.

    Returns
    -------
    Relations
        With new ``relations``, and lengths counted anew where there is ``text``.

    Raises
    ------
    InputError
        There is no such column, or no such reading.

    Examples
    --------
    >>> strict = read([["<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>"]])
    >>> reread(strict, "cnc-2023").to_examples()[0]["relations"]
    [{'cause': [(0, 2)], 'effect': [(2, 3)]}]
    """
    if relations.reading.tags == tags:
        return relations
    table = relations.table
    kept = table["tagged"] if "tagged" in table.column_names else pa.nulls(len(table))
    try:
        kept = kept.cast(pa.list_(pa.string())).to_pylist()
    except pa.ArrowException:
        kept = [None] * len(table)
    if not all(sentences is not None and None not in sentences for sentences in kept):
        raise InputError(
            f"the tags cannot be read as {tags}: the table keeps no tagged sentences "
            '(column "tagged", a list of strings)'
        )
    build = Builder("tagged sentences")
    build.notes.update(relations.reading.notes)
    known = lengths(relations, tags, range(len(table)))
    for k, (sentences, length) in enumerate(zip(kept, known, strict=True)):
        add(build, f"example {relations.name(k)}", sentences, length, tags)
    columns = {n: table[n] for n in table.column_names if n not in ("relations", "length")}
    return build.table(columns, tags=tags)


def parse(text: str, tags: str = "strict") -> tuple[int, list[Span]]:
    """Read one tagged sentence.

    Parameters
    ----------
    text : str
        Tags: ``<ARG0>`` cause, ``<ARG1>`` effect, ``<SIG0>``, ``<SIG1>``, ... signal.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        ``strict``: tags are removed; tokens are what ASCII white space separates in the rest; a
        span covers every token that holds a character between its tags. The others are the
        readings of the scorers of those years: tokens end at single spaces, a tag acts on the
        token it stands in, one-word arguments stay open.

    Returns
    -------
    n_tokens : int
    spans : list of (role, start, stop)
        Sorted; roles 0 cause, 1 effect, 2 signal.

    Raises
    ------
    UnreadError
        Under ``strict``: an unknown tag, one that closes nothing or is never closed, is opened
        again while open, or marks no token. The other readings accept everything.

    Examples
    --------
    >>> parse("<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>")
    (3, [(0, 0, 1), (1, 2, 3)])
    >>> parse("<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>", "cnc-2023")
    (3, [(0, 0, 2), (1, 2, 3)])
    """
    return reading(tags)(text)


def reading(tags: str) -> Callable[[str], tuple[int, list[Span]]]:
    """The function behind `parse` for one reading."""
    if tags not in READINGS:
        raise InputError(f'unknown tag reading "{tags}", expected one of {", ".join(READINGS)}')
    return READINGS[tags]


def add(
    build: Builder,
    where: str,
    sentences: Iterable[str],
    length: int | None,
    tags: str,
    *,
    noun: str = "relation",
    mismatched: Problems | None = None,
) -> None:
    """Add one example, a relation per tagged sentence, to a builder.

    The first sentence that can be read sets an unknown length. One of another length is unread,
    or a fault of the input where ``mismatched`` is given.
    """
    interpret = reading(tags)
    for k, sentence in enumerate(sentences, 1):
        try:
            n_tokens, spans = interpret(sentence)
        except UnreadError as reason:
            build.unread_relation(f"{where}: {noun} {k}: {reason}")
            continue
        if length is None:
            length = n_tokens
        if n_tokens == length:
            build.relation(spans)
            continue
        message = f"{where}: {noun} {k} has {n_tokens} tokens, expected {length}"
        build.unread_relation(message)
        if mismatched is not None:
            mismatched.add(message)
    build.end_example(length)


def lengths(relations: Relations | None, tags: str, rows: Sequence[int | None]) -> list[int | None]:
    """The number of tokens of some examples as a reading of tags counts them, None if unknown.

    Counted in the column ``text`` where there is one, else as stored.
    """
    if relations is None:
        return [None] * len(rows)
    known: list[int | None] = relations.table["length"].to_pylist()
    if "text" in relations.table.column_names:
        for k, text in enumerate(relations.table["text"].to_pylist()):
            if isinstance(text, str):
                known[k] = count_tokens(text, tags)
    return [None if row is None else known[row] for row in rows]


def count_tokens(text: str, tags: str = "strict") -> int:
    """The number of tokens of a plain sentence under a reading of tags."""
    if tags != "strict":
        return text.count(" ") + 1
    return len(text.encode("utf-8", "surrogatepass").split())


def plain_texts(relations: Relations) -> list[str | None]:
    """The sentence of each example: its ``text``, else its first tagged sentence without tags."""
    names = relations.table.column_names
    texts: list[str | None] = [None] * len(relations)
    if "text" in names:
        found = relations.table["text"].to_pylist()
        texts = [text if isinstance(text, str) else None for text in found]
    if "tagged" in names:
        kept = relations.table["tagged"].to_pylist()
        for k, sentences in enumerate(kept):
            if texts[k] is None and sentences:
                texts[k] = _TAG.sub(b"", sentences[0].encode()).decode()
    return texts


def require_text(where: str, text: str | None, length: int | None) -> str:
    """The text of an example that is about to be written, if it is there and fits its length."""
    if text is None:
        raise InputError(f"{where} has no text, which this format needs")
    n_tokens = count_tokens(text)
    if length is not None and n_tokens != length:
        raise InputError(f"{where}: its text has {n_tokens} tokens, expected {length}")
    return text


def holds_tags(text: str) -> bool:
    """Whether a plain sentence holds what would be read as a tag."""
    return "<" in text and _TAG.search(text.encode()) is not None


def write(text: str, spans: Iterable[Span]) -> tuple[str, list[Span]]:
    """Put tags into a sentence, as the strict reading understands them.

    Parameters
    ----------
    text : str
        The sentence; tokens are what ASCII white space separates.
    spans : iterable of (role, start, stop)
        Roles 0 cause, 1 effect, 2 signal; signals are numbered as they come.

    Returns
    -------
    tagged : str
    left_out : list of (role, start, stop)
        Spans that tags cannot hold: causes that overlap an earlier cause, effects that overlap
        an earlier effect, and spans of any other role.

    Examples
    --------
    >>> write("Rain causes floods", [(0, 0, 1), (1, 1, 3), (1, 2, 3)])
    ('<ARG0>Rain</ARG0> <ARG1>causes floods</ARG1>', [(1, 2, 3)])
    """
    bounds = [match.span() for match in TOKEN.finditer(text)]
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    left_out: list[Span] = []
    ends = {CAUSE: 0, EFFECT: 0}  # where the last cause and the last effect end
    n_signals = 0
    for role, start, stop in sorted(spans):
        if role > SIGNAL or start < ends.get(role, 0):
            left_out.append((role, start, stop))
            continue
        name = f"ARG{role}"
        if role == SIGNAL:
            name = f"SIG{n_signals}"
            n_signals += 1
        else:
            ends[role] = stop
        opening.setdefault(bounds[start][0], []).append(f"<{name}>")
        closing.setdefault(bounds[stop - 1][1], []).insert(0, f"</{name}>")
    pieces: list[str] = []
    last = 0
    for cut in sorted({*opening, *closing}):
        pieces += [text[last:cut], *closing.get(cut, ()), *opening.get(cut, ())]
        last = cut
    return "".join([*pieces, text[last:]]), left_out


def chunks(runs: Iterable[Run], *, relaxed: bool) -> list[Span]:
    """Spans of a sequence of IOB2 tags.

    An I- run goes on with a span of its role that ends where it starts; without one it marks
    nothing, or a span of its own when ``relaxed``.
    """
    spans: list[Span] = []
    for begins, role, start, stop in runs:
        if not begins and spans and spans[-1][0] == role and spans[-1][2] == start:
            spans[-1] = (role, spans[-1][1], stop)
        elif begins or relaxed:
            spans.append((role, start, stop))
    return spans


def _strict(text: str) -> tuple[int, list[Span]]:
    first, *rest = _TAG.split(text.encode("utf-8", "surrogatepass"))
    n = len(first.split())  # tokens so far, the last one perhaps not complete
    glued = first != b"" and first[-1] not in SPACE  # so that text now goes on with it
    content = 0  # pieces with tokens so far
    opened: dict[bytes, tuple[int, int]] = {}  # tag name: first token, content before it
    waiting: list[bytes] = []  # opened, but no text came yet
    spans: list[Span] = []
    for k in range(0, len(rest), 2):
        tag, piece = rest[k], rest[k + 1]
        role = _ROLES[tag] if tag in _ROLES else _signal(tag)
        if tag[1] != 47:  # "/"
            name = tag[1:]
            if name in opened:
                raise UnreadError(f"{_show(tag)} is opened again before it is closed")
            opened[name] = (-1, content)
            waiting.append(name)
        else:
            name = tag[2:]
            if name not in opened:
                raise UnreadError(f"{_show(tag)} closes nothing")
            start, before = opened.pop(name)
            if before == content:
                raise UnreadError(f"<{_show(name)} marks no token")
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
    """A tag for a message, not longer than a tag should be."""
    return " ".join(tag[:20].decode("utf-8", "replace").split()) + ("..." if len(tag) > 20 else "")


def _official(text: str, relaxed: bool = False) -> tuple[int, list[Span]]:
    n = text.count(" ") + 1
    arguments: list[tuple[int, int]] = []  # (token, rank in _ARGUMENTS)
    signals: dict[int, set[bool]] = {}  # token: does it open, does it close
    token = last = 0
    for match in _OFFICIAL_TAG.finditer(text):
        token += text.count(" ", last, match.start())
        last = match.start()
        tag = match[0]
        if "S" in tag:
            signals.setdefault(token, set()).add(tag == "<SIG")
        elif not arguments or arguments[-1][0] != token:
            arguments.append((token, _ARGUMENTS[tag]))
        else:
            arguments[-1] = min(arguments[-1], (token, _ARGUMENTS[tag]))
    tracks = (
        [(token, rank // 2, rank % 2 == 0, rank % 2 == 1) for token, rank in arguments],
        [(token, SIGNAL, True in kinds, False in kinds) for token, kinds in signals.items()],
    )
    spans = [s for track in tracks if track for s in chunks(_runs(track, n), relaxed=relaxed)]
    spans.sort()
    return n, spans


def _runs(marks: list[tuple[int, int, bool, bool]], n: int) -> list[Run]:
    """Tag runs from tokens that open or close a role: (token, role, opens, closes).

    What is opened goes on up to the next token that opens or closes anything.
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
# The order in which the official reading looks for tags within a token.
_ARGUMENTS = {"<ARG0>": 0, "</ARG0>": 1, "<ARG1>": 2, "</ARG1>": 3}
READINGS: dict[str, Callable[[str], tuple[int, list[Span]]]] = {
    "strict": _strict,
    "cnc-2023": _official,
    "cnc-2022": partial(_official, relaxed=True),
}
