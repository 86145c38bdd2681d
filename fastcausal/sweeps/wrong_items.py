"""The items of a run that are wrong, worst first, with their texts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError, counted
from fastcausal.report.grid import Grid
from fastcausal.report.numbers import number_text
from fastcausal.report.page import write_page
from fastcausal.report.printed import Printed
from fastcausal.sweeps.items import Items
from fastcausal.sweeps.items_page import numbers_of, page_of, read_texts

CELLS = ("value", "n", "right", "crashed")


class WrongItems(Printed):
    """Items of a run of which an answer is wrong or crashed, the lowest values first."""

    def __init__(self, report: Items, top: int | None = None) -> None:
        if len(report.runs) > 1:
            names = ", ".join(report.runs)[:200]
            raise InputError(f"{len(report.runs)} runs ({names}), expected one")
        [(run, answers)] = report.answers.items()
        numbers = numbers_of(report.items)[run]
        sign = -1 if answers.lower else 1
        is_wrong = (numbers["right"] < numbers["n"]) | (numbers["crashed"] > 0)
        worst = np.argsort(np.nan_to_num(sign * numbers["value"], nan=-np.inf), kind="stable")
        rows = worst[is_wrong[worst]]
        self.report = report
        self.n_wrong = len(rows)
        self.items = report.items.take(arrow.numbers(rows[:top]))
        self.signature = report.signature
        shown = f", the worst {len(self.items)}" if len(self.items) < len(rows) else ""
        of = f"{len(rows)} of {counted(report.n_items, 'item')} of {run}"
        self.title = f"{of} with wrong or crashed answers ({report.score}){shown}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: the numbers and the texts of each item."""
        return {
            "signature": self.signature,
            "n_items": self.report.n_items,
            "n_wrong": self.n_wrong,
            "items": self.to_arrow().to_pylist(),
        }

    def to_arrow(self) -> pa.Table:
        """Return a row per item: its id and cluster, its numbers, its texts."""
        [run] = self.report.runs
        texts = read_texts(self.items["id"].to_pylist(), self.report.answers, for_page=False)
        numbers = self.items["values"].combine_chunks().field(run)
        answer = pa.struct({"value": pa.float64(), "text": pa.string()}.items())
        said = [
            [{"value": value, "text": text} for value, text in each or ()]
            for each in texts.answers[run]
        ]
        return pa.table(
            {name: self.items[name] for name in ("id", "cluster")}
            | {name: numbers.field(name) for name in CELLS}
            | {
                "input": pa.array([text or None for text in texts.inputs], pa.string()),
                "target": pa.array([text or None for text in texts.targets], pa.string()),
                "answers": pa.array(said, pa.list_(answer)),
            }
        )

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table with a part per item: its numbers in words, and its texts."""
        items = self.to_arrow().to_pylist()
        if not any(item["input"] or item["answers"] for item in items):
            rows = {item["id"]: [item[name] for name in CELLS] for item in items}
            return Grid(self.title, CELLS, "id", parts={"": rows})
        grid = Grid(self.title, [""], text=True)
        for item in items:
            grid.part(f"{item['id']}: {_remark(item)}")
            for name in ("input", "target"):
                if item[name] is not None:
                    grid.add(f"  {name}", item[name])
            several = len(item["answers"]) > 1
            for k, answer in enumerate(item["answers"], 1):
                value = "" if answer["value"] is None else f": {number_text(answer['value'])}"
                grid.add(f"  answer {k}{value}" if several else "  answer", answer["text"] or "")
        return grid

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page for the browser with these items."""
        write_page(path, page_of(self.report, items=self.items)._replace(title=self.title))

    def _notes(self) -> list[str]:
        return [self.signature]


def _remark(item: dict[str, Any]) -> str:
    """Say in words how an item fares."""
    parts = [] if item["value"] is None else [number_text(item["value"])]
    if item["n"] > 1:
        parts.append(f"{item['right']} of {item['n']} answers right")
    if item["crashed"]:
        parts.append(f"{item['crashed']} crashed")
    return ", ".join(parts)
