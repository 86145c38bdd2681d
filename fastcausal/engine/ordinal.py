"""Ordinal kernels for backend "cpu": plain Python as a C function, called once per pattern."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastcausal.engine import _native
from fastcausal.engine.kernel import COUNT_BITS, Kernel, outside_of_counts

_INT32S, _INT64S = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_int64)
# The type `Kernel` of csrc.
_KERNEL = ctypes.CFUNCTYPE(
    None, _INT32S, ctypes.c_int64, _INT32S, ctypes.c_int64, ctypes.c_int64, _INT64S, _INT64S
)


@dataclass(frozen=True)
class Called:
    """A kernel as a C function."""

    entry: Any  # The function for the native driver; lives as long as this object
    # Counts of the pairs it was called for
    memory: _native.Memory = field(default_factory=_native.Memory)
    errors: list[Exception] = field(default_factory=list)  # Exceptions of the function

    @property
    def address(self) -> int:
        """Address of the C function."""
        return ctypes.cast(self.entry, ctypes.c_void_p).value or 0

    def check(self, memory: _native.Memory) -> None:
        """Raise the function's first exception, if any; drop all remembered counts then."""
        if self.errors:
            error = self.errors[0]
            self.errors.clear()
            memory.clear()
            raise error


def called(kernel: Kernel) -> Called:
    """Make a C function of a kernel once; the result lives as long as the kernel."""
    if "called" in vars(kernel):
        return vars(kernel)["called"]  # type: ignore[no-any-return]
    errors: list[Exception] = []
    n_fields, n_overall = len(kernel.fields), len(kernel.overall)

    def entry(gold, n_gold, pred, n_pred, length, params, counts):  # type: ignore[no-untyped-def]
        try:
            n_roles = params[0]
            row = np.zeros(n_roles * n_fields + n_overall, np.int64)
            kernel.function(
                _array(gold, 3 * n_gold).reshape(-1, 3),
                _array(pred, 3 * n_pred).reshape(-1, 3),
                length,
                _array(params, 1 + n_roles),
                row,
            )
            if (row >> COUNT_BITS).any():  # negative counts too
                raise RuntimeError(outside_of_counts(kernel))
            ctypes.memmove(counts, row.ctypes.data, row.nbytes)
        except Exception as error:
            errors.append(error)

    made = vars(kernel)["called"] = Called(_KERNEL(entry), errors=errors)
    return made


def _array(pointer: Any, n: int) -> Any:
    """Copy numbers behind a pointer."""
    array = np.array(pointer[:n], dtype=pointer._type_)
    array.flags.writeable = False
    return array
