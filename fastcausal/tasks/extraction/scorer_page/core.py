"""The native part of the page that scores: csrc as WebAssembly, which wheels have."""

from __future__ import annotations

from pathlib import Path

from fastcausal.engine.device.sources import digest
from fastcausal.errors import InputError

FOLDER = Path(__file__).parent


def _path() -> Path:
    return FOLDER / f"page-{digest()[:16]}.wasm"


def has_core() -> bool:
    """Return True if this build has the native part of the page."""
    return _path().exists()


def core() -> bytes:
    """Return the native readers and counts as WebAssembly; raise InputError without them."""
    try:
        return _path().read_bytes()
    except FileNotFoundError:
        raise InputError(
            "the page that scores needs its native part, which published wheels have and this "
            'build lacks; in a clone, "make page" builds it'
        ) from None
