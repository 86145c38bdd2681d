"""Whole relations: scores and counts of protocol "relations"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastcausal.arrays.arrow import offsets
from fastcausal.counts.arithmetic import Counts, ScoresByName, ratio
from fastcausal.counts.formula import Formula
from fastcausal.counts.rules import Rule, ascending
from fastcausal.engine.cpu import choose_threads
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Result, TooLargeError
from fastcausal.engine.reference import whole as reference
from fastcausal.engine.reference.whole import CRITERIA, WholeRules
from fastcausal.options import Backend
from fastcausal.protocols import WholeProtocol, ratio_of
from fastcausal.report.groups import Groups
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.rows import Rows, check_both
from fastcausal.tasks.relations import _whole
from fastcausal.tasks.relations.formula import MULTI, TOTALS, GroupedFormula
from fastcausal.tasks.relations.types import Types

SIDES = ("gold", "predicted")
FIELDS = (*SIDES, *(f"{name}_tp" for name in CRITERIA))


@dataclass(frozen=True)
class WholeFormula(GroupedFormula):
    """Counts of relations, and of pairs of relations by each criterion."""

    roles: tuple[str, ...]
    undefined: float | None
    typed: bool = False  # True if a relation of either side has a type
    kernel: str = "relations"

    @property
    def count_fields(self) -> tuple[str, ...]:
        """Names of the counts."""
        return FIELDS

    @property
    def groups(self) -> tuple[str, ...]:
        """Criteria, that of types only if there are any."""
        return tuple(name for name in CRITERIA if self.typed or name != "strict")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules of criteria that imply others, and of both sides."""
        chains = (("strict", "exact", "iou", "overlap"), ("signal", "exact", "undirected"))
        implied = [ascending(*(f"{name}_tp" for name in names)) for names in chains]
        weakest = ("undirected", "boundary", "overlap")
        sides = (Rule((f"{name}_tp",), (side,)) for name in weakest for side in SIDES)
        return (*implied[0], *implied[1], Rule(("exact_tp",), ("boundary_tp",)), *sides)

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Relations of gold."""
        return ((MULTI,), TOTALS[:1], ("gold",))

    def counts_of(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return the counts of a criterion."""
        # For one sum, Python's integers, as in reports.
        values: Any = sums.tolist() if sums.ndim == 1 else sums
        named = dict(zip(FIELDS, values, strict=False))
        return {"tp": named[f"{group}_tp"], "predicted": named["predicted"], "gold": named["gold"]}

    def scores_of_group(self, counts: Counts) -> ScoresByName:
        """Compute the scores of one criterion from its counts."""
        zero = np.nan if self.undefined is None else self.undefined
        return shares_of(counts["tp"], counts["predicted"], counts["gold"], zero)

    def count_errors(self, groups: Groups) -> dict[str, dict[str, int]]:
        """Count the relations without an equal one on either side."""
        name = CRITERIA[0]
        tp, predicted, gold = (int(groups[name][n]) for n in ("tp", "predicted", "gold"))
        return {name: {"fp": predicted - tp, "fn": gold - tp}}

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares."""
        return SHARE

    def union(self, other: Formula) -> WholeFormula:
        """Return the formula for the rows of both; parts without types have all counts."""
        typed = self.typed or (isinstance(other, WholeFormula) and other.typed)
        mine = replace(self, typed=typed)
        theirs = replace(other, typed=typed) if isinstance(other, WholeFormula) else other
        return super(WholeFormula, mine).union(theirs)


def shares_of(hits: Any, predicted: Any, wanted: Any, undefined: float) -> ScoresByName:
    """Return precision, recall, and F1 as one ratio, so that equal ones are equal as floats."""
    return {
        "precision": ratio(hits, predicted, undefined),
        "recall": ratio(hits, wanted, undefined),
        "f1": ratio(2 * hits, predicted + wanted, undefined),
    }


def rules_of(protocol: WholeProtocol, roles: tuple[str, ...]) -> WholeRules:
    """Compile the protocol for relations with these roles."""
    return WholeRules(len(roles), protocol.arguments_of(roles), *ratio_of(protocol.iou, "iou"))


def run(
    rules: Any,  # of the protocol
    gold: Rows,
    pred: Rows,
    groups: Int64 | None = None,
    n_groups: int | None = None,
    backend: Backend = "cpu",
    num_threads: int | None = None,
    *,
    apart: bool = False,
    partners: bool = True,
    check: bool = False,
    types: Types | None = None,  # Of the relations of both sides
    native: Callable[..., int] = _whole.count,
    plain: Callable[..., None] = reference.run,
) -> Result:
    """Count as `fastcausal.engine.run.run`; backend ``cuda`` counts on the host."""
    if check:
        check_both(gold, pred, rules.n_roles)
    rows = CountGroups(groups, n_groups or 0, apart=apart)
    if n_groups is None:
        rows = CountGroups(None, gold.n_examples, each=True)
    counts = np.zeros((rows.n_rows, rules.n_fields), np.int64)
    partner = np.empty(gold.n_relations if partners else 0, np.int64)
    to = partner if partners else None
    codes = None if types is None else (types.gold, types.pred)
    if backend == "reference":
        plain(rules, gold, pred, codes, rows, counts, to)
        return Result(partner, counts)
    n = choose_threads(len(gold.lengths), num_threads)
    too_large = native(rules, gold, pred, codes, rows, counts, to, n)
    if too_large >= 0:
        raise TooLargeError(too_large)
    return Result(partner, counts)


def count_pairs(
    rules: WholeRules,
    gold: Rows,
    pred: Rows,
    gold_index: Int64,
    pred_index: Int64,
    backend: Backend,
) -> Int64:
    """Count given pairs of relations, -1 for a missing one, without types: [n_pairs, n_fields]."""
    of_gold, of_pred = _take_each(gold, gold_index), _take_each(pred, pred_index)
    return run(rules, of_gold, of_pred, backend=backend, num_threads=1, partners=False).counts


def _take_each(rows: Rows, index: Int64) -> Rows:
    """Return an example for each place of an index, with this relation; -1 is no relation."""
    present = index >= 0
    chosen = index[present]
    widths = np.diff(rows.row_offsets)[chosen]
    row_offsets = offsets(widths)
    places = np.repeat(rows.row_offsets[chosen] - row_offsets[:-1], widths)
    values = rows.values[places + np.arange(len(places))]
    return Rows(values, row_offsets, offsets(present), np.full(len(index), -1, np.int32))
