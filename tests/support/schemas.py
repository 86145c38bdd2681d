"""Printed JSON held to the schema of its command."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastcausal.cli.shapes import describe_output


@cache
def validator(command: str) -> Any:
    """Return the validator of a command's output."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(describe_output(command))


def faults(command: str, printed: Any) -> list[str]:
    """Say what is not as the schema says; empty if all is."""
    return [
        f"{'/'.join(map(str, inner.absolute_path))}: {inner.message[:200]}"
        for error in validator(command).iter_errors(printed)
        for inner in error.context or [error]
    ]
