"""Pages for the browser: one self-contained file."""

from __future__ import annotations

from fastcausal.report.page.page import Page, Scripted, Section, html_of, write_page

__all__ = ["Page", "Scripted", "Section", "html_of", "write_page"]
