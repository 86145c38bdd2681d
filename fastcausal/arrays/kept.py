"""Values derived from an object once and kept with it, by typed keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")


class Key(Generic[T]):
    """Name of a value in `Kept`; the module that makes the value owns the key."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name

    def __repr__(self) -> str:
        return f"Key({self.name})"


class Kept(dict[Key[Any], Any]):
    """Dict in which the key knows the type of its value.

    >>> LENGTH: Key[int] = Key("length")
    >>> kept = Kept()
    >>> kept[LENGTH] = 3
    >>> kept.get(LENGTH)
    3
    """

    if TYPE_CHECKING:

        def __getitem__(self, key: Key[T]) -> T:
            """Return the value."""

        def __setitem__(self, key: Key[T], value: T) -> None:
            """Keep a value."""

        def get(self, key: Key[T]) -> T | None:  # type: ignore[override]
            """Return the value; None if it is not set."""

        def setdefault(self, key: Key[T], default: T) -> T:  # type: ignore[override]
            """Return the value; set it to this one if it is not set."""
