from numpy import int32, int64
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from fastcausal.rows import Rows

@disjoint_base
class Memory:
    def __init__(self, of_kernel: Memory | None = None) -> None: ...
    def clear(self) -> None: ...

def pattern(gold: NDArray[int32], pred: NDArray[int32]) -> int: ...
def patterns(kernel: bytes | int, memory: Memory | None, plan: NDArray[int64]) -> bytes | None: ...
def run(
    kernel: bytes | int,
    memory: Memory | None,
    plan: NDArray[int64],
    gold: Rows,
    pred: Rows,
    groups: NDArray[int64] | None,
    each: bool,
    apart: bool,
    partner: NDArray[int64] | None,
    counts: NDArray[int64],
    num_threads: int,
    check: bool,
    reading: int,
    as_given: NDArray[int64] | None,
) -> int: ...
def count_pairs(
    kernel: bytes | int,
    memory: Memory | None,
    plan: NDArray[int64],
    gold: Rows,
    pred: Rows,
    gold_index: NDArray[int64],
    pred_index: NDArray[int64],
    lengths: NDArray[int32],
    counts: NDArray[int64],
) -> None: ...
def list_chosen(
    gold: Rows,
    pred: Rows,
    partner: NDArray[int64],
    plan: NDArray[int64],
    example: NDArray[int64],
    gold_index: NDArray[int64],
    pred_index: NDArray[int64],
) -> int: ...
def build_info() -> dict[str, str | bool]: ...
