"""Scoring of rows on a device: the split into parts, and the examples that do not fit.

::

    score_host      rows in host memory: parts go through two queues, so that one is copied
                    while the other is counted
    score_device    rows on the device: no waiting
      launches.py   the launches
      finish        backend "cpu" counts examples that are invalid or do not fit

A `Machine` (machine.py) is CuPy's device, or csrc/device/ compiled for the host (in the tests).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import getitem
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.engine import cpu
from fastcausal.engine.device import launches
from fastcausal.engine.device.launches import TASK, list_members, task_of
from fastcausal.engine.device.machine import Array, Bytes, Machine, Queue
from fastcausal.engine.device.patterns import patterns_of
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Plan, TooLargeError
from fastcausal.errors import InputError
from fastcausal.rows import Rows, check_both

PART = 32 << 20  # bytes of a part: long enough to copy at full speed, short enough to overlap
Take = Callable[[Any, Int64], Any]  # copies items of an array, possibly of a machine, to NumPy
ALIGNED = 16  # each array in a part starts at a multiple of this


# -------------------------------------------------------------------------- rows in host memory


@dataclass(frozen=True)
class ArraySlice:
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


Pieces = dict[str, ArraySlice]


def placed(pieces: Pieces) -> tuple[dict[str, int], int]:
    """Return the start of each piece in one block of memory, and the size of the block."""
    places, at = {}, 0
    for name, piece in pieces.items():
        places[name] = at
        at += -(-piece.item * (piece.last - piece.first) // ALIGNED) * ALIGNED
    return places, at


def parts(gold: Rows, pred: Rows, n_fields: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut examples into ranges of at most ``most`` bytes, of one example at least."""

    def size(example: int) -> int:  # of all examples before this one
        total = example * (4 + 8 + 8 * n_fields)
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
    """Return the pieces of one side for a range of examples."""
    # IndexError if the offsets at its ends point outside the arrays; no address is computed from
    # them.
    relations = _ends(side.relation_offsets, (first, last), side.n_relations)
    rows = _ends(side.row_offsets, relations, len(side.values))
    return {
        f"{name}_rows": ArraySlice(side.values, rows[0], rows[1]),
        f"{name}_row_offsets": ArraySlice(side.row_offsets, relations[0], relations[1] + 1),
        f"{name}_relation_offsets": ArraySlice(side.relation_offsets, first, last + 1),
    }


def _ends(offsets: Int64, items: tuple[int, int], n: int) -> tuple[int, int]:
    first, last = (int(offsets[k]) for k in items)
    if not 0 <= first <= last <= n:
        raise IndexError(f"items {first} to {last} of {n}")
    return first, last


def pieces_of(
    gold: Rows, pred: Rows, groups: CountGroups, partner: Int64 | None, counts: Int64,
    first: int, last: int,
) -> tuple[Pieces, Pieces]:  # fmt: skip
    """Return the pieces that a range of examples reads and writes."""
    inputs = side_pieces("gold", gold, first, last) | side_pieces("pred", pred, first, last)
    inputs["lengths"] = ArraySlice(gold.lengths, first, last)
    outputs: Pieces = {}
    if groups.of is not None:
        inputs["groups"] = ArraySlice(groups.of, first, last)
    if groups.each:
        outputs["counts"] = ArraySlice(counts, first, last)
    if partner is not None:
        relations = [int(gold.relation_offsets[k]) for k in (first, last)]
        outputs["partner"] = ArraySlice(partner, relations[0], relations[1])
    return inputs, outputs


class Lane:
    """A queue with memory on both sides for a part; scoring uses two in turn."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.queue: Queue = machine.queue()
        self.host: Bytes = np.empty(0, np.uint8)
        self.memory: Array = None
        self.lists: Array = machine.empty(0)  # int64[2, n_examples], see csrc/device/examples.cuh
        self.n_listed: Int64 = np.zeros(2, np.int64)
        self.last_list = (0, 0)  # number and address of the list for the host
        self.outputs: tuple[Pieces, dict[str, int]] = ({}, {})

    def reserve(self, n: int, n_examples: int) -> None:
        """Reserve at least ``n`` bytes on both sides; parts differ little in size."""
        if len(self.host) < n or len(self.lists) < 16 * n_examples:
            self.host = self.machine.pinned(n + n // 8)
            self.memory = self.machine.empty(len(self.host))
            self.lists = self.machine.empty(18 * n_examples)
            self.machine.current().wait()

    def start(
        self, plan: Plan, inputs: Pieces, outputs: Pieces, examples: tuple[int, int],
        n_totals: int, **members: int,
    ) -> None:  # fmt: skip
        """Copy a part to the device and queue its work."""
        self.n_listed[:] = 0
        listed = {"n_listed": ArraySlice(self.n_listed, 0, 2)}
        inputs, outputs = inputs | listed, listed | outputs  # the last input is the first output
        pieces = inputs | outputs
        places, end = placed(pieces)
        n_uploaded, first = placed(inputs)[1], places["n_listed"]
        n_examples = examples[1] - examples[0]
        self.reserve(end, n_examples)
        for name, piece in inputs.items():
            np.copyto(self.view(piece, places[name]), piece.array)
        base = self.machine.address(self.memory)
        # Addresses are shifted back so that item numbers of the whole array stay valid.
        members |= {n: base + places[n] - piece.first * piece.item for n, piece in pieces.items()}
        members["lists"] = self.machine.address(self.lists)
        k = int(plan.built_in is not None)  # otherwise patterns alone count
        self.last_list = k, members["lists"] + 8 * k * n_examples
        task = task_of(TASK, self.machine, plan, examples, n_totals, **members)
        self.queue.upload(base, self.host[:n_uploaded])
        launches.score(self.queue, plan, task)
        self.queue.download(self.host[first:end], base + first)
        self.outputs = outputs, places

    def finish(self) -> Int64:
        """Wait for the part in progress, if any; copy its results, return its other examples."""
        self.queue.wait()
        pieces, places = self.outputs
        for name, piece in pieces.items():
            piece.array[...] = self.view(piece, places[name])
        number, address = self.last_list
        listed = self.host[: 8 * self.n_listed[number] if pieces else 0]
        self.outputs = {}, {}
        self.queue.download(listed, address)
        self.queue.wait()
        return listed.view(np.int64).copy()

    def view(self, piece: ArraySlice, place: int) -> npt.NDArray[Any]:
        """Return the host memory of a piece."""
        array = piece.array
        return self.host[place : place + array.nbytes].view(array.dtype).reshape(array.shape)


def score_host(
    machine: Machine,
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: CountGroups,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None,
    check: bool = False,
) -> None:
    """Count as `cpu.run` does; ``num_threads`` is for the examples left to the host."""
    n_roles = int(plan.params[0])
    if check and not (_fits(gold, gold) and _fits(pred, gold)):
        check_both(gold, pred, n_roles)
    try:
        examples = _run_on_device(machine, plan, gold, pred, groups, partner, counts, check)
        finish(plan, gold, pred, groups, examples, partner, counts, num_threads, check)
    except (IndexError, InputError, TooLargeError):
        if check:  # an invalid row takes precedence, named as the user gave it
            check_both(gold, pred, n_roles)
        raise


def _fits(side: Rows, gold: Rows) -> bool:
    """Return True if arrays have the types and sizes of rows, with offsets from end to end."""
    offsets = (side.row_offsets, len(side.values)), (side.relation_offsets, side.n_relations)
    return (
        side.values.dtype == np.int32
        and side.values.ndim == 2
        and side.values.shape[1] == 3
        and side.lengths.dtype == np.int32
        and len(side.lengths) == len(gold.lengths) == len(side.relation_offsets) - 1
        and all(o.dtype == np.int64 and o.ndim == 1 and len(o) > 0 for o, _ in offsets)
        and all(o[0] == 0 and o[-1] == n for o, n in offsets)
        and all(array.flags.c_contiguous for array in (*side.arrays(), side.lengths))
    )


def _run_on_device(
    machine: Machine, plan: Plan, gold: Rows, pred: Rows, groups: CountGroups,
    partner: Int64 | None, counts: Int64, check: bool,
) -> Int64:  # fmt: skip
    """Fill partner and add to counts; return the examples left to the host, ascending."""
    if not plan.kernel.ordinal:
        launches.entry_of("score", plan)  # raises for a kernel in Python
    known = patterns_of(machine, plan, gold, pred, np.asarray)
    if not (known.n or plan.built_in):
        return np.arange(gold.n_examples)
    members = {
        "apart": int(groups.apart),
        "check": int(check),
        **list_members(machine, known, groups),
    }
    chosen = np.zeros(members.get("n_chosen", 0), np.int64)
    totals = np.zeros(0 if groups.each else counts.size, np.int64)
    on_device = machine.empty(totals.nbytes)
    if not groups.each:
        members["counts"] = machine.address(on_device)
        machine.current().upload(members["counts"], totals.view(np.uint8))
    machine.current().wait()  # before the lanes start
    try:
        lanes = machine.lanes.pop()
    except IndexError:  # first call, or other calls use them
        lanes = [Lane(machine), Lane(machine)]
    rest = []
    try:
        for examples in parts(gold, pred, plan.n_fields if groups.each else 0, PART):
            inputs, outputs = pieces_of(gold, pred, groups, partner, counts, *examples)
            inputs["chosen"] = ArraySlice(chosen, 0, len(chosen))
            lanes.reverse()
            rest.append(lanes[0].finish())
            lanes[0].start(plan, inputs, outputs, examples, totals.size, **members)
        rest += [lane.finish() for lane in lanes]
    finally:
        for lane in lanes:
            lane.queue.wait()  # memory in use may not be reused
            lane.outputs = {}, {}
        machine.lanes.append(lanes)
    if not groups.each:
        machine.current().download(totals.view(np.uint8), members["counts"])
        machine.current().wait()
        counts += totals.reshape(counts.shape)
    return np.sort(np.concatenate(rest))


# -------------------------------------------------------------------------- rows on the device


def score_device(
    machine: Machine, queue: Queue, plan: Plan, gold: Rows, pred: Rows, groups: CountGroups,
    partner: Array | None, counts: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Count the examples that fit, on device arrays."""
    # Fills partner and adds to counts. If each example is a group of its own, its counts are
    # written.
    # Returns lists int64[2, n_examples] and n_listed int64[2]: the first ``n_listed[1]`` items of
    # ``lists[1]`` are the other examples, in any order.
    launches.entry_of("score", plan)
    arrays = {
        "lengths": gold.lengths, "groups": groups.of, "partner": partner, "counts": counts
    }  # fmt: skip
    for name, side in (("gold", gold), ("pred", pred)):
        arrays[f"{name}_rows"] = side.values
        arrays[f"{name}_row_offsets"] = side.row_offsets
        arrays[f"{name}_relation_offsets"] = side.relation_offsets
    members = {n: machine.address(array) for n, array in arrays.items() if array is not None}
    known = patterns_of(machine, plan, gold, pred, machine.numpy)
    members |= {"apart": int(groups.apart), **list_members(machine, known, groups)}
    chosen = machine.zeros(members.get("n_chosen", 0))
    lists, n_listed = machine.array((2, gold.n_examples), np.int64), machine.zeros(2)
    members |= {
        "chosen": machine.address(chosen),
        "lists": machine.address(lists),
        "n_listed": machine.address(n_listed),
    }
    n_totals = 0 if groups.each else groups.n_rows * plan.n_fields
    task = task_of(TASK, machine, plan, (0, gold.n_examples), n_totals, **members)
    launches.score(queue, plan, task)
    return lists, n_listed


# --------------------------------------------------------------------- examples left to the host


def finish(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: CountGroups,
    examples: Int64,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None = None,
    check: bool = False,
    take: Take = getitem,
) -> None:
    """Count the remaining examples on the host: fill partner and add to counts.

    ``take`` copies items of the arrays in gold, pred and groups, which may be on a machine.
    """
    if not len(examples):
        return
    some_gold, of_gold = drawn(gold, examples, take)
    some_pred, of_pred = drawn(pred, examples, take)
    own = counts if not groups.each else np.zeros((len(examples), plan.n_fields), np.int64)
    own_partner = None if partner is None else np.empty(len(of_gold), np.int64)
    of = None if groups.of is None else take(groups.of, examples)
    own_groups = CountGroups(
        of, len(examples) if groups.each else groups.n, groups.each, groups.apart
    )
    try:
        cpu.run(plan, some_gold, some_pred, own_groups, own_partner, own, num_threads, check)
    except TooLargeError as error:
        raise TooLargeError(int(examples[error.example])) from None
    if groups.each:
        counts[examples] = own
    if partner is not None:
        partner[of_gold] = np.append(of_pred, -1)[own_partner]


def drawn(rows: Rows, examples: Int64, take: Take = getitem) -> tuple[Rows, Int64]:
    """Copy some examples to the host, with the original numbers of their relations."""
    # IndexError if their offsets fall, or point outside the arrays.
    relation, relation_offsets = _lists(rows.relation_offsets, examples, rows.n_relations, take)
    row, row_offsets = _lists(rows.row_offsets, relation, len(rows.values), take)
    lengths = take(rows.lengths, examples)
    return Rows(take(rows.values, row), row_offsets, relation_offsets, lengths), relation


def _lists(offsets: Array, chosen: Int64, n: int, take: Take) -> tuple[Int64, Int64]:
    """Return the item numbers of the chosen lists, and the offsets of these lists."""
    starts, stops = take(offsets, chosen), take(offsets, chosen + 1)
    if ((starts < 0) | (stops < starts) | (n < stops)).any():
        raise IndexError(f"lists that fall, or lead beyond {n} items")
    ends = np.concatenate([[0], np.cumsum(stops - starts)])
    return np.repeat(starts - ends[:-1], stops - starts) + np.arange(ends[-1]), ends
