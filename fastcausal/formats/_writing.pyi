from typing import Any

def write_tagged(
    texts: Any,
    spans: Any,
    first: int,
    n: int,
    skipped: Any,
    numbers: Any,
    by_letters: bool,
    counts: Any,
    left_out: Any,
    holds: Any,
) -> tuple[bytes, bytes]: ...
def tag_codes(
    spans: Any, first: int, n: int, counts: Any, slots: Any, left_out: Any
) -> list[list[bytes]]: ...
def write_tag_lines(
    texts: Any,
    ids: Any,
    spans: Any,
    first: int,
    n: int,
    counts: Any,
    slots: Any,
    names: list[bytes],
    by_letters: bool,
    losses: Any,
    left_out: Any,
) -> bytes: ...
def write_offsets(spans: Any, first: int, n: int, roles: list[bytes]) -> tuple[bytes, bytes]: ...
def write_span_texts(
    texts: Any, types: Any, spans: Any, first: int, n: int, roles: list[bytes], by_letters: bool
) -> tuple[bytes, bytes]: ...
