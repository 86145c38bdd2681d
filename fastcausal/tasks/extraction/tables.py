"""The tables behind a report: a row for every example, a row for every chosen pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.count_files import require_free
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import Plan, Result, TooLargeError
from fastcausal.engine.run import chosen_pairs, count_pairs, run
from fastcausal.errors import InputError
from fastcausal.formulas import Formula
from fastcausal.formulas.relations import TOTALS
from fastcausal.options import Backend
from fastcausal.statistics import Statistics
from fastcausal.tasks.align import Aligned, too_large
from fastcausal.tasks.unread import with_counts


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
    """Return columns of gold's table, how many relations either side has, and lost ones of pred."""
    require_free(aligned.examples.column_names, TOTALS)
    gold, pred = aligned.gold, aligned.pred
    lost = np.zeros(gold.n_examples, np.int64) if aligned.n_unread is None else aligned.n_unread
    return with_counts(aligned.examples, gold.n_marked(), pred.n_marked(), lost)


def per_example_table(counting: Counting, aligned: Aligned) -> pa.Table:
    """Columns of gold's table, relations on both sides, the objective reached, all counts."""
    plan = counting.plan
    counts = counting.run(aligned, partners=False).counts
    numerator, denominator = (counts @ plan.weights[:2].T).T
    with np.errstate(invalid="ignore", divide="ignore"):
        objective = numerator if plan.linear else numerator / denominator
    units = unit_table(aligned).drop_columns(["n_unparsed"])
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


def statistics_of(counting: Counting, aligned: Aligned, of_nothing: Statistics) -> Statistics:
    """Return the counts of every example, of what statistics without any say."""
    counts = counting.run(aligned, partners=False).counts
    several = np.diff(aligned.gold.relation_offsets) > 1
    rows = np.column_stack([counts, several])
    return replace(
        of_nothing,
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=unit_table(aligned),
        gold=aligned.digest(),
        left_out=_left_out(aligned, of_nothing.formula),
    )


def _left_out(aligned: Aligned, formula: Formula) -> pa.Table | None:
    """Return the examples left out with columns of counts that are all null."""
    table = aligned.left_out
    if table is None:
        return None
    columns = dict(zip(table.column_names, table.columns, strict=True))
    return pa.table(columns | dict.fromkeys(formula.fields, pa.nulls(len(table), pa.int64())))


_DETAILS: dict[str, Callable[[Counting, Aligned], pa.Table]] = {
    "per_example": per_example_table,
    "matches": matches_table,
}


@dataclass(frozen=True, eq=False)
class Details:
    """The sources that tables of a report are made of when asked for. Can be pickled.

    Attributes
    ----------
    counting : Counting
    aligned : Aligned or callable
        Makes the aligned examples again; or they themselves, of a source that is gone.
    counts : int64[n_rows, n_fields]
        What they add up to, to tell sources that have changed since.
    """

    counting: Counting
    aligned: Aligned | Callable[[], Aligned]
    counts: Int64

    def __call__(self, name: str) -> pa.Table:
        """``"per_example"`` or ``"matches"``."""
        return _DETAILS[name](self.counting, self._examples())

    def statistics(self, of_nothing: Statistics) -> Statistics:
        """Return the counts of every example, of what statistics without any say."""
        return statistics_of(self.counting, self._examples(), of_nothing)

    def _examples(self) -> Aligned:
        if not callable(self.aligned):
            return self.aligned
        aligned = self.aligned()
        counts = self.counting.run(aligned, n_groups=1, partners=False).counts
        if aligned.roles != self.counting.roles or (counts[0] != self.counts.sum(axis=0)).any():
            raise InputError("gold or predictions have changed since they were scored")
        return aligned
