"""Which items people should label next: a random sample, in proportion to strata."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays.strata import sorted_strata
from fastcausal.errors import InputError, Remedy
from fastcausal.files.records import Records, read_records
from fastcausal.options import LabelPolicy, Level, check
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables
from fastcausal.significance.draws import check_count, check_seed
from fastcausal.significance.keyed import shuffled
from fastcausal.tasks.meta.files import open_tables
from fastcausal.tasks.meta.plan import plan_labels
from fastcausal.tasks.meta.wide import add_items

SHOWN = 20  # items in the printed table; --json and --out have all


def sample_labels(
    scores: Any,
    human: Any = None,
    *,
    n: int | None = None,
    delta: float | None = None,
    by: str | None = None,
    seed: int = 0,
    label: str = "label",
    metrics: Sequence[str] | None = None,
    level: Level | None = None,
    raters: Sequence[str] | None = None,
    unmatched: LabelPolicy = "error",
) -> Report:
    """Draw the items that people should label next, at random.

    Items that have a label already are not drawn. An item is drawn with the rows of all systems.

    Parameters
    ----------
    scores, human, label, metrics, level, raters, unmatched
        See `fastcausal.tasks.meta.scorer.meta`. Without ``human`` and ``raters`` no item is
        labelled yet; ``metrics`` and ``level`` are for ``delta``.
    n : int, optional
        Draw this number of items.
    delta : float, optional
        Draw as many items as `plan_labels` asks for until each powered estimate is within this.
        Excludes ``n``.
    by : str, optional
        Draw from each value of this column of SCORES in proportion to its items.
    seed : int
        Seed the draw with this number. Equal seeds draw equal items, in any order of rows.

    Returns
    -------
    Report
        A group for each stratum, or ``all``: ``items``, those ``unlabelled``, and those ``drawn``.
        ``report.items`` has the names of drawn items, in random order; a table ``items`` has them
        with their strata.

    Raises
    ------
    InputError
        As in `meta`; fewer items than asked for are left; an item has two strata; or no number of
        labels gives ``delta``.
    ValueError
        As in `plan_labels`, or not exactly one of ``n`` and ``delta`` is given.

    Examples
    --------
    >>> table = [{"item": f"i{k}", "topic": "ab"[k % 2], "judge": k % 3} for k in range(30)]
    >>> report = sample_labels(table, n=4, by="topic")
    >>> report.items, report["a"].drawn
    (('i10', 'i12', 'i29', 'i15'), 2)
    """
    check_seed(seed)
    if (n is None) == (delta is None):
        raise ValueError("expected the number of items n, or delta, and not both")
    asked: dict[str, Any] = {
        "label": label, "metrics": metrics, "level": level, "raters": raters,
        "unmatched": unmatched,
    }  # fmt: skip
    check("unmatched", unmatched, LabelPolicy)
    has_people = human is not None or raters is not None
    scores, human = read_records(scores, "scores"), human and read_records(human, "human")
    of_scores, of_human = (
        open_tables(scores, human, label, raters) if has_people else (add_items(scores), None)
    )
    items = _read_items(of_scores, by)
    labelled = _list_labelled(of_human, label, items, unmatched) if of_human else set()
    warnings: tuple[str, ...] = ()
    if delta is not None:
        plan = plan_labels(scores, human, delta=delta, **asked)
        n, warnings = _needed(plan), plan.warnings
    assert n is not None
    check_count("n", n)
    left = [item for item in items if item not in labelled]
    if n > len(left):
        raise InputError(f"{n} items are asked for, {len(left)} are without labels")
    ranked = [left[k] for k in shuffled(left, seed)]
    all_of = Counter(items.values())
    left_of = Counter(items[item] for item in left)
    quotas = allotted([left_of[stratum] for stratum in sorted(all_of)], n)
    open_quotas = Counter(dict(zip(sorted(all_of), quotas, strict=True)))
    groups: Groups = {
        stratum: Scores({"items": all_of[stratum], "unlabelled": left_of[stratum], "drawn": quota})
        for stratum, quota in open_quotas.items()
    }
    drawn = []
    for item in ranked:
        if open_quotas[items[item]]:
            open_quotas[items[item]] -= 1
            drawn.append(item)
    return Report(
        f"{n} of {len(left)} items to label next",
        f"fastcausal|{__version__}|meta-sample"
        f"|label:{label if raters is None else '+'.join(raters)}"
        f"|metrics:{'+'.join(metrics or ()) or 'all'}|level:{level or 'auto'}|by:{by or 'none'}"
        f"|n:{n}|delta:{'none' if delta is None else f'{delta:g}'}|seed:{seed}"
        f"|unmatched:{unmatched}",
        groups,
        facts={"n": n, "items": tuple(drawn)},
        warnings=warnings,
        tables=Tables(items=partial(_tabulate, drawn, items, by)),
        grids=partial(_grids, by),
    )


def allotted(sizes: Sequence[int], n: int) -> list[int]:
    """Share out n in proportion to sizes, by the largest remainders; of equal ones the first.

    >>> allotted([50, 30, 21], 10)
    [5, 3, 2]
    """
    total = max(sum(sizes), 1)
    quotas = [n * size // total for size in sizes]
    order = sorted(range(len(sizes)), key=lambda k: (-(n * sizes[k] % total), k))
    for k in order[: n - sum(quotas)]:
        quotas[k] += 1
    return quotas


def _read_items(scores: Records, by: str | None) -> dict[str, str]:
    """Return the stratum of each item of the scores."""
    items: dict[str, str] = {}
    strata, codes = ["all"], np.zeros(len(scores), np.int64)
    if by is not None:
        strata, codes = sorted_strata(pa.table({by: scores.column(by)}), by)
    for item, code in zip(scores.keys("item").to_pylist(), codes.tolist(), strict=True):
        if (before := items.setdefault(item, strata[code])) != strata[code]:
            raise InputError(f'item "{item}" has two values of {by}: {before}, {strata[code]}')
    return items


def _list_labelled(human: Records, label: str, items: Any, unmatched: LabelPolicy) -> set[str]:
    """Return the items with a label; refuse unknown ones unless they are skipped."""
    labelled = human.keys("item").filter(arrow.is_valid(human.labels(label))).to_pylist()
    if (odd := sorted({*labelled} - {*items})) and unmatched != "skip":
        remedy = Remedy("unmatched", ("skip",), "leaves such rows out")
        raise InputError(f'{human.name}: item "{odd[0]}" has a label without score', remedy)
    return {*labelled}


def _needed(plan: Report) -> int:
    """Return the items that are lacking for the hardest estimate that can reach the distance."""
    more = [each.n_powered - each.rows for each in plan.scores.values()]
    known = [number for number in more if not math.isnan(number)]
    if not known:
        remedy = Remedy("n", ("N",), "draws a number of items of your own")
        raise InputError(f"no number of labels is enough: {plan.warnings[0]}", remedy)
    if (most := max(known)) <= 0:
        raise InputError(f"delta is {plan.delta:g}: the labels so far are enough")
    return int(most)


def _tabulate(drawn: Sequence[str], items: Mapping[str, str], by: str | None) -> pa.Table:
    """Make a row for each drawn item."""
    columns = {"item": list(drawn)}
    if by is not None:
        columns[by] = [items[item] for item in drawn]
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _grids(by: str | None, report: Report, counts: bool) -> list[Grid]:
    """Make a table of strata, and one of drawn items."""
    grid = Grid(report.title, ["items", "unlabelled", "drawn"])
    for stratum, counted in report.scores.items():
        grid.add(stratum if by is None else f"{by}={stratum}", *counted.values())
    table = report.tables["items"].slice(0, SHOWN).to_pylist()
    few = "" if report.n <= SHOWN else f", the first {SHOWN} of {report.n}"
    listed = Grid(f"items to label{few}", [by] if by else [], text=True)
    for row in table:
        listed.add(row["item"], *([row[by]] if by else []))
    return [grid, listed]
