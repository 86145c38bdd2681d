"""Patterns of names: text with fields in braces, such as ``{model}_s{seed}``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FIELD = re.compile(r"\{(\w*)\}")


def fields_in(pattern: str) -> list[str]:
    """Return the fields of a pattern, in order.

    >>> fields_in("{model}_s{seed}")
    ['model', 'seed']
    """
    return _FIELD.findall(pattern)


def expression_of(
    pattern: str,  # Its fields differ, and ``kinds`` has each of them
    kinds: Mapping[str, str],  # The expression of each field
) -> re.Pattern[str]:
    """Compile a pattern to a regular expression with a group for each field.

    >>> expression_of("{model}_s{seed}", {"model": ".+", "seed": ".+"}).fullmatch("a_s1")["seed"]
    '1'
    """
    parts = _FIELD.split(pattern)
    parts[1::2] = [f"(?P<{field}>{kinds[field]})" for field in parts[1::2]]
    parts[::2] = map(re.escape, parts[::2])
    return re.compile("".join(parts), re.DOTALL)
