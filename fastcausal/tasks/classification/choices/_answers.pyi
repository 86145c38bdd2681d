from typing import Any

from numpy import float64, int8
from numpy.typing import NDArray

def read_answer(text: bytes, kind: int, last: int) -> tuple[float, int]: ...
def read_answers(
    data: Any, offsets: NDArray[Any], kind: int, values: NDArray[float64], reasons: NDArray[int8]
) -> None: ...
