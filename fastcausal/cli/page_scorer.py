"""``fastcausal page-scorer GOLD --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, is_standard_output, print_json, show
from fastcausal.cli.options import JsonOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.report.escapes import cell_text


def page_scorer(
    gold: Annotated[str, Argument(help="Gold annotations in any format; - for stdin.")],
    out: Annotated[Path, Option(help="Write the page for the browser to this file.")],
    json: JsonOption = False,
) -> None:
    """Write one page that scores predictions against gold in the browser, without a network.

    The page holds gold: give it to people who may see gold.

    Examples
    --------
    fastcausal page-scorer gold.csv --out scorer.html
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.page import write_page
    from fastcausal.tasks.extraction.scorer_page.page import scorer_page

    with doing(f"writing {out}"):
        keep_apart([out], [gold])
        write_page(out, scorer_page(gold))
    if json:
        print_json({"path": str(out), "n_bytes": out.stat().st_size})
        return
    size = out.stat().st_size / 2**20
    show(cell_text(f"{out}: {size:.2f} MB"), err=is_standard_output(out))
