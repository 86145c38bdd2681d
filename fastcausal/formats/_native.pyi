from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

_Buffer = Any  # what has the buffer protocol; of texts, one byte an item
_Int8 = NDArray[int8]
_Int32 = NDArray[int32]
_Int64 = NDArray[int64]

def read_tagged(
    data: _Buffer,
    offsets: _Int32 | _Int64,
    examples: _Int64,
    tags: int,
    lengths: _Int32,
    n_tokens: _Int32,
    widths: _Int32,
) -> tuple[bytes, bytes, bytes, list[int]]: ...
def compare_copies(
    data: _Buffer,
    offsets: _Int32 | _Int64,
    examples: _Int64,
    texts: _Buffer,
    places: _Int64,
    valid: _Int8 | None,
    are_known: bool,
    widths: _Int32,
    unlike: _Int8,
) -> None: ...
def without_tags(data: _Buffer, offsets: _Int32 | _Int64) -> tuple[bytes, bytes]: ...
def count_tokens(data: _Buffer, offsets: _Int64, tags: int, counts: _Int32) -> None: ...
def read_submission(
    data: _Buffer, start: int, stop: int
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes] | None: ...
def string_lists(data: _Buffer, offsets: _Int32, widths: _Int32) -> tuple[bytes, bytes]: ...
def span_texts(
    data: _Buffer,
    places: _Int32 | _Int64,
    rows: _Int32,
    offsets: _Int64,
    spaced: bool,
    n_tokens: _Int32,
) -> tuple[bytes, bytes]: ...
def split_rows(data: _Buffer, starts: _Int64, stops: _Int64, n_fields: _Int64) -> None: ...
