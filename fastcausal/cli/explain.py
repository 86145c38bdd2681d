"""``fastcausal explain GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import clear_errors, doing, print_json, print_table, warn


def explain(
    gold: Annotated[str, typer.Argument(help="Gold annotations with tags; - for stdin.")],
    pred: Annotated[str, typer.Argument(help="Predictions with tags; - for stdin.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Attribute the difference between cnc-2023 and recess to quirks of the official scorer."""
    with clear_errors(json):
        import fastcausal as fc

        with doing(f"scoring {pred}"):
            gold_relations = fc.read(gold, tags="cnc-2023")
            pred_relations = fc.read(pred, like=gold_relations, tags="cnc-2023")
            explanation = fc.explain(gold_relations, pred_relations)
        if json:
            print_json(explanation.to_dict())
            return
        from fastcausal.report import number_text
        from fastcausal.tables import Grid

        warn(dict.fromkeys((*explanation.official.warnings, *explanation.recess.warnings)))
        table = Grid("", ["examples", "F1", "change", "alone"], corner="quirk of cnc-2023")
        table.add("(cnc-2023)", "", number_text(explanation.official["overall"].f1))
        for quirk in explanation.quirks:
            changes = (f"{quirk.change:+.4f}", f"{quirk.change_alone:+.4f}")
            table.add(quirk.meaning, str(quirk.n_examples), number_text(quirk.f1), *changes)
        table.add("(recess)", "", number_text(explanation.recess["overall"].f1))
        print_table(table)
