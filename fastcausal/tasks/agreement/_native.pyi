from collections.abc import Iterable

from numpy import float64, int32, int64
from numpy.typing import NDArray

from fastcausal.rows import Rows

EXPONENTS: tuple[int, ...]

def unitized_alpha(a: NDArray[int32], b: NDArray[int32], length: int) -> tuple[float, int]: ...
def sum_pairs(
    first: Rows,
    second: Rows,
    pairs: tuple[NDArray[int64], NDArray[int64], NDArray[int64]],
    params: NDArray[int64],
    unitized: bool,
    by_example: bool,
    sums: NDArray[int64],
    rows: NDArray[float64] | None = None,
) -> None: ...
def sum_masks(
    annotators: Iterable[tuple[Rows, NDArray[int64] | None]],
    n_examples: int,
    n_roles: int,
    sums: NDArray[int64],
) -> None: ...
