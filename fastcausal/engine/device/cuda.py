"""Backend "cuda": csrc/device/ on an NVIDIA GPU, through CuPy."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.tensors import INTEGERS, check_matrix, detached
from fastcausal.engine.device import scoring
from fastcausal.engine.device.launches import LANES, THREADS
from fastcausal.engine.device.machine import Array, Bytes
from fastcausal.engine.device.sources import csrc, digest
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Plan, Result
from fastcausal.errors import InputError
from fastcausal.rows import Rows

BLOCKS = 16  # for each multiprocessor, at most
MAX_CONSTANTS = 64  # of a machine: settings of plans, and patterns of at most 5 MB
INSTALL = "pip install 'fastcausal[cuda12]' or, for CUDA 13, 'fastcausal[cuda13]'"


@cache
def cupy() -> Any:
    """Return CuPy with a usable GPU and compiler."""
    # InputError names the remedy if one of them is missing.
    try:
        import cupy
    except ImportError as error:
        raise InputError(f'backend "cuda" needs CuPy: {INSTALL} ({error})') from error
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise InputError(
            f'backend "cuda" found no GPU that this CuPy can use: {error}. CuPy must be built for '
            f"the CUDA of the driver: {INSTALL}"
        ) from error
    try:
        cupy.cuda.nvrtc.getVersion()
    except RuntimeError as error:
        raise InputError(f'backend "cuda" needs the compiler NVRTC: {INSTALL} ({error})') from error
    return cupy


def run(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    groups: CountGroups,
    partner: Int64 | None,
    counts: Int64,
    num_threads: int | None,
    check: bool = False,
) -> None:
    """Count as cpu.py does, which counts the examples that do not fit on the device."""
    scoring.score_host(machine(), plan, gold, pred, groups, partner, counts, num_threads, check)


# ------------------------------------------------------------------------ arrays on the device


@dataclass(frozen=True)
class DeviceResult:
    """Counts and pairs of a run on device arrays, valid once the device has finished."""

    plan: Plan
    gold: Rows
    pred: Rows
    groups: CountGroups
    partner: Array  # cupy int64[n_gold_relations]
    # cupy int64[n_groups, n_fields]: As in `Result`, without the examples that do not fit on
    # the device
    counts: Array
    lists: Array  # cupy int64[2, n_examples]
    # cupy int64[2]: Those examples, as `scoring.score_device` lists them; their partners are
    # not set
    n_listed: Array

    @property
    def unfit(self) -> Int64:
        """Wait for the device, return int64[n]: the examples that do not fit, ascending."""
        n = int(self.n_listed.get()[1])
        return np.sort(self.lists[1, :n].get())

    def get(self) -> Result:
        """Wait for the device, count the remaining examples on the host, return all results."""
        partner, counts, examples = self.partner.get(), self.counts.get(), self.unfit
        scoring.finish(
            self.plan,
            self.gold,
            self.pred,
            self.groups,
            examples,
            partner,
            counts,
            take=machine().take,
        )
        return Result(partner, counts)


def rows(
    values: Any,  # int32[n_rows, 3]
    row_offsets: Any,  # int64[n_relations + 1]
    relation_offsets: Any,  # int64[n_examples + 1]
    lengths: Any,  # int32[n_examples]
) -> Rows:
    """Make one side from arrays on the device, without a copy."""
    # As in `Rows`, of CuPy, torch, or any array with DLPack or ``__cuda_array_interface__``. Their
    # values are not checked.
    return Rows(
        array("values", values, "int32", 3),
        array("row_offsets", row_offsets, "int64"),
        array("relation_offsets", relation_offsets, "int64"),
        array("lengths", lengths, "int32"),
    )


def run_on_device(
    plan: Plan, gold: Rows, pred: Rows, groups: Any = None, n_groups: int | None = None
) -> DeviceResult:
    """Run `fastcausal.engine.run.run` on device arrays (see `rows`) without waiting.

    Work is queued on CuPy's current stream. The first use of a plan waits: it compiles the sources
    and learns patterns on the host from a sample of the examples.
    """
    cp = cupy()
    if n_groups is None:
        into = CountGroups(None, gold.n_examples, each=True)
    else:
        into = CountGroups(None if groups is None else array("groups", groups, "int64"), n_groups)
    partner = cp.empty(gold.n_relations, np.int64)
    counts = cp.zeros((into.n_rows, plan.n_fields), np.int64)
    queue = machine().current()
    lists = scoring.score_device(machine(), queue, plan, gold, pred, into, partner, counts)
    return DeviceResult(plan, gold, pred, into, partner, counts, *lists)


def array(name: str, value: Any, dtype: str, width: int | None = None) -> Array:
    """Return a contiguous device array of given type as CuPy's, without a copy."""
    given = shared(name, value)
    shape = "[n]" if width is None else f"[n, {width}]"
    fits = given.ndim == (1 if width is None else 2) and width in (None, given.shape[-1])
    if given.dtype != dtype or not fits:
        raise InputError(f"{name}: found {given.dtype}{list(given.shape)}, expected {dtype}{shape}")
    if not given.flags.c_contiguous:
        raise InputError(f"{name}: its items lie apart, expected a contiguous array")
    return given


def shared(name: str, value: Any) -> Array:
    """Return an array on the device as CuPy's, on the same memory.

    DLPack makes CuPy's stream wait for the stream that made the array; `hand_back` makes torch
    wait for CuPy.
    """
    cp = cupy()
    if hasattr(value, "__dlpack_device__"):
        kind, number = value.__dlpack_device__()
        current = cp.cuda.runtime.getDevice()
        if kind == 2 and number != current:  # kDLCUDA
            raise InputError(f"{name}: is on device {number}, expected {current}, the current one")
        if kind == 2:
            value = detached(value)
            return value if isinstance(value, cp.ndarray) else cp.from_dlpack(value)
    elif hasattr(value, "__cuda_array_interface__"):
        return cp.asarray(value)
    raise InputError(
        f"{name}: found {type(value).__name__} in host memory, expected a device array"
    )


def matrix(
    name: str, value: Any, kinds: Sequence[str], shape: tuple[int, ...] | None = None
) -> Array:
    """Check and convert a device array as `fastcausal.arrays.tensors.matrix` does a host array."""
    given = shared(name, value)
    check_matrix(name, given, kinds, shape)
    return cupy().ascontiguousarray(given)


def hand_back() -> None:
    """Make torch's stream wait for CuPy's, if they differ."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return
    ours, theirs = cupy().cuda.get_current_stream().ptr, torch.cuda.current_stream()
    if ours != theirs.cuda_stream:
        theirs.wait_stream(torch.cuda.ExternalStream(ours))


def copy_to_host(side: Rows) -> Rows:
    """Copy one side to host memory."""
    values, row_offsets, relation_offsets, lengths = map(
        machine().numpy, (*side.arrays(), side.lengths)
    )
    return Rows(values, row_offsets, relation_offsets, lengths, side.tags)


# ----------------------------------------------------------------------------------- the machine


class CudaQueue:
    """A CUDA stream; ``current`` if other libraries use it too."""

    def __init__(self, stream: Any, current: bool) -> None:
        self.stream = stream
        self.current = current

    def upload(self, target: int, source: Bytes) -> None:
        """See `machine.Queue` for this and the following methods."""
        self._copy(target, source.ctypes.data, source.nbytes, "memcpyHostToDevice")

    def download(self, target: Bytes, source: int) -> None:  # noqa: D102
        self._copy(target.ctypes.data, source, target.nbytes, "memcpyDeviceToHost")

    def _copy(self, target: int, source: int, n: int, kind: str) -> None:
        if n:
            runtime = cupy().cuda.runtime
            runtime.memcpyAsync(target, source, n, getattr(runtime, kind), self.stream.ptr)

    def launch(  # noqa: D102
        self, entry: str, task: npt.NDArray[np.void], n_items: int, n_counters: int = 0
    ) -> None:
        if n_items:
            blocks = min(-(-n_items // THREADS), BLOCKS * machine().multiprocessors)
            task = task.view(f"V{task.nbytes}")  # CuPy would list the members at every launch
            with self.stream:
                function(entry)((blocks,), (THREADS,), (task,), shared_mem=4 * n_counters)
            if self.current:
                hand_back()

    def mark(self) -> Callable[[], bool]:  # noqa: D102
        event = self.stream.record()
        return lambda: bool(event.done)

    def wait(self) -> None:  # noqa: D102
        self.stream.synchronize()


class CudaMachine:
    """A GPU: its memory and streams."""

    def __init__(self) -> None:
        self.cupy: Any = cupy()
        self.multiprocessors: int = self.cupy.cuda.Device().attributes["MultiProcessorCount"]
        self.constants: OrderedDict[bytes, Array] = OrderedDict()  # the last used one last
        self.lanes: list[Any] = []

    def current(self) -> CudaQueue:
        """See `machine.Machine` for this and the following methods."""
        return CudaQueue(self.cupy.cuda.get_current_stream(), current=True)

    def queue(self) -> CudaQueue:  # noqa: D102
        return CudaQueue(self.cupy.cuda.Stream(non_blocking=True), current=False)

    def pinned(self, n: int) -> Bytes:  # noqa: D102
        return np.frombuffer(self.cupy.cuda.alloc_pinned_memory(max(n, 1)), np.uint8, n)

    def empty(self, n: int) -> Array:  # noqa: D102
        return self.cupy.empty(n, np.uint8)

    def array(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:  # noqa: D102
        return self.cupy.empty(shape, dtype)

    def zeros(self, n: int) -> Array:  # noqa: D102
        return self.cupy.zeros(n, np.int64)

    def offsets(self, sizes: Array) -> Array:  # noqa: D102
        offsets = self.zeros(len(sizes) + 1)
        offsets[1:] = self.cupy.cumsum(sizes)
        return offsets

    def address(self, array: Array) -> int:  # noqa: D102
        return int(array.data.ptr)

    def ids(self, name: str, value: Any) -> Array:  # noqa: D102
        return matrix(name, value, INTEGERS)

    def numpy(self, array: Array) -> npt.NDArray[Any]:  # noqa: D102
        return np.asarray(array.get())

    def take(self, array: Array, items: Int64) -> npt.NDArray[Any]:  # noqa: D102
        return self.numpy(array[self.cupy.asarray(items)])

    def constant(self, values: npt.NDArray[Any]) -> Array:
        """See `machine.Machine`; equal values are copied once, while they are in use."""
        key = values.tobytes()
        if key not in self.constants:
            if len(self.constants) == MAX_CONSTANTS:
                self.cupy.cuda.Device().synchronize()  # work may still read it
                self.constants.popitem(last=False)
            self.constants[key] = self.cupy.asarray(values)
            self.cupy.cuda.get_current_stream().synchronize()  # other streams will read them
        self.constants.move_to_end(key)
        return self.constants[key]


@cache
def _machine(number: int) -> CudaMachine:
    return CudaMachine()


def machine() -> CudaMachine:
    """Return CuPy's current device."""
    return _machine(cupy().cuda.runtime.getDevice())


@cache
def function(entry: str) -> Any:
    """Return an entry of csrc/device/; CuPy caches compiled code on disk."""
    return cupy().RawModule(code=code(entry), options=options(entry)).get_function(entry)


def code(entry: str) -> str:
    """Return the source file that contains an entry."""
    names = {"decode": "decoding", "labels": "labels"}
    name = names.get(entry.partition("_")[0], "relations")
    return (csrc() / "device" / f"{name}.cu").read_text(encoding="utf-8")


def options(entry: str) -> tuple[str, ...]:
    """Return the compiler options of an entry."""
    kind, _, kernel = entry.partition("_")
    return (
        "-std=c++17",
        "-fmad=false",  # as on the host: results may not depend on the machine
        f"-I{csrc()}",
        f"-DFC_THREADS={THREADS}",
        f"-DFC_LANES={LANES}",
        f"-DFC_ONLY=FC_{kind.upper()}({kernel})",
        f"-DFC_SOURCES={digest()}",  # CuPy's cache ignores changes in included files
    )


def facts() -> dict[str, Any]:
    """Return facts on CuPy, CUDA and the device for `fastcausal doctor`, None if missing.

    ``missing`` is the reason why backend "cuda" cannot work, None if it can.
    """
    installed: dict[str, Any] = dict.fromkeys(("cupy", "runtime", "driver", "device", "missing"))
    try:
        import cupy as cp
    except ImportError as error:
        return installed | {"missing": f"CuPy, for backend cuda: {INSTALL} ({error})"}
    runtime = cp.cuda.runtime
    installed["cupy"] = cp.__version__
    installed["runtime"] = _version(runtime.runtimeGetVersion())
    driver = runtime.driverGetVersion()
    installed["driver"] = _version(driver) if driver else None
    try:
        cupy()
    except InputError as error:
        return installed | {"missing": str(error)}
    properties = runtime.getDeviceProperties(runtime.getDevice())
    installed["device"] = {
        "name": properties["name"].decode(),
        "capability": f"{properties['major']}.{properties['minor']}",
        "memory": properties["totalGlobalMem"],
        "multiprocessors": properties["multiProcessorCount"],
    }
    return installed


def _version(number: int) -> str:
    """Return a version as text; CUDA writes 13.2 as 13020."""
    return f"{number // 1000}.{number % 1000 // 10}"
