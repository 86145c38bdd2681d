"""Exact, fast scores of causal relations: spans of Cause, Effect and Signal, and their agreement.

``__init__.pyi`` lists the public names once, for type checkers too. Each loads at its first use, so
importing the package costs little more than starting Python.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fastcausal._version import __version__ as __version__

_LISTED = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_MODULES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+)", _LISTED, re.M)}

__all__ = [*sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    named = getattr(__import__(_MODULES[name], fromlist=[name]), name)  # a function or a module
    globals()[name] = named
    return named


def __dir__() -> list[str]:
    return __all__
