"""Gold of single examples, in every form of a data set: read once, and kept by its content."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fastcausal.arrays.arrow import offsets
from fastcausal.engine.kernel import Int64
from fastcausal.errors import InputError
from fastcausal.formats import read_marked
from fastcausal.formats.cnc.markup import holds_tags
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.formats.cnc.tagged import token_counts
from fastcausal.formats.model_output.brackets import read_python
from fastcausal.formats.model_output.shapes import JSON
from fastcausal.formats.words import join_tokens, tokens_like
from fastcausal.marking import Marking
from fastcausal.protocols import Protocol
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.relations.align import align_rows
from fastcausal.tasks.relations.unread import unread_message

Row = tuple[Any, Any, Any]  # text, tokens and gold of an example, as given


class GoldExample(NamedTuple):
    """A text, and its relations as a protocol counts them."""

    text: str
    tokens: list[str] | None  # If blanks do not separate them
    rows: Rows
    widths: Int64  # [n_relations]: spans of each
    types: list[str | None]  # Of its relations


class GoldReader:
    """Reader of gold, which keeps the examples that it has read."""

    def __init__(self, protocol: Protocol, marking: Marking, most: int) -> None:
        self._protocol, self._marking = protocol, marking
        self._most = most  # examples to keep
        self.kept: dict[bytes, GoldExample] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings, without what is kept."""
        return {**self.__dict__, "kept": {}}

    def take(self, rows: Sequence[Row]) -> list[GoldExample]:
        """Return the examples of rows; each is read once, and kept by its content."""
        keys = [*map(_key, rows)]
        known = {key: self.kept.get(key) for key in keys}
        missing = [key for key, gold in known.items() if gold is None]
        if missing:
            places = {key: k for k, key in reversed([*enumerate(keys)])}
            at = [places[key] for key in missing]
            made = self._read([_simplify_row(k, rows[k]) for k in at], at)
            known |= zip(missing, made, strict=True)
            for key, gold in zip(missing, made, strict=True):
                self._keep(key, gold)
        return [known[key] for key in keys]  # type: ignore[misc]

    def _keep(self, key: bytes, gold: GoldExample) -> None:
        """Keep an example; the oldest ones give way."""
        # Each step on the dict is atomic: no lock, which a fork might find closed.
        self.kept[key] = gold
        while len(self.kept) > self._most:
            try:
                self.kept.pop(next(iter(self.kept)), None)
            except (RuntimeError, StopIteration):  # another thread was faster
                continue

    def _read(self, rows: list[Row], places: list[int]) -> list[GoldExample]:
        """Read gold, in as few steps as possible; InputError names the row."""
        tagged = [bool(gold) and isinstance(gold[0], str) for *_, gold in rows]
        made: dict[int, GoldExample] = {}
        for form, read in ((False, self._read_relations), (True, self._read_tagged)):
            chosen = [k for k, is_tagged in enumerate(tagged) if is_tagged is form]
            try:
                golds = read([rows[k] for k in chosen]) if chosen else []
            except InputError:
                golds = [_read_alone(read, rows[k], places[k]) for k in chosen]
            made |= zip(chosen, golds, strict=True)
        return [made[k] for k in range(len(rows))]

    def _read_relations(self, rows: Sequence[Row]) -> list[GoldExample]:
        examples = [
            {"text": text, "relations": gold} | ({} if tokens is None else {"tokens": tokens})
            for text, tokens, gold in rows
        ]
        return self._split(rows, read_marked(examples, marking=self._marking, lenient=True))

    def _read_tagged(self, rows: Sequence[Row]) -> list[GoldExample]:
        tags = GOLD_READING[self._protocol.tags]
        texts = [{"text": text, "relations": []} for text, *_ in rows]
        like = read_marked(texts, marking=self._marking, lenient=True)
        sentences = [gold for *_, gold in rows]
        return self._split(rows, read_marked(sentences, "cnc", like, tags, marking=self._marking))

    def _split(self, rows: Sequence[Row], relations: Relations) -> list[GoldExample]:
        """Return the examples of a table, as the protocol reads them."""
        if relations.n_unread:
            raise InputError(unread_message(relations.reading, "gold", relations.n_unread))
        own = Rows.of(relations)
        counts = token_counts(relations, "strict")
        if (counts != own.lengths).any():
            k = int(np.argmax(counts != own.lengths))
            raise InputError(f"gold has {own.lengths[k]} tokens, expected {counts[k]} as its text")
        read = align_rows(own, own, ROLES, self._protocol).gold
        tokens = tokens_like(relations, np.arange(len(rows)))
        names: list[Any] = [None] * len(rows)
        if relations.types is not None:
            names = relations.types.to_pylist()
        golds = []
        for k, (text, *_) in enumerate(rows):
            part = read.part(k, k + 1)
            alone = replace(part, values=part.values.copy(), lengths=part.lengths.copy())
            types = names[k] or [None] * alone.n_relations
            golds.append(GoldExample(text, tokens[k], alone, np.diff(alone.row_offsets), types))
        return golds


def join_rows(golds: Sequence[GoldExample]) -> Rows:
    """Join the rows of examples."""
    if len(golds) == 1:
        return golds[0].rows
    values = np.concatenate([gold.rows.values for gold in golds])
    lengths = np.concatenate([gold.rows.lengths for gold in golds])
    row_offsets = offsets(np.concatenate([gold.widths for gold in golds]))
    relation_offsets = offsets([*map(len, (gold.widths for gold in golds))])
    return Rows(values, row_offsets, relation_offsets, lengths, golds[0].rows.tags)


def _key(row: Row) -> bytes:
    """Return the content of a row as bytes."""
    try:
        return marshal.dumps(row, 2)  # this version does not depend on how objects are shared
    except ValueError:  # arrays, and other values than Python's own
        return marshal.dumps(_simplify(row), 2)


def _simplify(value: Any) -> Any:
    """Convert arrays, tuples and mappings to lists and dicts."""
    if isinstance(value, str | int | float | None) and not hasattr(value, "tolist"):
        return value
    if hasattr(value, "tolist"):
        return _simplify(value.tolist())
    if isinstance(value, Mapping):
        return {key: _simplify(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [*map(_simplify, value)]
    raise InputError(f"a column has a {type(value).__name__}, expected texts, lists and mappings")


def _simplify_row(k: int, row: Row) -> Row:
    """Return text, tokens and gold of a row: a list of dicts or of tagged sentences."""
    text, tokens, gold = _simplify(row)
    if text is None and isinstance(tokens, list):
        text = join_tokens(map(str, tokens))  # type: ignore[arg-type]
    if not isinstance(text, str):
        raise InputError(f"row {k}: the text is {text!r:.40}, expected a text, or tokens")
    if isinstance(gold, str):
        gold = _decode(gold)
    if isinstance(gold, dict) and "relations" in gold:
        gold = gold["relations"]
    if not isinstance(gold, list):
        raise InputError(f"row {k}: gold is {gold!r:.40}, expected a list of relations")
    return text, tokens, gold


def _decode(gold: str) -> Any:
    """Return the value of JSON, or of a list as the Causal News Corpus writes it."""
    if not gold.lstrip().startswith(("[", "{")):
        return [gold]
    try:
        return JSON.decode(gold)
    except (ValueError, RecursionError):
        value = read_python(gold)
    return ([gold] if holds_tags(gold) else gold) if value is None else value


def _read_alone(
    read: Callable[[Sequence[Row]], list[GoldExample]], row: Row, place: int
) -> GoldExample:
    try:
        return read([row])[0]
    except InputError as error:
        raise InputError(f"row {place}: {error.problem}", error.remedy) from None
