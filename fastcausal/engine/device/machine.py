"""The device interface: memory and work queues. cuda.py implements it with CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int64

Bytes = npt.NDArray[np.uint8]
Array = Any  # an array of the machine


class Queue(Protocol):
    """Work that a device does in order; two queues may overlap."""

    def upload(self, target: int, source: Bytes) -> None:
        """Copy host bytes to an address."""

    def launch(
        self, entry: str, task: npt.NDArray[np.void], n_items: int, n_counters: int = 0
    ) -> None:
        """Run an entry of csrc/device/ over n items, with 32-bit counters for each block."""

    def download(self, target: Bytes, source: int) -> None:
        """Copy from an address to host bytes."""

    def mark(self) -> Callable[[], bool]:
        """Return a function that returns True once all earlier work is done."""

    def wait(self) -> None:
        """Wait until all work is done."""


class Machine(Protocol):
    """Memory and queues of a device."""

    lanes: list[Any]  # Idle `Lane` objects of scoring.py, kept for the next call

    def current(self) -> Queue:
        """Return the default queue."""

    def queue(self) -> Queue:
        """Make a further queue."""

    def pinned(self, n: int) -> Bytes:
        """Reserve host memory that can be copied while the device works."""

    def empty(self, n: int) -> Array:
        """Reserve bytes on the device. An earlier user in `current` may still be running."""

    def array(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Make an unfilled array on the device; it is freed after its users in `current`."""

    def zeros(self, n: int) -> Array:
        """Make an int64 array of zeros, filled by work in `current`."""

    def offsets(self, sizes: Array) -> Array:
        """Compute int64[n + 1] by work in `current`: 0 and the running sums of the sizes."""

    def address(self, array: Array) -> int:
        """Return the address of the first item of a device array."""

    def ids(self, name: str, value: Any) -> Array:
        """Return a matrix of integers as a contiguous array on the device."""

    def numpy(self, array: Array) -> npt.NDArray[Any]:
        """Copy to host memory, after all earlier work."""

    def take(self, array: Array, items: Int64) -> npt.NDArray[Any]:
        """Copy some items of an array, or rows of a matrix, to host memory, after earlier work."""

    def constant(self, values: npt.NDArray[Any]) -> Array:
        """Return a few values on the device. They stay for work in `current`."""
