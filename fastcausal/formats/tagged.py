"""Examples given as tagged sentences, one per relation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from fastcausal.errors import InputError, Problems
from fastcausal.formats.builder import Builder, UnreadError, matching, taken
from fastcausal.formats.tags import count_tokens, odd_signal_tag, parse, without_tags
from fastcausal.relations import Relations


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
        How tags are read, see `fastcausal.formats.tags.parse`.

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
    build = Builder("tagged sentences")
    build.notes.update(relations.reading.notes)
    known = lengths(relations, tags, range(len(table)))
    for k, (sentences, length) in enumerate(zip(kept_sentences(relations), known, strict=True)):
        if sentences is None:
            raise InputError(
                f"the tags cannot be read as {tags}: the table keeps no tagged sentences "
                '(column "tagged", a list of strings)'
            )
        add(build, f"example {relations.name(k)}", sentences, length, tags)
    columns = {n: table[n] for n in table.column_names if n not in ("relations", "length")}
    return build.table(columns, tags=tags)


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
    for k, sentence in enumerate(sentences, 1):
        if tags != "strict" and "<SIG" in sentence and odd_signal_tag(sentence):
            build.notes["signal tags without a plain number, the official program stops"] += 1
        try:
            n_tokens, spans = parse(sentence, tags)
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


def kept_sentences(relations: Relations) -> list[list[str] | None]:
    """The tagged sentences that a table keeps for each example, None where it keeps none."""
    if "tagged" not in relations.table.column_names:
        return [None] * len(relations)
    try:
        kept = relations.table["tagged"].cast(pa.list_(pa.large_string())).to_pylist()
    except pa.ArrowException:
        return [None] * len(relations)
    return [None if sentences is None or None in sentences else sentences for sentences in kept]


def plain_texts(relations: Relations) -> list[str | None]:
    """The sentence of each example: its ``text``, else its first tagged sentence without tags."""
    bare = [without_tags(kept[0]) if kept else None for kept in kept_sentences(relations)]
    if "text" not in relations.table.column_names:
        return bare
    texts = relations.table["text"].to_pylist()
    return [t if isinstance(t, str) else b for t, b in zip(texts, bare, strict=True)]


def require_text(where: str, text: str | None, length: int | None) -> str:
    """The text of an example that is about to be written, if it is there and fits its length."""
    if text is None:
        raise InputError(f"{where} has no text, which this format needs")
    n_tokens = count_tokens(text)
    if length is not None and n_tokens != length:
        raise InputError(f"{where}: its text has {n_tokens} tokens, expected {length}")
    return text
