"""Pictures by matplotlib (the extra ``plots``): drawn, styled and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import replacing

Drawing = Callable[[Any], None]
"""A function that draws on a ``matplotlib.figure.Figure``."""

KINDS = ("png", "svg", "pdf")
STYLE: dict[str, object] = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "font.size": 10,
    "legend.frameon": False,
    "svg.hashsalt": "fastcausal",  # equal numbers make equal files
}


def require_pictures(*targets: Path | None) -> None:
    """Refuse pictures without matplotlib, or to a target without a known suffix or folder.

    >>> require_pictures(None)
    >>> require_pictures(Path("curve.txt"))
    Traceback (most recent call last):
    fastcausal.errors.InputError: curve.txt: expected a name that ends in .png, .svg or .pdf
    """
    wanted = [target for target in targets if target is not None]
    for target in wanted:
        if target.suffix.lower().lstrip(".") not in KINDS:
            raise InputError(f"{target}: expected a name that ends in .png, .svg or .pdf")
        if not target.parent.is_dir():  # before other files are written
            raise InputError(f"{target}: no folder {target.parent}")
    if wanted:
        require_matplotlib()


def save_picture(
    target: Path,
    draw: Drawing,  # Takes a ``matplotlib.figure.Figure``
) -> None:
    """Draw on a new figure and write it, in the format of the suffix."""
    require_pictures(target)
    matplotlib, figure_class = require_matplotlib()
    kind = target.suffix.lower().lstrip(".")
    with matplotlib.rc_context(STYLE):
        figure = figure_class(layout="constrained")
        draw(figure)
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        with replacing(target) as file:
            figure.savefig(file, dpi=150, format=kind, metadata=metadata)


def require_matplotlib() -> tuple[Any, Any]:
    """Return matplotlib and its class of figures; raise InputError if it is missing."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            'plots need matplotlib, which the extra "plots" brings: pip install "fastcausal[plots]"'
        ) from error
    return matplotlib, Figure
