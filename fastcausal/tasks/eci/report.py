"""Scores of pairs as a report: by group and stratum, by columns, over folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.arithmetic import f1
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import counted, warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.tasks.eci.formula import EVERY, TOTALS, PairFormula
from fastcausal.tasks.eci.protocols import EVENTSTORYLINE, MAVEN_ERE, OVERALL, STRATA

MEASURES = ("precision", "recall", "f1")
NOTHING = {
    EVENTSTORYLINE.name: "nothing is predicted: precision is 0/0, on which the program of "
    "eventstoryline ends with ZeroDivisionError",
    MAVEN_ERE.name: "nothing is predicted: precision is 0/0, which the program of maven-ere "
    "calls 0 with a warning",
}


PairReport = Report
"""Scores of causal pairs.

``report["direction"].f1``, ``report.subsets["intra"]["direction"].f1``,
``report.subsets["topic=3"]["exists"].recall``; ``report.folds["exists"]["overall"]["mean"]``.

Attributes
----------
folds : mapping
    Means over folds by group and stratum.
by : tuple of str
    Columns by whose values the pairs were scored.
"""


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a table of the scores, and of their means over folds."""
    grids = [scores_table(report.title, {"": report.scores, **report.subsets}, counts)]
    if "folds" in report.facts:
        shares = [*MEASURES, "f1 of means"]
        grid = Grid("means over folds", ["folds", *shares], shares=shares)
        for group, strata in report.folds.items():
            for stratum, values in strata.items():
                cells = [values["mean"][name] for name in MEASURES]
                grid.add(f"{group} {stratum}", values["n"], *cells, values["f1_of_means"])
        grids.append(grid)
    return grids


def _nest_all(report: Report) -> dict[str, Any]:
    """Return all scores by group and stratum, those of strata from subsets."""
    subsets = ((s, report.subsets.get(s, {})) for s in STRATA[1:])
    return _nest({**report.scores, **{f"{s}_{k}": v for s, of in subsets for k, v in of.items()}})


def _nest_scores(report: Report) -> dict[str, Any]:
    """Return the scores by group and stratum, but those of baselines."""
    nested = _nest_all(report)
    return {group: strata for group, strata in nested.items() if group != EVERY}


def _nest_baselines(report: Report) -> dict[str, Any]:
    nested = _nest_all(report)
    return {EVERY: nested[EVERY]} if EVERY in nested else {}


def _nest_columns(report: Report) -> dict[str, Any]:
    """Return the scores for the values of each column."""
    return {
        column: {
            name.removeprefix(f"{column}="): _nest(groups)
            for name, groups in report.subsets.items()
            if name.startswith(f"{column}=")
        }
        for column in report.by
    }


def _nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of groups such as ``intra_typed`` by group and stratum."""
    nested: dict[str, Any] = {}
    for name, value in values.items():
        stratum = next((s for s in STRATA[1:] if name.startswith(f"{s}_")), OVERALL)
        nested.setdefault(name.removeprefix(f"{stratum}_"), {})[stratum] = value
    return nested


def present(statistics: Statistics, by: By = None, fold: str | None = None) -> PairReport:
    """Make the report of counts, with the values of columns ``by`` and means over ``fold``."""
    formula = statistics.formula
    assert isinstance(formula, PairFormula)
    every, of_columns = statistics.groups(by)
    starts = tuple(f"{stratum}_" for stratum in formula.strata if stratum != OVERALL)
    subsets: dict[str, Groups] = {
        start[:-1]: {n.removeprefix(start): s for n, s in every.items() if n.startswith(start)}
        for start in starts
    }
    subsets |= {name: _drop_baselines(groups) for name, groups in of_columns.items()}
    sums = dict(zip(formula.fields, (statistics.times @ statistics.rows).tolist(), strict=True))
    totals: dict[str, int | None] = {name: sums[name] for name in TOTALS}
    if not formula.candidates:
        totals |= dict.fromkeys(("n_outside", "n_candidates"))
    facts = {"protocol": statistics.facts["protocol"], **totals, "by": columns_by(by)}
    signature = statistics.signature
    if fold is not None:
        signature += f"|folds:{fold}"
        facts["folds"] = _folds([*statistics.groups(fold)[1].values()])
    scores = {n: s for n, s in every.items() if not n.startswith(starts)}
    return PairReport(
        _title(facts, scores),
        signature,
        scores,
        facts=facts,
        subsets=subsets,
        warnings=(*warning_lines(statistics.warnings), *_warnings(facts, scores)),
        tables=Tables(per_document=statistics.table),
        statistics=statistics,
        keys=(
            "signature", "protocol", "warnings", *totals, "scores", "baselines?", "by", "folds",
        ),
        values={
            "scores": _nest_scores,
            "baselines": _nest_baselines,
            "by": _nest_columns,
            "folds": _list_folds,
        },
        grids=_grids,
    )  # fmt: skip


def _list_folds(report: Report) -> Any:
    return report.facts.get("folds", {})


def _drop_baselines(groups: Groups) -> dict[str, Scores]:
    return {name: scores for name, scores in groups.items() if not name.endswith(EVERY)}


def _folds(parts: Sequence[Groups]) -> dict[str, Any]:
    """Return the means of the scores of folds, and F1 of the mean precision and mean recall."""
    scored = [_drop_baselines(groups) for groups in parts]
    flat = {
        name: _means([groups[name] for groups in scored]) for name in (scored[0] if scored else {})
    }
    nested: dict[str, Any] = {}
    for name, values in flat.items():
        stratum = next((s for s in STRATA[1:] if name.startswith(f"{s}_")), OVERALL)
        nested.setdefault(name.removeprefix(f"{stratum}_"), {})[stratum] = values
    return nested


def _means(folds: list[Scores]) -> dict[str, Any]:
    means = {
        name: math.fsum(float(scores[name]) for scores in folds) / len(folds) for name in MEASURES
    }
    of_means = f1(means["precision"], means["recall"], True, math.nan)
    if math.isnan(means["precision"]) or math.isnan(means["recall"]):
        of_means = math.nan
    return {"n": len(folds), "mean": means, "f1_of_means": of_means}


def _title(facts: Mapping[str, Any], scores: Groups) -> str:
    documents = counted(facts["n_documents"], "document")
    first = next(iter(scores.values()))
    return f"{facts['protocol']}: {documents}, {counted(_n_gold(first), 'pair')} of gold"


def _n_gold(scores: Scores) -> int:
    return int(scores["gold"] if "gold" in scores else scores["tp"] + scores["fn"])


def _warnings(facts: Mapping[str, Any], scores: Groups) -> list[str]:
    first = next(iter(scores.values()))
    predicted = first["predicted"] if "predicted" in first else first["tp"] + first["fp"]
    warnings = []
    if not _n_gold(first):
        warnings.append("gold has no pair in any document")
    if not predicted:
        warnings.append(NOTHING.get(facts["protocol"], "nothing is predicted"))
    if facts["n_outside"]:
        effect = "left out" if facts["n_ignored"] else "charged"
        pairs = counted(facts["n_outside"], "predicted pair")
        warnings.append(f"{pairs} outside of the candidates, {effect}")
    return warnings
