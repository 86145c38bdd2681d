from typing import Any

from numpy import int64
from numpy.typing import NDArray

def count(
    gold: tuple[Any, ...],
    pred: tuple[Any, ...],
    candidates: tuple[Any, ...] | None,
    hashes: NDArray[int64],
    rules: tuple[bool, bool, bool, bool],
    columns: NDArray[int64],
    out: NDArray[int64],
) -> tuple[tuple[int, int, int, int], int]: ...
