from collections.abc import Callable
from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

NO_LIST: int

def tag_rows(
    examples: list[list[Any]], marks: Callable[[str], int]
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]]: ...
def token_bounds(text: str) -> tuple[list[int], list[int]]: ...
def occurrences(text: str, wanted: str) -> list[int]: ...
def offset_spans(
    relation: object,
    numbers: dict[str, int],
    starts: list[int],
    stops: list[int],
    n_letters: int,
) -> tuple[list[tuple[int, int, int]], int] | None: ...
