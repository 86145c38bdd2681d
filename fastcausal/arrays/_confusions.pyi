from numpy import float64, int64
from numpy.typing import NDArray

PACKED_LABELS: int
PACKED_MEMBERS: int

def keyed_scores(
    gold: NDArray[int64],
    pred: NDArray[int64],
    keys: NDArray[int64],
    n_labels: int,
    undefined: float,
    n: NDArray[int64],
    f1: NDArray[float64],
    exact: NDArray[float64],
) -> int: ...
def group_scores(
    gold: NDArray[int64],
    pred: NDArray[int64],
    n_labels: int,
    undefined: float,
    offsets: NDArray[int64],
    places: NDArray[int64] | None,
    n: NDArray[int64],
    f1: NDArray[float64],
    exact: NDArray[float64],
) -> int: ...
def count_confusions(
    gold: NDArray[int64],
    pred: NDArray[int64],
    groups: NDArray[int64],
    counts: NDArray[int64],
    n_groups: int,
    n_labels: int,
) -> int: ...
def places_by_key(
    keys: NDArray[int64], offsets: NDArray[int64], places: NDArray[int64]
) -> None: ...
