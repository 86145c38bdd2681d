from numpy import int8, int64
from numpy.typing import NDArray

def find_frames(
    story: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    classes: NDArray[int64],
    members: NDArray[int64],
    starts: NDArray[int64],
    effects: NDArray[int64],
    counts: NDArray[int64],
) -> int: ...
def count_chains(
    story: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    codes: NDArray[int8],
    bits: NDArray[int8],
    counts: NDArray[int64],
) -> None: ...
def list_chains(
    story: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    codes: NDArray[int8],
    bits: NDArray[int8],
    rows: NDArray[int64],
) -> None: ...
