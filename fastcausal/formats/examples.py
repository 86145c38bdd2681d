"""The examples of a table for writers, in blocks and one by one; JSON lines of `to_examples`.

::

    blocks ── Block: names, texts, tagged sentences of its rows, for native writers
      └─ examples ── Example: the same of one row, for writers in Python
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    flattened,
    is_valid,
    joined,
    numbers,
    strings,
    strings_at,
)
from fastcausal.arrays.arrow import texts_of as characters_of
from fastcausal.arrays.reading import LETTERS
from fastcausal.errors import InputError, Problems
from fastcausal.files import writing
from fastcausal.files.files import Source
from fastcausal.files.values import pause_gc
from fastcausal.files.writing import TEXTS, Strings
from fastcausal.formats import _native
from fastcausal.formats.cnc.markup import NATIVE, count_tokens
from fastcausal.formats.reading.builder import RoleSpan
from fastcausal.formats.reading.format import Format
from fastcausal.formats.words import read_examples
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations


@pause_gc()
def read(source: str | os.PathLike[str] | Source, marking: Marking = MARKING) -> Relations:
    """Read JSON lines of examples with token offsets, in the form of `Relations.from_examples`."""
    source = Source.open(source)
    problems = Problems()
    examples = [example for _, example in source.objects(problems)]
    problems.raise_if_any()
    try:
        return read_examples(examples, marking)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error


class Example(NamedTuple):
    """An example of a table."""

    id: str  # Its id, else its position
    text: str | None  # The sentence: its ``text``, else its first tagged sentence without tags
    length: int | None  # In tokens
    # The spans of each relation in their order, None for an unreadable one
    relations: list[list[RoleSpan] | None]
    words: str = "strict"  # A reading of tags, or "letters"
    types: list[str | None] | None = None  # of the relations; None if none has one

    @property
    def by_letters(self) -> bool:
        """True if letters of scripts without blanks are tokens."""
        return self.words == LETTERS

    @property
    def name(self) -> str:
        """Name of the example in messages."""
        return f"example {self.id}"

    def readable(self, lost: Problems) -> Iterator[tuple[str, list[RoleSpan], str | None]]:
        """Yield the name for messages, the spans and the type of each relation; report others."""
        for number, spans in enumerate(self.relations, 1):
            name = f"{self.name}: relation {number}"
            if spans is None:
                lost.add(f"{name} is unread and left out")
            else:
                yield name, spans, None if self.types is None else self.types[number - 1]

    def require_text(self) -> str:
        """Return the text; raise InputError if it is missing or of another length."""
        if self.text is None:
            raise InputError(f"{self.name} has no text, which this format needs")
        n_tokens = count_tokens(self.text, self.words)
        if self.length is not None and n_tokens != self.length:
            raise InputError(f"{self.name}: its text has {n_tokens} tokens, expected {self.length}")
        stop = max((span[2] for spans in self.relations for span in spans or ()), default=0)
        if stop > n_tokens:
            raise InputError(f"{self.name}: a span stops at {stop}, its text has {n_tokens} tokens")
        return self.text


class Block:
    """Consecutive examples of a table, for a writer."""

    def __init__(
        self,
        relations: Relations,  # All examples
        # All their spans: role, start, stop, the first span of each relation, the first relation of
        # each example, and int8 flags of readable relations, None if all are
        spans: tuple[Any, ...],
        first: int,  # The row of the first example
        table: pa.Table,  # The rows
        position: int,  # Of the first example in the file to write
    ) -> None:
        self.relations, self.spans, self.first, self.table = relations, spans, first, table
        self.position = position

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def names(self) -> pa.Array:
        """Ids, or positions in a table without ids."""
        if "id" in self.table.column_names:
            return joined(self.table["id"])
        positions = np.arange(self.position, self.position + len(self))
        return pc.cast(numbers(positions), pa.string())

    @property
    def by_letters(self) -> bool:
        """True if letters of scripts without blanks are tokens."""
        return self.relations.reading.words == LETTERS

    @cached_property
    def texts(self) -> pa.Array:
        """Sentences: ``text``, else the first tagged sentence without tags."""
        own = self._fitted(text_column(self.table))
        if not own.null_count or self.tagged is None:
            return own
        bare = first_sentences(self.tagged)
        return bare if own.null_count == len(own) else pc.coalesce(own, pc.cast(bare, own.type))

    @cached_property
    def tagged(self) -> pa.ListArray | None:
        """Stored tagged sentences, null for an example without them; None if no column has them."""
        # None for aligned sentences too: only their relations fit the tokens of the text.
        aligned = self.relations.reading.tags == "aligned"
        kept = None if aligned else column_of_tagged(self.table)
        return None if kept is None else _drop_partial(joined(kept))

    @property
    def relation_places(self) -> npt.NDArray[np.int64]:
        """The first relation of each example, and of the example after the block."""
        places: npt.NDArray[np.int64] = self.spans[4][self.first : self.first + len(self) + 1]
        return places

    @property
    def n_relations(self) -> int:
        """The number of relations."""
        return int(np.ptp(self.relation_places))

    @property
    def types(self) -> pa.Array | None:
        """The types of the relations; None if no relation of the table has one."""
        types = self.relations.types
        first = self.relation_places[0]
        return None if types is None else flattened(types)[0].slice(first, self.n_relations)

    @cached_property
    def lengths(self) -> npt.NDArray[np.int32]:
        """The number of tokens of each example, -1 if unknown."""
        return self.relations.arrays.lengths[self.first : self.first + len(self)]

    @cached_property
    def n_tokens(self) -> npt.NDArray[np.int32]:
        """The number of tokens of each text, 0 without a text."""
        return self._count_tokens(self.texts)

    def _count_tokens(self, sentences: pa.Array) -> npt.NDArray[np.int32]:
        counts = np.empty(len(self), np.int32)
        texts = Strings.take(sentences)
        tags = LETTERS if self.by_letters else "strict"
        _native.count_tokens(texts.data, texts.places, NATIVE[tags], counts)
        return counts if texts.valid is None else np.where(texts.valid, counts, 0)

    def _fitted(self, own: pa.Array) -> pa.Array:
        """Replace texts that have other tokens than the example by its ``tokens``, if any."""
        if "tokens" not in self.table.column_names:
            return own
        tokens = joined(self.table["tokens"])
        if tokens.type not in (pa.list_(pa.string()), pa.list_(pa.large_string())):
            return own
        n = np.diff(flattened(tokens)[1])
        fits = is_valid(own) & (self._count_tokens(own) == self.lengths)
        wanted = ~fits & is_valid(tokens) & (n == self.lengths)
        if not wanted.any():
            return own
        return pc.if_else(pa.array(wanted), pc.cast(pc.binary_join(tokens, " "), own.type), own)

    @cached_property
    def unfit(self) -> npt.NDArray[np.bool_]:
        """Flags of the texts that `Example.require_text` refuses."""
        known = self.lengths >= 0
        unfit: npt.NDArray[np.bool_] = ~is_valid(self.texts) | (
            known & (self.n_tokens != self.lengths)
        )
        if not known.all():  # otherwise `Relations` has compared spans with lengths
            unfit |= ~known & (self._stops > self.n_tokens)
        return unfit

    def require_texts(self, needed: npt.NDArray[np.bool_]) -> None:
        """Raise InputError for the first needed text that is missing or of another length."""
        unfit = self.unfit & needed
        if unfit.any():
            self.example(int(unfit.argmax())).require_text()

    def name(self, k: int) -> str:
        """Return the name of an example in messages."""
        return f"example {self.names[k]}"

    def example(self, k: int) -> Example:
        """Return one example."""
        return next(self.examples(k, k + 1))

    def losses(
        self,
        left_out: npt.NDArray[np.int32],  # int32[n_relations]: The number of lost spans
        reason: str,  # Follows that number
        # int8[n_examples]: 1 for an example whose relations are not written from their spans
        skipped: Any = None,
    ) -> Iterator[tuple[int, str]]:
        """Yield a message, and the example, for each relation that a writer leaves out in part."""
        places = self.relation_places - self.relation_places[0]
        lossy = left_out != 0
        if (readable := self.spans[5]) is not None:
            first = self.relation_places[0]
            unread = readable[first : first + self.n_relations] == 0
            if skipped is not None:
                unread &= np.repeat(skipped, np.diff(places)) == 0
            lossy |= unread
        for r in np.flatnonzero(lossy).tolist():
            k = int(np.searchsorted(places, r, "right")) - 1
            where = f"{self.name(k)}: relation {r - places[k] + 1}"
            if n := left_out[r]:
                yield k, f"{where}: {n} {reason}"
            else:
                yield k, f"{where} is unread and left out"

    @property
    def _stops(self) -> npt.NDArray[np.int64]:
        """The last stop of the spans of each example, 0 without spans."""
        places = self.spans[3][self.relation_places]
        stops = np.append(self.spans[2][places[0] : places[-1]], 0).astype(np.int64)
        last = np.maximum.reduceat(stops, places[:-1] - places[0])
        return np.where(places[1:] > places[:-1], last, 0)

    def examples(self, start: int = 0, stop: int | None = None) -> Iterator[Example]:
        """Yield the examples from one row of the block up to another."""
        rows = slice(start, len(self) if stop is None else stop)
        length = self.lengths[rows].tolist()
        types = self.relations.types
        yield from map(
            Example,
            self.names[rows].to_pylist(),
            self.texts[rows].to_pylist(),
            (None if n < 0 else n for n in length),
            self._relations(rows),
            repeat(LETTERS if self.by_letters else "strict"),
            repeat(None) if types is None else types[self.first :][rows].to_pylist(),
        )

    def _relations(self, rows: slice) -> Iterator[list[list[RoleSpan] | None]]:
        *columns, row_places, _, readable = self.spans
        relations = self.relation_places[rows.start : rows.stop + 1]
        first, last = int(relations[0]), int(relations[-1])
        places = row_places[first : last + 1]
        spans = list(zip(*(c[places[0] : places[-1]].tolist() for c in columns), strict=True))
        bounds = (places - places[0]).tolist()
        found: list[list[RoleSpan] | None] = [spans[a:b] for a, b in pairwise(bounds)]
        if readable is not None:
            for k in np.flatnonzero(readable[first:last] == 0):
                found[k] = None
        for a, b in pairwise((relations - first).tolist()):
            yield found[a:b]


def blocks(relations: Relations, before: int = 0) -> Iterator[Block]:
    """Yield the examples of a table in blocks; ``before``: examples already in the same file."""
    arrays = relations.arrays
    readable = None
    if arrays.n_null:
        readable = is_valid(joined(relations.table["relations"]).flatten()).astype(np.int8)
    spans = (*arrays[:5], readable)
    for first, table in writing.blocks(relations.table):
        yield Block(relations, spans, first, table, before + first)


def examples(relations: Relations) -> Iterator[Example]:
    """Yield the examples of a table in their order."""
    for block in blocks(relations):
        yield from block.examples()


def texts_of(relations: Relations) -> list[str | None]:
    """Return each example's sentence: its ``text``, else its first tagged sentence without tags."""
    return list(chain.from_iterable(block.texts.to_pylist() for block in blocks(relations)))


def text_column(table: pa.Table) -> pa.Array:
    """Return the column ``text`` as one array of strings; other values are null."""
    values = writing.plain(table["text"]) if "text" in table.column_names else None
    if values is not None and values.type in TEXTS:
        return values
    return strings([None] * len(table))


def first_sentences(kept: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return the first sentence of each example without its tags, null if it has none."""
    sentences, places = flattened(joined(kept))
    first, has_any = places[:-1], np.diff(places) > 0
    taken = pc.take(sentences, numbers(np.where(has_any, first, 0), has_any))
    return strings_at(*_native.without_tags(*characters_of(taken)), has_any)


def _drop_partial(lists: pa.ListArray) -> pa.ListArray:
    """Replace a list with a null among its items by null."""
    items, places = flattened(lists)
    if not items.null_count:
        return lists
    nulls = np.append(0, np.cumsum(~is_valid(items)))
    partial = nulls[places[1:]] > nulls[places[:-1]]
    return pc.if_else(numbers(partial), None, lists)


def column_of_texts(relations: Relations) -> pa.Array:
    """Return `texts_of` as an array of strings."""
    names = relations.table.column_names
    if "text" in names and "tokens" not in names:
        column = joined(relations.table["text"])
        if column.type in (pa.string(), pa.large_string()) and not column.null_count:
            return column
    return strings(texts_of(relations))


def column_of_tagged(table: pa.Table) -> pa.ChunkedArray | None:
    """Return the column of tagged sentences, None if it is missing or of another type."""
    if "tagged" not in table.column_names:
        return None
    kept = table["tagged"]
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


FORMAT = Format(
    "examples", read, takes=("roles", "words"), key="relations", is_row=_is_row, empty=False
)
