"""Exact, fast scores of causal relations: spans of Cause, Effect and Signal, and their agreement.

Names load when first used, so that importing the package costs little more than importing numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fastcausal.engine.kernel import Objective as Objective
    from fastcausal.errors import InputError as InputError
    from fastcausal.extraction import ExtractionScorer as ExtractionScorer
    from fastcausal.extraction import score as score
    from fastcausal.formats import read as read
    from fastcausal.formats import write as write
    from fastcausal.protocols import PROTOCOLS as PROTOCOLS
    from fastcausal.protocols import Protocol as Protocol
    from fastcausal.quirks import explain as explain
    from fastcausal.relations import Relations as Relations
    from fastcausal.report import Report as Report

_MODULES = {
    "ExtractionScorer": "extraction",
    "InputError": "errors",
    "Objective": "engine.kernel",
    "PROTOCOLS": "protocols",
    "Protocol": "protocols",
    "Relations": "relations",
    "Report": "report",
    "explain": "quirks",
    "read": "formats",
    "score": "extraction",
    "write": "formats",
}

__all__ = [*sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
