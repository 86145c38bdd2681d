"""Pages of text for organisers to fill in."""

from __future__ import annotations

from pathlib import Path
from string import Template

HERE = Path(__file__).parent
NAMES = ("overview", "evaluation", "data", "terms")


def page(name: str, **values: str) -> str:
    """Return a page with values for its ``$names``.

    >>> page("overview", title="Causes 2027").splitlines()[0]
    '# Causes 2027'
    """
    return Template((HERE / f"{name}.md").read_text(encoding="utf-8")).substitute(values)
