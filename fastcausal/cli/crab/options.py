"""Arguments and options that the commands of CRAB share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from fastcausal.options import Border, CrabTask, GoldFrom, Policy, ZeroByZero

GoldArgument = Annotated[
    str,
    typer.Argument(
        help="Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin.", metavar="GOLD"
    ),
]
AnswersArgument = Annotated[
    list[str],
    typer.Argument(help="Answers of a system; a table row for each file.", metavar="ANSWERS..."),
]
AnswersOrNone = Annotated[
    list[str] | None,
    typer.Argument(
        help="Answers of a system, a table row for each file; none: count alone.",
        metavar="[ANSWERS]...",
    ),
]
TaskOption = Annotated[CrabTask, typer.Option("--task", help="Say what was asked.")]
BorderOption = Annotated[
    Border,
    typer.Option(
        "--border", help="Put scores 20, 50, 80 into C, B, A (up), C, B, B (text), D, C, B (down)."
    ),
]
GoldFromOption = Annotated[
    GoldFrom,
    typer.Option("--gold-from", help="Take gold's class where it has one, or always its score."),
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw to this .png, .svg or .pdf file.")
]
ZERO: dict[ZeroByZero, float | None] = {"null": None, "0": 0.0, "1": 1.0}


class Answers(NamedTuple):
    """Options of where answers are and what policies make of them."""

    column: Annotated[
        str, typer.Option("--column", help="Take answers from this column.", metavar="NAME")
    ] = "prediction"
    undefined: Annotated[
        ZeroByZero, typer.Option("--undefined", help="Set scores of 0/0 to this value.")
    ] = "null"
    unparsed: Annotated[
        Policy,
        typer.Option(
            "--unparsed",
            help="Stop at unparsed answers, count them as no class, or leave them out.",
        ),
    ] = "error"
    unmatched: Annotated[
        Policy,
        typer.Option(
            "--unmatched",
            help="Stop at missing answers, count them as no class, or leave them out.",
        ),
    ] = "error"

    def arguments(self) -> dict[str, Any]:
        """Return them as the functions of `fastcausal.crab` take them."""
        return self._asdict() | {"undefined": ZERO[self.undefined]}


ANSWERS = Answers()
