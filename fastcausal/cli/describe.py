"""``fastcausal describe CORPUS [CORPUS ...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_grids,
    print_json,
    print_report,
    short_names,
    warn,
)
from fastcausal.cli.options import FormatOption, JsonOption, format_of

if TYPE_CHECKING:
    from fastcausal.tasks.corpus.description import CorpusDescription


def describe(
    ctx: typer.Context,
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Annotations in any format, or labels as CSV; several give a column each.",
        ),
    ],
    tokenizer: Annotated[
        Literal["whitespace", "nltk-style", "nltk-style+tags"] | None,
        typer.Option(help="How words are counted; every possible way by default."),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(help="Draw pictures of the whole to this folder.")
    ] = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Count sentences, relations, words and signals of a corpus."""
    with clear_errors(json or format == "json"):
        chosen = format_of(ctx, json, format)
        from fastcausal.tasks.corpus.describe import describe as count
        from fastcausal.tasks.corpus.description import corpus_table

        found: dict[str, CorpusDescription] = {}
        for name, path in short_names(corpora).items():
            with doing(f"counting {path}"):
                found[name] = count(path, tokenizer)
        first, *others = found.values()
        total = sum(others, first)
        if others and chosen == "json":
            parts = {name: corpus.to_dict() for name, corpus in found.items()}
            print_json({"corpora": parts, "all": total.to_dict()})
        elif others:
            warn(f"{name}: {message}" for name, each in found.items() for message in each.warnings)
            table = corpus_table(found | {"in all": total}, total.title)
            print_grids([table], chosen, total.signature)
        else:
            print_report(total, chosen)
        if plots is not None:
            from fastcausal.tasks.corpus.plots import save_plots

            with doing("drawing"):
                written = save_plots(total, plots)
            typer.echo(f"{len(written)} pictures in {plots}", err=True)
