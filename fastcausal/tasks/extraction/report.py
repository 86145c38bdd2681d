"""The report of extracted relations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa

from fastcausal.groups import Groups
from fastcausal.report import Report, Tables
from fastcausal.statistics import Statistics

DETAILS = ("per_example", "matches")


def report_of(
    protocol: str,
    signature: str,
    n_examples: int,
    n_gold_relations: int,
    n_pred_relations: int,
    scores: Groups,
    subsets: Mapping[str, Groups] | None = None,
    warnings: tuple[str, ...] = (),
    n_unparsed: int = 0,
    details: Callable[[str], pa.Table] | None = None,
    statistics: Callable[[], Statistics] | None = None,
) -> Report:
    """Make the report; ``details`` makes its tables by name, None if only sums are left."""
    unparsed = f", {n_unparsed} unparsed" if n_unparsed else ""
    return Report(
        f"{protocol}: {n_examples} sentences, {n_gold_relations} gold relations, "
        f"{n_pred_relations} predicted{unparsed}",
        signature,
        scores,
        facts={
            "protocol": protocol,
            "n_examples": n_examples,
            "n_gold_relations": n_gold_relations,
            "n_pred_relations": n_pred_relations,
            "n_unparsed": n_unparsed,
        },
        subsets=subsets,
        warnings=warnings,
        tables=None
        if details is None
        else Tables(**{name: partial(details, name) for name in DETAILS}),
        statistics=statistics,
    )
