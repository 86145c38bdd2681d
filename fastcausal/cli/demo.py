"""``fastcausal demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastcausal.cli.console import clear_errors, print_table


def demo(
    copy_to: Annotated[
        Path | None, typer.Option(help="Also copy the files of the sample to this folder.")
    ] = None,
) -> None:
    """Score the embedded sample: three fictitious systems, the first in detail."""
    with clear_errors():
        import fastcausal as fc
        from fastcausal import sample
        from fastcausal.cli.score import systems_table

        gold = fc.read(sample.GOLD)
        reports = {
            name: fc.score(gold, fc.read(path, like=gold)) for name, path in sample.SYSTEMS.items()
        }
        careful = reports["careful"]
        print_table(
            systems_table(reports),
            "the first of them in detail\n",
            careful.to_table(),
            careful.signature,
        )
        if copy_to is not None:
            sample.copy_to(copy_to)
            print_table(f"\nthe files are in {copy_to}")
