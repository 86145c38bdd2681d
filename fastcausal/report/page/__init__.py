"""Pages for the browser: one file that holds all it needs and asks nothing of anywhere."""

from __future__ import annotations

from fastcausal.report.page.page import Page, Section, html_of, write_page

__all__ = ["Page", "Section", "html_of", "write_page"]
