from typing import Any

from numpy import int8, int64
from numpy.typing import NDArray

N_FIELDS: int

_Texts = tuple[Any, NDArray[int64], NDArray[int64]]

def words(data: bytes, kinds: NDArray[int8], abbreviations: bytes, cutting: int) -> bytes: ...
def first_other(gold: _Texts, pred: _Texts, n: int) -> int: ...
def label(
    texts: _Texts,
    gold: Any,
    pred: Any,
    kinds: NDArray[int8],
    abbreviations: bytes,
    cutting: int,
    sizes: NDArray[int64],
    facts: NDArray[int64],
    num_threads: int,
) -> tuple[bytes, bytes]: ...
def count(
    starts: NDArray[int64],
    order: NDArray[int64],
    offsets: NDArray[int64],
    gold: bytes,
    pred: bytes,
    best: bool,
    both: bool,
    fields: NDArray[int64],
    num_threads: int,
) -> None: ...
