from collections.abc import Callable, Iterable
from typing import Any

from numpy import bool_, int32, int64
from numpy.typing import NDArray
from typing_extensions import disjoint_base

NO_LIST: int

def tag_rows(
    examples: list[list[Any]], marks: Callable[[str], int]
) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]]: ...

@disjoint_base
class Sentences:
    rows: tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32]]
    lines: list[int]
    lengths: NDArray[int32]
    ids: tuple[bytes, bytes, NDArray[bool_]]
    texts: tuple[bytes, bytes, NDArray[bool_]]
    def __len__(self) -> int: ...
    def sentence(self, k: int) -> tuple[Any, ...]: ...

def read_sentences(
    data: bytes,
    first: int,
    most: int,
    odd: Callable[[int, str], Iterable[tuple[int, dict[str, str], list[list[str]]]]],
    marks: Callable[[str], int] | None,
) -> Sentences: ...
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
