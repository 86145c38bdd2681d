"""`pyarrow.compute`, imported when one of its functions is first used.

Its import takes a tenth of a second that most calls do not need.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # which the import of this module asks for
        raise AttributeError(name)
    import pyarrow.compute

    return getattr(pyarrow.compute, name)
