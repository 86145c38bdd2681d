"""``fastcausal explain GOLD PRED``."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import click

from fastcausal.cli.console import doing
from fastcausal.cli.options import (
    LABELS,
    MARKS,
    AnswerIdOption,
    AnswersOption,
    LabelOptions,
    Marks,
    OccurrenceOption,
    ReadOptions,
    RelationOption,
    TagsOption,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.errors import InputError
from fastcausal.options import (
    AnswerReading,
    ExplainFrom,
    ExplainTo,
    PairProtocolName,
    WordProtocol,
)

OF_RELATIONS = ("answers", "occurrence", "tags", "id", *Marks._fields)
OF_SPANS = ("cnc-2023", *get_args(WordProtocol))


def explain(
    ctx: click.Context,
    gold: Annotated[str, Argument(help="Gold: relations with tags, or pairs; - for stdin.")],
    pred: Annotated[str, Argument(help="Predictions of the same kind; - for stdin.")],
    start: Annotated[
        ExplainFrom | None,
        Option(
            "--from",
            help="Begin at this protocol, or reading of answers; or read predictions in this "
            "format, and begin at cnc-2023.",
        ),
    ] = None,
    end: Annotated[
        ExplainTo | None, Option("--to", help="End at this protocol, or reading of answers.")
    ] = None,
    relation: RelationOption = "causal",
    labels: LabelOptions = LABELS,
    tables: TableOptions = TABLES,
    answers: AnswersOption = None,
    occurrence: OccurrenceOption = "gap",
    tags: TagsOption = None,
    id: AnswerIdOption = None,
    marks: Marks = MARKS,
) -> None:
    """Attribute the difference between two protocols to quirks of a published program.

    Of relations these are cnc-2023 and recess; of labels of words fincausal-2020 and recess; of
    pairs of events --from and --to name them. Of readings of a model's answers, list the answers
    that they take differently.

    Examples
    --------
    fastcausal explain gold.csv careful.jsonl
    fastcausal explain pairs_gold.csv pairs_careful.csv --from ilif-direction --to pairs
    fastcausal explain sections.csv sections_careful.csv --from fincausal-2020 --to recess
    fastcausal explain choices.csv choices_chatty.jsonl --from first-word --to cladder
    """
    if start == "cnc-2022":
        raise InputError(
            "cnc-2022 is a mean of means, which no step from rule to rule reaches: explain begins "
            "at cnc-2023, score --protocol cnc-2022 prints that figure"
        )
    others = (*get_args(PairProtocolName), *get_args(AnswerReading))
    if (end == "recess" and start in others) or (end in others and start in OF_SPANS):
        raise click.UsageError(
            f"no steps from {start} to {end}: cnc-2023 and fincausal-2020 go to recess", ctx
        )
    if start in get_args(WordProtocol):
        without = ("relation", *LabelOptions._fields, *OF_RELATIONS)
        refuse(ctx, without, "is not for labels of words")
        from fastcausal.tasks.fincausal.explain import explain_words

        with doing(f"scoring {pred}"):
            report_of_words = explain_words(gold, pred)
        tables.show(report_of_words)
        return
    readings = get_args(AnswerReading)
    if start in readings or end in readings:
        of_others = ("relation", *LabelOptions._fields, *OF_RELATIONS[1:])
        refuse(ctx, of_others, "is not for readings of answers")
        from fastcausal.tasks.classification.choices.explain import explain_readings

        both: Any = (start or "first-word", end or "first-word")
        with doing(f"reading {pred}"):
            explained = explain_readings(gold, pred, *both, column=answers)
        tables.show(explained)
        return
    if start in get_args(PairProtocolName) or end in get_args(PairProtocolName):
        refuse(
            ctx,
            OF_RELATIONS,
            "is for relations, not for pairs of events",
        )
        from fastcausal.tasks.eci.explain import explain_pairs

        protocols: Any = (start or "pairs", end or "pairs")
        with doing(f"scoring {pred}"):
            report = explain_pairs(gold, pred, *protocols, relation=relation, **labels.declared())
        tables.show(report)
        return
    refuse(ctx, ("relation", *LabelOptions._fields), "is for pairs of events: name --from or --to")
    refuse(ctx, ("tags",), "is for score, explain reads tags as cnc-2023 does")
    format_of_pred: Any = None if start == "cnc-2023" else start
    reads = ReadOptions(format_of_pred, answers, occurrence, id=id)
    import fastcausal as fc

    with doing(f"scoring {pred}"):
        gold_relations = fc.read(gold, tags="cnc-2023", **marks.given())
        how = reads.arguments() | {"tags": "cnc-2023"} | marks.given()
        pred_relations = fc.read(pred, like=gold_relations, **how)
        explanation = fc.explain(gold_relations, pred_relations)
    tables.show(explanation)
