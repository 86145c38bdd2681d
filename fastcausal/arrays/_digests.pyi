from typing import Any

from numpy import int32, int64
from numpy.typing import NDArray

_Texts = tuple[Any, NDArray[int32]]

def of_texts(ids: _Texts | None, contents: _Texts) -> int: ...
def of_numbers(ids: _Texts | None, columns: list[NDArray[int64]], n: int) -> int: ...
def of_relations(
    values: NDArray[int32],
    row_offsets: NDArray[int64],
    relation_offsets: NDArray[int64],
    roles: _Texts,
    ids: _Texts | None,
    each: NDArray[int64] | None = None,
) -> int: ...
