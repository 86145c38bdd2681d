"""Signatures of parts of one evaluation: what they have to share, and what the whole has."""

from __future__ import annotations

import re

from fastcausal.errors import InputError

_SPANS = re.compile(r"\|spans:[^|]*")


def joint_signature(a: str, b: str, names: tuple[str, str] = ("a part", "another one")) -> str:
    """Return the signature of two parts: relations used as given in one are so in the whole.

    So are texts of spans that were located, unless by another rule.

    Raises
    ------
    InputError
        They follow another protocol or policy; it has what differs, and the names of the parts.
    """
    if a == b:
        return a
    spans = set(_SPANS.findall(a) + _SPANS.findall(b))
    if len(spans) == 1:
        located: str = spans.pop()
        return joint_signature(_SPANS.sub("", a), _SPANS.sub("", b), names) + located
    given = [as_given(signature) for signature in (a, b)]
    if given[0] != given[1] or given[0] not in (a, b):
        parts = [signature.split("|") for signature in (a, b)]
        of_a, of_b = (
            "|".join(part for part in side if part not in across)
            for side, across in (parts, parts[::-1])
        )
        raise InputError(
            f"{names[0]} has the signature {of_a}, {names[1]} has {of_b}, expected one signature"
        )
    return given[0]


def as_given(signature: str) -> str:
    """Return the signature where relations are used as they are."""
    return re.sub(r"\|tags:[^|]*", "|tags:as-given", signature)
