"""Pages for the browser: one self-contained file."""

from __future__ import annotations

from fastcausal.report.page.page import (
    ABOUT,
    COMPARE,
    ERRORS,
    SCORES,
    Card,
    Page,
    Scripted,
    Section,
    html_of,
    write_page,
)
from fastcausal.report.page.table import Drawn

__all__ = [
    "ABOUT", "COMPARE", "ERRORS", "SCORES", "Card", "Drawn", "Page", "Scripted", "Section",
    "html_of", "write_page",
]  # fmt: skip
