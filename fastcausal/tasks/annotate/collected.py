"""The labels of all raters, collected from the files they saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.report.report import plain
from fastcausal.tasks.annotate.qualify import TestedRater

_SCHEMA = pa.schema(
    [("system", pa.string()), ("item", pa.string()), ("rater", pa.string()), ("label", pa.int64())]
)


class RaterLabel(NamedTuple):
    """A rater's label of an item; None if missing."""

    system: str | None
    item: str
    rater: str
    label: float | None


@dataclass(frozen=True)
class Collected:
    """Labels of all raters."""

    labels: list[RaterLabel]  # Ascending by rater, then system, then item
    # Results by rater, if the files are a test
    results: Mapping[str, TestedRater] = field(default_factory=dict)
    rows: pa.Table | None = None  # The table of judgments, if the form has one of its own
    tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # Results by question

    @property
    def table(self) -> pa.Table:
        """Judgments for `meta`; without ``system`` if no file names one."""
        if self.rows is not None:
            return self.rows
        rows = [label._asdict() for label in self.labels if label.label is not None]
        table = pa.Table.from_pylist(rows, _SCHEMA)
        systems = any(label.system is not None for label in self.labels)
        return table if systems else table.drop_columns(["system"])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of items and labels, in all and by rater, and results of a test."""
        raters: dict[str, dict[str, Any]] = {
            label.rater: {"n_judged": 0, "n_missing": 0} for label in self.labels
        }
        for label in self.labels:
            raters[label.rater]["n_missing" if label.label is None else "n_judged"] += 1
        totals = {
            n: sum(counts[n] for counts in raters.values()) for n in ("n_judged", "n_missing")
        }
        for rater, result in self.results.items():
            raters[rater] |= result._asdict()
        if self.results:
            totals["n_passed"] = sum(result.passed for result in self.results.values())
        items = {(label.system, label.item) for label in self.labels}
        tests = {"tests": plain(self.tests)} if self.tests else {}
        return {"n_items": len(items), **totals, "raters": raters, **tests}


def require_once(labels: Sequence[RaterLabel], item: str = "item") -> None:
    """Refuse an item that a rater has twice."""
    seen = set()
    for label in labels:
        if (key := (label.rater, label.system, label.item)) in seen:
            raise InputError(f'rater "{label.rater}" has {item} "{label.item}" twice')
        seen.add(key)
