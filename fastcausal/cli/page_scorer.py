"""``fastcausal page-scorer --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, is_standard_output, print_json, show
from fastcausal.cli.options import JsonOption
from fastcausal.cli.parameters import Option
from fastcausal.report.escapes import cell_text


def page_scorer(
    out: Annotated[Path, Option(help="Write the page for the browser to this file.")],
    json: JsonOption = False,
) -> None:
    """Write one page that scores files in the browser, without a network.

    Examples
    --------
    fastcausal page-scorer --out scorer.html
    """
    from fastcausal.report.page import write_page
    from fastcausal.tasks.extraction.scorer_page.page import scorer_page

    with doing(f"writing {out}"):
        write_page(out, scorer_page())
    if json:
        print_json({"path": str(out), "n_bytes": out.stat().st_size})
        return
    size = out.stat().st_size / 2**20
    show(cell_text(f"{out}: {size:.2f} MB"), err=is_standard_output(out))
