"""Kernels written in Python, for backend "cpu": compiled by numba to C functions.

::

    pair function ──njit──▶ machine code, cached on disk ──cfunc──▶ address of csrc's `Kernel`

The only module that imports numba.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import carray, cfunc, njit, types
from numba.extending import intrinsic

from fastcausal.engine.kernel import COUNT_BITS, Int64, Kernel, outside_of_counts
from fastcausal.errors import InputError

# Threads share rows and params: a function that writes to them does not compile.
_ROWS = types.Array(types.int32, 2, "C", readonly=True)
_PARAMS = types.Array(types.int64, 1, "C", readonly=True)
_COUNTS = types.Array(types.int64, 1, "C")
_PAIR = (_ROWS, _ROWS, types.int64, _PARAMS, _COUNTS)
_INT32S, _INT64S = types.CPointer(types.int32), types.CPointer(types.int64)
_KERNEL = types.void(
    _INT32S, types.int64, _INT32S, types.int64, types.int64, _INT64S, _INT64S
)  # fmt: skip

RAISED, OUTSIDE = 0, 1


@dataclass(frozen=True)
class Compiled:
    """A kernel as a C function."""

    function: Any  # The pair function; its machine code is cached on disk beside its source
    entry: Any  # The function for the native driver; lives as long as this object
    # int64[2]: Number of calls that raised an exception, and of calls that left a count
    # outside of 0 to 2^36 - 1
    faults: Int64

    @property
    def address(self) -> int:
        """Address of the C function."""
        return int(self.entry.address)

    def check(self, kernel: Kernel, before: Int64) -> None:
        """Raise RuntimeError if calls failed since ``faults`` had the values ``before``."""
        raised, outside = self.faults != before
        if raised:
            raise RuntimeError(f'{kernel} raised an exception; backend="reference" shows which')
        if outside:
            raise RuntimeError(outside_of_counts(kernel))


def compiled(kernel: Kernel) -> Compiled:
    """Compile a kernel once."""
    # The result lives as long as the kernel.
    if "compiled" in vars(kernel):
        return vars(kernel)["compiled"]  # type: ignore[no-any-return]
    faults = np.zeros(2, np.int64)
    try:
        function = _pair_function(kernel)
        entry = _entry(function, len(kernel.fields), len(kernel.overall), faults)
    except Exception as error:  # numba raises many types
        said = "\n".join(line for line in str(error).splitlines() if line.strip())
        raise InputError(
            f'{kernel} cannot be compiled by numba; backend="reference" runs it as it is.\n{said}'
        ) from error
    made = vars(kernel)["compiled"] = Compiled(function, entry, faults)
    return made


def _pair_function(kernel: Kernel) -> Any:
    function = kernel.function
    if kernel.boundscheck:  # numba's cache would take it for the unchecked function
        return njit(_PAIR, boundscheck=True)(function)
    try:
        return njit(_PAIR, cache=True)(function)
    except RuntimeError as error:  # defined at a prompt: no file to cache it beside
        if "cannot cache" not in str(error):
            raise
        return njit(_PAIR)(function)


def _entry(function: Any, n_fields: int, n_overall: int, faults: Int64) -> Any:
    address = faults.ctypes.data

    @cfunc(_KERNEL, nopython=True)
    def entry(gold, n_gold, pred, n_pred, length, params, counts):  # type: ignore[no-untyped-def]
        n_roles = params[0]
        n_counts = n_roles * n_fields + n_overall
        row = carray(counts, n_counts)
        for k in range(n_counts):
            row[k] = 0
        try:
            function(
                carray(gold, (n_gold, 3)),
                carray(pred, (n_pred, 3)),
                length,
                carray(params, 1 + n_roles),
                row,
            )
        except Exception:
            _pointer(address)[RAISED] += 1
        bits = 0
        for k in range(n_counts):
            bits |= row[k]
        if bits >> COUNT_BITS:  # negative counts too
            _pointer(address)[OUTSIDE] += 1

    return entry


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_context: Any, _address: Any) -> Any:
    """Convert an address to a pointer to int64."""

    def make_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return _INT64S(types.int64), make_pointer
