"""``fastcausal explain GOLD PRED``."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import click

from fastcausal.cli.console import doing
from fastcausal.cli.eci import LABELS, LabelOptions, RelationOption
from fastcausal.cli.options import (
    AnswerIdOption,
    AnswersOption,
    OccurrenceOption,
    ReadOptions,
    TagsOption,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import (
    AnswerReading,
    ExplainFrom,
    ExplainTo,
    PairProtocolName,
    WordProtocol,
)


def explain(
    ctx: click.Context,
    gold: Annotated[str, Argument(help="Gold: relations with tags, or pairs; - for stdin.")],
    pred: Annotated[str, Argument(help="Predictions of the same kind; - for stdin.")],
    start: Annotated[
        ExplainFrom | None,
        Option(
            "--from",
            help="Begin at this protocol of pairs, or reading of answers; or read files in this "
            "format.",
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
) -> None:
    """Attribute the difference between two protocols to quirks of a published program.

    Of relations these are cnc-2023 and recess; of pairs of events --from and --to name them. Of
    readings of a model's answers, list the answers that they take differently. Of labels of words,
    begin at fincausal-2020.

    Examples
    --------
    fastcausal explain gold.csv careful.jsonl
    fastcausal explain pairs_gold.csv pairs_careful.csv --from ilif-direction --to pairs
    fastcausal explain sections.csv sections_careful.csv --from fincausal-2020 --to recess
    fastcausal explain choices.csv choices_chatty.jsonl --from first-word --to cladder
    """
    if start in get_args(WordProtocol) or end == "recess":
        without = ("relation", *LabelOptions._fields, "answers", "occurrence", "tags", "id")
        refuse(ctx, without, "is not for labels of words")
        if (start, end) not in ((start, None), ("fincausal-2020", "recess")):
            raise click.UsageError(f"--to {end} is for --from fincausal-2020", ctx)
        from fastcausal.tasks.fincausal.explain import explain_words

        with doing(f"scoring {pred}"):
            report_of_words = explain_words(gold, pred)
        tables.show(report_of_words)
        return
    readings = get_args(AnswerReading)
    if start in readings or end in readings:
        of_others = ("relation", *LabelOptions._fields, "occurrence", "tags", "id")
        refuse(ctx, of_others, "is not for readings of answers")
        from fastcausal.tasks.classification.choices.explain import explain_readings

        both: Any = (start or "first-word", end or "first-word")
        with doing(f"reading {pred}"):
            explained = explain_readings(gold, pred, *both, column=answers)
        tables.show(explained)
        return
    if start in get_args(PairProtocolName) or end is not None:
        refuse(
            ctx,
            ("answers", "occurrence", "tags", "id"),
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
    format_of_pred: Any = start
    reads = ReadOptions(format_of_pred, answers, occurrence, id=id)
    import fastcausal as fc

    with doing(f"scoring {pred}"):
        gold_relations = fc.read(gold, tags="cnc-2023")
        how = reads.arguments() | {"tags": "cnc-2023"}
        pred_relations = fc.read(pred, like=gold_relations, **how)
        explanation = fc.explain(gold_relations, pred_relations)
    tables.show(explanation)
