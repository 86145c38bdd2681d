from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

_Texts = tuple[Any, NDArray[int64], NDArray[int8] | None]

N_FIELDS: int

def compare(
    source: _Texts,
    reference: _Texts,
    answer: _Texts,
    letters: tuple[NDArray[int32], NDArray[int8]],
    lenient: bool,
    fcr: bool,
    fields: NDArray[int64],
    start: int,
    known: NDArray[int8],
    sizes: NDArray[int64] | None,
    num_threads: int,
) -> tuple[list[bytes], bytes]: ...
