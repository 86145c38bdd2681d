from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

def word_bounds(data: Any, kinds: NDArray[int8]) -> list[int]: ...
def count_words(
    data: Any,
    offsets: NDArray[int32] | NDArray[int64],
    kinds: NDArray[int8],
    counts: NDArray[int64],
) -> None: ...
def count_tagged_words(
    data: Any, offsets: NDArray[int32] | NDArray[int64], kinds: NDArray[int8]
) -> tuple[list[int], list[int], list[int]]: ...
