from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

from fastcausal.decoding.faults import Fault

def label_rows(
    ids: Any, where: Any, words: Any, marks: NDArray[int32], ignored: int
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]] | Fault | None: ...
def label_ids(
    logits: NDArray[Any],
    where: NDArray[Any] | None,
    steps: NDArray[int32] | None,
    start: int,
    ignored: int,
) -> NDArray[int32] | Fault | None: ...
