"""``fastcausal classify GOLD PRED``."""

from __future__ import annotations

from typing import Annotated, Any

import click

from fastcausal.cli.options import DRAWS, ZERO, DrawOptions
from fastcausal.cli.parameters import Option
from fastcausal.cli.systems import systems_tables
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.cli.task import SHOWN, GoldArgument, Shown, SystemsArgument, print_scores
from fastcausal.options import (
    AnswerKind,
    AnswerPolicy,
    AnswerReading,
    LabelProtocol,
    ZeroByZero,
)


def classify(
    ctx: click.Context,
    gold: GoldArgument,
    pred: SystemsArgument,
    labels: Annotated[
        str | None,
        Option(help="Expect only these classes, for example 0,1; any other label is an error."),
    ] = None,
    map: Annotated[
        str | None, Option(help="Rename labels of both sides, for example yes=1,no=0.")
    ] = None,
    positive: Annotated[str, Option(help="Treat this class as the positive one.")] = "1",
    undefined: Annotated[ZeroByZero, Option(help="Set scores of 0/0 to this value.")] = "null",
    protocol: Annotated[
        LabelProtocol | None, Option(help="Read and count as a published program does.")
    ] = None,
    answers: Annotated[
        AnswerKind | None,
        Option(help="Read a model's answers: yes or no, a letter, a number or text from a list."),
    ] = None,
    read: Annotated[
        AnswerReading | None,
        Option(help="Read answers by this rule; by default first-word, letter or same."),
    ] = None,
    column: Annotated[
        str | None,
        Option(help="Take answers from this column or path, such as a.b.0.c; by default answer."),
    ] = None,
    pattern: Annotated[
        str | None,
        Option(metavar="REGEX", help="Take the text in this pattern's only group as the answer."),
    ] = None,
    unparsed: Annotated[
        AnswerPolicy | None,
        Option(
            help="Stop at unparsed predictions, skip their examples, or count answers as wrong, "
            "as it is by default."
        ),
    ] = None,
    unmatched: Annotated[
        AnswerPolicy | None,
        Option(
            help="Stop at ids that one side lacks, skip them, or count missing answers as wrong, "
            "as it is by default."
        ),
    ] = None,
    shown: Shown = SHOWN,
    draws: DrawOptions = DRAWS,
    tables: TableOptions = TABLES,
) -> None:
    """Score sentence labels, such as causal or not, or a model's answers to questions.

    Examples
    --------
    fastcausal classify labels_1.csv labels_2.csv
    fastcausal classify choices.csv choices_careful.jsonl --answers binary --by rung
    fastcausal classify choices.csv choices_chatty.jsonl --protocol cladder-gpt
    """
    from fastcausal.tasks.classification.classify import classify as score

    settings: dict[str, Any] = {
        "labels": None if labels is None else _labels(labels.split(",")),
        "map": map,
        "positive": _labels([positive])[0],
        "undefined": ZERO[undefined],
        "unparsed": unparsed,
        "unmatched": unmatched,
        "protocol": protocol,
        "answers": answers,
        "read": read,
        "column": column,
        "pattern": pattern,
        "by": shown.by,
    }
    print_scores(
        ctx,
        gold,
        pred,
        lambda file: score(gold, file, **settings),
        shown,
        draws,
        tables,
        grids=systems_tables,
    )


def _labels(written: list[str]) -> list[int] | list[str]:
    """Parse labels: integers if all of them look like integers."""
    try:
        return [int(label) for label in written]
    except ValueError:
        return written
