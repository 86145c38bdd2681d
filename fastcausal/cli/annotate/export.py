"""``fastcausal annotate export SOURCE PAGE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastcausal.cli.options import refuse
from fastcausal.options import Triaged


def export(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(help="A file of answers or claims; - for stdin.")],
    page: Annotated[Path, typer.Argument(help="Write the page to this file: one file of HTML.")],
    rater: Annotated[
        str | None, typer.Option(help="Fill in this name; the page lets it be changed.")
    ] = None,
    only: Annotated[
        Triaged | None,
        typer.Option(help="Leave out answers that their words alone decide (judge)."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Judge claims by the articles of this file.")
    ] = None,
) -> None:
    """Write a page on which a rater judges answers, or claims."""
    from fastcausal.formats.io.files import replacing
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.tasks.annotation.export import sheet_of_answers, sheet_of_claims
    from fastcausal.tasks.annotation.page import page_of

    keep_apart([page], [source, against])
    if against is None:
        sheet = sheet_of_answers(source, rater, only == "judge")
    else:
        refuse(ctx, ("only",), "is for answers, --against for claims")
        sheet = sheet_of_claims(source, against, rater)
    content = page_of(sheet).encode(errors="replace")
    with replacing(page) as file:
        file.write(content)
