from collections.abc import Sequence
from typing import Any

from numpy import float64, int32, int64
from numpy.typing import NDArray

from fastcausal.decoding.faults import Fault

MOST_FAULTS: int
WORD: int

def select_spans(
    columns: Sequence[NDArray[Any]],
    there: NDArray[Any] | None,
    words: NDArray[int32] | None,
    has_signal: NDArray[Any] | None,
    roles: Sequence[int],
    settings: tuple[int, int, int, int, float],
) -> (
    tuple[tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]], NDArray[float64]]
    | Fault
): ...
def label_rows(
    ids: Any, where: Any, words: Any, marks: NDArray[int32], ignored: int
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]] | Fault | None: ...
def label_ids(
    logits: NDArray[Any],
    where: NDArray[Any] | None,
    steps: NDArray[int32] | None,
    start: int,
    n_ends: int,
    ignored: int,
) -> NDArray[int32] | Fault | None: ...
