"""Units labelled differently by raters, side by side for adjudication."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.errors import name_few
from fastcausal.report.grid import Grid
from fastcausal.report.page import ABOUT, Page, Section, html_of
from fastcausal.tasks.labels.ratings import Ratings, label_name


def differing(ratings: Ratings) -> Iterator[tuple[str, list[str | None]]]:
    """Yield the units with more than one label, and the label of each rater; None if missing."""
    raters = ratings.raters_of()
    for unit, (start, stop) in enumerate(zip(ratings.offsets, ratings.offsets[1:], strict=False)):
        values = ratings.values[start:stop]
        if len(np.unique(values[~np.isnan(values)])) < 2:
            continue
        labels: list[str | None] = [None] * ratings.n_raters
        for rater, value in zip(raters[start:stop].tolist(), values.tolist(), strict=True):
            labels[rater] = None if value != value else label_name(value, ratings.names)
        yield str(unit if ratings.units is None else ratings.units[unit]), labels


def raters_of(ratings: Ratings) -> list[str]:
    """Return the names of raters, or their numbers if they have no names."""
    if ratings.rater_names is None:
        return list(map(str, range(ratings.n_raters)))
    return list(map(str, ratings.rater_names))


def table_of(ratings: Ratings) -> pa.Table:
    """Make a row per unit with more than one label: its name, then the label of every rater."""
    rows = list(differing(ratings))
    labels = [strings([row[k] for _, row in rows]) for k in range(ratings.n_raters)]
    units = strings([unit for unit, _ in rows])
    return pa.Table.from_arrays([units, *labels], ["unit", *raters_of(ratings)])


def page(ratings: Ratings, title: str, signature: str) -> str:
    """Write a page of the units with more than one label, with the label of every rater."""
    grid = Grid("", raters_of(ratings), "unit", text=True)
    units = 0
    for unit, labels in differing(ratings):
        grid.add(unit, *(label or "" for label in labels))
        units += 1
    about = Section("", lines=[signature], tab=ABOUT)
    sections = [Section("", [grid], tab="Disagreements"), about]
    named = f"{name_few(raters_of(ratings), 'rater')}, {title}"
    return html_of(Page(f"{named}: {units} to adjudicate", sections))
