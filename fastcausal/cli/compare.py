"""``fastcausal compare A B``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import (
    ClusterOption,
    ConfidenceOption,
    FormatOption,
    JsonOption,
    MethodOption,
    NResamplesOption,
    SeedOption,
    format_of,
)

STATISTICS = "Counts of {}, as score --per-example writes them."


def compare(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(help=STATISTICS.format("A"))],
    b: Annotated[str, typer.Argument(help=STATISTICS.format("B"))],
    score: Annotated[
        list[str] | None,
        typer.Option(help="Compare this score, by default overall_f1; may be given again."),
    ] = None,
    cluster: ClusterOption = None,
    method: MethodOption = "bca",
    confidence: ConfidenceOption = 0.95,
    n_resamples: NResamplesOption = 10_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Compare two systems on the same examples: B minus A, with bounds and p."""
    chosen = format_of(ctx, json, format)
    import fastcausal as fc

    with doing(f"comparing {b} with {a}"):
        comparison = fc.compare(
            a,
            b,
            score or "overall_f1",
            cluster=cluster,
            method=method,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
        )
    print_report(comparison, chosen)
