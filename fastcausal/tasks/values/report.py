"""Scores of the values of one system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.report import Report
from fastcausal.tasks.values.formula import N_ANSWERS, ValueFormula


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, ValueFormula)
    return Report.of(
        f"values of {statistics.n_units} examples",
        statistics,
        by,
        facts={"answers": {"rule": formula.answers, **count_answers(statistics)}},
        warnings=list_notes({statistics.system or "values": statistics}),
    )


def count_answers(statistics: Statistics) -> dict[str, int]:
    """Count the examples and the answers of a system, including left-out examples."""
    tables = [t for t in (statistics.units, statistics.left_out) if t is not None]
    counts = {"examples": sum(map(len, tables))}
    for name in N_ANSWERS:
        counts[name.removeprefix("n_")] = sum(
            pc.sum(table[name]).as_py() or 0 for table in tables if name in table.column_names
        )
    return counts


def list_notes(systems: Mapping[str, Statistics]) -> tuple[str, ...]:
    """Return warnings of systems, and list_notes on tasks, models and prompts."""
    lines = [line for s in systems.values() for line in warning_lines(s.warnings)]
    lost = {name: _describe_losses(count_answers(s)) for name, s in systems.items()}
    lines += [f"{name}: {text}" for name, text in lost.items() if text]
    sources = {name: find_source(s) for name, s in systems.items()}
    for key, noun in (("version", "versions of the task"), ("prompts", "prompts")):
        values = {name: source[key] for name, source in sources.items() if key in source}
        if len({*values.values()}) > 1:
            shown = ", ".join(f"{name} {value}" for name, value in values.items())
            lines.append(f"{noun} differ" + (f": {shown}" if key == "version" else ""))
    models = [source["model"] for source in sources.values() if "model" in source]
    if len(models) == len(systems) > 1 and len({*models}) == 1:
        lines.append(f"all systems have the model {models[0]}")
    return tuple(dict.fromkeys(lines))


def find_source(statistics: Statistics) -> Mapping[str, Any]:
    """Return the facts on the log of a system: format, model and task."""
    source: Mapping[str, Any] = statistics.facts.get("source") or {}
    return source


def _describe_losses(counts: Mapping[str, int]) -> str:
    """Return a text on answers with errors, at limits or without a score; "" if there are none."""
    parts = [
        f"{counts[name]} {text}"
        for name, text in (("errors", "with errors"), ("limits", "at a limit"),
                           ("unscored", "without a score"))
        if counts[name]
    ]  # fmt: skip
    return f"of {counts['answers']} answers {', '.join(parts)}" if parts else ""
