"""Scoring on a device, whatever it is: parts of the work, launch records, and what does not fit.

::

    score_host      rows in host memory: parts that go through two queues, so that copying one part
                    overlaps with counting the other
    score_device    rows on the device: one launch, no waiting
      Task          what csrc/device.cu works on
      finish        examples that do not fit on a device are counted by backend "cpu"

A `Machine` (machine.py) is CuPy's device, or csrc/device.cu compiled for the host (in the tests).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.engine import cpu
from fastcausal.engine.device.machine import Array, Bytes, Machine, Queue
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import PLAN, Groups, Plan, TooLargeError
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.errors import InputError
from fastcausal.rows import Rows

LAUNCH = ("counts", "left_out", "first", "last", "n_totals", "n_lanes")


def _record(members: str) -> np.dtype[np.void]:
    """Make a record: addresses and numbers, 8 bytes each, then struct Launch of csrc/device.cu."""
    numbers = [(name, np.uint64) for name in (*members.split(), *LAUNCH)]
    return np.dtype([*numbers, ("plan", PLAN)])


# The launch records, struct Task and struct LabelTask of csrc/device.cu.
TASK = _record(
    "gold_rows gold_row_offsets gold_relation_offsets "
    "pred_rows pred_row_offsets pred_relation_offsets lengths groups partner apart"
)
LABEL_TASK = _record(
    "gold_ids pred_ids marks n_labels ignored n_tokens gold_itemsize pred_itemsize run_on"
)

PART = 32 << 20  # bytes of a part: long enough to copy at full speed, short enough to overlap
LANES = 32  # threads of a warp
COUNTERS = 24 << 10  # bytes of counters in a block's memory: leaves room for several blocks
ALIGNED = 16  # bytes that every array in a part starts at a multiple of


def n_lanes(n_cells: int) -> int:
    """Return how many columns of 32-bit counters a block keeps for these counts; 0 if none fit.

    Examples
    --------
    >>> n_lanes(54), n_lanes(1000), n_lanes(100_000)
    (32, 4, 0)
    """
    lanes = LANES
    while lanes and 4 * n_cells * lanes > COUNTERS:
        lanes //= 2
    return lanes


def task_of(
    record: np.dtype[np.void],
    machine: Machine,
    plan: Plan,
    examples: tuple[int, int],
    n_totals: int,
    **members: int,
) -> npt.NDArray[np.void]:
    """Make the record of one launch, over a range of examples.

    Where there are no shared totals, every example has its own row of counts.
    """
    task = np.zeros((), record)
    for name, member in members.items():
        task[name] = member % 2**64
    task["plan"] = plan.record(*map(machine.constant, plan.arrays))
    task["first"], task["last"] = examples
    task["n_totals"] = n_totals
    task["n_lanes"] = n_lanes(n_totals) if n_totals else 0
    return task


def count(queue: Queue, entry: str, task: npt.NDArray[np.void]) -> None:
    """Launch a task of `task_of`."""
    queue.launch(
        entry, task, int(task["last"] - task["first"]), int(task["n_lanes"] * task["n_totals"])
    )


def entry_of(kind: str, plan: Plan) -> str:
    """Name the entry of csrc/device.cu that counts for a plan: ``score`` rows, or ``labels``."""
    kernel = plan.kernel
    if KERNELS.get(kernel.name) is not kernel:
        raise InputError(f'{kernel} is written in Python, which backend "cuda" does not run')
    return f"{kind}_{kernel.name}"


# -------------------------------------------------------------------------- rows in host memory


@dataclass(frozen=True)
class Piece:
    """Items ``first`` up to ``last`` of an array."""

    whole: npt.NDArray[Any]
    first: int
    last: int

    @property
    def item(self) -> int:
        """Bytes of an item."""
        return self.whole.itemsize * int(np.prod(self.whole.shape[1:]))

    @property
    def array(self) -> npt.NDArray[Any]:
        """The items."""
        return self.whole[self.first : self.last]


Pieces = dict[str, Piece]


def placed(pieces: Pieces) -> tuple[dict[str, int], int]:
    """Return the place of each piece when laid one after another, and the end."""
    places, at = {}, 0
    for name, piece in pieces.items():
        places[name] = at
        at += -(-piece.item * (piece.last - piece.first) // ALIGNED) * ALIGNED
    return places, at


def parts(gold: Rows, pred: Rows, n_fields: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut examples into ranges of at most so many bytes, but of one example at least."""

    def size(example: int) -> int:  # of all examples before this one
        total = example * (1 + 4 + 8 + 8 * n_fields)
        for side in (gold, pred):
            relation = int(side.relation_offsets[example])
            total += 8 * example + 16 * relation + 12 * int(side.row_offsets[relation])
        return total

    first, n = 0, gold.n_examples
    while first < n:
        fit = bisect_right(range(first + 1, n + 1), size(first) + most, key=size)
        last = first + max(fit, 1)
        yield first, last
        first = last


def side_pieces(name: str, side: Rows, first: int, last: int) -> Pieces:
    """Return the pieces of one side that a range of examples reads."""
    relations = [int(side.relation_offsets[k]) for k in (first, last)]
    rows = [int(side.row_offsets[k]) for k in relations]
    return {
        f"{name}_rows": Piece(side.values, rows[0], rows[1]),
        f"{name}_row_offsets": Piece(side.row_offsets, relations[0], relations[1] + 1),
        f"{name}_relation_offsets": Piece(side.relation_offsets, first, last + 1),
    }


def pieces_of(
    gold: Rows, pred: Rows, groups: Groups, partner: Int64 | None, counts: Int64,
    left_out: npt.NDArray[np.bool_], first: int, last: int,
) -> tuple[Pieces, Pieces]:  # fmt: skip
    """Return the pieces that a range of examples reads and writes."""
    inputs = side_pieces("gold", gold, first, last) | side_pieces("pred", pred, first, last)
    inputs["lengths"] = Piece(gold.lengths, first, last)
    outputs = {"left_out": Piece(left_out, first, last)}
    if groups.of is not None:
        inputs["groups"] = Piece(groups.of, first, last)
    if groups.each:
        outputs["counts"] = Piece(counts, first, last)
    if partner is not None:
        relations = [int(gold.relation_offsets[k]) for k in (first, last)]
        outputs["partner"] = Piece(partner, relations[0], relations[1])
    return inputs, outputs


class Lane:
    """One of the two ways through the device: a queue, and memory on both sides for a part."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.queue: Queue = machine.queue()
        self.host: Bytes = np.empty(0, np.uint8)
        self.memory: Array = None
        self.outputs: tuple[Pieces, dict[str, int]] = ({}, {})

    def reserve(self, n: int) -> None:
        """Have at least ``n`` bytes on both sides; parts differ little in size."""
        if len(self.host) < n:
            self.host = self.machine.pinned(n + n // 8)
            self.memory = self.machine.empty(len(self.host))
            self.machine.current().wait()

    def start(
        self, entry: str, plan: Plan, inputs: Pieces, outputs: Pieces, examples: tuple[int, int],
        n_totals: int, **members: int,
    ) -> None:  # fmt: skip
        """Send a part on its way."""
        pieces = inputs | outputs
        places, end = placed(pieces)
        middle = min(places[name] for name in outputs)
        self.reserve(end)
        for name, piece in inputs.items():
            np.copyto(self.of(piece, places[name]), piece.array)
        base = self.machine.address(self.memory)
        # Each array is taken to start so far before the part that numbers need not be changed.
        members |= {n: base + places[n] - piece.first * piece.item for n, piece in pieces.items()}
        task = task_of(TASK, self.machine, plan, examples, n_totals, **members)
        self.queue.upload(base, self.host[:middle])
        count(self.queue, entry, task)
        self.queue.download(self.host[middle:end], base + middle)
        self.outputs = outputs, places

    def finish(self) -> None:
        """Wait for the part that is on its way, if any, and take its results over."""
        self.queue.wait()
        pieces, places = self.outputs
        for name, piece in pieces.items():
            piece.array[...] = self.of(piece, places[name])
        self.outputs = {}, {}

    def of(self, piece: Piece, place: int) -> npt.NDArray[Any]:
        """Return the host memory of a piece."""
        array = piece.array
        return self.host[place : place + array.nbytes].view(array.dtype).reshape(array.shape)


def score_host(
    machine: Machine,
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: Groups,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None,
) -> None:
    """As `cpu.run`; ``num_threads`` is for the examples that do not fit on the device."""
    entry = entry_of("score", plan)
    left_out = np.zeros(gold.n_examples, np.bool_)
    lanes = [Lane(machine), Lane(machine)]
    members = {"apart": int(groups.apart)}
    totals = np.zeros(0 if groups.each else counts.size, np.int64)
    on_device = machine.empty(totals.nbytes)
    if not groups.each:
        members["counts"] = machine.address(on_device)
        machine.current().upload(members["counts"], totals.view(np.uint8))
    machine.current().wait()  # the lanes may begin
    try:
        for examples in parts(gold, pred, plan.n_fields if groups.each else 0, PART):
            inputs, outputs = pieces_of(gold, pred, groups, partner, counts, left_out, *examples)
            lanes.reverse()
            lanes[0].finish()
            lanes[0].start(entry, plan, inputs, outputs, examples, totals.size, **members)
        for lane in lanes:
            lane.finish()
    finally:
        for lane in lanes:
            lane.queue.wait()  # memory in use is not given back
    if not groups.each:
        machine.current().download(totals.view(np.uint8), members["counts"])
        machine.current().wait()
        counts += totals.reshape(counts.shape)
    finish(plan, gold, pred, groups, np.flatnonzero(left_out), partner, counts, num_threads)


# -------------------------------------------------------------------------- rows on the device


def score_device(
    machine: Machine, queue: Queue, plan: Plan, gold: Rows, pred: Rows, groups: Groups,
    partner: Array | None, counts: Array, left_out: Array,
) -> None:  # fmt: skip
    """Count what fits, on arrays of the machine: fill partner and left_out, add to counts.

    Where each example is a group of its own, its counts are written.
    """
    arrays = {
        "lengths": gold.lengths, "groups": groups.of, "partner": partner, "counts": counts,
        "left_out": left_out,
    }  # fmt: skip
    for name, side in (("gold", gold), ("pred", pred)):
        arrays[f"{name}_rows"] = side.values
        arrays[f"{name}_row_offsets"] = side.row_offsets
        arrays[f"{name}_relation_offsets"] = side.relation_offsets
    members = {n: machine.address(array) for n, array in arrays.items() if array is not None}
    n_totals = 0 if groups.each else groups.n_rows * plan.n_fields
    examples = 0, gold.n_examples
    members["apart"] = int(groups.apart)
    task = task_of(TASK, machine, plan, examples, n_totals, **members)
    count(queue, entry_of("score", plan), task)


# ------------------------------------------------------------------------- what does not fit


def finish(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: Groups,
    examples: Int64,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None = None,
) -> None:
    """Count the examples that did not fit, on the host: fill partner and add to counts."""
    if not len(examples):
        return
    (some_gold, of_gold), (some_pred, of_pred) = (drawn(side, examples) for side in (gold, pred))
    own = counts if not groups.each else np.zeros((len(examples), plan.n_fields), np.int64)
    own_partner = None if partner is None else np.empty(len(of_gold), np.int64)
    of = None if groups.of is None else groups.of[examples]
    own_groups = Groups(of, len(examples) if groups.each else groups.n, groups.each, groups.apart)
    try:
        cpu.run(plan, some_gold, some_pred, own_groups, own_partner, own, num_threads)
    except TooLargeError as error:
        raise TooLargeError(int(examples[error.example])) from None
    if groups.each:
        counts[examples] = own
    if partner is not None:
        partner[of_gold] = np.append(of_pred, -1)[own_partner]


def drawn(rows: Rows, examples: Int64) -> tuple[Rows, Int64]:
    """Return the given examples, and the numbers that their relations had."""
    relation, relation_offsets = _lists(rows.relation_offsets, examples)
    row, row_offsets = _lists(rows.row_offsets, relation)
    chosen = Rows(rows.values[row], row_offsets, relation_offsets, rows.lengths[examples])
    return chosen, relation


def _lists(offsets: Int64, chosen: Int64) -> tuple[Int64, Int64]:
    """Return the items of the chosen lists by number, and the offsets of these lists."""
    sizes = np.diff(offsets)[chosen]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(offsets[:-1][chosen] - ends[:-1], sizes) + np.arange(ends[-1]), ends
