"""Runs item by item: what changed, what is flaky, what crashed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Warnings, add_warnings, counted, name_few, warning_lines
from fastcausal.options import ItemFilter, ItemOrder, MissingPolicy, check
from fastcausal.report.escapes import Cell
from fastcausal.report.grid import Grid
from fastcausal.report.report import NO_STATISTICS, Report, Tables
from fastcausal.significance.draws import Draws, check_count
from fastcausal.significance.sums import Int64
from fastcausal.sweeps.item_table import (
    CHANGES,
    ItemTable,
    list_changed,
    only_score,
    read_runs,
    tabulate,
)
from fastcausal.sweeps.systems import request_scores
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.formula import ValueFormula
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    from fastcausal.report.page import Page

LONGEST = 50  # rows of a printed table, unless a number is asked for
FEW = 2  # runs with intervals beside their numbers of right answers
CELLS = ("value", "n", "right", "crashed", "low", "high")
READING = ValueReading(missing="skip")


class Items(Report):
    """Runs item by item.

    Attributes
    ----------
    runs : tuple of str
        Names of the runs.
    missing : {"skip", "zero", "error"}
        Policy for answers that crashed.
    score : str
        Name of the score.
    confidence : float
        Confidence of each interval.
    n_items, n_flaky, n_crashed : int
        Number of all items, of those that are flaky in any run, and of those of which an answer
        crashed in any run.
    n_up, n_down : int or None
        Number of items whose value rises and falls from the first run to the second; None unless
        there are two runs.
    items : pyarrow.Table
        A row for each item that the filter leaves: ``id``, ``cluster``, ``values`` with ``value``,
        ``n``, ``right``, ``crashed``, ``low`` and ``high`` of each run, ``change`` of two runs, and
        ``flaky`` of each run.
    answers : mapping of str to ValueAnswers
        The answers of each run.
    table : ItemTable
        Arrays of all items.
    rows : int64[n_rows]
        Places of the rows of ``items`` among all items.
    """

    runs: tuple[str, ...]
    missing: MissingPolicy
    score: str
    confidence: float
    n_items: int
    n_up: int | None
    n_down: int | None
    n_flaky: int
    n_crashed: int
    items: pa.Table
    answers: Mapping[str, ValueAnswers]
    table: ItemTable
    rows: Int64

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: an undefined value is None."""
        return super().to_dict() | {"items": self.items.to_pylist()}

    def to_arrow(self) -> pa.Table:
        """Return a row for each item; columns are named by their places in JSON."""
        return self.items.flatten().flatten()

    def to_csv(self, counts: bool = True) -> str:
        """Write all rows and columns as CSV; an undefined value is empty."""
        return self.to_tables(counts=True)[0].to_csv()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose suffix tells the form.

        ``.json`` has the whole result, ``.jsonl`` a line for each item, ``.html`` a page;
        ``.csv``, ``.parquet`` and ``.arrow`` have `to_arrow`.

        Raises
        ------
        InputError
            The suffix is another one.
        OutputError
            The file cannot be written; nothing of it is left.
        """
        from fastcausal.files.binary import appending
        from fastcausal.files.files import replacing

        suffix = Path(path).suffix.lower()
        if suffix == ".html":
            self.to_html(path)
        elif suffix == ".json":
            with replacing(path) as file:
                file.write(self.to_json().encode() + b"\n")
        elif suffix not in (".jsonl", ".csv", ".parquet", ".arrow"):
            known = ".json, .jsonl, .csv, .parquet, .arrow or .html"
            raise InputError(f'{path}: unknown suffix "{suffix}" of items, expected {known}')
        else:
            with appending(path) as append:
                append(self.items if suffix == ".jsonl" else self.to_arrow())


def items(
    *runs: Any,
    score: str | None = None,
    only: ItemFilter | None = None,
    sort: ItemOrder = "id",
    top: int | None = None,
    cluster: str | None = "auto",
    system: str | None = None,
    sample: str | None = None,
    confidence: float = 0.95,
    reading: ValueReading | None = None,
    **settings: Any,
) -> Items:
    """Show each item in each run: its value, what changed, what is flaky, what crashed.

    An answer is right if its value is 1 or more: equal labels, or an F1 of 1. An item is flaky in a
    run if some of its answers are right and some are not.

    Parameters
    ----------
    *runs : path, Statistics, Report, or what `statistics` takes
        Runs, or one mapping of names to them. Counts have one answer to an item.
    score : str, optional
        Flat name; by default the only score, of counts the main one, of labels if they are equal.
    only : {"up", "down", "flipped", "flaky", "crashed"}, optional
        Keep these items. All numbers of items stay those of all.
    sort : {"id", "change", "value", "crashed"}
        Order by id; by the distance between runs, largest first; by the mean of their values,
        lowest first; or by the number of crashed answers, most first.
    top : int, optional
        Keep so many items, the first ones.
    cluster : str, optional
        Column to show beside the id.
    system, sample : str, optional
        As in `compare`.
    confidence : float
        Confidence of the exact interval of each share of right answers.
    reading : ValueReading, optional
        As in `compare`.
    **settings
        Other settings of reading, as `statistics` has them: ``missing="zero"`` counts crashed
        answers as 0, ``"skip"`` shows them beside the others, ``"error"`` refuses them.

    Returns
    -------
    Items

    Raises
    ------
    InputError
        A source cannot be read, or two runs have one name.
    ValueError
        An argument is out of its range, or a change is asked for without two runs.

    Examples
    --------
    >>> import fastcausal as fc
    >>> a = [{"id": k, "value": k < 6} for k in range(8)]
    >>> b = [{"id": k, "value": k < 4} for k in range(8)]
    >>> found = fc.items({"a": a, "b": b}, only="down")
    >>> found.n_down, found.items["id"].to_pylist()
    (2, ['4', '5'])
    """
    check("sort", sort, ItemOrder)
    if only is not None:
        check("only", only, ItemFilter)
    if top is not None:
        check_count("top", top)
    Draws(confidence=confidence)  # refuses a number out of range
    asked = request_scores(reading or READING, score, cluster, system, sample)
    asked = replace(asked, **settings)
    if asked.over != "mean":
        raise ValueError(f"over is {asked.over}: items show all answers, expected mean")
    sources = runs[0] if len(runs) == 1 and isinstance(runs[0], Mapping) else runs
    read = read_runs(sources, asked, score)
    held = {name: only_score(answers, score) for name, answers in read.items()}
    table = tabulate(held, asked.missing, cluster)
    if only in ("up", "down", "flipped") and len(table.runs) != 2:
        raise ValueError(f"only {only} is of two runs, got {len(table.runs)}")
    rows = _choose(table, only, sort)
    facts = _facts(held, table, asked.missing) | {"confidence": confidence}
    facts |= {"table": table, "answers": held, "rows": rows[:top], "is_cut": top is None}
    is_pair = len(table.runs) == 2
    return Items(
        _title(facts),
        _signature(held, asked.missing),
        {},
        facts=facts,
        warnings=_warnings_of(held),
        tables=Tables(
            items=partial(_items_of, table, rows[:top], confidence),
        ),
        statistics=NO_STATISTICS,
        legend=_legend(facts, len(rows)),
        keys=(
            "runs", "missing", "score", "confidence", "n_items", *(("n_up", "n_down") * is_pair),
            "n_flaky", "n_crashed", "signature", "warnings",
        ),
        logged=("n_items", *(("n_up", "n_down") * is_pair), "n_flaky", "n_crashed"),
        grids=_grids,
        page=_page_of,
    )  # fmt: skip


def _warnings_of(held: Mapping[str, ValueAnswers]) -> tuple[str, ...]:
    """Return the warnings about sources, and about items with other inputs."""
    found: Warnings = {}
    for answers in held.values():
        add_warnings(found, answers.warnings)
    return (*warning_lines(found), *list_changed(held))


def _choose(table: ItemTable, only: ItemFilter | None, sort: ItemOrder) -> Int64:
    """Return the places of the items that a filter leaves, in their order."""
    rows = np.arange(len(table.ids))
    if only == "flaky":
        rows = np.flatnonzero(table.flaky.any(axis=0))
    elif only == "crashed":
        rows = np.flatnonzero(table.crashed.any(axis=0))
    elif only is not None:
        wanted = ("up", "down") if only == "flipped" else (only,)
        rows = np.flatnonzero(np.isin(table.change, [CHANGES.index(each) for each in wanted]))
    if sort == "id":
        return rows
    if sort == "crashed":
        return rows[np.argsort(-table.crashed[:, rows].sum(axis=0), kind="stable")]
    values = table.value[:, rows]
    lacks = np.isnan(values)
    if sort == "value":
        n = np.maximum((~lacks).sum(axis=0), 1)
        keys = np.where(lacks.all(axis=0), np.inf, np.where(lacks, 0, values).sum(axis=0) / n)
    else:
        highest = np.where(lacks, -np.inf, values).max(axis=0, initial=-np.inf)
        lowest = np.where(lacks, np.inf, values).min(axis=0, initial=np.inf)
        keys = lowest - highest
    return rows[np.argsort(keys, kind="stable")]


def _facts(
    held: Mapping[str, ValueAnswers], table: ItemTable, missing: MissingPolicy
) -> dict[str, Any]:
    """Count the items of all kinds."""
    is_pair = len(table.runs) == 2
    up, down = (
        int((table.change == CHANGES.index(way)).sum()) if is_pair else None
        for way in ("up", "down")
    )
    return {
        "runs": table.runs,
        "missing": missing,
        "score": next(iter(next(iter(held.values())).scores)),
        "n_items": len(table.ids),
        "n_up": up,
        "n_down": down,
        "n_flaky": int(table.flaky.any(axis=0).sum()),
        "n_crashed": int((table.crashed > 0).any(axis=0).sum()),
    }


def _items_of(table: ItemTable, rows: Int64, confidence: float) -> pa.Table:
    """Make a row for each of these items."""
    low, high = table.bounds(confidence)
    arrays = (table.value, table.n, table.right, table.crashed, low, high)
    values = [
        pa.StructArray.from_arrays([_numbers(each[run, rows]) for each in arrays], CELLS)
        for run in range(len(table.runs))
    ]
    flaky = [arrow.numbers(each) for each in table.flaky[:, rows]]
    taken = pa.array(rows)
    columns = {"id": table.ids.take(taken), "cluster": table.clusters.take(taken)}
    columns["values"] = pa.StructArray.from_arrays(values, table.runs)
    if len(table.runs) == 2:
        columns["change"] = pa.array(CHANGES).take(pa.array(table.change[rows]))
    columns["flaky"] = pa.StructArray.from_arrays(flaky, table.runs)
    return pa.table(columns)


def _numbers(values: Any) -> pa.Array:
    """Return numbers, null for NaN."""
    return pa.array(values, mask=np.isnan(values) if values.dtype.kind == "f" else None)


def _page_of(report: Items) -> Page:
    """Make the page of the items, with the texts that the sources of the answers have."""
    from fastcausal.sweeps.items_page import page_of

    return page_of(report)


def _signature(held: Mapping[str, ValueAnswers], missing: MissingPolicy) -> str:
    """Return the signature line of counts, or of the only score of logs and tables."""
    first = next(iter(held.values()))
    if signature := first.about.get("signature"):
        return str(signature)
    [name] = first.scores
    formula = ValueFormula((name,), "ratio" if first.is_ratio else "mean", missing=missing)
    return formula.signature({answers.about["format"] for answers in held.values()})


def _title(facts: Mapping[str, Any]) -> str:
    """Say how many items there are of each kind."""
    kinds = {"up": facts["n_up"], "down": facts["n_down"]} if facts["n_up"] is not None else {}
    kinds |= {"flaky": facts["n_flaky"], "crashed": facts["n_crashed"]}
    said = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    runs = facts["runs"]
    of = " and ".join(runs) if len(runs) <= FEW else name_few(runs, "run")
    return f"{counted(facts['n_items'], 'item')} of {of}: {said}"


def _legend(facts: Mapping[str, Any], n: int) -> tuple[str, ...]:
    """Explain the printed table; say what it leaves out."""
    lines = [f"values: {facts['score']}, the mean of the answers of a run to an item"]
    shown = len(facts["rows"])
    if facts["is_cut"] and shown > LONGEST:
        lines.append(f"the first {LONGEST} of {n} rows: --top shows more, --json all")
    if facts["n_flaky"]:
        percent = f"{100 * facts['confidence']:g}%"
        lines.append(f"c/n: c of n answers are right, with exact {percent} confidence intervals")
    return tuple(lines)


def _grids(report: Items, counts: bool) -> list[Grid]:
    """Make a row for each item: the runs side by side; with counts, all columns of all rows."""
    if counts:
        flat = report.to_arrow()
        grid = Grid("", flat.column_names[1:], "id")
        shown = [c.cast(pa.string()) if pa.types.is_boolean(c.type) else c for c in flat.columns]
        columns = [column.to_pylist() for column in shown]
        for id, *cells in zip(*columns, strict=True):
            grid.add(id, *("" if cell is None else cell for cell in cells))
        return [grid]
    table = report.table
    rows = report.rows[:LONGEST] if report.facts["is_cut"] else report.rows
    is_pair = len(table.runs) == 2
    defined = table.value[~np.isnan(table.value)]
    shares = table.runs if ((defined >= 0) & (defined <= 1)).all() else ()
    grid = Grid(report.title, [*table.runs, *["change"] * is_pair], "id", shares=shares)
    low, high = table.bounds(report.confidence)
    for row, id in zip(rows.tolist(), table.ids.take(pa.array(rows)).to_pylist(), strict=True):
        cells = [
            _cell(table, run, row, f" [{low[run, row]:.2f}, {high[run, row]:.2f}]")
            for run in range(len(table.runs))
        ]
        grid.add(id, *cells, *([CHANGES[table.change[row]]] if is_pair else []))
    return [grid]


def _cell(table: ItemTable, run: int, row: int, interval: str) -> Cell:
    """Return the value of an item in a run; of a flaky one the numbers of its answers."""
    n, right, crashed = (int(each[run, row]) for each in (table.n, table.right, table.crashed))
    lost = f"{crashed} crashed" if crashed else ""
    if not n:
        return lost or "missing"
    value = float(table.value[run, row])
    if table.flaky[run, row]:
        shown = f"{right}/{n}" + (interval if len(table.runs) <= FEW else "")
    elif not lost:
        return value
    else:
        shown = f"{value:.4f}"
    return f"{shown}, {lost}" if lost else shown
