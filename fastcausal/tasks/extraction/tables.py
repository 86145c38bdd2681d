"""The tables behind a report: a row for every example, a row for every chosen pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import Plan, Result, TooLargeError
from fastcausal.engine.run import chosen_pairs, count_pairs, run
from fastcausal.options import Backend
from fastcausal.tasks.align import Aligned, too_large


class Counting(NamedTuple):
    """How aligned examples are paired and counted: a plan, the roles, and what does it."""

    plan: Plan
    roles: tuple[str, ...]
    backend: Backend
    num_threads: int | None

    def run(
        self,
        aligned: Aligned,
        groups: Int64 | None = None,
        n_groups: int | None = None,
        *,
        apart: bool = False,
        partners: bool = True,
    ) -> Result:
        """As `fastcausal.engine.run.run`; InputError names an example that is too large."""
        try:
            return run(
                self.plan,
                aligned.gold,
                aligned.pred,
                groups,
                n_groups,
                self.backend,
                self.num_threads,
                apart=apart,
                partners=partners,
            )
        except TooLargeError as error:
            raise too_large(aligned, error) from None


def unit_table(aligned: Aligned) -> pa.Table:
    """Columns of gold's table, and how many relations either side has."""
    columns = {c: aligned.examples[c] for c in aligned.examples.column_names}
    columns["n_gold_relations"] = np.diff(aligned.gold.relation_offsets)
    columns["n_pred_relations"] = np.diff(aligned.pred.relation_offsets)
    return pa.table(columns)


def per_example_table(counting: Counting, aligned: Aligned) -> pa.Table:
    """Columns of gold's table, relations on both sides, the objective reached, all counts."""
    plan = counting.plan
    counts = counting.run(aligned, partners=False).counts
    numerator, denominator = (counts @ plan.weights[:2].T).T
    with np.errstate(invalid="ignore", divide="ignore"):
        objective = numerator if plan.linear else numerator / denominator
    units = unit_table(aligned)
    columns = dict(zip(units.column_names, units.columns, strict=True))
    columns["objective"] = pa.array(objective, from_pandas=True)
    return pa.table(columns | _count_columns(plan, counting.roles, counts))


def matches_table(counting: Counting, aligned: Aligned) -> pa.Table:
    """Pairs in the order of gold, then the predictions of the example that stayed unmatched."""
    plan, gold, pred = counting.plan, aligned.gold, aligned.pred
    partner = counting.run(aligned, n_groups=1).partner
    example, gold_index, pred_index = chosen_pairs(plan, gold, pred, partner)
    counts = count_pairs(plan, gold, pred, gold_index, pred_index, counting.backend)
    name = aligned.examples["id"].take(example) if "id" in aligned.examples.column_names else None
    columns: dict[str, Any] = {"id": name} if name is not None else {"example": example}
    for side, rows, index in (("gold", gold, gold_index), ("pred", pred, pred_index)):
        number = index - rows.relation_offsets[example]
        columns[f"{side}_relation"] = pa.array(number, mask=index < 0)
    return pa.table(columns | _count_columns(plan, counting.roles, counts))


def _count_columns(plan: Plan, roles: tuple[str, ...], counts: Int64) -> dict[str, Int64]:
    return {name: counts[:, k] for k, name in enumerate(plan.kernel.columns(roles))}


_DETAILS: dict[str, Callable[[Counting, Aligned], pa.Table]] = {
    "per_example": per_example_table,
    "matches": matches_table,
}


class Details:
    """The tables of a report, made when first asked for. Can be pickled."""

    def __init__(self, counting: Counting, aligned: Aligned | Callable[[], Aligned]) -> None:
        self.counting = counting
        self.aligned = aligned
        self.made: dict[str, pa.Table] = {}

    def __call__(self, name: str) -> pa.Table:
        """``"per_example"`` or ``"matches"``."""
        if name not in self.made:
            self.made[name] = _DETAILS[name](self.counting, self._read())
        return self.made[name]

    def counts_of_examples(self) -> tuple[Int64, pa.Table]:
        """Counts, with 1 where an example has several gold relations; the table of examples."""
        aligned = self._read()
        counts = self.counting.run(aligned, partners=False).counts
        several = np.diff(aligned.gold.relation_offsets) > 1
        return np.column_stack([counts, several]), unit_table(aligned)

    def _read(self) -> Aligned:
        if callable(self.aligned):  # too much to be kept all along
            self.aligned = self.aligned()
        return self.aligned
