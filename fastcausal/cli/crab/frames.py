"""``fastcausal crab frames GOLD [ANSWERS]...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastcausal.cli.crab.options import (
    ZERO,
    AnswersOrNone,
    BorderOption,
    ColumnOption,
    GoldArgument,
    GoldFromOption,
    TaskOption,
    UndefinedOption,
    UnmatchedOption,
    UnparsedOption,
)
from fastcausal.cli.crab.shapes import print_shapes, refuse_unused
from fastcausal.cli.options import (
    ClusterOption,
    ConfidenceOption,
    FormatOption,
    IntervalsOption,
    JsonOption,
    MethodOption,
    ResamplesOption,
    SeedOption,
    format_of,
)
from fastcausal.options import FrameRule


def frames(
    ctx: typer.Context,
    gold: GoldArgument,
    pred: AnswersOrNone = None,
    task: TaskOption = "multiclass",
    rule: Annotated[
        FrameRule,
        typer.Option(
            help="Take types of the paper's figure (U: none), with U as mixed, or with medium "
            "causes as strong ones (collapse)."
        ),
    ] = "figure",
    column: ColumnOption = "prediction",
    border: BorderOption = "up",
    gold_from: GoldFromOption = "class",
    undefined: UndefinedOption = "null",
    unparsed: UnparsedOption = "error",
    unmatched: UnmatchedOption = "error",
    per_frame: Annotated[
        Path | None,
        typer.Option(help="Write type and scores of each frame to this .parquet or .arrow file."),
    ] = None,
    json: JsonOption = False,
    format: FormatOption = "text",
    intervals: IntervalsOption = False,
    cluster: ClusterOption = None,
    method: MethodOption = "bca",
    confidence: ConfidenceOption = 0.95,
    n_resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
) -> None:
    """Count the causal frames of events by type, and score answers on them: tables 3 and 6."""
    chosen = format_of(ctx, json, format)
    refuse_unused(ctx, pred, intervals, method)
    import fastcausal as fc

    print_shapes(
        gold,
        pred,
        lambda pairs, file: fc.crab.frames(
            pairs,
            file,
            task,
            rule=rule,
            column=column,
            border=border,
            gold_from=gold_from,
            undefined=ZERO[undefined],
            unparsed=unparsed,
            unmatched=unmatched,
        ),
        per_frame,
        chosen,
        (cluster, method, confidence, n_resamples, seed) if intervals else None,
    )
