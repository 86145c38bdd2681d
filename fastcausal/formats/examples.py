"""The examples of a table, one by one, for writers; JSON lines of `to_examples`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from fastcausal.arrays.arrow import joined, strings
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import without_collection
from fastcausal.formats.cnc.markup import count_tokens, without_tags
from fastcausal.formats.reading.builder import RoleSpan
from fastcausal.formats.reading.format import Format
from fastcausal.relations import Relations


@without_collection()
def read(source: str | os.PathLike[str] | Source) -> Relations:
    """Read JSON lines of examples with token offsets, in the form of `Relations.from_examples`.

    Raises
    ------
    InputError
        A line is not a JSON object, and all errors of `Relations.from_examples`.
    """
    source = Source.open(source)
    problems = Problems()
    examples = [example for _, example in source.objects(problems)]
    problems.raise_if_any()
    try:
        return Relations.from_examples(examples)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error


class Example(NamedTuple):
    """An example of a table.

    Attributes
    ----------
    id : str
        Its id, else its position.
    text : str or None
        The sentence: its ``text``, else its first tagged sentence without tags.
    length : int or None
        In tokens.
    row : pyarrow.ListScalar
        Its relations.
    """

    id: str
    text: str | None
    length: int | None
    row: Any

    @property
    def name(self) -> str:
        """Name of the example in messages."""
        return f"example {self.id}"

    @property
    def relations(self) -> list[list[RoleSpan] | None]:
        """The spans of each relation in their order, None for an unreadable one."""
        return [
            None if spans is None else [(s["role"], s["start"], s["stop"]) for s in spans]
            for spans in self.row.as_py()
        ]

    def readable(self, lost: Problems) -> Iterator[tuple[str, list[RoleSpan]]]:
        """Yield each relation with its name for messages; report unreadable ones."""
        for number, spans in enumerate(self.relations, 1):
            name = f"{self.name}: relation {number}"
            if spans is None:
                lost.add(f"{name} is unread and left out")
            else:
                yield name, spans

    def require_text(self) -> str:
        """Return the text; raise InputError if it is missing or of another length."""
        if self.text is None:
            raise InputError(f"{self.name} has no text, which this format needs")
        n_tokens = count_tokens(self.text)
        if self.length is not None and n_tokens != self.length:
            raise InputError(f"{self.name}: its text has {n_tokens} tokens, expected {self.length}")
        return self.text


def examples(relations: Relations) -> Iterator[Example]:
    """Yield the examples of a table in their order."""
    table = relations.table
    names = range(len(table)) if relations.ids is None else relations.ids.to_pylist()
    columns = texts_of(relations), table["length"].to_pylist(), table["relations"]
    yield from map(Example, map(str, names), *columns)


def texts_of(relations: Relations) -> list[str | None]:
    """Return each example's sentence: its ``text``, else its first tagged sentence without tags."""
    bare = [without_tags(row[0]) if row else None for row in tagged_sentences(relations)]
    if "text" not in relations.table.column_names:
        return bare
    texts = relations.table["text"].to_pylist()
    return [t if isinstance(t, str) else b for t, b in zip(texts, bare, strict=True)]


def column_of_texts(relations: Relations) -> pa.Array:
    """Return `texts_of` as an array of strings."""
    if "text" in relations.table.column_names:
        column = joined(relations.table["text"])
        if column.type in (pa.string(), pa.large_string()) and not column.null_count:
            return column
    return strings(texts_of(relations))


def tagged_sentences(relations: Relations) -> list[list[str] | None]:
    """Return the stored tagged sentences of each example, None if it has none.

    For aligned sentences, only the relations are in the tokens of the text.
    """
    kept = None if relations.reading.tags == "aligned" else column_of_tagged(relations)
    if kept is None:
        return [None] * len(relations)
    return [None if row is None or None in row else row for row in kept.to_pylist()]


def column_of_tagged(relations: Relations) -> pa.ChunkedArray | None:
    """Return the column of tagged sentences, None if it is missing or of another type."""
    if "tagged" not in relations.table.column_names:
        return None
    kept = relations.table["tagged"]
    if kept.type in (pa.list_(pa.string()), pa.list_(pa.large_string())):
        return kept
    try:
        return kept.cast(pa.list_(pa.large_string()))
    except pa.ArrowException:
        return None


def _is_row(row: Mapping[str, Any]) -> bool:
    relations = row["relations"]
    return (
        "length" in row
        and isinstance(relations, list)
        and any(isinstance(relation, dict) for relation in relations)
    )


FORMAT = Format("examples", read, key="relations", is_row=_is_row, empty=False)
