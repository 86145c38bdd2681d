"""The words that people and judges write for a verdict."""

from __future__ import annotations

from typing import Any

from fastcausal.errors import InputError
from fastcausal.formats.io.values import shown

VALID = ("valid", "yes", "true", "supported", "1")
INVALID = ("invalid", "no", "false", "unsupported", "not supported", "0")


def verdict_of(value: Any, where: str) -> bool | None:
    """Return a verdict that is written as a word, a boolean, 0 or 1; of null and blank text, None.

    Raises
    ------
    InputError
        It is another word; ``where`` names its place.

    Examples
    --------
    >>> verdict_of(" Not supported", "a.json: item 3"), verdict_of(1, ""), verdict_of(None, "")
    (False, True, None)
    """
    if value is None:
        return None
    word = str(int(value) if isinstance(value, bool | float) and value in (0, 1) else value)
    word = " ".join(word.lower().split())
    if word in VALID + INVALID:
        return word in VALID
    if not word:
        return None
    expected = ", ".join((*VALID, *INVALID))
    raise InputError(f"{where}: verdict {shown(value)}, expected one of {expected}")
