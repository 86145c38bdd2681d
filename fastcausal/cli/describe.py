"""``fastcausal describe CORPUS [CORPUS ...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_json,
    print_table,
    short_names,
    warn,
)
from fastcausal.options import Tokenizer

if TYPE_CHECKING:
    from fastcausal.tasks.corpus.description import CorpusDescription


def describe(
    corpora: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS...",
            help="Annotations in any format, or labels as CSV; a table column for each corpus.",
        ),
    ],
    tokenizer: Annotated[
        Tokenizer | None,
        typer.Option(help="Count words in this way; by default in each possible way."),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(help="Draw plots of all corpora together to this folder.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Count sentences, relations, words and signals of a corpus."""
    with clear_errors(json):
        from fastcausal.tasks.corpus.describe import describe as count
        from fastcausal.tasks.corpus.description import corpus_table

        descriptions: dict[str, CorpusDescription] = {}
        for name, path in short_names(corpora).items():
            with doing(f"counting {path}"):
                descriptions[name] = count(path, tokenizer)
        for name, corpus in descriptions.items():
            if corpus.n_unread:
                warn([f"{name}: {corpus.unparsed_share}"])
        first, *more = descriptions.values()
        total = sum(more, first)
        if not json:
            print_table(corpus_table(descriptions | ({"in all": total} if more else {})))
        elif more:
            parts = {name: corpus.to_dict() for name, corpus in descriptions.items()}
            print_json({"corpora": parts, "all": total.to_dict()})
        else:
            print_json(total.to_dict())
        if plots is not None:
            from fastcausal.tasks.corpus.plots import save_plots

            with doing("drawing"):
                written = save_plots(total, plots)
            typer.echo(f"{len(written)} pictures in {plots}", err=True)
