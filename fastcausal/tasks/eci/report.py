"""Scores of pairs as a report: by group and stratum, by columns, over folds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.arithmetic import f1
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import counted, warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, plain
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.eci.formula import EVERY, TOTALS, PairFormula
from fastcausal.tasks.eci.protocols import EVENTSTORYLINE, MAVEN_ERE, OVERALL, STRATA

if TYPE_CHECKING:
    pass

MEASURES = ("precision", "recall", "f1")
NOTHING = {
    EVENTSTORYLINE.name: "nothing is predicted: precision is 0/0, on which the program of "
    "eventstoryline ends with ZeroDivisionError",
    MAVEN_ERE.name: "nothing is predicted: precision is 0/0, which the program of maven-ere "
    "calls 0 with a warning",
}


class PairReport(Report):
    """Scores of causal pairs.

    ``report["direction"].f1``, ``report.subsets["intra"]["direction"].f1``,
    ``report.subsets["topic=3"]["exists"].recall``; ``report.folds["exists"]["overall"]["mean"]``.
    """

    if TYPE_CHECKING:

        @property
        def folds(self) -> dict[str, Any]:
            """Means over folds by group and stratum."""

        @property
        def by(self) -> tuple[str, ...]:
            """Columns by whose values the pairs were scored."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: an undefined score is None."""
        facts = {name: value for name, value in self.facts.items() if name not in ("by", "folds")}
        values = {
            "signature": self.signature,
            "protocol": facts.pop("protocol"),
            "warnings": [*self.warnings],
            **facts,
            "scores": self._nest_scores(),
        }
        if EVERY in self.scores:
            values["baselines"] = {EVERY: values["scores"].pop(EVERY)}
        values["by"] = {column: self._values(f"{column}=") for column in self.by}
        values["folds"] = plain(self.facts.get("folds", {}))
        return values if self._intervals is None else values | {"intervals": self._intervals}

    def to_tables(self, counts: bool = False) -> list[Grid]:
        """Return the scores, and their means over folds."""
        tables = [self.to_table(counts)]
        if "folds" in self.facts:
            shares = [*MEASURES, "f1 of means"]
            grid = Grid("means over folds", ["folds", *shares], shares=shares)
            for group, strata in self.folds.items():
                for stratum, values in strata.items():
                    cells = [values["mean"][name] for name in MEASURES]
                    grid.add(f"{group} {stratum}", values["n"], *cells, values["f1_of_means"])
            tables.append(grid)
        return tables

    def _nest_scores(self) -> dict[str, Any]:
        strata = {f"{s}_{k}": v for s in STRATA[1:] for k, v in self.subsets.get(s, {}).items()}
        return _nest({k: plain(v) for k, v in (dict(self.scores) | strata).items()})

    def _values(self, start: str) -> dict[str, Any]:
        return {
            name.removeprefix(start): _nest({k: plain(scores) for k, scores in groups.items()})
            for name, groups in self.subsets.items()
            if name.startswith(start)
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
    weighted = statistics.rows * statistics.times[:, None]
    every = _groups(formula, weighted)
    strata = [f"{stratum}_" for stratum in formula.strata if stratum != OVERALL]
    subsets: dict[str, Groups] = {
        start[:-1]: {n.removeprefix(start): s for n, s in every.items() if n.startswith(start)}
        for start in strata
    }
    for name, rows in statistics.subsets(by).items():
        subsets[name] = _drop_baselines(_groups(formula, rows))
    totals = dict(zip(TOTALS, weighted[:, -len(TOTALS) :].sum(axis=0).tolist(), strict=True))
    if not formula.candidates:
        totals |= dict.fromkeys(("n_outside", "n_candidates"))
    facts = {"protocol": statistics.facts["protocol"], **totals, "by": columns_by(by)}
    signature = statistics.signature
    if fold is not None:
        signature += f"|folds:{fold}"
        facts["folds"] = _folds(formula, statistics.subsets(fold))
    overall = {n: s for n, s in every.items() if not n.startswith(tuple(strata))}
    return PairReport(
        _title(facts, overall),
        signature,
        overall,
        facts=facts,
        subsets=subsets,
        warnings=(*warning_lines(statistics.warnings), *_warnings(facts, overall)),
        tables=Tables(per_document=statistics.table),
        statistics=partial(replace, statistics),
    )


def _groups(formula: PairFormula, rows: CountRows) -> dict[str, Scores]:
    """Return the scores and counts of all groups from these rows."""
    sums = dict(zip(formula.fields, rows.sum(axis=0)[:, None], strict=True))
    groups = {}
    for group, tp, predicted, gold in formula.counts_from(sums):
        scores = formula.scores_from(tp, predicted, gold)
        counts = {"tp": tp, "predicted": predicted, "gold": gold}
        if "fp" in formula.counts and not group.endswith(EVERY):
            counts = {"tp": tp, "fp": predicted - tp, "fn": gold - tp}
        groups[group] = Scores(
            {name: float(v[0]) for name, v in scores.items()}
            | {name: int(v[0]) for name, v in counts.items()}
        )
    return groups


def _drop_baselines(groups: dict[str, Scores]) -> dict[str, Scores]:
    return {name: scores for name, scores in groups.items() if not name.endswith(EVERY)}


def _folds(formula: PairFormula, parts: Mapping[str, CountRows]) -> dict[str, Any]:
    """Return the means of the scores of folds, and F1 of the mean precision and mean recall."""
    scored = [_drop_baselines(_groups(formula, rows)) for rows in parts.values()]
    names = scored[0] if scored else {}
    return _nest({name: _means([groups[name] for groups in scored]) for name in names})


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
