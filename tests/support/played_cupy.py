"""As much of CuPy as engine/device/cuda.py calls, on host memory and the emulated grid.

It shows that cuda.py makes the right calls; the same tests on a GPU show that CuPy and a GPU carry
them out. Every call is done at once: tests with emulated.py find missing waits.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastcausal.engine.device import cuda
from tests.support import emulated


class Array(np.ndarray):
    """Memory "of the device": its address is found, its values are not to be had without get."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def get(self) -> np.ndarray:
        return np.array(self)


def _of_device(array: Any) -> Array:
    return np.ascontiguousarray(array).view(Array)


def _rubbish(shape: Any, dtype: Any) -> Array:
    array = _of_device(np.empty(shape, dtype))
    ctypes.memset(array.ctypes.data, 0xA5, array.nbytes)
    return array


class Stream:
    ptr = 0

    def __init__(self, non_blocking: bool = False) -> None:
        self.non_blocking = non_blocking

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None: ...

    def synchronize(self) -> None: ...

    def record(self) -> Any:
        return SimpleNamespace(done=True)


class RawModule:
    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        assert code.startswith("// The device driver")
        self.options = options

    def get_function(self, entry: str) -> Any:
        kind, _, kernel = entry.partition("_")
        assert f"-DFC_ONLY=FC_{kind.upper()}({kernel})" in self.options

        def call(grid: Any, block: Any, arguments: Any, *, shared_mem: int) -> None:
            (task,) = arguments  # by value: an array of one item
            assert task.size == 1
            assert shared_mem <= 48 << 10
            address = ctypes.c_void_p(task.ctypes.data)
            emulated.library().launch(entry.encode(), address, grid[0])

        return call


def _memcpy(target: int, source: int, n: int, kind: int, stream: int) -> None:
    ctypes.memmove(target, source, n)


runtime = SimpleNamespace(
    CUDARuntimeError=OSError,
    getDevice=lambda: 0,
    getDeviceCount=lambda: 1,
    driverGetVersion=lambda: 13010,
    runtimeGetVersion=lambda: 13020,
    getDeviceProperties=lambda number: {
        "name": b"played", "major": 9, "minor": 0, "totalGlobalMem": 1 << 30,
        "multiProcessorCount": 2,
    },
    memcpyAsync=_memcpy,
    memcpyHostToDevice=1,
    memcpyDeviceToHost=2,
)  # fmt: skip
cupy = SimpleNamespace(
    __version__="14.2.0",
    ndarray=Array,
    asarray=_of_device,
    ascontiguousarray=_of_device,
    cumsum=lambda sizes: _of_device(np.cumsum(sizes)),
    empty=_rubbish,
    zeros=lambda *arguments: _of_device(np.zeros(*arguments)),
    RawModule=RawModule,
    cuda=SimpleNamespace(
        runtime=runtime,
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)),
        Device=lambda: SimpleNamespace(
            attributes={"MultiProcessorCount": 2}, synchronize=lambda: None
        ),
        Stream=Stream,
        get_current_stream=Stream,
        alloc_pinned_memory=bytearray,
    ),
)


@contextmanager
def instead() -> Iterator[None]:
    """Within it this is CuPy."""
    caches = (cuda.cupy, cuda._machine, cuda.function)
    for cache in caches:
        cache.cache_clear()
    # Not patch.dict, which also forgets modules imported meanwhile: torch does not load twice.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", cupy)
        yield
    for cache in caches:
        cache.cache_clear()
