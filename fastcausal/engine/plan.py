"""What the driver of every backend is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fastcausal.engine.kernel import Int64, Kernel


@dataclass(frozen=True)
class Plan:
    """A protocol made ready for rows with given roles: all that a driver needs to know.

    Attributes
    ----------
    kernel : Kernel
    params : int64[1 + n_roles]
        Number of roles, then the track of each role.
    weights : int64[6, n_fields]
        Numerator and denominator of the objective; then what the official CNC search adds up as
        TP, FP, FN and errors charged half to each side.
    official : bool
        Whether the official search applies: ties in file order, and an objective that is F1.
    never_costs : bool
        Whether pairing never lowers the objective, so that one against one needs no comparison.
    by_content : bool
        Ties are decided by shared tokens, then by content; else by file order.
    truncate, ignore_non_causal : bool
        Predictions beyond the number of gold relations, or without any, are left out.
    """

    kernel: Kernel
    params: Int64
    weights: Int64
    official: bool
    never_costs: bool
    by_content: bool
    truncate: bool
    ignore_non_causal: bool

    @property
    def n_fields(self) -> int:
        """Number of counts of a pair."""
        return int(self.weights.shape[1])

    @cached_property
    def arguments(self) -> tuple[Any, ...]:
        """What the native driver takes besides the kernel."""
        return (
            self.params,
            np.ascontiguousarray(self.weights.T),
            *self._wanted(),
            self.official,
            self.linear,
            self.kernel.additive,
            self.never_costs,
            self.by_content,
            self.truncate,
            self.ignore_non_causal,
        )

    def _wanted(self) -> tuple[int, int]:
        """Which fields the objective uses: a bit each for those of a role, and for the overall."""
        used: list[bool] = np.any(self.weights[:2], axis=0).tolist()
        n = len(self.kernel.fields)
        parts = used[:n], used[n * int(self.params[0]) :]
        of_role, overall = (sum(bit << k for k, bit in enumerate(part[:64])) for part in parts)
        return of_role, overall

    @property
    def linear(self) -> bool:
        """Whether the objective is a sum, not a ratio."""
        return not self.weights[1].any()


class Groups(NamedTuple):
    """Which row of counts each example is added to.

    Attributes
    ----------
    of : int64[n_examples], optional
        The group of each example; None: all in one group.
    n : int
        Number of groups.
    each : bool
        Every example is a group of its own, ``of`` is None.
    apart : bool
        A group has two rows of counts, the second for examples of several gold relations.
    """

    of: Int64 | None
    n: int
    each: bool = False
    apart: bool = False

    @property
    def n_rows(self) -> int:
        """Rows of counts."""
        return 2 * self.n if self.apart else self.n

    def row(self, example: int, n_gold: int) -> int:
        """The row of an example with this number of gold relations."""
        if self.each:
            return example
        group = 0 if self.of is None else int(self.of[example])
        return 2 * group + (n_gold > 1) if self.apart else group


class Result(NamedTuple):
    """What a run finds.

    Attributes
    ----------
    partner : int64[n_gold_relations]
        The predicted relation paired with each gold relation, -1 for none. Empty if not asked for.
    counts : int64[n_rows, n_fields]
        Summed counts of each group of examples.
    """

    partner: Int64
    counts: Int64
