from numpy import float64, int8, int64
from numpy.typing import NDArray

def find_stories(
    topic: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    starts: NDArray[int64],
    topics: NDArray[int64],
) -> int: ...
def count_frames(starts: NDArray[int64], a: NDArray[int64], b: NDArray[int64]) -> int: ...
def score_frames(
    starts: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    classes: NDArray[int8],
    gold: NDArray[int8],
    pred: NDArray[int8],
    in_document: NDArray[int8],
    n_labels: int,
    undefined: float,
    rows: NDArray[int64],
    marks: NDArray[float64],
) -> None: ...
def count_chains(
    starts: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    codes: NDArray[int8],
    bits: NDArray[int8],
    counts: NDArray[int64],
) -> None: ...
def list_chains(
    starts: NDArray[int64],
    a: NDArray[int64],
    b: NDArray[int64],
    codes: NDArray[int8],
    bits: NDArray[int8],
    rows: NDArray[int64],
) -> None: ...
