"""Arguments and options shared by the commands of CRAB."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastcausal.cli.options import ZERO
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import Border, CrabTask, GoldFrom, Policy, ZeroByZero

GoldArgument = Annotated[
    str,
    Argument(
        help="Judged pairs: JSON lines, JSON, CSV, Parquet or Arrow; - for stdin.", metavar="GOLD"
    ),
]
AnswersArgument = Annotated[
    list[str],
    Argument(help="Answers of a system; a table row for each file.", metavar="ANSWERS..."),
]
AnswersOrNone = Annotated[
    list[str] | None,
    Argument(
        help="Answers of a system, a table row for each file; none: count alone.",
        metavar="[ANSWERS]...",
    ),
]
TaskOption = Annotated[CrabTask, Option("--task", help="Say what was asked.")]
BorderOption = Annotated[
    Border,
    Option(
        "--border", help="Put scores 20, 50, 80 into C, B, A (up), C, B, B (text), D, C, B (down)."
    ),
]
GoldFromOption = Annotated[
    GoldFrom,
    Option("--gold-from", help="Take gold's class where it has one, or always its score."),
]
PlotOption = Annotated[Path | None, Option("--plot", help="Draw to this .png, .svg or .pdf file.")]


class AnswerOptions(NamedTuple):
    """Options for reading answers and for policies about them."""

    column: Annotated[
        str, Option("--column", help="Take answers from this column.", metavar="NAME")
    ] = "prediction"
    undefined: Annotated[
        ZeroByZero, Option("--undefined", help="Set scores of 0/0 to this value.")
    ] = "null"
    unparsed: Annotated[
        Policy,
        Option(
            "--unparsed",
            help="Stop at unparsed answers, count them as no class, or leave them out.",
        ),
    ] = "error"
    unmatched: Annotated[
        Policy,
        Option(
            "--unmatched",
            help="Stop at missing answers, count them as no class, or leave them out.",
        ),
    ] = "error"
    pattern: Annotated[
        str | None,
        Option(
            "--pattern",
            metavar="REGEX",
            help="Take the answer from the one group of this regular expression.",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments for the functions of `fastcausal.crab`."""
        return self._asdict() | {"undefined": ZERO[self.undefined]}


ANSWERS = AnswerOptions()
