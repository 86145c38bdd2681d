"""Scores of extracted causes and effects, from the words they share with their references."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, precision_recall_f1, ratio
from fastcausal.counts.formula import MAX_COUNT, Formula
from fastcausal.counts.means import mean_of_pairs
from fastcausal.counts.rules import Rule, ascending
from fastcausal.report.numbers import MEAN_SHARE, SHARE, Scale
from fastcausal.significance.sums import EXACT, CountRows, Float64, Int64, max_abs, sums_of

ROLES = ("cause", "effect")
ROLE_FIELDS = ("shared", "predicted", "wanted", "matched", "equal")
OF_ROLES = tuple(f"{role}_{name}" for role in ROLES for name in ROLE_FIELDS)
OF_WORDS = (*OF_ROLES, "contained", "relation", "pred_relation")  # order of csrc
FIELDS = (*OF_WORDS, "asked", "judged", "valid", "unread")
MAX_OF_FIELD = {"cause_equal": 1, "effect_equal": 1, "contained": 2, "unread": 1}
MEASURES = ("precision", "recall", "f1")
BLOCK = 1 << 13  # rows at a time, so that their terms fit the cache


@dataclass(frozen=True)
class ExtractionFormula(Formula):
    """Scores from words of causes and effects, relations, and verdicts of every answer."""

    # A row has, in the order of ``fields``:
    # * for each role the numbers of its shared, predicted, wanted and matched words, and 1 if both
    #   sides are equal;
    # * 2 for an answer with only words of its source, 1 for another answer, 0 without a source;
    # * the relations of reference and answer as 1 + their index, 0 without a relation;
    # * the numbers of raters asked, with a verdict, and with the verdict valid;
    # * 1 if a side is unreadable.

    job = "answers"

    # {"guide", "fcr"}: Under ``fcr`` empty roles count as equal, 0/0 is 0, and means over
    # relations include those that only answers have
    protocol: str
    relations: tuple[str, ...]  # Classes of relations, ascending

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return FIELDS

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value of indices of relations, flags and counts."""
        if field in ("relation", "pred_relation"):
            return 0, len(self.relations)
        return 0, MAX_OF_FIELD.get(field, MAX_COUNT)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Shared words are on both sides; raters with a verdict were asked."""
        of_role = (*ascending("matched", "shared", "predicted"), *ascending("shared", "wanted"))
        of_roles = (rule.name_fields(role) for role in ROLES for rule in of_role)
        return (*of_roles, *ascending("valid", "judged", "asked"))

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Fields of the reference: its words and its relation."""
        return ("cause_wanted",), ("effect_wanted",), ("relation",)

    @property
    def undefined(self) -> float:
        """The value of 0/0."""
        return 0.0 if self.protocol == "fcr" else math.nan

    def by_field(self, rows: CountRows) -> dict[str, CountRows]:
        """Return the columns of rows by name."""
        return dict(zip(self.fields, rows.T, strict=True))

    def f1_of_answers(self, rows: CountRows) -> Float64:
        """Return F1 of the words of each role of every answer, float64[n_roles, n_rows]."""
        columns = self.by_field(rows)
        return np.array([
            ratio(
                2 * columns[f"{role}_shared"],
                columns[f"{role}_predicted"] + columns[f"{role}_wanted"],
                self.undefined,
            )
            for role in ROLES
        ])  # fmt: skip

    def terms(self, rows: CountRows) -> CountRows:
        """Return counts, shares of verdicts and F1 of answers, in the order of `_parts`."""
        return np.column_stack(self._terms(rows)).astype(np.float64)

    def sum_terms(self, rows: CountRows, times: Int64) -> CountRows:
        """Return the sums of terms, float64[1, n_terms], block by block to save memory."""
        if float(max_abs(rows)) * float(times.sum()) >= EXACT:
            return sums_of(self.terms(rows), times[None])
        parts = list[list[Any]]()  # for each block: sums of counts, and each row's share
        for start in range(0, max(len(rows), 1), BLOCK):
            block = slice(start, start + BLOCK)
            parts.append([
                term if term.dtype.kind == "f" else np.dot(times[block], term)
                for term in self._terms(rows[block])
            ])  # fmt: skip
        shares = (isinstance(part, np.ndarray) for part in parts[0])
        columns = zip(*parts, strict=True)
        return np.array([[
            sums_of(np.concatenate(column)[:, None], times[None])[0, 0] if is_share else sum(column)
            for is_share, column in zip(shares, columns, strict=True)
        ]], np.float64)  # fmt: skip

    def _terms(self, rows: CountRows) -> list[CountRows]:
        columns = self.by_field(rows)
        both = columns["cause_equal"] * columns["effect_equal"]
        relation, given = columns["relation"], columns["pred_relation"]
        f1 = mean_of_pairs(self.f1_of_answers(rows))
        terms = [column for role in ROLES for column in self._role_terms(columns, role)]
        terms += [both, both * (relation == given) * (relation > 0), relation > 0]
        terms += [np.nan_to_num(f1), ~np.isnan(f1), np.ones(len(rows), bool)]
        terms += [columns["contained"] == 2, columns["contained"] > 0]
        terms += [ratio(columns["valid"], columns["judged"], 0.0), columns["judged"] > 0]
        codes = range(1, len(self.relations) + 1)
        terms += [(relation == code) & (given == code) for code in codes]
        terms += [(relation > 0) & (given == code) for code in codes]
        return [*terms, *(relation == code for code in codes)]

    def _role_terms(self, columns: Mapping[str, CountRows], role: str) -> list[CountRows]:
        """Return the counts of a role, 1 for equal sides that count, and 1 if the row counts."""
        *words, equal = (columns[f"{role}_{name}"] for name in ROLE_FIELDS)
        counted = np.ones(len(equal), bool) if self.protocol == "fcr" else words[1] + words[2] > 0
        return [*words, equal * counted, counted]

    def _parts(self, sums: CountRows) -> dict[str, dict[str, CountRows]]:
        """Split sums of terms by group and name."""
        names = [(role, name) for role in ROLES for name in (*ROLE_FIELDS, "n")]
        names += [("joint", name) for name in ("equal", "with_relation", "n_relation")]
        names += [("joint", name) for name in ("f1", "n_f1", "n")]
        names += [
            ("source", "contained"),
            ("source", "n"),
            ("verdicts", "valid"),
            ("verdicts", "n"),
        ]
        parts: dict[str, dict[str, CountRows]] = {}
        for (group, name), column in zip(names, sums.T, strict=False):
            parts.setdefault(group, {})[name] = column
        return parts

    def count_groups(self, sums: CountRows) -> dict[str, dict[str, int]]:
        """Return the counts of every group, from one row of sums of terms."""
        parts = self._parts(sums)
        of_roles = {
            role: {name: int(parts[role][name][0]) for name in (*ROLE_FIELDS[:3], "n")}
            for role in ROLES
        }
        n = {group: {"n": int(parts[group]["n"][0])} for group in ("joint", "source")}
        return of_roles | n | {"relation": {"n": int(parts["joint"]["n_relation"][0])}}

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute scores of both roles, their means, joint scores, relations, source, verdicts."""
        parts, undefined = self._parts(sums), self.undefined
        roles = {role: self._role_scores(parts[role]) for role in ROLES}
        overall = {
            name: mean_of_pairs(np.array([scores[name] for scores in roles.values()]))
            for name in roles["cause"]
        }
        joint, source, verdicts = parts["joint"], parts["source"], parts["verdicts"]
        return {
            "overall": overall,
            **roles,
            "joint": {
                "exact_match": ratio(joint["equal"], joint["n"], undefined),
                "exact_match_with_relation": ratio(
                    joint["with_relation"], joint["n_relation"], undefined
                ),
                "f1": ratio(joint["f1"], joint["n_f1"], undefined),
            },
            "relation": self._relation_scores(sums, joint["n_relation"]),
            "source": {"contained": ratio(source["contained"], source["n"], undefined)},
            "verdicts": {"valid": ratio(verdicts["valid"], verdicts["n"], math.nan)},
        }

    def _role_scores(self, sums: Mapping[str, CountRows]) -> ScoresByName:
        words = (sums["predicted"], sums["wanted"], self.undefined)
        matched = precision_recall_f1(sums["matched"], *words, "matched_")
        exact = {"exact_match": ratio(sums["equal"], sums["n"], self.undefined)}
        return precision_recall_f1(sums["shared"], *words) | exact | matched

    def _relation_scores(self, sums: CountRows, n: CountRows) -> ScoresByName:
        """Return accuracy, and means over the classes in gold; in fcr also over predicted ones."""
        start = sums.shape[1] - 3 * len(self.relations)
        hits, predicted, wanted = np.hsplit(sums[:, start:], 3)
        classes = precision_recall_f1(hits, predicted, wanted, self.undefined)
        counted = wanted + predicted > 0 if self.protocol == "fcr" else wanted > 0
        means = {
            name: mean_of_pairs(np.where(counted, classes[name], math.nan).T) for name in MEASURES
        }
        accuracy = {"accuracy": ratio(hits.sum(axis=1), n, self.undefined)}
        return accuracy | {k: np.where(np.isnan(v), self.undefined, v) for k, v in means.items()}

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares; some are means over classes of relations."""
        return SHARE if group != "relation" or score == "accuracy" else MEAN_SHARE

    def union(self, other: Formula) -> ExtractionFormula:
        """Return the formula with the relations of both."""
        if not isinstance(other, ExtractionFormula) or self.protocol != other.protocol:
            return super().union(other)
        return replace(self, relations=tuple(sorted({*self.relations, *other.relations})))

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Renumber relations for a union."""
        assert isinstance(formula, ExtractionFormula)
        place = np.array([0, *(1 + formula.relations.index(name) for name in self.relations)])
        rows = rows.copy()
        for name in ("relation", "pred_relation"):
            column = self.fields.index(name)
            rows[:, column] = place[rows[:, column]]
        return rows
