from numpy import float64, int8, int64
from numpy.typing import NDArray

def ascend(story: NDArray[int64], a: NDArray[int64], b: NDArray[int64]) -> bool: ...
def count_frames(story: NDArray[int64], a: NDArray[int64], b: NDArray[int64]) -> int: ...
def score_frames(
    story: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    classes: NDArray[int64],
    gold: NDArray[int64],
    pred: NDArray[int64],
    in_document: NDArray[int8],
    n_labels: int,
    undefined: float,
    rows: NDArray[int64],
    marks: NDArray[float64],
) -> None: ...
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
