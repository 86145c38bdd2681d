"""Named integer counts that add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int64, Kernel
from fastcausal.errors import InputError


def added(a: Int64, b: Int64) -> Int64:
    """Add counts, none of them negative.

    Raises
    ------
    InputError
        A sum is 2^56 or more: over all roles it might leave 64 bits.

    Examples
    --------
    >>> added(np.array([1, 2]), np.array([3, 4]))
    array([4, 6])
    """
    total: Int64 = a + b
    if (total >> 56).any():
        raise InputError(f"counts add up to {total.max()}, expected less than 2^56")
    return total


@dataclass(frozen=True)
class Counts:
    """The counts of one kernel over any set of pairs; sets without common pairs add.

    Attributes
    ----------
    kernel : Kernel
    roles : tuple of str
    values : int64[n_fields]
        In the order of ``kernel.columns(roles)``.
    """

    kernel: Kernel
    roles: tuple[str, ...]
    values: npt.NDArray[np.int64]

    def __add__(self, other: Counts) -> Counts:
        if (self.kernel, self.roles) != (other.kernel, other.roles):
            raise ValueError(
                f"counts of {self.kernel.name} over {self.roles} and of {other.kernel.name} over "
                f"{other.roles} do not add"
            )
        return Counts(self.kernel, self.roles, added(self.values, other.values))

    def of(self, group: str) -> dict[str, int]:
        """Counts of one role, or of ``"overall"``, by field name."""
        fields, n = self.kernel.fields, len(self.kernel.fields)
        by_role = self.values[: n * len(self.roles)].reshape(-1, n)
        if group != "overall":
            return dict(zip(fields, by_role[self.roles.index(group)].tolist(), strict=True))
        found = dict(zip(fields, by_role.sum(axis=0).tolist(), strict=True))
        rest = self.values[n * len(self.roles) :].tolist()
        return found | dict(zip(self.kernel.overall, rest, strict=True))
