from numpy import float64, int32, int64
from numpy.typing import NDArray

def most_of(values: NDArray[float64]) -> float: ...
def disagreements(
    level: int,
    values: NDArray[float64],
    offsets: NDArray[int64],
    groups: NDArray[int64] | None,
    times: NDArray[int32] | None,
    found: NDArray[float64],
) -> None: ...
def add_kappas(
    weights: int, n_labels: int, rated: tuple[NDArray[int64], ...]
) -> tuple[int, int, list[tuple[int, int]]]: ...
