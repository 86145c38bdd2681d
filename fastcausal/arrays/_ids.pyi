from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

def hash_texts(offsets: NDArray[int32], data: Any, hashes: NDArray[int64]) -> None: ...
def any_twice(numbers: NDArray[int64]) -> bool: ...
