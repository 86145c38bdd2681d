from typing import Any

def write_rows(
    columns: list[tuple[bytes, int, Any, bytes | None]],
    n: int,
    opens: bytes,
    between: bytes,
    closes: bytes,
) -> bytes: ...
def write_lists(cells: Any, lists: Any, as_literals: bool) -> tuple[bytes, bytes]: ...
