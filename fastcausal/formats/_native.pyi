from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

_Buffer = Any  # what has the buffer protocol; of texts, one byte an item
_Int8 = NDArray[int8]
_Int32 = NDArray[int32]
_Int64 = NDArray[int64]
_Place = tuple[int, int, int]

def read_tagged(
    data: _Buffer,
    offsets: _Int32 | _Int64,
    examples: _Int64,
    tags: int,
    lengths: _Int32,
    n_tokens: _Int32,
    widths: _Int32,
) -> tuple[bytes, bytes, bytes, list[int], list[int]]: ...
def spaced(data: _Buffer, offsets: _Int64) -> tuple[bytes, bytes]: ...
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
    data: _Buffer, start: int, stop: int, line: int, n_gold: _Int64, is_list: bool
) -> tuple[
    tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes],
    list[_Place],
    int,
    bool,
    tuple[int, list[bytes], list[_Place], bool],
    int,
]: ...
def count_misplaced(
    kinds: _Buffer,
    numbers: _Int64,
    names: _Buffer,
    places: _Int32,
    start: int,
    ids: _Buffer,
    id_places: _Int32 | _Int64,
) -> int: ...
def join_by_number(
    kinds: _Buffer,
    numbers: _Int64,
    names: _Buffer,
    places: _Int32,
    start: int,
    n_gold: int,
    has_ids: bool,
) -> tuple[bytes, int, tuple[int, list[tuple[int, bytes, int]], bool]]: ...
def string_lists(data: _Buffer, offsets: _Int32, widths: _Int32) -> tuple[bytes, bytes]: ...
def span_texts(
    data: _Buffer,
    places: _Int32 | _Int64,
    rows: _Int32,
    offsets: _Int64,
    spaced: bool,
    by_letters: bool,
    n_tokens: _Int32,
) -> tuple[bytes, bytes]: ...
def split_rows(data: _Buffer, starts: _Int64, stops: _Int64, n_fields: _Int64) -> None: ...
