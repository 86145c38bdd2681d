"""Scores of relations, from the counts of every role."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from fastcausal.counts.arithmetic import Counts, ScoresByName
from fastcausal.counts.formula import Formula
from fastcausal.counts.rules import Rule
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import CORRELATION, SHARE, Scale
from fastcausal.report.report import scores_table
from fastcausal.significance.sums import CountRows, Float64, Int64
from fastcausal.significance.units import OneScore
from fastcausal.tasks.relations.scores import fields_read, scores_of

MULTI = "multi_relation"
TOTALS = ("n_gold_relations", "n_pred_relations", "n_unparsed")
LATER = ("n_unparsed_answers",)  # missing in older files


class GroupedFormula(Formula):
    """Counts of all examples, and of those with several gold relations; scores of groups."""

    job = "extraction"
    subsets_of_groups: ClassVar[tuple[str, ...]] = (MULTI,)
    totals: ClassVar[tuple[str, ...]] = TOTALS
    later_totals: ClassVar[tuple[str, ...]] = LATER

    roles: tuple[str, ...]
    undefined: float | None  # The value of 0/0; None: NaN

    @property
    @abstractmethod
    def count_fields(self) -> tuple[str, ...]:
        """Names of the counts."""

    @property
    @abstractmethod
    def groups(self) -> tuple[str, ...]:
        """Names of the groups of scores; the first is the one to look at by default."""

    @abstractmethod
    def counts_of(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return the counts of a group by field name."""

    @abstractmethod
    def scores_of_group(self, counts: Counts) -> ScoresByName:
        """Compute the scores of one group from its counts by field name."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: the counts, and 1 for examples of several gold relations."""
        return (*self.count_fields, MULTI)

    @property
    def main(self) -> str:
        """Flat name of the F1 of the first group."""
        return f"{self.groups[0]}_f1"

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value of counts and of `MULTI`."""
        return (0, 1) if field == MULTI else super().limits(field)

    @property
    def empty_fields(self) -> tuple[str, ...]:
        """Names of counts of left-out examples, computed without unreadable relations."""
        return tuple(f"if_empty_{name}" for name in self.count_fields)

    def terms(self, rows: CountRows) -> CountRows:
        """Return the counts, followed by the counts of `MULTI` examples only."""
        counts, several = rows[:, :-1], rows[:, -1:] > 0
        return np.hstack([counts, counts * several])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of every group, of all and of `MULTI` examples."""
        return {
            f"{subset}{group}": self.scores_of_group(self.counts_of(part.T, group))
            for subset, part in zip(("", f"{MULTI}_"), np.hsplit(sums, 2), strict=True)
            for group in self.groups
        }

    def facts_of(self, groups: Groups) -> dict[str, Any]:
        """Return facts of a report that follow from the scores and counts of its groups."""
        return {}

    def nest(self, groups: Groups) -> Mapping[str, Any]:
        """Return groups as JSON has them."""
        return groups

    def count_errors(self, groups: Groups) -> dict[str, dict[str, int]]:
        """Count the errors of each kind, by what has them."""
        return {}

    def summarize(self, groups: Groups) -> Scores:
        """Return the scores of a row in a table of systems; none: those of the first group."""
        return Scores({})

    def make_grids(
        self, title: str, parts: Mapping[str, Groups], counts: bool = False
    ) -> list[Grid]:
        """Make a table of the scores of parts, and others of all examples alone."""
        return [scores_table(title, parts, counts)]

    def figures(self, sums: Int64, groups: Sequence[str]) -> list[dict[str, Any]]:
        """Return scores and counts of groups; em, osb and to are scores, not counts."""
        counts = [self.counts_of(sums, group) for group in groups]
        scores = map(self.scores_of_group, counts)
        # A score replaces the count of its name.
        return [
            s | c if s.keys().isdisjoint(c) else s | c | s
            for s, c in zip(scores, counts, strict=True)
        ]


@dataclass(frozen=True)
class RelationFormula(GroupedFormula):
    """Counts of pairs of relations by a kernel, overall and of every role."""

    kernel: str
    # Counts of the kernel for each role, and for all roles together
    role_fields: tuple[str, ...]
    overall_fields: tuple[str, ...]
    roles: tuple[str, ...]
    undefined: float | None

    @property
    def count_fields(self) -> tuple[str, ...]:
        """Names of the counts of every role, and of all."""
        of_roles = [f"{role}_{name}" for role in self.roles for name in self.role_fields]
        return (*of_roles, *(f"overall_{name}" for name in self.overall_fields))

    @property
    def groups(self) -> tuple[str, ...]:
        """Overall, and every role."""
        return ("overall", *self.roles)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules of the kernel, for the counts of each role and of all roles together."""
        fields = {*self.fields}
        declared = KERNELS[self.kernel].rules if self.kernel in KERNELS else ()
        each = (
            Rule(*rule).name_fields(group)
            for group in (*self.roles, "overall")
            for rule in declared
        )
        return tuple(rule for rule in each if fields.issuperset(rule.small + rule.large))

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Relations of gold, and gold's spans or tokens of each role if the kernel counts them."""
        of_kernel = KERNELS[self.kernel].gold_sums if self.kernel in KERNELS else ()
        of_roles = (
            tuple(f"{role}_{name}" for name in names) for role in self.roles for names in of_kernel
        )
        return ((MULTI,), TOTALS[:1], *of_roles)

    def only(self, name: str) -> Formula | OneScore:
        """Return the formula of one score, with only the counts it depends on."""
        no_counts = dict.fromkeys(fields_read(self.kernel), 0)
        for subset, group in product(("", f"{MULTI}_"), ("overall", *self.roles)):
            score = name.removeprefix(f"{subset}{group}_")
            if score != name and score in self.scores_of_group(no_counts):
                return self._only(name, score, group, bool(subset))
        return super().only(name)

    def _only(self, name: str, score: str, group: str, of_several: bool) -> OneScore:
        fields = fields_read(self.kernel)

        def terms(rows: CountRows) -> CountRows:
            kept = rows * (rows[:, -1:] > 0) if of_several else rows
            counts = self.counts_of(kept[:, :-1].T, group)
            return np.stack([counts[field] for field in fields], axis=1)

        def value(sums: CountRows) -> Float64:
            counts = dict(zip(fields, np.moveaxis(sums, -1, 0), strict=True))
            values: Float64 = self.scores_of_group(counts)[score]
            return values

        return OneScore(name, terms, value, lambda terms: self.scale(group, score))

    def scale(self, group: str, score: str) -> Scale:
        """Declare a correlation for alpha, which is corrected for chance; shares for the rest."""
        return CORRELATION if score == "alpha" else SHARE

    def scores_of_group(self, counts: Counts) -> ScoresByName:
        """Compute the scores of one group from its counts by field name."""
        return scores_of(self.kernel, counts, self.undefined)

    def counts_of(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return the counts of ``overall`` or a role by field name."""
        # For one sum, Python's integers, as in reports.
        values: Any = sums.tolist() if sums.ndim == 1 else sums
        names, n = self.role_fields, len(self.role_fields)
        if group != "overall":
            k = n * self.roles.index(group)
            return dict(zip(names, values[k : k + n], strict=True))
        total = n * len(self.roles)
        counts = {name: sum(values[k:total:n]) for k, name in enumerate(names)}
        return counts | dict(zip(self.overall_fields, values[total:], strict=False))
