"""Shares of the reasons of invalid verdicts, agreement on them, items with different reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers, strings
from fastcausal.report.grid import Grid
from fastcausal.tasks.answers.files import INVALID, Int8
from fastcausal.tasks.answers.join import Extractions
from fastcausal.tasks.answers.reasons import KINDS, NONE, SIDES, reason_text
from fastcausal.tasks.labels.report import agreement_grid, brief, label_agreement

PARTS = {"side": SIDES, "kind": KINDS}
MAX_SHOWN = 10
Booleans = npt.NDArray[np.bool_]


def shares_of(items: Extractions) -> dict[str, Any]:
    """Count the reasons of invalid verdicts.

    >>> from fastcausal.tasks.answers.join import read_extractions
    >>> row = {"gold": "a", "output": "b", "valid": "no", "reason": "cause: meaning lost"}
    >>> shares = shares_of(read_extractions([row, row | {"reason": "both"}]))
    >>> shares["sides"]["both"], shares["by_side"]["cause"]["meaning lost"]
    ({'n': 1, 'share': 0.5}, {'n': 1, 'share': 1.0})
    """
    # ``n_invalid``, ``n_unsure`` and ``n_given`` are numbers of verdicts: invalid, unsure, with a
    # reason. ``sides`` and ``kinds`` have each its number ``n`` and its ``share`` of all sides or
    # kinds in reasons; ``by_side`` has kinds by side; ``systems`` all these by system;
    # ``agreement`` that of raters on ``side`` and ``kind``; ``differ`` reasons by rater for items
    # that raters call invalid for different reasons.
    # Empty if no rater gave a reason or was unsure.
    if not (items.unsure.any() or _have_reasons(items.reasons).any()):
        return {}
    systems = {}
    if "system" in items.columns.column_names:
        names = pc.fill_null(items.columns["system"].cast(pa.string()), "").to_numpy()
        systems = {str(name): _counted(items, names == name) for name in np.unique(names)}
    counted = _counted(items, np.ones(len(items), bool))
    agreement = {
        name: brief(label_agreement(_long(items, column, names)))
        for column, (name, names) in enumerate(PARTS.items())
        if counted["n_given"]
    }
    return {
        **counted,
        "systems": systems,
        "agreement": agreement,
        "differ": {
            str(items.keys[k]): _group_by_rater(items, k)
            for k in np.flatnonzero(_differ(items)).tolist()
        },
    }


def differing_of(items: Extractions) -> pa.Table:
    """Return the reasons of all raters for items that they call invalid for different reasons.

    The columns are ``system`` if items have one, ``item``, ``rater`` and ``reason``.
    """
    return reasons_table(items, _differ(items)[:, None] & _have_reasons(items.reasons))


def reasons_table(items: Extractions, chosen: Booleans) -> pa.Table:
    """Return a row with the reason of each chosen item and rater; ``chosen`` bool[n, n_raters]."""
    item, rater = np.nonzero(chosen)
    columns: dict[str, Any] = {
        "item": items.ids.take(numbers(item)),
        "rater": strings(items.raters).take(numbers(rater)),
        "reason": reason_texts(items.reasons[item, rater]),
    }
    if "system" in items.columns.column_names:
        columns = {"system": items.columns["system"].take(numbers(item)), **columns}
    return pa.table(columns)


def reason_texts(reasons: Int8) -> pa.Array:
    """Write reasons as text, null for none."""
    return strings([reason_text(side, kind) for side, kind in reasons.tolist()])


def grids_of(shares: Mapping[str, Any]) -> list[Grid]:
    """Make tables of reasons: shares by side and system, agreement, items with different ones."""
    if not shares.get("n_given"):
        return []
    grid = Grid("reasons of invalid verdicts", ["n", "share", *KINDS], shares=["share", *KINDS])
    for part, counts in {"": shares, **shares["systems"]}.items():
        if part:
            grid.part(part)
        for side, of_side in counts["sides"].items():
            grid.add(side, *of_side.values(), *_shares(counts["by_side"][side]))
        grid.add("all", counts["n_given"], "", *_shares(counts["kinds"]))
    grids = [grid]
    if shares["agreement"]["side"]["n_raters"] > 1:
        columns = {part: shares["agreement"][part] for part in PARTS}
        grids.append(agreement_grid("agreement of raters on reasons", columns))
    if shares["differ"]:
        grids.append(_grid_of_differing(shares["differ"]))
    return grids


def _group_by_rater(items: Extractions, item: int) -> dict[str, str]:
    """Return the reasons of an item by rater."""
    reasons = reason_texts(items.reasons[item]).to_pylist()
    return {rater: text for rater, text in zip(items.raters, reasons, strict=True) if text}


def _grid_of_differing(differing: Mapping[str, Mapping[str, str]]) -> Grid:
    n = len(differing)
    shown = f", here {MAX_SHOWN}" if n > MAX_SHOWN else ""
    raters = sorted({rater for said in differing.values() for rater in said})
    grid = Grid(f"items of one verdict and unlike reasons: {n}{shown}", raters, text=True)
    for item in [*differing][:MAX_SHOWN]:
        grid.add(item, *(differing[item].get(rater, "") for rater in raters))
    return grid


def _shares(counts: Mapping[str, Any]) -> list[float]:
    return [of_name["share"] for of_name in counts.values()]


def _counted(items: Extractions, chosen: Booleans) -> dict[str, Any]:
    """Count verdicts and reasons of chosen items."""
    reasons = items.reasons[chosen].reshape(-1, 2)
    side, kind = reasons.T
    return {
        "n_invalid": int((items.verdicts[chosen] == INVALID).sum()),
        "n_unsure": int(items.unsure[chosen].sum()),
        "n_given": int(_have_reasons(reasons).sum()),
        "sides": _count_by_name(side, SIDES),
        "kinds": _count_by_name(kind, KINDS),
        "by_side": {name: _count_by_name(kind[side == k], KINDS) for k, name in enumerate(SIDES)},
    }


def _count_by_name(codes: Int8, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return the number and share of each code by name; shares are NaN without codes."""
    counts = np.bincount(codes[codes != NONE], minlength=len(names)).tolist()
    n = sum(counts)
    return {
        name: {"n": count, "share": count / n if n else float("nan")}
        for name, count in zip(names, counts, strict=True)
    }


def _have_reasons(reasons: Int8) -> Booleans:
    given: Booleans = (reasons != NONE).any(axis=-1)
    return given


def _differ(items: Extractions) -> Booleans:
    """Return a mask of items with two or more invalid verdicts, no valid one, and two reasons."""
    agreed = ((items.verdicts == INVALID).sum(axis=1) > 1) & (items.verdicts != 1).all(axis=1)
    codes = items.reasons.astype(np.int64)
    lowest = np.where(codes == NONE, len(KINDS), codes).min(axis=1, initial=len(KINDS))
    highest = codes.max(axis=1, initial=NONE)
    differ: Booleans = agreed & ((highest != NONE) & (highest != lowest)).any(axis=1)
    return differ


def _long(items: Extractions, column: int, names: tuple[str, ...]) -> dict[str, Any]:
    """Return a row per invalid verdict: unit, rater, and side or kind."""
    item, rater = np.nonzero(items.verdicts == INVALID)
    codes = items.reasons[item, rater, column].astype(np.int64)
    labels = strings(names).take(pa.array(codes, mask=codes == NONE))
    return {"unit": item, "rater": rater, "label": labels}
