from collections.abc import Callable
from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

NO_LIST: int

def tag_rows(
    examples: list[list[Any]], marks: Callable[[str], int]
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]]: ...
def token_bounds(text: str, by_letters: bool = ...) -> tuple[list[int], list[int]]: ...
def is_of_letters(token: str) -> bool: ...
def occurrences(text: str, wanted: str) -> list[int]: ...
def spans_of(
    relations: object,
    numbers: dict[str, int],
    signal: int,
    text: object,
    length: int,
    by_letters: bool = ...,
) -> tuple[int, list[list[tuple[int, int, int]]], int, int, int] | None: ...
