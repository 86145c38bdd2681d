from numpy import int8, int32, int64
from numpy.typing import NDArray

FAULTS: tuple[str, ...]

def pack(
    role: NDArray[int8],
    start: NDArray[int32],
    stop: NDArray[int32],
    row_offsets: NDArray[int64],
    relation_offsets: NDArray[int64],
    lengths: NDArray[int32],
    n_roles: int,
    values: NDArray[int32],
) -> int: ...
def sort(values: NDArray[int32], row_offsets: NDArray[int64]) -> None: ...
def count_filled(row_offsets: NDArray[int64]) -> int: ...
def same_lengths(gold: NDArray[int32], pred: NDArray[int32]) -> bool: ...
def last_stops(
    values: NDArray[int32],
    row_offsets: NDArray[int64],
    relation_offsets: NDArray[int64],
    stops: NDArray[int32],
) -> None: ...
def check_rows(
    values: NDArray[int32],
    row_offsets: NDArray[int64],
    relation_offsets: NDArray[int64],
    lengths: NDArray[int32],
    n_roles: int,
) -> tuple[str, int, int]: ...
def read_as_tagged(
    values: NDArray[int32],
    row_offsets: NDArray[int64],
    relation_offsets: NDArray[int64],
    lengths: NDArray[int32],
    n_roles: int,
    relaxed: bool,
) -> tuple[NDArray[int32], NDArray[int64], int] | None: ...
