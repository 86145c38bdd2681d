"""Pictures of judgments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fastcausal.report.charts import Matrix, matrices, stacks
from fastcausal.report.pictures import save_picture
from fastcausal.tasks.crab.corpus_report import CorpusReport
from fastcausal.tasks.crab.report import JudgmentReport
from fastcausal.tasks.crab.sweep import SweepReport


def draw_classes(target: Path, reports: Mapping[str, CorpusReport]) -> None:
    """Draw the pairs of each class: a bar for every part of every file."""
    rows = {
        f"{name}: {part}" if len(reports) > 1 else part: {k: row[k]["n"] for k in row}
        for name, report in reports.items()
        for part, row in report.classes.items()
    }
    save_picture(target, partial(stacks, rows=rows))


def draw_confusions(target: Path, reports: Mapping[str, JudgmentReport]) -> None:
    """Draw the confusion matrix of every system, as shares of the answers to each gold class."""
    save_picture(target, partial(_confusions, reports=reports))


def _confusions(figure: Any, reports: Mapping[str, JudgmentReport]) -> None:
    shown = [Matrix(name, r.confusion, r.labels, r.labels) for name, r in reports.items()]
    matrices(figure, shown, "answer")


def draw_sweeps(target: Path, reports: Mapping[str, SweepReport]) -> None:
    """Draw macro-F1 by threshold, a curve for every system."""
    save_picture(target, partial(_curves, reports=reports))


def _curves(figure: Any, reports: Mapping[str, SweepReport]) -> None:
    figure.set_size_inches(6, 3.6)
    axes = figure.subplots()
    for name, report in reports.items():
        rows = report.thresholds
        values = [row["macro_f1"] for row in rows]
        axes.plot([row["threshold"] for row in rows], values, marker="o", ms=3, label=name)
    axes.set(xlabel="threshold of gold scores", ylabel="macro-F1", ylim=(0, 1))
    axes.legend()
