from numpy import int64
from numpy.typing import NDArray

def distinct_rows(rows: NDArray[int64], first: NDArray[int64], place_of: NDArray[int64]) -> int: ...
