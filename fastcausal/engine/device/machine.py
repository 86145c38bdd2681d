"""The device interface: memory and work queues. cuda.py implements it with CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Array = Any  # an array of the machine


class Queue(Protocol):
    """Work that a machine does in order; two queues may overlap."""

    def upload(self, target: int, source: Bytes) -> None:
        """Copy host bytes to an address."""

    def launch(
        self, entry: str, task: npt.NDArray[np.void], n_items: int, n_counters: int = 0
    ) -> None:
        """Do a task of so many items, by an entry of csrc/*.cu; counters are a block's, 32-bit."""

    def download(self, target: Bytes, source: int) -> None:
        """Copy from an address to host bytes."""

    def mark(self) -> Callable[[], bool]:
        """Return a call that tells whether all up to here is done."""

    def wait(self) -> None:
        """Return when all is done."""


class Machine(Protocol):
    """Memory and queues of a device.

    Attributes
    ----------
    lanes : list
        Ways through the device that no call uses (scoring.py), for the next one.
    """

    lanes: list[Any]

    def current(self) -> Queue:
        """Return the queue that all is done in unless another is asked for."""

    def queue(self) -> Queue:
        """Make a further queue."""

    def pinned(self, n: int) -> Bytes:
        """Reserve host memory that can be copied while the machine works."""

    def empty(self, n: int) -> Array:
        """Reserve bytes on the machine. What used them before may not have ended in `current`."""

    def array(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Make an array on the machine, not filled; let go of when what uses it is in `current`."""

    def zeros(self, n: int) -> Array:
        """Make an int64 array as `array` does, filled with zeros by work in `current`."""

    def offsets(self, sizes: Array) -> Array:
        """Compute int64[n + 1]: 0 and the running sums of the sizes, by work in `current`."""

    def address(self, array: Array) -> int:
        """Return the address at which an array on the machine starts."""

    def ids(self, name: str, value: Any) -> Array:
        """Return a matrix of integers as a contiguous array of the machine."""

    def numpy(self, array: Array) -> npt.NDArray[Any]:
        """Copy to host memory, when the machine has come so far."""

    def constant(self, values: npt.NDArray[Any]) -> int:
        """Return the address of a few values that stay on the machine."""
