from numpy import int32, int64
from numpy.typing import NDArray

def resample(
    heavy: NDArray[int64],
    heavy_times: NDArray[int64],
    light: NDArray[int32],
    seed: int,
    first: int,
    weights: NDArray[int64],
    num_threads: int,
) -> None: ...
def exchange(
    times: NDArray[int64], seed: int, first: int, weights: NDArray[int64], num_threads: int
) -> None: ...
def resample_sums(
    heavy: NDArray[int64],
    heavy_times: NDArray[int64],
    light: NDArray[int32],
    seed: int,
    first: int,
    parts: NDArray[int64],
    sums: NDArray[int64],
    num_threads: int,
) -> None: ...
def exchange_sums(
    times: NDArray[int64],
    seed: int,
    first: int,
    parts: NDArray[int64],
    sums: NDArray[int64],
    num_threads: int,
) -> None: ...
