"""Scores of FinCausal's task 2 as a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import counted, warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.fincausal.formula import BASELINES, CLASSES, COUNTS, FIELDS, WordFormula

KEYS = (
    "signature", "protocol", "n_sections", "n_rows", "n_words", "scores", "classes", "baselines",
)  # fmt: skip


class FinCausalReport(Report):
    """Scores of one submission.

    ``report["official"].f1``, ``report["spans"].f1``, ``report["pairs"].exact_match``;
    ``report.classes["C"].hits`` and ``report.baselines["half"].f1``.
    """

    @property
    def classes(self) -> Mapping[str, Scores]:
        """Words, precision, recall and F1 of each class."""
        return self.class_scores

    @property
    def baselines(self) -> Groups:
        """Scores of two guesses: no labels; the first half as cause, the rest as effect."""
        guesses: Groups = self.facts["baselines"]
        return guesses

    @property
    def n_rows(self) -> int:
        """Number of relations."""
        n: int = self.facts["n_rows"]
        return n


def present(statistics: Statistics, by: By = None) -> FinCausalReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, WordFormula)
    weighted = statistics.rows * statistics.times[:, None]
    scores, classes, guesses = _groups(formula, weighted)
    subsets = {name: _groups(formula, rows)[0] for name, rows in statistics.subsets(by).items()}
    sums = dict(zip(FIELDS, weighted.sum(axis=0).tolist(), strict=True))
    facts = {
        "protocol": statistics.facts.get("protocol", "fincausal-2020"),
        "n_sections": statistics.n_units,
        "n_rows": sums["rows"],
        "n_words": sum(sums[f"{name}_gold"] for name in CLASSES.values()),
        "baselines": guesses,
    }
    sizes = [counted(facts["n_rows"], "relation"), counted(facts["n_words"], "word")]
    return FinCausalReport(
        f"{facts['protocol']}: {' of '.join(sizes)}",
        statistics.signature,
        scores,
        facts=facts,
        subsets=subsets,
        class_scores=classes,
        warnings=warning_lines(statistics.warnings),
        tables=Tables(per_example=statistics.table),
        statistics=partial(replace, statistics),
        keys=(*KEYS, *(("subsets",) if subsets else ()), "warnings"),
        grids=_grids,
    )


def _groups(formula: WordFormula, rows: CountRows) -> tuple[Groups, dict[str, Scores], Groups]:
    """Return the groups of scores, the scores of classes, and the scores of guesses."""
    sums = rows.sum(axis=0)
    groups = {
        group: Scores({name: float(value[0]) for name, value in scores.items()})
        for group, scores in formula.groups_of(sums[None]).items()
    }
    of = dict(zip(FIELDS, sums.tolist(), strict=True))
    classes = {
        label: Scores({n: of[f"{name}_{n}"] for n in COUNTS} | dict(groups.pop(f"class_{label}")))
        for label, name in CLASSES.items()
    }
    guesses = {name: groups.pop(name) for name in BASELINES}
    return groups, classes, guesses


def _grids(report: Any, counts: bool) -> list[Grid]:
    """Make a table of scores and guesses, and a table of classes."""
    guesses = {f"{name} predicted": scores for name, scores in report.baselines.items()}
    parts = {"": {**report.scores, **guesses}, **report.subsets}
    classes: Groups = {str(label): scores for label, scores in report.classes.items()}
    return [scores_table(report.title, parts, counts), scores_table("words", {"": classes}, counts)]
