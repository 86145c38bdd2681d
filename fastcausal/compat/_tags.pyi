from collections.abc import Callable
from typing import Any, TypeAlias

_Parser: TypeAlias = Callable[[Any], tuple[int, str, bool]]

def count_entities(
    gold: Any, pred: Any, parse: _Parser, rules: bytes, scheme: str
) -> tuple[list[str], list[int], list[int], list[int]] | None: ...
def list_entities(
    rows: list[list[Any]], parse: _Parser, rules: bytes
) -> list[tuple[str, int, int]]: ...
def count_pairs(gold: Any, pred: Any) -> tuple[int, int, int, int] | None: ...
