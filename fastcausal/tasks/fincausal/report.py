"""Scores of FinCausal's task 2 as a report."""

from __future__ import annotations

from typing import Any

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import counted, warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.tasks.fincausal.formula import BASELINES, CLASSES, COUNTS, FIELDS

KEYS = (
    "signature", "protocol", "n_sections", "n_rows", "n_words", "scores", "classes", "baselines",
    "subsets?", "warnings",
)  # fmt: skip


FinCausalReport = Report
"""Scores of one submission.

``report["official"].f1``, ``report["spans"].f1``, ``report["pairs"].exact_match``;
``report.classes["C"].hits`` and ``report.baselines["half"].f1``.

Attributes
----------
n_rows : int
    Number of relations.
classes : mapping of str to Scores
    Words, precision, recall and F1 of each class.
baselines : mapping of str to Scores
    Scores of two guesses: no labels; the first half as cause, the rest as effect.
"""


def present(statistics: Statistics, by: By = None) -> FinCausalReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    sums = dict(zip(FIELDS, (statistics.times @ statistics.rows).tolist(), strict=True))
    groups, subsets = statistics.groups(by)
    classes = {
        label: Scores({n: sums[f"{name}_{n}"] for n in COUNTS} | {**groups[f"class_{label}"]})
        for label, name in CLASSES.items()
    }
    facts = {
        "protocol": statistics.facts.get("protocol", "fincausal-2020"),
        "n_sections": statistics.n_units,
        "n_rows": sums["rows"],
        "n_words": sum(sums[f"{name}_gold"] for name in CLASSES.values()),
        "classes": classes,
        "baselines": {name: groups[name] for name in BASELINES},
    }
    sizes = [counted(facts["n_rows"], "relation"), counted(facts["n_words"], "word")]
    return FinCausalReport(
        f"{facts['protocol']}: {' of '.join(sizes)}",
        statistics.signature,
        _drop_classes(groups),
        facts=facts,
        subsets={name: _drop_classes(part) for name, part in subsets.items()},
        class_scores=classes,
        warnings=warning_lines(statistics.warnings),
        tables=Tables(per_example=statistics.table),
        statistics=statistics,
        keys=KEYS,
        grids=_grids,
    )


def _drop_classes(groups: Groups) -> Groups:
    beside = (*BASELINES, *(f"class_{label}" for label in CLASSES))
    return {name: scores for name, scores in groups.items() if name not in beside}


def _grids(report: Any, counts: bool) -> list[Grid]:
    """Make a table of scores and guesses, and a table of classes."""
    guesses = {f"{name} predicted": scores for name, scores in report.baselines.items()}
    parts = {"": {**report.scores, **guesses}, **report.subsets}
    classes: Groups = {str(label): scores for label, scores in report.class_scores.items()}
    return [scores_table(report.title, parts, counts), scores_table("words", {"": classes}, counts)]
