from typing import Any

from numpy import float64, int8, int32, int64
from numpy.typing import NDArray

_Texts = tuple[Any, NDArray[int64], None]

def mark(
    texts: _Texts,
    lists: NDArray[int64],
    questions: NDArray[int64],
    answers: _Texts,
    rows: NDArray[int64],
    letters: tuple[NDArray[int32], NDArray[int8]],
    marks: NDArray[float64],
    known: NDArray[int8],
    num_threads: int,
) -> None: ...
def gold_lists(texts: _Texts, lists: NDArray[int64]) -> tuple[bytes, bytes]: ...
