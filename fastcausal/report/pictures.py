"""Pictures by matplotlib (the extra ``plots``): drawn, styled, written or put in a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from fastcausal.errors import InputError
from fastcausal.files.files import replacing
from fastcausal.report.escapes import line_text

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
# Text stays text: it can be searched and read aloud, in fonts with more letters.
IN_PAGE: dict[str, object] = {
    **STYLE,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "text.parse_math": False,
}
INK = "#000000"  # black takes the colour of the page's text
NOT_IN_PAGE = ("}metadata", "}style")
ON_PAGE = {
    "fill": "currentColor",
    "font-family": "sans-serif",
    "stroke-linecap": "butt",
    "stroke-linejoin": "round",
}


def require_pictures(*targets: Path | None) -> None:
    """Raise InputError if matplotlib is missing, or a target has no known suffix or folder.

    Examples
    --------
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


def save_picture(target: Path, draw: Drawing) -> None:
    """Draw on a new figure and write it, in the format of the suffix.

    Parameters
    ----------
    target : path
    draw : callable
        Takes a ``matplotlib.figure.Figure``.

    Raises
    ------
    InputError
        matplotlib is not installed, or the file cannot be written.
    """
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


def missing_pictures() -> list[str]:
    """Return a line on the package that pictures need; [] if it is installed."""
    try:
        require_matplotlib()
    except InputError as error:
        return [str(error)]
    return []


def pictures_of(drawings: Mapping[str, Drawing]) -> list[tuple[str, str]]:
    """Draw pictures for a page; return [] if matplotlib is missing.

    Parameters
    ----------
    drawings : mapping of str to callable
        Functions by the description of the picture.

    Returns
    -------
    list of (str, str)
        The description on one line, and its ``<svg>``: the same bytes each time, without scripts,
        styles or addresses. Ids come from text and content: a page has each text once. The width
        is fixed; the page's style should have ``max-width: 100%``.
    """
    if missing_pictures():
        return []
    texts = map(line_text, drawings)
    return [
        (text, _svg(text, f"{text} {k}", draw))
        for k, (text, draw) in enumerate(zip(texts, drawings.values(), strict=True))
    ]


def _svg(text: str, salt: str, draw: Drawing) -> str:
    matplotlib, figure_class = require_matplotlib()
    written = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about letters missing in its font
        matplotlib.rcdefaults()  # the user's settings must not change a byte
        matplotlib.rcParams.update({**IN_PAGE, "svg.hashsalt": salt})
        figure = figure_class(layout="constrained")
        draw(figure)
        figure.savefig(written, format="svg")
    root = ElementTree.fromstring(written.getvalue())
    _fit_for_page(root)
    root.attrib |= {"role": "img", "aria-label": text}
    return ElementTree.tostring(root, "unicode")


def _fit_for_page(root: ElementTree.Element) -> None:
    """Remove style, foreign names and unused ids from an SVG for use in a page."""
    values = " ".join(value for each in root.iter() for value in each.attrib.values())
    used = set(re.findall(r"#(\w+)", values))
    for element in [*root.iter()]:
        for child in [*element]:
            if child.tag.endswith(NOT_IN_PAGE):
                element.remove(child)
        element.tag = _bare(element.tag)
        attributes = {_bare(name): value for name, value in element.attrib.items()}
        attributes |= _presented(attributes.pop("style", ""))
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        element.attrib = attributes
    del root.attrib["height"]  # it follows from the width, which the page may reduce
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", **ON_PAGE}


def _bare(name: str) -> str:
    """Return a name without its namespace: a page has none."""
    return name.rpartition("}")[2]


def _presented(style: str) -> dict[str, str]:
    """Convert a style to attributes: a page may forbid styles."""
    pairs = [(name.strip(), value.strip()) for name, _, value in
             (each.partition(":") for each in style.split(";")) if value]  # fmt: skip
    attributes = {name: "currentColor" if value == INK else value for name, value in pairs}
    attributes.pop("font-family", None)  # the root has it
    if font := attributes.pop("font", ""):  # older versions
        attributes["font-size"] = next(word for word in font.split() if word.endswith("px"))
    return attributes
