from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

def example_rows(
    examples: Any, numbers: dict[str, int], in_order: bool
) -> (
    tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32], list[str] | None, bool]
    | None
): ...
def script_kinds(n: int) -> bytearray: ...
def may_name(key: str, role: str) -> bool: ...
