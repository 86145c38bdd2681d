"""``fastcausal annotate export SOURCE PAGE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import print_json
from fastcausal.cli.options import JsonOption, refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import Form, Triaged


def export(
    ctx: click.Context,
    source: Annotated[
        list[str],
        Argument(help="A file to judge, or one of each annotator; - for stdin."),
    ],
    page: Annotated[Path, Argument(help="Write the page to this file: one file of HTML.")],
    form: Annotated[
        Form | None,
        Option(help="Ask for this; by default answers, or claims if --against is given."),
    ] = None,
    rater: Annotated[
        str | None, Option(help="Fill in this name; the page lets it be changed.")
    ] = None,
    only: Annotated[
        Triaged | None,
        Option(help="Leave out answers that their words alone decide (judge)."),
    ] = None,
    against: Annotated[
        str | None, Option(help="Judge claims, or pairs of events, by the articles of this file.")
    ] = None,
    test: Annotated[
        bool,
        Option("--test", help="Make a test of raters, from a file with a verdict for each item."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Write a page to judge answers, claims, pairs of events or relations, or to curate them.

    Examples
    --------
    fastcausal annotate export judged_answers.json page.html --rater ann
    fastcausal annotate export rater_test.json test.html --test
    fastcausal annotate export crab_gold.jsonl pairs.html --form pairs
    fastcausal annotate export gold.csv page.html --form causality
    fastcausal annotate export annotator_1.jsonl annotator_2.jsonl page.html --form curation
    """
    from fastcausal.files.files import replacing
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.annotate.causality import sheet_of_causality
    from fastcausal.tasks.annotate.curation import sheet_of_curation
    from fastcausal.tasks.annotate.export import sheet_of_answers, sheet_of_claims
    from fastcausal.tasks.annotate.page import page_of
    from fastcausal.tasks.annotate.pairs import sheet_of_pairs

    keep_apart([page], [*source, against])
    if test:
        refuse(ctx, ("only",), "leaves out items, a --test has all")
    form = form or ("answers" if against is None else "claims")
    if form != "answers":
        refuse(ctx, ("only", "test"), f"is for answers, not for {form}")
    if form in ("answers", "causality", "curation"):
        refuse(ctx, ("against",), f"is for claims and pairs, not for {form}")
    if form != "curation" and len(source) > 1:
        raise click.UsageError(f"expected one SOURCE, got {len(source)}: {form} are of one file")
    if form == "answers":
        sheet = sheet_of_answers(source[0], rater, only == "judge", test)
    elif form == "curation":
        sheet = sheet_of_curation(source, rater)
    elif form == "causality":
        sheet = sheet_of_causality(source[0], rater)
    elif form == "pairs":
        sheet = sheet_of_pairs(source[0], against, rater)
    elif against is None:
        raise click.UsageError("--form claims needs the articles that judge them: --against FILE")
    else:
        sheet = sheet_of_claims(source[0], against, rater)
    content = page_of(sheet).encode(errors="replace")
    with replacing(page) as file:
        file.write(content)
    if json:
        n_missing = sheet.answers.count(None)
        n_items = len(sheet.answers)
        print_json({"n_items": n_items, "n_judged": n_items - n_missing, "n_missing": n_missing})
