from collections.abc import Callable
from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

Int32 = NDArray[int32]
Int64 = NDArray[int64]

NO_LIST: int

def example_rows(
    examples: Any, numbers: dict[str, int], in_order: bool
) -> tuple[Int32, Int64, Int64, Int32, list[str] | None] | None: ...
def tag_rows(
    examples: list[list[Any]], marks: Callable[[str], int]
) -> tuple[Int32, Int64, Int64, Int32]: ...
def token_bounds(text: str) -> tuple[list[int], list[int]]: ...
