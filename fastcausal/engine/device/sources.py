"""The folder of C++ sources, from which device code is compiled at run time."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[2]


@cache
def csrc() -> Path:
    """Return the folder of the sources."""
    # Inside an installed package, beside an editable one
    return next(p for p in (PACKAGE / "_csrc", PACKAGE.parent / "csrc") if p.is_dir())


def get_include() -> str:
    """Return the folder of ``fastcausal.h``, the C interface.

    The folder above it has the sources; ``capi/fastcausal.cpp`` is the library.

    Examples
    --------
    >>> from pathlib import Path
    >>> import fastcausal
    >>> [path.name for path in Path(fastcausal.get_include()).iterdir()]
    ['fastcausal.h']
    """
    return str(csrc() / "include")


@cache
def digest() -> str:
    """Compute a digest of all sources, for caches that ignore changes in included files."""
    digested = sha256()
    for path in sorted(path for path in csrc().rglob("*") if path.is_file()):
        text = path.read_bytes()
        digested.update(f"{path.relative_to(csrc()).as_posix()}\0{len(text)}\0".encode() + text)
    return digested.hexdigest()
