from collections.abc import Sequence
from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

def distinct_rows(rows: NDArray[int64], first: NDArray[int64], place_of: NDArray[int64]) -> int: ...
def number_texts(
    columns: Sequence[tuple[Any, NDArray[int32]]], numbers: Sequence[NDArray[int32]]
) -> list[list[int]]: ...
