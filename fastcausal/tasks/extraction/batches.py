"""Two sources in step: the same examples in the same order, one batch of both at a time.

::

    gold ──▶ batches ──▶ ahead ─┐
                                ├─▶ InStep ──▶ (gold, pred), (gold, pred), ...
    pred ──▶ batches ──▶ ahead ─┘
             a thread of each side

Memory holds three batches a side, and 8 bytes for every id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

import pyarrow as pa

from fastcausal.errors import FaultsError, InputError, OutputError, Problems
from fastcausal.files.keys import SeenKeys
from fastcausal.files.on_disk import store_alike
from fastcausal.formats import read, stream
from fastcausal.formats.cnc import truth
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.formats.cnc.tagged import HELD
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream, WholeError, ahead
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.table import PARQUET
from fastcausal.options import TagReading
from fastcausal.relations import Relations
from fastcausal.tasks.relations.align import has_unknown_ids
from fastcausal.tasks.relations.unread import UnreadRelationsError

TEXTS = "text", "tokens"  # columns with the text of an example
READ_AGAIN = 1 << 30  # bytes of files that may be read anew as a whole to report all faults

T = TypeVar("T")
Progress = Callable[[int, int | None], None]


class CompleteError(InputError):
    """The fault of all batches, equal to the one that reading both sides whole would report."""


class NotInStepError(WholeError):
    """The sides cannot be compared batch by batch."""


def pair_batches(
    gold: Any,
    pred: Any,
    columns: Collection[str | None] | None,  # To read; None: all
    tags: TagReading,  # The protocol's reading
    # Called with the number of examples done and the number of all, None if unknown
    progress: Progress | None,
) -> InStep | None:
    """Return both sides batch by batch, or None if a side has to be read whole."""
    if columns is not None and tags != "aligned" and not _share_texts(gold, pred):
        columns = {*columns, *TEXTS}
    preds = stream(pred, columns, tags)
    if preds is None:
        return None
    of_gold = GOLD_READING[tags]
    if preds.follows and columns is not None:
        columns = {*columns, "text"}  # tagged sentences are compared with it
    golds = stream(gold, columns, of_gold) or truth.stream(gold, columns, of_gold)
    golds = golds or stream(read(gold, tags=of_gold))
    if golds is None or golds.follows:  # gold is a submission: reading it whole reports that
        return None
    return InStep(golds, preds, progress or (lambda done, total: None))


def _share_texts(gold: Any, pred: Any) -> bool:
    """Return True for Parquet files of the same texts, or of which one has no texts."""
    if not all(isinstance(side, Opened) and side.format is PARQUET for side in (gold, pred)):
        return False
    return store_alike((gold.path, pred.path), TEXTS)


class InStep:
    """Pairs of batches, the last one with the notes of all batches."""

    # Iteration raises `NotInStepError` if the sides differ in the number of examples or in ids, if
    # columns change, or if an id occurs twice. It raises `InputError` if a side cannot be read.
    # first: number of the first example in the current batch.

    def __init__(self, gold: Stream, pred: Stream, progress: Progress) -> None:
        self.sides: tuple[Stream, Stream] = gold, pred
        self.progress = progress
        self.first: int = 0

    @property
    def once(self) -> bool:
        """True if a side can be read only once."""
        return any(side.n_bytes is None for side in self.sides)

    @property
    def is_read_again(self) -> bool:
        """True if the sides are read again to report all faults: they can be, and are small."""
        return not self.once and sum(side.n_bytes or 0 for side in self.sides) <= READ_AGAIN

    @property
    def _n(self) -> int:
        return max(1, batches.ROWS // 2) if self.sides[1].follows else batches.ROWS

    def used_by(self, use: Callable[[], T], use_whole: Callable[[], T]) -> T:
        """Use the batches, or both sides whole after a fault in a batch."""
        # Sides that are not in step are joined as a whole. After any other fault the whole is read
        # to report all faults, up to `READ_AGAIN` bytes. Larger sides, and sides that can be read
        # only once, report the fault of the batch and its place. Faults of lines are collected
        # batch by batch.
        try:
            return use()
        except (OutputError, CompleteError):
            raise
        except WholeError:
            if self.once:
                raise
        except InputError as error:
            if not self.is_read_again:
                raise InputError(f"from example {self.first} on: {error}") from error
            if isinstance(error, FaultsError):
                self._faults().raise_if_any()
        return use_whole()

    def unread(self, count: int) -> CompleteError:
        """Return the error for unparsed relations of all batches, after the last batch."""
        reading = self.sides[1].reading
        assert reading is not None
        error = UnreadRelationsError.make(reading, count)
        return CompleteError(error.problem, error.remedy)

    def _faults(self) -> Problems:
        """Collect the faults of lines of predictions; none if another fault comes first."""
        gold, pred = self.sides
        with suppress(InputError), closing(ahead(gold.batches(n=self._n))) as golds:
            return Problems() if pred.faults is None else pred.faults(golds)
        return Problems()

    def __iter__(self) -> Iterator[tuple[Relations, Relations]]:
        total = next((s.n_examples for s in self.sides if s.n_examples is not None), None)
        small = all(side.is_one_batch for side in self.sides)
        for gold, pred in [self._whole()] if small else self._compared():
            yield gold, pred
            self.first += len(gold)
            self.progress(self.first, total)

    def _whole(self) -> tuple[Relations, Relations]:
        """Read both sides of one batch each, without threads and comparisons."""
        gold, pred = self.sides
        return gold.whole(), pred.whole()

    def _compared(self) -> Iterator[tuple[Relations, Relations]]:
        seen = SeenKeys()
        last: tuple[Relations, Relations] | None = None
        n_seen = 0
        with closing(self._side_by_side()) as pairs:
            for gold, pred in pairs:
                this = _same_examples(gold, pred, n_seen)
                n_seen += len(this[0])
                for ids in [side.ids for side in this if side.ids is not None][:1]:
                    seen.add(ids)
                if last is not None:
                    if _columns(*last) != _columns(*this):
                        raise NotInStepError("the columns change")
                    yield last
                last = this
        assert last is not None  # a stream has at least one batch
        if seen.has_repeats():
            raise NotInStepError("an id occurs twice")
        for batch, side in zip(last, self.sides, strict=True):
            assert side.reading is not None
            batch.reading = replace(batch.reading, notes=side.reading.notes)
        yield last

    def _side_by_side(self) -> Generator[tuple[Relations | None, Relations | None]]:
        gold, pred = self.sides
        with closing(ahead(gold.batches(n=self._n))) as golds:
            if not pred.follows:
                with closing(ahead(pred.batches())) as preds:
                    yield from zip_longest(golds, preds)
                return
            taken: deque[Relations] = deque()

            def shared() -> Iterator[Relations]:
                for batch in golds:
                    taken.append(batch)
                    yield batch

            with closing(ahead(pred.batches(shared(), self._n))) as preds:
                for batch in preds:
                    batch.kept[HELD] = True  # reading compared it with the texts of gold
                    yield taken.popleft(), batch
            if taken:
                yield taken.popleft(), None


def _same_examples(
    gold: Relations | None, pred: Relations | None, first: int
) -> tuple[Relations, Relations]:
    if gold is None or pred is None or len(gold) != len(pred):
        raise NotInStepError("one side has more examples than the other")
    if gold.ids is not None and pred.ids is not None and not gold.ids.equals(pred.ids):
        raise NotInStepError(f"from example {first} on, the ids or their order differ")
    if has_unknown_ids(gold, pred):
        raise NotInStepError("pred has other ids")
    return gold, pred


def _columns(gold: Relations, pred: Relations) -> tuple[pa.Schema, bool]:
    return gold.table.schema, pred.ids is None
