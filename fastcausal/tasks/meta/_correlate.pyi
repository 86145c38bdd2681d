from numpy import float64, int64
from numpy.typing import NDArray

def arrange(
    scores: NDArray[float64],
    labels: NDArray[float64],
    order: NDArray[int64],
    values: NDArray[float64],
    places: NDArray[int64],
    offsets: NDArray[int64],
) -> None: ...
def correlate(
    values: NDArray[float64],
    places: NDArray[int64],
    offsets: NDArray[int64],
    weights: NDArray[int64] | None,
    into: NDArray[float64],
) -> None: ...
