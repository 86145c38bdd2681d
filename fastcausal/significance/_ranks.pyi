from numpy import float64
from numpy.typing import NDArray

PLACES: int

def spreads(strays: NDArray[float64], into: NDArray[float64], num_threads: int) -> None: ...
def largest(
    strays: NDArray[float64],
    scales: NDArray[float64],
    into: NDArray[float64],
    num_threads: int,
) -> None: ...
