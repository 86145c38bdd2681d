"""Rates of outcomes over samples of a law, with their Monte Carlo error, as rows of a table.

A section of `coverage` is a list of cells with the same measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from zlib import crc32

import numpy as np

Outcomes = Mapping[str, bool | None]  # by measure; None: the sample does not count
Asked = tuple[float, float]  # least and largest percent
PART = 50  # samples that a process takes at a time


@dataclass(frozen=True)
class Cell:
    """A law, what a sample of it shows, and which rates are asked for."""

    law: str
    judge: Callable[[np.random.Generator], Outcomes]  # draws a sample; sent to other processes
    asked: Mapping[str, Asked]
    share: float = 1.0  # of the samples that the caller asks for, for slow laws


@dataclass(frozen=True)
class Rate:
    """How many of the samples have an outcome."""

    hits: int
    samples: int

    @property
    def percent(self) -> float:
        return 100 * self.hits / self.samples if self.samples else math.nan

    @property
    def error(self) -> float:
        """Monte Carlo error in points, not 0 where no sample or every sample hits."""
        inside = (self.hits + 0.5) / (self.samples + 1)
        return 100 * math.sqrt(inside * (1 - inside) / max(self.samples, 1))

    def within(self, asked: Asked) -> bool:
        """Return True if the rate is what is asked for, with two errors of grace."""
        grace = 2 * self.error
        return asked[0] - grace <= self.percent <= asked[1] + grace

    def text(self, asked: Asked) -> str:
        """Format rate and error; rates that are not within carry an exclamation mark."""
        mark = "" if self.within(asked) or not self.samples else " !"
        return f"{self.percent:.1f} ± {self.error:.1f}{mark}"


def count(cell: Cell, samples: range) -> dict[str, tuple[int, int]]:
    """Count hits and samples of each measure; sample k has its own generator."""
    key = crc32(cell.law.encode())
    found = dict.fromkeys(cell.asked, (0, 0))
    for k in samples:
        outcomes = cell.judge(np.random.default_rng([key, k]))
        for measure, outcome in outcomes.items():
            if outcome is not None:
                hits, n = found[measure]
                found[measure] = hits + bool(outcome), n + 1
    return found


def rates_of(cell: Cell, samples: int, jobs: int) -> dict[str, Rate]:
    """Return the rate of each measure over so many samples, or over the share of the cell."""
    n = max(1, round(samples * cell.share))
    parts = [range(k, min(k + PART, n)) for k in range(0, n, PART)]
    if jobs == 1:
        counted: Iterable[dict[str, tuple[int, int]]] = map(partial(count, cell), parts)
        return _sum_up(cell, counted)
    with get_context("fork").Pool(jobs) as pool:
        return _sum_up(cell, pool.imap_unordered(partial(count, cell), parts))


def _sum_up(cell: Cell, counted: Iterable[dict[str, tuple[int, int]]]) -> dict[str, Rate]:
    totals = dict.fromkeys(cell.asked, (0, 0))
    for part in counted:
        totals = {m: (h + part[m][0], n + part[m][1]) for m, (h, n) in totals.items()}
    return {measure: Rate(*total) for measure, total in totals.items()}


def asked_text(asked: Asked) -> str:
    """Format what is asked for.

    >>> asked_text((0, 6.5)), asked_text((93, 100)), asked_text((94, 98.5)), asked_text((0, 100))
    ('at most 6.5', 'at least 93', '94 to 98.5', '')
    """
    least, most = (f"{bound:g}" for bound in asked)
    if asked[0] <= 0:
        return "" if asked[1] >= 100 else f"at most {most}"
    return f"at least {least}" if asked[1] >= 100 else f"{least} to {most}"


def print_table(title: str, cells: Sequence[Cell], samples: int, jobs: int) -> list[str]:
    """Print a row for each cell, and return the cells that are not what is asked for."""
    measures = [*dict.fromkeys(measure for cell in cells for measure in cell.asked)]
    common = {
        m: asked_text(next(iter(bounds)))
        for m in measures
        if len(bounds := {cell.asked[m] for cell in cells if m in cell.asked}) == 1
    }
    heads = [f"{m} ({text})" if (text := common.get(m, "")) else m for m in measures]
    print(f"| {title} | {' | '.join(heads)} |\n|---|{'---|' * len(measures)}")
    missed = []
    for cell in cells:
        rates = rates_of(cell, samples, jobs)
        texts = [rates[m].text(cell.asked[m]) if m in rates else "" for m in measures]
        print(f"| {cell.law} | {' | '.join(texts)} |", flush=True)
        missed += [f"{cell.law}: {m} {t}" for m, t in zip(measures, texts, strict=True) if "!" in t]
    print()
    return missed
