"""Examples as tagged sentences, one per relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import flattened, is_valid, joined, offsets, strings_at, text_lists
from fastcausal.arrays.arrow import lists as lists_of
from fastcausal.arrays.arrow import texts_of as characters_of
from fastcausal.arrays.kept import Key
from fastcausal.arrays.reading import LETTERS
from fastcausal.arrays.unparsed import UNPARSED, reason_lists
from fastcausal.errors import InputError, Problems, Remedy
from fastcausal.files.values import shown
from fastcausal.formats import _native
from fastcausal.formats.cnc import copies
from fastcausal.formats.cnc.aligned import NOTE, aligned, difference
from fastcausal.formats.cnc.copies import texts_like
from fastcausal.formats.cnc.markup import NATIVE, OFFICIAL, count_tokens, odd_signal_tag, parse
from fastcausal.formats.reading.builder import (
    Int32,
    Int64,
    UnreadError,
    assembled,
    column,
    placed,
    take_or_missing,
    unread_message,
)
from fastcausal.formats.sentences import TO_LETTERS
from fastcausal.formats.words import WordCutter, has_other_words
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Reading, Relations

SPAN_DTYPES = (np.int8, np.int32, np.int32)  # role, start, stop
UNLIKE_TEXT = "examples whose text has another number of tokens than their tagged sentences"
HELD: Key[bool] = Key("held against texts")  # of `Relations.kept`
ODD = "signal tags without a plain number, the official program stops"


def read(
    source: Sequence[Sequence[str]],
    like: Relations | None = None,
    tags: str = "strict",
    marking: Marking = MARKING,
) -> Relations:
    """Read lists of tagged sentences, one list per example, one sentence per relation.

    Parameters
    ----------
    source : sequence of sequences of str
        The tagged sentences of each example.
    like : Relations, optional
        The gold side, example by example: ids, text and lengths come from it.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The reading of tags, see `fastcausal.formats.cnc.markup.parse`.

    Returns
    -------
    Relations
        Stores the sentences in a column ``tagged``. A relation is null if its sentence is
        unreadable or has another number of tokens than its example.

    Raises
    ------
    InputError
        A sentence is not a string, or ``like`` has another number of examples.

    Examples
    --------
    >>> read([["<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>"], []]).to_examples()[0]["relations"]
    [{'cause': [(0, 1)], 'effect': [(2, 3)]}]
    """
    name = "tagged sentences"
    rows, columns = placed(like, None, len(source), name)

    def where(k: int) -> str:
        return f"example {k if like is None else like.name(k)}"

    for k, sentences in enumerate(source):
        if isinstance(sentences, str) or not all(isinstance(s, str) for s in sentences):
            raise InputError(f"{where(k)}: expected a list of tagged sentences")
    kept = column(name, "tagged", list(map(list, source)))
    counts = token_counts(like, tags, rows)
    by_letters = by_letters_alone(marking) or WordCutter.choose(like=like).by_letters
    texts = texts_like(like, rows)
    return Sentences(kept, counts, tags, texts, by_letters=by_letters).table(name, columns, where)


def by_letters_alone(marking: Marking) -> bool:
    """Return True for words by letters; refuse a tokenizer, whose words tags may cut."""
    rule = WordCutter.choose(marking.words)
    if rule.cutting is not None:
        raise ValueError(f'words is "{rule.name}", expected blank or letters for tagged sentences')
    return rule.by_letters


def spaced(texts: pa.Array) -> pa.Array:
    """Put a blank between tokens by letters, and for any white space; tags stay as they are.

    >>> spaced(pa.array(["<ARG0>大雨</ARG0>导致3人", None])).to_pylist()
    ['<ARG0>大 雨</ARG0> 导 致 3 人', None]
    """
    data, places = characters_of(texts)
    return strings_at(*_native.spaced(data, places.astype(np.int64)), is_valid(texts), large=True)


def spaced_lists(lists: pa.Array) -> pa.Array:
    """Put blanks into lists of sentences, see `spaced`."""
    sentences, places = flattened(lists)
    return lists_of(np.diff(places), spaced(sentences))


def read_gold(
    name: str,
    kept: Any,
    columns: Mapping[str, Any],
    tags: str,
    where: Callable[[int], str],
    problems: Problems,
    notes: Mapping[str, int],
    lines: Sequence[int],
    by_letters: bool = False,
) -> Relations:
    """Read the own sentences of examples with a column ``text``, see `Sentences.table`.

    Under the strict reading, sentences of another length than their text are problems.
    """
    lengths = np.empty(len(columns["text"]), np.int32)
    count_all(columns["text"], LETTERS if by_letters else tags, lengths)
    texts = joined(columns["text"])
    sentences = Sentences(kept, lengths, tags, texts, own=True, by_letters=by_letters)
    if tags not in OFFICIAL:
        sentences.note_misfits(problems, where)
    if problems.count:
        problems.raise_if_any()
    notes = {**notes, UNLIKE_TEXT: sentences.unlike_text}
    return sentences.table(name, columns, where, notes=notes, lines=lines)


class Sentences:
    """The tagged sentences of examples, read in native code."""

    def __init__(
        self,
        kept: Any,  # list<string> or list<large_string> of each example, without nulls
        # [n_examples]: tokens, -1 if unknown: then the first readable sentence decides. A sentence
        # of another length is unread.
        lengths: Int32,
        tags: str,
        # The text of each example, or null; sentences are compared and aligned with it.
        texts: pa.Array | None,
        *,
        # True for the examples' own sentences, False for predictions. The official programs give an
        # example the length of its first sentence.
        own: bool = False,
        by_letters: bool = False,  # True makes letters of scripts without blanks tokens
    ) -> None:
        if by_letters and tags in OFFICIAL:
            raise ValueError(f'words is "{LETTERS}", but tags {tags} are read between blanks')
        kept = kept if isinstance(kept, pa.ChunkedArray) else pa.chunked_array([kept])
        self.kept: pa.ChunkedArray = kept
        self._texts = texts
        self.n_aligned: int = 0
        self._words = LETTERS if by_letters else None
        if by_letters:
            kept = pa.chunked_array([spaced_lists(chunk) for chunk in kept.chunks])
            self._texts = None if texts is None else spaced(texts)
        if tags == "aligned":
            anew, self.n_aligned = aligned(kept, _require_texts(self._texts_of(range(len(kept)))))
            kept = pa.chunked_array([anew])
        self._read: pa.ChunkedArray = kept
        self._cut: list[int] = []  # sentences with a tag within a token of such letters
        self.tags: str = tags
        self.lengths: Int32 = np.array(lengths, np.int32)
        parts = [text_lists(chunk) for chunk in kept.chunks]
        counts = [np.diff(starts) for starts, *_ in parts]
        # Number of sentences per example.
        self.counts: Int64 = np.concatenate([np.empty(0, np.int64), *counts])
        if own and tags in OFFICIAL:
            self.lengths[self.counts > 0] = -1
        self.widths: Int32 = np.empty(int(self.counts.sum()), np.int32)
        self.n_tokens: Int32 = np.empty_like(self.widths)
        self.odd: list[str] = []  # sentences with a signal tag without a plain number
        spans: list[tuple[bytes, ...]] = [(b"", b"", b"")]
        example = sentence = 0
        for chunk, (starts, data, places) in zip(kept.chunks, parts, strict=True):
            stops = example + len(chunk), sentence + int(starts[-1])
            *flat, odd, cut = _native.read_tagged(
                data,
                places,
                starts,
                NATIVE[tags],
                self.lengths[example : stops[0]],
                self.n_tokens[sentence : stops[1]],
                self.widths[sentence : stops[1]],
            )
            spans.append(tuple(flat))
            self._cut += [sentence + k for k in cut]
            if odd:
                sentences, _ = flattened(chunk)
                self.odd += filter(odd_signal_tag, (sentences[k].as_py() for k in odd))
            example, sentence = stops
        changed = self.lengths != lengths if own else ()
        self.unlike_text: int = int(np.count_nonzero(changed))
        self.spans: list[Any] = [
            np.frombuffer(b"".join(column), dtype)
            for column, dtype in zip(zip(*spans, strict=True), SPAN_DTYPES, strict=True)
        ]
        self.notes: Counter[str] = Counter()
        self._hold_against_texts()

    def _hold_against_texts(self) -> None:
        """Mark sentences unread if they have other words than their text, or unknown mark-up.

        The official programs check neither: their readings only count such sentences.
        """
        unlike = copies.unlike(self._read, self._texts, self.widths)
        if not unlike.any():
            return
        stale = (unlike & copies.OTHER_SENTENCE) > 0
        marked = np.zeros_like(stale)
        signs = np.flatnonzero(unlike & copies.SIGNS)
        for k, mark in zip(signs.tolist(), self._marks(signs), strict=True):
            marked[k] = mark is not None
        differs = (unlike & copies.OTHER_WORDS) > 0
        if self.tags in OFFICIAL:
            self.notes[copies.UNKNOWN] = int(np.count_nonzero(marked))
            self.notes[copies.NOTE] = int(np.count_nonzero(differs & ~marked))
            return
        unread = stale | marked
        self.notes[copies.NOTE] = int(np.count_nonzero(differs & ~unread))
        if unread.any():
            keep = np.repeat(~unread, np.maximum(self.widths, 0))
            self.spans = [column[keep] for column in self.spans]
            self.widths[unread] = -1

    def _marks(self, numbers: Int64) -> Iterator[str | None]:
        """Yield the unknown mark-up of these sentences."""
        sentences = _take_at(self._read, numbers)
        texts = self._texts_of(self._examples_of(numbers).tolist())
        for k, sentence, text in zip(numbers.tolist(), sentences, texts, strict=True):
            yield copies.unknown_mark(sentence, text, is_bare=self.widths[k] <= 0)

    def _examples_of(self, numbers: Int64) -> Int64:
        return np.searchsorted(offsets(self.counts), numbers, "right") - 1

    def _texts_of(self, examples: Iterable[int]) -> list[str | None]:
        if self._texts is None:
            return [None for _ in examples]
        return [self._texts[k].as_py() for k in examples]

    def note_misfits(self, problems: Problems, where: Callable[[int], str]) -> None:
        """Report readable sentences with another number of tokens than their example."""
        for k, number, reason, _ in self._unread((self.widths < 0) & (self.n_tokens >= 0)):
            problems.add(unread_message(where(k), number, reason))

    def table(
        self,
        name: str,  # The source, for messages
        # The sentences are added as ``tagged`` unless it is one of them
        columns: Mapping[str, Any],
        where: Callable[[int], str],  # Names an example in messages
        *,
        noun: str = "relation",  # The word for a sentence in messages
        notes: Mapping[str, int] = MappingProxyType({}),
        lines: Sequence[int] | None = None,  # The line of each example
        predicted: bool = False,  # True for a file of predictions
        reasons: bool = True,  # False leaves out the column of reasons why sentences are unreadable
    ) -> Relations:
        """Return all examples as Relations."""
        self._refuse_cuts(where)
        counted = Counter(notes) + self.notes
        counted[ODD] += sum("<SIG" in sentence for sentence in self.odd)
        counted[NOTE] += self.n_aligned
        unread = list(self._unread(self.widths < 0, None if reasons else Problems.shown))
        first = [
            unread_message(where(k), number, reason, noun)
            for k, number, reason, _ in unread[: Problems.shown]
        ]
        reading = Reading(
            tags=self.tags,
            unread=tuple(first),
            notes=dict(+counted),
            predicted=predicted,
            words=self._words,
        )
        columns = {**columns, "tagged": columns.get("tagged", self.kept)}
        if unread and reasons:
            columns.setdefault(UNPARSED, reason_lists(unread, len(self.counts)))
        flat = self.spans, self.widths, self.counts, self.lengths
        made = assembled(name, columns, flat, reading, lines)
        if self._texts is not None:
            made.kept[HELD] = True
        return made

    def _refuse_cuts(self, where: Callable[[int], str]) -> None:
        """Refuse sentences with a tag within a token of letters without blanks."""
        if not self._cut:
            return
        problems = Problems()
        at = np.array(self._cut)
        for k, sentence in zip(self._examples_of(at), _take_at(self._read, at), strict=True):
            problems.add(f"{where(int(k))}: a tag cuts a token of {shown(sentence)}", TO_LETTERS)
        problems.raise_if_any()

    def _unread(self, unread: Any, most: int | None = None) -> Iterator[tuple[int, int, str, str]]:
        """Yield unread sentences, the first or all: example, number from 1, reason, sentence."""
        if not unread.any():
            return
        places = offsets(self.counts)
        at = np.flatnonzero(unread)[:most]
        examples = self._examples_of(at)
        given, read = _take_at(self.kept, at), _take_at(self._read, at)
        texts, marks = self._texts_of(examples.tolist()), self._marks(at)
        rows = zip(at.tolist(), examples.tolist(), given, read, texts, marks, strict=True)
        for k, example, sentence, as_read, text, mark in rows:
            n, expected = self.n_tokens[k], self.lengths[example]
            if n < 0:
                reason = _fault(as_read, self.tags)
            elif mark is not None and self.tags not in OFFICIAL:
                reason = mark
            elif n != expected:
                reason = f"has {n} tokens, expected {expected}"
            else:
                reason = "it is another sentence"
            if mark is None and n >= 0 and text is not None and self.tags not in OFFICIAL:
                reason += f": {difference(sentence, text)}"
            yield example, k - int(places[example]) + 1, reason, sentence


def _take_at(column: pa.ChunkedArray, numbers: Int64) -> list[str]:
    """Return sentences by number from a column of lists."""
    sentences, _ = flattened(joined(column))
    return [sentences[k].as_py() for k in numbers.tolist()]


def _fault(sentence: str, tags: str) -> str:
    """Return the reason why the tags of a sentence are unreadable."""
    try:
        parse(sentence, tags)
    except UnreadError as reason:
        return str(reason)
    raise AssertionError(f"native code refuses {sentence!r}")


def token_counts(relations: Relations | None, tags: str, rows: Int64 | None = None) -> Int32:
    """Count tokens by a reading of tags, for all examples or some rows: -1 if unknown.

    They are counted in the column ``text`` if present, else taken from the table. A table that was
    read with these tags stores the counts, and so does one whose tokens are not between blanks.
    """
    if relations is None:
        return np.full(0 if rows is None else len(rows), -1, np.int32)
    counts = relations.arrays.lengths.copy()
    is_counted = relations.reading.tags == tags and not relations.table["length"].null_count
    if "text" in relations.table.column_names and not is_counted:
        of_text = counts.copy()
        by_letters = relations.reading.words == LETTERS and tags not in OFFICIAL
        count_all(relations.table["text"], LETTERS if by_letters else tags, of_text)
        known = (counts >= 0) & (tags not in OFFICIAL and has_other_words(relations))
        counts = np.where(known, counts, of_text)
    return counts if rows is None else take_or_missing(counts, rows)


def tokens_in(texts: pa.Array) -> Int32:
    """Count the tokens of each text, as the strict reading does.

    >>> tokens_in(pa.array(["Heavy  rain", ""]))
    array([2, 0], dtype=int32)
    """
    counts = np.zeros(len(texts), np.int32)
    _count(texts, "strict", counts)
    return counts


def _require_texts(texts: list[str | None]) -> list[str | None]:
    """Return texts for aligning sentences; raise InputError if there is none."""
    if texts and not any(isinstance(text, str) for text in texts):
        remedy = Remedy("like", ("GOLD",), "would give them")
        raise InputError('tags "aligned" needs texts to align sentences with', remedy)
    return texts


def count_all(texts: pa.ChunkedArray, tags: str, counts: Int32) -> None:
    """Set the token counts of texts that are not null, see `markup.count_tokens`."""
    start = 0
    for chunk in texts.chunks:
        _count(chunk, tags, counts[start : start + len(chunk)])
        start += len(chunk)


def _count(texts: pa.Array, tags: str, counts: Int32) -> None:
    if texts.type not in (pa.string(), pa.large_string()):
        for k, text in enumerate(texts.to_pylist()):
            if isinstance(text, str):
                counts[k] = count_tokens(text, tags)
        return
    known = np.empty_like(counts)
    data, places = characters_of(texts)
    _native.count_tokens(data, places.astype(np.int64), NATIVE[tags], known)
    np.copyto(counts, known, where=is_valid(texts) if texts.null_count else True)
