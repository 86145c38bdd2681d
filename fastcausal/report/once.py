"""Attributes made on first access."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

T = TypeVar("T")

if TYPE_CHECKING or sys.version_info < (3, 12):

    class once(Generic[T]):
        """`functools.cached_property` without its lock, which Python 3.12 has dropped."""

        def __init__(self, make: Callable[[Any], T]) -> None:
            self.make: Callable[[Any], T] = make
            self.name: str = make.__name__
            self.__doc__ = make.__doc__

        if TYPE_CHECKING:  # assigning a value replaces the attribute

            def __set__(self, owner: Any, value: T) -> None: ...

        @overload
        def __get__(self, owner: None, kind: type) -> Self: ...
        @overload
        def __get__(self, owner: object, kind: type) -> T: ...
        def __get__(self, owner: Any, kind: type) -> Any:
            if owner is None:
                return self
            made = owner.__dict__[self.name] = self.make(owner)
            return made

else:
    once = cached_property
