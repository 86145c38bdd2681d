"""Agreement at each depth: causal or not, spans, links of spans that both have, types of links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.means import mean_of_pairs
from fastcausal.counts.statistics import Statistics
from fastcausal.engine.reference.depths import DepthRules
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import COEFFICIENT, SHARE, Scale
from fastcausal.rows import Rows
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.relations import depths
from fastcausal.tasks.relations.types import Types

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
F1, SAME_TYPE = "f1", "same_type"
SAME, RELATIONS, LINKS, TYPES, SPANS = "same", "relations", "links", "types", "spans_"
CLASSES = ("causal", "not_causal")
OVERALL = f"{SPANS}overall"
# Depths at which each annotator is compared with the rest
AGAINST = {"verdict": SAME, "spans": OVERALL, LINKS: LINKS}
DIFFERENCE = "difference"
PARTS = ("with_rest", "among_rest", DIFFERENCE)
BLOCK = 1 << 12  # examples whose columns of counts fit the cache
CHANGE = Scale("share", "higher", COEFFICIENT)


def groups_of(roles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of all ratios: verdicts, classes, spans, relations, links, types."""
    return (SAME, *CLASSES, OVERALL, *(f"{SPANS}{role}" for role in roles), RELATIONS, LINKS, TYPES)


@dataclass(frozen=True)
class DepthSums:
    """Numerators and denominators of two annotators: each depth is a ratio of two sums."""

    examples: pa.Table  # The common examples
    parts: Float64  # [n_examples, 2, n_groups]

    def rows(self) -> Float64:
        """Return the sums of each example: float64[n_examples, 2, n_groups]."""
        return self.parts

    @cached_property
    def totals(self) -> Float64:
        """Sums over examples: float64[2, n_groups]."""
        sums: Float64 = self.parts.sum(axis=0)
        return sums


def count_depths(
    examples: pa.Table,
    first: Rows,
    second: Rows,
    roles: tuple[str, ...],
    types: Types | None,  # Of the relations of both sides
    required: Types | None,  # The same if only relations of one type may be the same
) -> DepthSums:
    """Count what two annotators have in common at each depth, spans by equality."""
    # Roles count by number, so that none has the name of a line of the account.
    names = tuple(map(str, range(len(roles))))
    arguments = 0, min(1, len(roles) - 1)
    formula = depths.DepthsFormula(names, (names[0], names[arguments[1]]), None)
    rules = DepthRules(len(roles), arguments, 1, 1)

    def count(of: Types | None) -> Int64:
        return depths.run(rules, first, second, partners=False, types=of).counts

    counts = count(required)
    parts = np.empty((len(counts), 2, len(groups_of(roles))))
    for start in range(0, len(counts), BLOCK):
        block = slice(start, start + BLOCK)
        parts[block] = _sum_depths(formula, np.ascontiguousarray(counts[block].T))
    if len(roles) > 1 and types is not None and types.are_on_both:
        right = formula.count_fields.index("right")
        for k, numbers in enumerate(_numbers_of_typed(types)):
            parts[:, k, -1] = count(numbers)[:, right]
    return DepthSums(examples, parts)


def _sum_depths(formula: depths.DepthsFormula, counts: Int64) -> Int64:
    """Sum columns of counts to numerators and denominators: int64[n, 2, n_groups], 0 for types."""
    # F1 is twice the common over the sum of both: it is the same for either order of annotators.
    of = partial(formula.counts_of, counts)
    causal, links = of("causal"), of(LINKS)
    tp, tn, apart = causal["tp"], causal["tn"], causal["fp"] + causal["fn"]
    parts = [(tp + tn, tp + tn + apart), (2 * tp, 2 * tp + apart), (2 * tn, 2 * tn + apart)]
    for name in ("overall", *formula.roles):
        spans = of(f"{SPANS}{name}")
        parts.append((2 * spans["tp"], spans["predicted"] + spans["gold"]))
    relations = sum(of(f"account_{side}")[RELATIONS] for side in depths.SIDES)
    linkable = links["linkable_gold"] + links["linkable_predicted"]
    of_links = [(2 * links["right"], relations), (2 * links["right"], linkable)]
    nothing = np.zeros_like(tp)
    parts += of_links if len(formula.roles) > 1 else [(nothing, nothing)] * 2
    return np.stack([np.stack(part, 1) for part in [*parts, (nothing, nothing)]], 2)


def _numbers_of_typed(types: Types) -> tuple[Types, Types]:
    """Return types by which relations of one type pair, and by which all that have a type do."""
    # A relation without a type has a number that the other side lacks.
    sides = [types.gold, types.pred]
    none = [len(types.names) + 1 + k for k in range(2)]
    alike = [np.where(codes > 0, codes, n) for codes, n in zip(sides, none, strict=True)]
    typed = [np.where(codes > 0, 0, n) for codes, n in zip(sides, none, strict=True)]
    return types._replace(gold=alike[0], pred=alike[1]), types._replace(
        gold=typed[0], pred=typed[1]
    )


def name_groups(groups: Mapping[str, Scores]) -> dict[str, Scores]:
    """Return the spans of each role and the links, with the share of equal types if it is known."""
    found = {name: groups[name] for name in groups if name.startswith(SPANS)}
    types = groups[TYPES].f1
    known = {} if math.isnan(types) else {SAME_TYPE: types}
    return found | {LINKS: Scores({F1: groups[LINKS].f1, **known})}


def nest(groups: Mapping[str, Scores]) -> dict[str, Any]:
    """Return spans and links as JSON has them: the spans of all roles in one."""
    spans = {n.removeprefix(SPANS): groups[n] for n in groups if n.startswith(SPANS)}
    return {"spans": spans, LINKS: groups[LINKS]}


def add_classes(verdict: Scores, groups: Mapping[str, Scores]) -> Scores:
    """Return a verdict with the agreement on each class."""
    return Scores({**verdict, **{name: groups[name].f1 for name in CLASSES}})


@dataclass(frozen=True)
class RestFormula(RatioFormula):
    """Each annotator against the rest: agreement with the others, less that among the others."""

    @property
    def names_of_annotators(self) -> tuple[str, ...]:
        """Names of all annotators, ascending."""
        return tuple(sorted({*chain(*self.annotators)}))

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares, and their differences."""
        return CHANGE if score.endswith(DIFFERENCE) else SHARE

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the mean over the pairs with and without each annotator, and the difference."""
        sums = sums.reshape(-1, len(self.annotators), 2, len(self.roles))
        values = ratio(sums[:, :, 0], sums[:, :, 1], math.nan).swapaxes(0, 1)
        found: dict[str, ScoresByName] = {}
        for name in self.names_of_annotators:
            mine = np.array([name in pair for pair in self.annotators])
            of_name = found[name] = {}
            for depth, group in AGAINST.items():
                of_group = values[:, :, self.roles.index(group)]
                own, others = (mean_of_pairs(of_group[kept]) for kept in (mine, ~mine))
                parts = own, others, own - others
                of_name |= {f"{depth}_{part}": v for part, v in zip(PARTS, parts, strict=True)}
        return found


def leave_each_out(statistics: Statistics) -> Statistics | None:
    """Return statistics of each annotator against the rest; None for two annotators."""
    formula = statistics.formula
    assert isinstance(formula, RatioFormula)
    if len(formula.annotators) < 2:
        return None
    rest = RestFormula(formula.annotators, formula.roles, formula.measures)
    return replace(statistics, formula=rest)


def score_rest(statistics: Statistics) -> dict[str, dict[str, Scores]]:
    """Score each annotator at each depth, with the 95% interval of the difference."""
    groups, _ = statistics.groups()
    intervals = statistics.intervals().scores
    found: dict[str, dict[str, Scores]] = {}
    for name, scores in groups.items():
        found[name] = {}
        for depth in AGAINST:
            bounds = intervals[name][f"{depth}_{DIFFERENCE}"]
            parts = {part: scores[f"{depth}_{part}"] for part in PARTS}
            found[name][depth] = Scores({**parts, "low": bounds.low, "high": bounds.high})
    return found
