"""Scores of every item, and verdicts of every rater, as tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined, numbers, strings
from fastcausal.counts.means import mean_of_pairs
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.answers.formula import ExtractionFormula
from fastcausal.tasks.answers.join import Extractions
from fastcausal.tasks.answers.overlap import missing_words
from fastcausal.tasks.answers.shares import reasons_table

TRIAGE = ("exact", "empty", "disjoint", "judge")


def triage_of(columns: Mapping[str, CountRows]) -> npt.NDArray[np.int64]:
    """Return the index of each item's class in `TRIAGE`.

    >>> columns = {f"{role}_{name}": np.array([1]) for role in ("cause", "effect")
    ...            for name in ("shared", "predicted", "wanted")}
    >>> unequal = {"cause_equal": np.array([0]), "effect_equal": np.array([1])}
    >>> TRIAGE[triage_of(columns | unequal)[0]]
    'judge'
    """
    cause, effect = (
        [columns[f"{role}_{name}"] for name in ("shared", "predicted", "wanted", "equal")]
        for role in ("cause", "effect")
    )
    exact = (cause[3] & effect[3]) > 0
    empty = (cause[1] == 0) | (cause[2] == 0) | (effect[1] == 0) | (effect[2] == 0)
    disjoint = (cause[0] == 0) | (effect[0] == 0)
    return np.select([exact, empty, disjoint], [0, 1, 2], 3).astype(np.int64)


def make_item_table(
    items: Extractions,
    statistics: Statistics,
    scored: npt.NDArray[np.bool_],
    texts: Mapping[str, npt.NDArray[np.float64]],
) -> pa.Table:
    """Return a row per scored item: its scores, triage, and its other columns."""
    formula = statistics.formula
    assert isinstance(formula, ExtractionFormula)
    columns = formula.by_field(statistics.rows)
    cause, effect = formula.f1_of_answers(statistics.rows)
    contained = columns["contained"]
    sourced = contained > 0
    kept = numbers(scored)
    in_rows = missing_words(items.texts.batches(), len(items), formula.protocol)
    missing = items.texts.order_by_item(in_rows)
    table = {
        "item": items.ids.filter(kept),
        "f1": defined(mean_of_pairs(np.array([cause, effect]))),
        "cause_f1": defined(cause),
        "effect_f1": defined(effect),
        "exact_match": numbers(columns["cause_equal"] * columns["effect_equal"]),
        "contained": numbers((contained == 2).astype(np.int64), sourced),
        "triage": strings(TRIAGE).take(numbers(triage_of(columns))),
        "missing": pc.if_else(numbers(sourced), missing.filter(kept), None),
        **{name: defined(values) for name, values in texts.items()},
    }
    besides = {c: joined(items.columns[c]).filter(kept) for c in items.columns.column_names}
    system = {"system": besides.pop("system")} if "system" in besides else {}
    return pa.table(system | table | {c: v for c, v in besides.items() if c not in table})


def defined(values: npt.NDArray[np.float64]) -> pa.Array:
    """Return numbers, null if undefined."""
    return numbers(values, ~np.isnan(values))


def judgments_of(items: Extractions) -> pa.Table:
    """Return a row per verdict: item, rater and label, 1 for valid and 0 for invalid.

    The table has a column ``reason`` if any verdict has a reason.
    """
    chosen = items.verdicts >= 0
    cells = reasons_table(items, chosen)
    labels = numbers(items.verdicts[chosen].astype(np.int64))
    table = cells.drop_columns(["reason"]).append_column("label", labels)
    if not (items.reasons >= 0).any():
        return table
    return table.append_column("reason", cells["reason"])
