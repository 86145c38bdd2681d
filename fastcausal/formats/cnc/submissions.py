"""Submissions of the Causal News Corpus task: a line of tagged sentences per example.

::

    Source ──▶ native code, if every line is plain ─────┐
           └─▶ line by line in Python, with messages ───┴──▶ _Predictions ──▶ Relations
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined, numbers, offsets_of, string_lists, strings_at
from fastcausal.errors import FaultsError, InputError, Problems, counted
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.keys import require_unique
from fastcausal.files.lines import Lines
from fastcausal.files.spelling import Spelling
from fastcausal.files.values import kind, pause_gc
from fastcausal.formats import _native
from fastcausal.formats.cnc.copies import texts_like
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.tagged import Sentences, token_counts
from fastcausal.formats.reading.builder import ColumnBuilder, Int64, column, placed
from fastcausal.relations import Relations

BLOCK = 1 << 22  # bytes that become one chunk of an Arrow column
NUMBER, TEXT = 1, 2  # kinds of an index, 0 for none
KEYS = ("index", "prediction", "id", "length", "relations", "tagged")  # not further columns
PASSED_OVER = "predictions with values that are not text, where the official program does not look"
DISORDER = "index is not the line's position"
JOINED = "lines in another order, joined by index"


@dataclass
class _Predictions:
    """The tagged sentences of each line, and the ids of the lines, if any."""

    ids: Any  # strings, in a list or an Arrow column
    sentences: pa.Array | pa.ChunkedArray  # lists of strings
    notes: Mapping[str, int]
    lines: Sequence[int]
    columns: Mapping[str, pa.Array] = field(default_factory=dict)

    def arranged(self, order: Sequence[int]) -> _Predictions:
        """Return the lines in this order."""
        rows = numbers(np.array(order))
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        sentences, lines = self.sentences.take(rows), [self.lines[k] for k in order]
        return replace(self, sentences=sentences, lines=lines, columns=columns)

    def relations(
        self,
        source: Source,
        like: Relations | None,
        tags: str,
        start: int,
        reasons: bool = True,
    ) -> Relations:
        """Make the table; the lines start at example ``start`` of the source."""
        n = len(self.sentences)
        rows, of_gold = placed(like, self.ids, n, source.name)
        columns = {**self.columns, **of_gold}
        if self.ids is not None and (like is None or like.ids is not None):
            columns["id"] = column(source.name, "id", self.ids)
        names = columns["id"] if "id" in columns else range(start, start + n)
        texts = texts_like(like, rows)
        return Sentences(self.sentences, token_counts(like, tags, rows), tags, texts).table(
            source.name,
            columns,
            lambda k: f"{source.name}:{self.lines[k]}: example {names[k]}",
            noun="prediction",
            notes=self.notes,
            lines=self.lines,
            predicted=True,
            reasons=reasons,
        )


def read(source: Source, like: Relations | None, tags: str) -> Relations:
    """Read a submission, see `fastcausal.formats.cnc.read`."""
    predictions = _predictions(source, like, tags, 0)
    return predictions.relations(source, like, tags, 0)


def batches(
    source: str | os.PathLike[str],
    golds: Iterable[Relations],
    tags: str = "strict",
    reasons: bool = True,
) -> Iterator[Relations]:
    """Read a submission of any size in step with gold, one batch of both in memory at once.

    Parameters
    ----------
    source : path
        ``"-"`` is standard input.
    golds : iterable of Relations
        Consecutive examples of gold, any number at a time.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The reading of tags, see `fastcausal.formats.cnc.markup.parse`.
    reasons : bool
        False leaves out the column of reasons why sentences are unreadable.

    Yields
    ------
    Relations
        The next lines, as many as gold has examples: equal to the result of
        `fastcausal.formats.cnc.read`, without further columns, which would have to be the same in
        all batches. If lines have ids, the caller compares them with gold's and counts batches.

    Raises
    ------
    InputError
        A line is invalid, or lines without ids differ in number from the examples.
    """
    with closing(Lines(source)) as lines:
        yield from _batches(lines, iter(golds), tags, reasons)


def faults(
    source: str | os.PathLike[str], golds: Iterable[Relations], tags: str = "strict"
) -> Problems:
    """Collect the faults of all lines in step with gold, as `read` reports them.

    There are none if there are too many lines: `read` reports that.
    """
    problems = Problems()
    with closing(Lines(source)) as lines:
        for gold in golds:
            batch = None if problems.are_too_many else lines.take(len(gold))
            if batch is None or _plain_chunks(batch) is not None:
                continue  # with gold, whose faults come first
            try:
                _checked_lines(batch, gold, tags, Counter())
            except FaultsError as error:
                problems.add_all(error.faults)
        return Problems() if lines.take(1) and not problems.are_too_many else problems


def _batches(
    lines: Lines, golds: Iterator[Relations], tags: str, reasons: bool
) -> Iterator[Relations]:
    position, named = 0, False
    for gold in golds:
        batch = lines.take(len(gold))
        if batch is None and named:
            return
        predictions = None if batch is None else _predictions(batch, gold, tags, position)
        n = len(predictions.sentences) if predictions else 0
        named = predictions is not None and predictions.ids is not None and gold.ids is not None
        if not named and n != len(gold):
            expected = position + len(gold) + sum(map(len, golds))
            raise InputError(
                f"{lines.name} has {counted(position + n, 'example')}, expected {expected}"
            )
        assert batch is not None
        assert predictions is not None
        alone = replace(predictions, columns={})
        yield alone.relations(batch, gold, tags, position, reasons)
        position += n
    if rest := lines.take(sys.maxsize):
        n = sum(1 for _ in rest.filled_lines())
        raise InputError(
            f"{lines.name} has {counted(position + n, 'example')}, expected {position}"
        )


def _predictions(source: Source, like: Relations | None, tags: str, start: int) -> _Predictions:
    return _plain(source, like, tags, start) or _checked(source, like, tags, start)


def _plain(source: Source, like: Relations | None, tags: str, start: int) -> _Predictions | None:
    """Read as `_checked` does, but fast; return None if `_checked` must report an error."""
    chunks = _plain_chunks(source)
    if chunks is None:
        return None
    index, predictions = chunks
    notes: Counter[str] = Counter()
    named = tags not in OFFICIAL and bool((index.kinds == TEXT).all())
    misplaced = 0 if named else index.n_misplaced(like, start)
    is_short = not named and _are_some(len(predictions), like) and bool(index.kinds.all())
    if tags in OFFICIAL:
        notes[DISORDER] = misplaced
    elif misplaced or is_short or (not named and (index.kinds == TEXT).any()):
        return None
    numbered = LineNumbers(lambda: (line for line, _ in source.filled_lines()))
    return _Predictions(index.names if named else None, predictions, notes, numbered)


def _plain_chunks(source: Source) -> tuple[_Index, pa.ChunkedArray] | None:
    """Read lines in native code; return None unless each is plain."""
    chunks = []
    for begin, end in _blocks(source.data):
        pieces = _native.read_submission(source.data, begin, end)
        if pieces is None:
            return None
        chunks.append(_arrays(*pieces))
    kinds, places, names, sentences = zip(*chunks, strict=True)
    index = _Index(np.concatenate(kinds), np.concatenate(places), pa.chunked_array(names))
    predictions = pa.chunked_array(sentences)
    try:
        index.names.validate(full=True)  # not checked as UTF-8 so far
        predictions.validate(full=True)
    except pa.ArrowException:
        return None
    return (index, predictions) if len(index.kinds) else None


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of whole lines."""
    begin = 0
    while begin < len(data):
        end = data.find(b"\n", begin + BLOCK) + 1 or len(data)
        yield begin, end
        begin = end


def _arrays(
    text: bytes,
    stops: bytes,
    counts: bytes,
    kinds: bytes,
    places: bytes,
    names: bytes,
    name_stops: bytes,
) -> tuple[Any, Any, pa.Array, pa.Array]:
    """Return kinds, numbers and texts of the index, and the sentences, from the native reader."""
    sentences = string_lists(np.frombuffer(counts, np.int32), text, stops)
    kind, place = np.frombuffer(kinds, np.uint8), np.frombuffer(places, np.int64)
    return kind, place, strings_at(names, name_stops), sentences


@dataclass
class _Index:
    """The index of each line: its kind, with its number or text."""

    kinds: npt.NDArray[np.uint8]
    numbers: Int64
    names: pa.ChunkedArray

    def n_misplaced(self, like: Relations | None, start: int) -> int:
        """Count the lines that name another example, as `_n_misplaced` does."""
        here = np.arange(start, start + len(self.numbers))
        n = np.count_nonzero((self.kinds == NUMBER) & (self.numbers != here))
        is_text = self.kinds == TEXT
        if is_text.any():
            ids = pa.nulls(0, pa.string()) if like is None or like.ids is None else like.ids
            m = min(len(ids), len(is_text))
            same = pc.equal(self.names.slice(0, m), ids.slice(0, m))
            right = pc.sum(pc.and_(same, numbers(is_text[:m]))).as_py() or 0
            n += np.count_nonzero(is_text) - int(right)
        return int(n)


@pause_gc()
def _checked(source: Source, like: Relations | None, tags: str, start: int) -> _Predictions:
    """Read line by line; raise InputError for invalid lines."""
    notes: Counter[str] = Counter()
    predictions, indexes, lines, columns = _checked_lines(source, like, tags, notes)
    named = tags not in OFFICIAL and all(isinstance(index, str) for index in indexes)
    ids, order = indexes if named else None, None
    if tags in OFFICIAL:
        notes[DISORDER] = _n_misplaced(indexes, like, start)
    elif not named:
        ids, order = _joined(source, lines, indexes, like, start)
        notes[JOINED] = _n_misplaced(indexes, None, start)
    sentences = column(source.name, "tagged", predictions)
    made = _Predictions(ids, sentences, notes, lines, columns.typed(source.name))
    return made if order is None else made.arranged(order)


def _checked_lines(
    source: Source, like: Relations | None, tags: str, notes: Counter[str]
) -> tuple[list[list[str]], list[Any], list[int], ColumnBuilder]:
    """Return sentences, index, line and further columns of each line.

    Raises
    ------
    FaultsError
        Lines are invalid.
    """
    problems = Problems()
    predictions: list[list[str]] = []
    indexes: list[Any] = []
    lines: list[int] = []
    columns = ColumnBuilder(KEYS)
    wanted = None if tags not in OFFICIAL or like is None else _n_relations(like)
    spelling = Spelling(*KEYS[:2])
    for line, row in source.objects(problems):
        row = spelling(row)
        prediction = row.get("prediction")
        k = len(lines) + problems.count  # every line is either added or a problem
        if wanted is not None and "prediction" in row and k < len(wanted):
            looked_at = _looked_at(prediction, wanted[k])
            notes[PASSED_OVER] += looked_at is not prediction
            prediction = looked_at
        if "prediction" not in row:
            found = ", ".join(row)[:200] or "no key"
            problems.add(f'{source.name}:{line}: no "prediction": found {found}')
        elif not isinstance(prediction, list):
            problems.add(
                f'{source.name}:{line}: "prediction" is {kind(prediction)}, '
                "expected a list of strings"
            )
        elif not all(isinstance(sentence, str) for sentence in prediction):
            odd = next(item for item in prediction if not isinstance(item, str))
            problems.add(
                f'{source.name}:{line}: "prediction" holds {kind(odd)}, expected a list of strings'
            )
        else:
            predictions.append(prediction)
            indexes.append(row.get("index"))
            lines.append(line)
            columns.add(row)
    problems.raise_if_any()
    return predictions, indexes, lines, columns


def _are_some(n: int, like: Relations | None) -> bool:
    """Return True if n lines are fewer than the examples of gold, which has ids."""
    return like is not None and like.ids is not None and n < len(like)


def _joined(
    source: Source,
    lines: Sequence[int],
    indexes: Sequence[Any],
    like: Relations | None,
    start: int,
) -> tuple[list[str] | None, list[int] | None]:
    """Join lines with gold by a numbered index.

    Returns
    -------
    ids : list of str or None
        The ids of gold, if it has some.
    order : list of int or None
        The lines by their index, if it is complete and has no ids.
    """
    n = len(indexes)
    in_order = all(index is None or index == k for k, index in enumerate(indexes, start))
    numbered = all(type(index) is int for index in indexes)
    if not numbered or (in_order and not _are_some(n, like)):
        _require_order(source, lines, indexes, start)
        return None, None
    stop = max(indexes) + 1 if like is None else start + len(like)
    problems = Problems()
    for line, index in zip(lines, indexes, strict=True):
        if not start <= index < stop:
            expected = f"{start} to {stop - 1}"
            problems.add(f'{source.name}:{line}: "index" is {index}, expected {expected}')
    problems.raise_if_any()
    require_unique(indexes, lambda k: f"{source.name}:{lines[k]}", lambda k: f"index {indexes[k]}")
    if like is not None and like.ids is not None:
        names = like.ids.to_pylist()
        return [names[index - start] for index in indexes], None
    if missing := stop - start - n:
        seen = set(indexes)
        first = next(k for k in count(start) if k not in seen)
        more = f", and {missing - 1} more" if missing > 1 else ""
        raise InputError(
            f"{source.name}: no line with index {first}{more}, expected {start} to {stop - 1}"
        )
    return None, sorted(range(n), key=indexes.__getitem__)


def _n_relations(like: Relations) -> list[int]:
    counts: list[int] = np.diff(offsets_of(joined(like.table["relations"]))).tolist()
    return counts


def _looked_at(prediction: Any, n_gold: int) -> Any:
    """Drop the values that official programs ignore from a prediction, unless they are text."""
    if n_gold == 0 and not isinstance(prediction, list):
        return []
    if not isinstance(prediction, list):
        return prediction
    surplus = [item for item in prediction[n_gold:] if isinstance(item, str)]
    kept = prediction[:n_gold] + surplus
    return prediction if len(kept) == len(prediction) else kept


def _require_order(
    source: Source, lines: Sequence[int], indexes: Sequence[Any], start: int
) -> None:
    problems = Problems()
    for position, (line, index) in enumerate(zip(lines, indexes, strict=True), start):
        if index is not None and type(index) is not int:
            problems.add(f'{source.name}:{line}: "index" is {kind(index)}, expected {position}')
        elif index is not None and index != position:
            problems.add(f'{source.name}:{line}: "index" is {index}, expected {position}')
    problems.raise_if_any()


def _n_misplaced(indexes: Sequence[Any], like: Relations | None, start: int) -> int:
    """Count the lines that name another example: official readings use line order."""
    ids = like.ids.to_pylist() if like is not None and like.ids is not None else []
    count = 0
    for position, index in enumerate(indexes):
        named = isinstance(index, str) and position < len(ids)
        here = ids[position] if named else start + position
        count += index is not None and index != here
    return count
