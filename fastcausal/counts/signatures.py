"""Signatures of parts of one evaluation: their shared settings, and the signature of the whole."""

from __future__ import annotations

from fastcausal.errors import InputError
from fastcausal.recipe import Signature


def joint_signature(a: str, b: str, names: tuple[str, str] = ("a part", "another one")) -> str:
    """Return the signature of two parts: equal ones as they are, else `Signature.joint`."""
    if a == b:
        return a
    if isinstance(a, Signature) and isinstance(b, Signature):
        joint = a.joint(b)
        if joint is not None:
            return joint
    of_a, of_b = different(a, b), different(b, a)
    raise InputError(
        f"{names[0]} has the signature {of_a}, {names[1]} has {of_b}, expected one signature"
    )


def different(line: str, other: str) -> str:
    """Return the parts of a line that another one lacks, for a message."""
    shared = other.split("|")
    return "|".join(part for part in line.split("|") if part not in shared)
