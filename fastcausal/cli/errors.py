"""``fastcausal errors GOLD PRED``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from fastcausal.cli.console import doing, print_json, short_names, warn
from fastcausal.cli.gold import gold_options, items_of
from fastcausal.cli.options import (
    LABELS,
    MARKS,
    POLICIES,
    PROTOCOL,
    READS,
    HtmlOption,
    LabelOptions,
    Marks,
    PolicyOptions,
    ProtocolOptions,
    ReadOptions,
    SampleOption,
    ScoreOption,
    ValueOptions,
    make_recipe,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.cli.task_options import SetOption, TaskOption
from fastcausal.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fastcausal.sweeps.suspects import Suspects
    from fastcausal.sweeps.wrong_items import WrongItems
    from fastcausal.tasks.extraction.errors import Errors

# Of roles; brackets name the role beside its colour
STYLES = [
    f"bold {line}{colour}"
    for line in ("", "underline ", "italic ", "reverse ")
    for colour in ("yellow", "cyan", "magenta", "green", "blue", "red")
]


def errors(
    ctx: click.Context,
    gold: Annotated[
        str,
        Argument(
            help="Gold annotations in any format, or pairs of events; - for stdin. Or, alone, a "
            "log or a table of an evaluation, or counts."
        ),
    ],
    pred: Annotated[
        list[str] | None,
        Argument(help="Predictions in any format; several with --suspect."),
    ] = None,
    scoring: ProtocolOptions = PROTOCOL,
    task: TaskOption = "score",
    set: SetOption = None,
    score: ScoreOption = None,
    sample: SampleOption = None,
    top: Annotated[int, Option(min=1, help="Show so many sentences.")] = 10,
    type: Annotated[
        str, Option(help="Go by these counts alone, such as le,be; by default all errors.")
    ] = "",
    suspect: Annotated[
        bool,
        Option(
            "--suspect",
            help="Show gold that most systems speak against: what it lacks, or none of them finds.",
        ),
    ] = False,
    text: Annotated[
        str | None,
        Option(
            help="Show pairs of events in these sentences: doc_id, sentence, text; or a corpus."
        ),
    ] = None,
    labels: LabelOptions = LABELS,
    html: HtmlOption = None,
    tables: TableOptions = TABLES,
    policies: PolicyOptions = POLICIES,
    reads: ReadOptions = READS,
    marks: Marks = MARKS,
) -> None:
    """Show the sentences with errors, worst first.

    --role cause,effect, without labels, counts these roles alone.

    Examples
    --------
    fastcausal errors gold.csv careful.jsonl --top 3
    fastcausal errors gold.csv careful.jsonl --type le,be --role cause --html errors.html
    fastcausal errors pairs_gold.csv pairs_careful.csv --text pairs_text.csv --type missed
    fastcausal errors gold.csv careful.jsonl chatty.jsonl hasty.jsonl --suspect
    fastcausal errors a.eval --score match
    fastcausal errors choices.csv choices_chatty.jsonl --task classify --set answers=binary
    """
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart

    pred = pred or []
    keep_apart([html], [gold, *pred, text])
    from fastcausal.tasks.eci.files import is_pairs

    if not pred or task != "score":
        from fastcausal.sweeps.wrong_items import WrongItems

        idle = ("suspect", "type", "text", "arguments", "iou", "match", *LabelOptions._fields)
        refuse(ctx, idle, "is for relations and pairs of events")
        scored = gold_options(ctx, task, set, scoring, policies, reads, not pred)
        values = ValueOptions(id=reads.id, answers=reads.answers, sample=sample, missing="skip")
        of_runs = items_of(ctx, [gold, *pred], scored, values, score, "auto", marks, policies.join)
        _print_items(WrongItems(of_runs, top), html, tables)
        return
    refuse(ctx, ("set", "score", "sample"), "is for logs, tables and --task")
    if suspect:
        if is_pairs(gold):
            refuse(ctx, ("suspect",), "is for relations, not for pairs of events")
        idle = ("kernel", "iou", "match", "tracks", "type", "text", *LabelOptions._fields)
        refuse(ctx, idle, "is not for --suspect, which compares cause and effect")
        if scoring.protocol != "relations":
            refuse(ctx, ("protocol",), "is not for --suspect, which takes relations")
        with doing(f"comparing {', '.join(pred)}"):
            protocol = scoring._replace(protocol="relations").chosen()
            found = fc.suspects(
                gold, short_names(pred), make_recipe(protocol, policies, reads, marks), top=top
            )
        _print_marked(found, html, tables, found.warnings)
        return
    if len(pred) > 1:
        raise InputError(f"{len(pred)} files of predictions, expected one, or add --suspect")
    file = pred[0]
    if is_pairs(gold):
        named = sum(
            (each._fields for each in (ProtocolOptions, PolicyOptions, ReadOptions, Marks)), ()
        )
        refuse(ctx, named, "is for relations, not for pairs of events")
        _print_pairs(
            gold, file, html, tables, top=top, types=_names(type), text=text,
            **labels.declared(),
        )  # fmt: skip
        return
    refuse(ctx, ("text", *LabelOptions._fields), "is for pairs of events")
    alone = [each for each in marks.role or () if "=" not in each]
    labels_of_roles = [each for each in marks.role or () if "=" in each] or None
    with doing(f"scoring {file}"):
        report = fc.score(
            gold,
            file,
            make_recipe(scoring.chosen(), policies, reads, marks._replace(role=labels_of_roles)),
        )
        wrong = report.errors(top, _names(type), _names(",".join(alone)))
    _print_marked(wrong, html, tables, report.warnings)


def _print_marked(
    wrong: Errors | Suspects, html: Path | None, tables: TableOptions, warnings: Sequence[str]
) -> None:
    if html is not None:
        wrong.to_html(html)
    if tables.format == "json":
        print_json(wrong.to_dict() | {"warnings": list(warnings)})
        return
    warn(warnings)
    marked: list[Any] = [wrong.title, "", *coloured(wrong)]
    tables.show_grids(wrong.to_tables(), wrong.signature, text=marked)


def _print_pairs(
    gold: str, pred: str, html: Path | None, tables: TableOptions, **options: Any
) -> None:
    from fastcausal.files.packed import stem_of
    from fastcausal.report.page import ABOUT, ERRORS, Page, Section, write_page
    from fastcausal.tasks.eci.errors import pair_errors

    with doing(f"scoring {pred}"):
        wrong = pair_errors(gold, pred, **options)
    if html is not None:
        about = Section("", lines=[wrong.signature], tab=ABOUT)
        title = f"{stem_of(pred)} on {stem_of(gold)}: {wrong.title}"
        write_page(html, Page(title, [Section("", wrong.to_tables(), tab=ERRORS), about]))
    if tables.format == "json":
        print_json(wrong.to_dict())
    else:
        tables.show_grids(wrong.to_tables(), wrong.signature)


def _print_items(wrong: WrongItems, html: Path | None, tables: TableOptions) -> None:
    if html is not None:
        wrong.to_html(html)
    if tables.format == "json":
        print_json(wrong.to_dict())
    else:
        tables.show_grids(wrong.to_tables(), wrong.signature)


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def coloured(wrong: Errors | Suspects) -> Iterator[RenderableType]:
    """Yield parts for a terminal; brackets mark spans without colour."""
    from rich.table import Table
    from rich.text import Text

    from fastcausal.report.escapes import cell_text
    from fastcausal.tasks.relations.marked import bracketed

    for example in wrong.marked():
        yield Text(f"{cell_text(example.name)}: {example.remark}", "bold")
        grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        for line in example.lines:
            text = Text()
            for piece in line.pieces:
                style = "" if piece[1] is None else STYLES[piece[1] % len(STYLES)]
                text.append(bracketed([piece], wrong.roles), style)
            grid.add_row(f"  {line.name}", text)
        yield grid
        yield Text()
