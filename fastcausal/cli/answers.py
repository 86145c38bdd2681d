"""``fastcausal answers FILE...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.options import PerExampleOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import AnswerProtocol, Policy, UnsurePolicy


def answers(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE...",
            help="Answers with reference and verdicts: JSON, JSON lines, CSV, Parquet or Arrow; "
            "- for stdin. Several are raters of the same items.",
        ),
    ],
    protocol: Annotated[
        AnswerProtocol,
        Option(help="Read and score as the guide of raters, or as the published program."),
    ] = "guide",
    unparsed: Annotated[
        Policy,
        Option(help="Stop at unparsed answers, score them as no spans (empty), or skip them."),
    ] = "error",
    unsure: Annotated[
        UnsurePolicy,
        Option(help="Take unsure verdicts as invalid, as the guide does, or as missing."),
    ] = "invalid",
    by: Annotated[str | None, Option(help="Add the scores of each value of this column.")] = None,
    text_metrics: Annotated[
        bool, Option("--text-metrics", help="Add ROUGE-L and BLEU of whole answers.")
    ] = False,
    per_item: Annotated[
        Path | None,
        Option(help="Write the scores of each item to this .csv, .jsonl, .parquet or .arrow file."),
    ] = None,
    judgments: Annotated[
        Path | None,
        Option(
            help="Write the verdict of each rater to this .csv, .jsonl, .parquet or .arrow file."
        ),
    ] = None,
    reasons: Annotated[
        Path | None,
        Option(
            help="Write the items with one verdict and unlike reasons to this .csv, .jsonl, "
            ".parquet or .arrow file."
        ),
    ] = None,
    per_example: PerExampleOption = None,
    tables: TableOptions = TABLES,
) -> None:
    """Score extracted causes and effects against references, and count the verdicts of raters.

    Examples
    --------
    fastcausal answers judged_ann.json judged_ben.json --per-item items.csv
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.answers.count import answers as compare

    keep_apart([per_item, judgments, reasons, per_example], files)
    with doing(f"scoring {', '.join(files)}"):
        report = compare(
            files, protocol, unparsed=unparsed, unsure=unsure, by=by, text_metrics=text_metrics
        )
    if per_example is not None:
        report.statistics.write(per_example)
    targets = {"per_item": per_item, "judgments": judgments, "differing": reasons}
    for name, target in targets.items():
        if target is not None:
            write_rows(target, report.tables[name])
    tables.show(report)
