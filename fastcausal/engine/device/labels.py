"""Count batches of label ids on the device; totals stay there until requested."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastcausal.engine import cpu
from fastcausal.engine.device.launches import LABEL_TASK, LANES, count, entry_of, task_of
from fastcausal.engine.device.machine import Array, Bytes, Machine
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.engine.plan import CountGroups, Plan
from fastcausal.errors import InputError
from fastcausal.rows import Rows


@dataclass(frozen=True)
class IdBatch:
    """A batch of gold and predicted label ids, with a mask of the sequences that did not fit."""

    number: int
    gold_ids: Array
    pred_ids: Array
    left_out: Bytes  # in host memory, once done
    on_device: Array
    done: Callable[[], bool]


class LabelCounts:
    """Counts of label ids against label ids."""

    # Nothing waits for the device before `take`.

    def __init__(
        self,
        machine: Machine,
        plan: Plan,
        marks: Int32,  # [n_labels]: role and position of each label (csrc/fastcausal/label_spans.h)
        ignored: int,  # The label of absent tokens; a token absent in gold is absent on both sides
        # Returns both sides' rows of a batch in host memory, for sequences that do not fit on the
        # device. It raises `InputError` for an invalid label id.
        read: Callable[[Array, Array], tuple[Rows, Rows]],
        # True if arguments of one token run on (csrc/fastcausal/label_spans.h), as in the rows of
        # ``read``
        run_on: bool = False,
    ) -> None:
        self.machine = machine
        self.plan = plan
        self.entry: str = entry_of("labels", plan)
        self.marks = marks
        self.ignored = ignored
        self.read = read
        self.run_on = run_on
        self.reset()

    def reset(self) -> None:
        """Drop every batch."""
        self.n_batches: int = 0
        self.n_examples: int = 0
        self.waiting: deque[IdBatch] = deque()
        self.for_host: list[IdBatch] = []
        self.host: Bytes = self.machine.pinned(8 * (self.plan.n_fields + 2))
        self.host[:] = 0
        self.totals: Array = self.machine.empty(len(self.host))
        self.machine.current().upload(self.machine.address(self.totals), self.host)

    def add(self, gold_ids: Array, pred_ids: Array) -> None:
        """Count a batch: arrays [batch, tokens] of int8 to int64 on the machine."""
        gold, pred = self.machine.ids("gold", gold_ids), self.machine.ids("pred", pred_ids)
        if gold.shape != pred.shape:
            got, expected = (tuple(side.shape) for side in (pred, gold))
            raise InputError(f"pred: found the shape {got}, expected {expected} as of gold")
        n, address = len(gold), self.machine.address
        left_out = self.machine.empty(n)
        task = task_of(
            LABEL_TASK, self.machine, self.plan, (0, n), self.plan.n_fields + 2,
            gold_ids=address(gold), pred_ids=address(pred),
            marks=address(self.machine.constant(self.marks)),
            n_labels=len(self.marks), ignored=self.ignored, n_tokens=gold.shape[1],
            gold_itemsize=gold.itemsize, pred_itemsize=pred.itemsize,
            run_on=int(self.run_on),
            counts=address(self.totals), left_out=address(left_out),
        )  # fmt: skip
        queue, host = self.machine.current(), self.machine.pinned(n)
        count(queue, self.entry, task, n_threads=LANES)
        queue.download(host, address(left_out))
        done = queue.mark()
        self.waiting.append(IdBatch(self.n_batches, gold, pred, host, left_out, done))
        self.n_batches += 1
        self.n_examples += n
        self._look()

    def take(self) -> tuple[Int64, int, int, int]:
        """Wait for the device, return the totals and start anew."""
        # Returns counts [n_fields], and numbers of examples and of relations in gold and in
        # predictions. A sequence with at least one span is a relation.
        queue = self.machine.current()
        queue.download(self.host, self.machine.address(self.totals))
        queue.wait()
        self._look()
        totals = self.host.view(np.int64).copy()
        for batch in self.for_host:
            totals += self._count_unfit(batch)
        n_examples = self.n_examples
        self.reset()
        return totals[:-2], n_examples, int(totals[-2]), int(totals[-1])

    def _look(self) -> None:
        """Release batches that the device has finished; keep those with work for the host."""
        while self.waiting and self.waiting[0].done():
            batch = self.waiting.popleft()
            if batch.left_out.any():
                self.for_host.append(batch)

    def _count_unfit(self, batch: IdBatch) -> Int64:
        """Count the sequences that did not fit."""
        examples = np.flatnonzero(batch.left_out)
        ids = batch.gold_ids, batch.pred_ids
        try:
            gold, pred = self.read(*(self.machine.take(side, examples) for side in ids))
        except InputError as error:
            raise self._number_error(error, batch) from None
        counts = np.zeros((1, self.plan.n_fields), np.int64)
        cpu.run(self.plan, gold, pred, CountGroups(None, 1), None, counts, None)
        return np.array([*counts[0], gold.n_relations, pred.n_relations])

    def _number_error(self, error: InputError, batch: IdBatch) -> InputError:
        """Return the error of sequences of a batch, with their numbers in the whole batch."""
        try:
            self.read(*map(self.machine.numpy, (batch.gold_ids, batch.pred_ids)))
        except InputError as numbered:
            error = numbered
        return InputError(f"batch {batch.number}: {error}")
