"""``fastcausal describe CORPUS [CORPUS ...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from fastcausal.cli.console import (
    doing,
    print_json,
    short_names,
    warn,
)
from fastcausal.cli.options import (
    MARKS,
    FromOption,
    Marks,
    import_numpy,
    open_sources,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Tokenizer

if TYPE_CHECKING:
    from fastcausal.tasks.describe.description import CorpusDescription


def describe(
    corpora: Annotated[
        list[str],
        Argument(
            metavar="CORPUS...",
            help="Annotations in any format, or labels as CSV; a table column for each corpus.",
        ),
    ],
    tokenizer: Annotated[
        Tokenizer | None,
        Option(
            help="Count words in this way; by default between spaces, in JSON in each possible way."
        ),
    ] = None,
    plots: Annotated[
        Path | None, Option(help="Draw plots of all corpora together to this folder.")
    ] = None,
    source_format: FromOption = None,
    marks: Marks = MARKS,
    tables: TableOptions = TABLES,
) -> None:
    """Count sentences, relations, words and signals of a corpus.

    Examples
    --------
    fastcausal describe gold.csv
    fastcausal describe gold.csv annotator_1.jsonl --format markdown
    """
    import_numpy()
    from fastcausal.tasks.describe.describe import describe as count
    from fastcausal.tasks.describe.description import corpus_table

    descriptions: dict[str, CorpusDescription] = {}
    for name, path in short_names(corpora).items():
        with doing(f"counting {path}"):
            (source,) = open_sources([path], source_format)
            descriptions[name] = count(source, tokenizer, **marks.given())
    first, *more = descriptions.values()
    total = sum(more, first)
    if more and tables.format == "json":
        parts = {name: corpus.to_dict() for name, corpus in descriptions.items()}
        print_json({"corpora": parts, "all": total.to_dict()})
    elif more:
        warn(
            f"{name}: {message}" for name, each in descriptions.items() for message in each.warnings
        )
        table = corpus_table(descriptions | {"in all": total}, total.title)
        tables.show_grids([table], total.signature)
    else:
        tables.show(total)
    if plots is not None:
        from fastcausal.tasks.describe.plots import save_plots

        with doing("drawing"):
            written = save_plots(total, plots)
        click.echo(f"{len(written)} pictures in {plots}", err=True)
