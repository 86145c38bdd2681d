"""The page that scores, as a part of the site."""

from __future__ import annotations

from typing import Any

PAGE = "howto/scorer.html"


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the page of the sample's gold to the site; MkDocs calls this once."""
    from mkdocs.structure.files import File

    from fastcausal import sample
    from fastcausal.report.page.page import html_of
    from fastcausal.tasks.extraction.scorer_page.page import scorer_page

    files.append(File.generated(config, PAGE, content=html_of(scorer_page(sample.GOLD))))
    return files
