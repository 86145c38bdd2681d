from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

Buffer = Any  # what has the buffer protocol; of texts, one byte an item
Int8 = NDArray[int8]
Int32 = NDArray[int32]
Int64 = NDArray[int64]

def read_tagged(
    data: Buffer,
    offsets: Int32 | Int64,
    examples: Int64,
    tags: int,
    lengths: Int32,
    n_tokens: Int32,
    widths: Int32,
) -> tuple[bytes, bytes, bytes, list[int]]: ...
def compare_copies(
    data: Buffer,
    offsets: Int32 | Int64,
    examples: Int64,
    texts: Buffer,
    places: Int64,
    valid: Int8 | None,
    are_known: bool,
    widths: Int32,
    unlike: Int8,
) -> None: ...
def without_tags(data: Buffer, offsets: Int32 | Int64) -> tuple[bytes, bytes]: ...
def count_tokens(data: Buffer, offsets: Int64, tags: int, counts: Int32) -> None: ...
def read_submission(
    data: Buffer, start: int, stop: int
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes] | None: ...
def string_lists(data: Buffer, offsets: Int32, widths: Int32) -> tuple[bytes, bytes]: ...
