"""``fastcausal plan A B``."""

from __future__ import annotations

from typing import Annotated

from fastcausal.cli.console import doing
from fastcausal.cli.options import (
    VALUES,
    ScoreOption,
    ValueOptions,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions

PILOT = "Counts, a log or a table of {}."


def plan(
    a: Annotated[str, Argument(help=PILOT.format("A"))],
    b: Annotated[str, Argument(help=PILOT.format("B"))],
    score: ScoreOption = None,
    power: Annotated[
        float,
        Option(
            "--power",
            help="Set the power: the share of such comparisons with a significant difference.",
        ),
    ] = 0.8,
    delta: Annotated[
        float | None,
        Option("--delta", help="Detect this difference; by default that of the pilot."),
    ] = None,
    cluster: Annotated[
        str | None, Option("--cluster", help="Take clusters, the values of this column, as units.")
    ] = None,
    confidence: Annotated[
        float, Option("--confidence", help="Set the confidence level of the test.")
    ] = 0.95,
    values: ValueOptions = VALUES,
    tables: TableOptions = TABLES,
) -> None:
    """Plan how many examples, and answers to each, show a difference of two systems.

    Examples
    --------
    fastcausal plan careful.parquet hasty.parquet --delta 0.05
    """
    import fastcausal as fc

    with doing(f"planning from {a} and {b}", "samples") as progress:
        result = fc.plan(
            a,
            b,
            score,
            power=power,
            delta=delta,
            cluster=cluster,
            confidence=confidence,
            reading=values.reading(progress),
        )
    tables.show(result)
