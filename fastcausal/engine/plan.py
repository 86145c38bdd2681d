"""Plans and groups, the input of every driver, and results, its output."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int64, Kernel

if TYPE_CHECKING:
    from fastcausal.engine import _native

# struct Plan of csrc/fastcausal/plan.h: the addresses of two arrays, then attributes of `Plan`.
PLAN = np.dtype([
    (name, np.uint64)
    for name in (
        "params", "weights", "n_fields", "wanted", "wanted_overall", "official", "linear",
        "additive", "never_costs", "by_content", "truncate", "ignore_non_causal",
    )
])  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """A protocol compiled for rows with given roles: the complete input of a driver."""

    kernel: Kernel
    params: Int64  # int64[1 + n_roles]: Number of roles, then the track of each role
    # int64[6, n_fields]: Numerator and denominator of the objective; then TP, FP, FN and
    # half-charged errors, as the official CNC search sums them
    weights: Int64
    # True if the official search applies: ties in file order, and F1 as the objective
    official: bool
    # True if pairing never lowers the objective, so that one against one needs no comparison
    never_costs: bool
    # True if ties are decided by shared tokens, then by content; else file order decides
    by_content: bool
    # Drop predictions beyond the number of gold relations; drop all predictions for examples
    # without gold relations
    truncate: bool
    ignore_non_causal: bool

    @cached_property
    def built_in(self) -> bytes | None:
        """The name of the kernel in csrc; None for a user's kernel."""
        from fastcausal.engine.reference.kernels import KERNELS

        is_known = KERNELS.get(self.kernel.name) is self.kernel
        return self.kernel.name.encode() if is_known else None

    @cached_property
    def n_fields(self) -> int:
        """Number of counts of a pair."""
        return int(self.weights.shape[1])

    @property
    def additive(self) -> bool:
        """True if pairs without a common token count as both unmatched."""
        return self.kernel.additive

    @property
    def linear(self) -> bool:
        """True if the objective is a sum, not a ratio."""
        return not self.weights[1].any()

    @property
    def wanted(self) -> int:
        """Fields of a role that the objective uses: a bit each."""
        return _bits(self._used[: len(self.kernel.fields)])

    @property
    def wanted_overall(self) -> int:
        """Overall fields that the objective uses: a bit each."""
        return _bits(self._used[len(self.kernel.fields) * int(self.params[0]) :])

    @property
    def _used(self) -> list[bool]:
        used: list[bool] = np.any(self.weights[:2], axis=0).tolist()
        return used

    @cached_property
    def arrays(self) -> tuple[Int64, Int64]:
        """Params, and weights[n_fields, 6]; a record has their addresses."""
        return np.ascontiguousarray(self.params), np.ascontiguousarray(self.weights.T)

    def record(self, params: int, weights: int) -> npt.NDArray[np.void]:
        """Return the record `PLAN` with `arrays` at the given addresses."""
        record = np.zeros((), PLAN)
        record["params"], record["weights"] = params, weights
        for name in PLAN.names[2:]:  # type: ignore[index]
            record[name] = getattr(self, name)
        return record

    @cached_property
    def host_record(self) -> Int64:
        """The record with `arrays` at their present addresses, as int64s."""
        record = self.record(*(array.ctypes.data for array in self.arrays))
        return record.reshape(1).view(np.int64)

    @cached_property
    def memory(self) -> _native.Memory:
        """Memory of backend "cpu": counts of patterns under this plan, each computed once."""
        from fastcausal.engine import _native

        if self.built_in or not self.kernel.ordinal:
            return _native.Memory()
        from fastcausal.engine import ordinal

        return _native.Memory(ordinal.called(self.kernel).memory)

    @cached_property
    def machine_patterns(self) -> WeakKeyDictionary[Any, Any]:
        """Patterns of the plan by machine of engine/device."""
        return WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields: addresses are valid in one process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _bits(used: list[bool]) -> int:
    return sum(bit << k for k, bit in enumerate(used[:64]))


class TooLargeError(OverflowError):
    """An example that is too large to be paired; csrc/engine/cpu.hpp has the bounds."""

    def __init__(self, example: int) -> None:
        super().__init__(example)
        self.example = example

    def __str__(self) -> str:
        return f"example {self.example} is too large"


class CountGroups(NamedTuple):
    """The assignment of examples to rows of counts."""

    # int64[n_examples], optional: The group of each example; None: all in one group
    of: Int64 | None
    n: int  # Number of groups
    each: bool = False  # Every example is a group of its own; ``of`` is None
    # A group has two rows of counts, the second for examples with several gold relations
    apart: bool = False

    @property
    def n_rows(self) -> int:
        """Rows of counts."""
        return 2 * self.n if self.apart else self.n

    def row(self, example: int, n_gold: int) -> int:
        """Return the row of an example with ``n_gold`` gold relations."""
        if self.each:
            return example
        group = 0 if self.of is None else int(self.of[example])
        return 2 * group + (n_gold > 1) if self.apart else group


class Result(NamedTuple):
    """The output of a run: pairs and counts."""

    # int64[n_gold_relations]: The predicted relation paired with each gold relation, -1 for
    # none. Empty if not requested.
    partner: Int64
    counts: Int64  # int64[n_rows, n_fields]: Summed counts of each group of examples
