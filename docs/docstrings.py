"""Types of parameters that list values, as griffe keeps them whole."""

from __future__ import annotations

import re
from typing import Any

import griffe

LISTED = re.compile(r"^( *[\w, ]+ : )(\{.+)$", re.MULTILINE)


class WholeTypes(griffe.Extension):
    """Write values and types of a parameter as one union.

    Of ``{"a", "b"}, Protocol or Recipe`` griffe drops all but the values, and takes the first one
    for the default.
    """

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object before it is parsed."""
        if obj.docstring:
            obj.docstring.value = LISTED.sub(
                lambda found: found[1] + union_of(found[2]), obj.docstring.value
            )


def union_of(types: str) -> str:
    """Return a union of values and types.

    >>> union_of('{"a", "b"}, Protocol or path, optional')
    '"a" | "b" | Protocol | path'
    """
    return " | ".join(re.split(r", | or ", re.sub(r"[{}]|, optional$", "", types)))
