"""Charts for pictures: stacked bars, matrices.

Names are data: they are shortened, and none of their letters is a command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fastcausal.report.escapes import line_text

# Colours for colour-blind readers (Okabe and Ito 2008), two of them darker: all have a contrast of
# 3 with a white and with a dark page.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#777777", "#B47C00", "#3F94CB")
DARK = 0.5  # share of a row from which its text is white
LONGEST = 40  # letters of a name
WIDTH = 7.0  # inches
ROW = 0.22

Stacks = Mapping[str, Mapping[str, int]]


class Matrix(NamedTuple):
    """Counts of gold against answers."""

    name: str
    counts: npt.NDArray[np.int64]  # int64[n_rows, n_columns]
    # Labels of gold and of answers
    rows: Sequence[str | int]
    columns: Sequence[str | int]


def short(name: str | int) -> str:
    r"""Format a name on one line, and shorten a long one.

    >>> short("a\nb"), short("long " * 9)
    ('a b', 'long long long long long long long lo...')
    """
    text = line_text(str(name))
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def stacks(figure: Any, rows: Stacks) -> None:
    """Draw a stacked bar of counts for each row."""
    figure.set_size_inches(WIDTH, 0.9 + 1.5 * ROW * len(rows))
    axes = figure.subplots()
    kinds = [*next(iter(rows.values()))]
    places, ends = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    handles = []
    for kind, colour in zip(kinds, cycle(COLOURS), strict=False):
        counts = np.array([row[kind] for row in rows.values()], np.int64)
        handles.append(axes.barh(places, counts, 0.75, left=ends, color=colour))
        ends += counts
    for place, total in enumerate(ends.tolist()):
        _remark(axes, total, place, f"{total:,}")
    axes.xaxis.get_major_locator().set_params(integer=True)
    _names_of_rows(axes, [*rows])
    _legend(figure, handles, kinds)


def matrices(
    figure: Any,
    shown: Sequence[Matrix],
    answer: str,  # Line below the columns
) -> None:
    """Draw matrices side by side."""
    # Cells are as dark as their share of the row.
    figure.set_size_inches(3.4 * len(shown), 3.6)
    panels = figure.subplots(ncols=len(shown), squeeze=False)[0]
    for axes, matrix in zip(panels, shown, strict=True):
        _cells(axes, matrix.counts)
        axes.set_xticks(np.arange(len(matrix.columns)) + 0.5, [*map(short, matrix.columns)])
        axes.set_yticks(np.arange(len(matrix.rows)) + 0.5, [*map(short, matrix.rows)])
        axes.set(title=short(matrix.name), xlabel=answer, ylabel="gold", aspect="equal")
        axes.invert_yaxis()


def _cells(axes: Any, counts: npt.NDArray[np.int64]) -> None:
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    axes.pcolormesh(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), n in np.ndenumerate(counts):
        colour = "white" if shares[row, column] > DARK else "#111111"
        axes.text(column + 0.5, row + 0.5, f"{n:,}", ha="center", va="center", color=colour)


def _remark(axes: Any, end: float, place: float, text: str) -> None:
    """Write the value of a bar right of its end."""
    axes.annotate(text, (end, place), (4, 0), textcoords="offset points", va="center", fontsize=8)


def _names_of_rows(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(np.arange(len(names)), [*map(short, names)])
    axes.set_ylim(len(names) - 0.4, -0.6)  # the first on top
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _legend(figure: Any, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Add a legend of the series, also with names that matplotlib would hide."""
    shown = [str(k) for k in range(len(names))]
    columns = min(len(names), 6)
    legend = figure.legend(handles, shown, loc="outside lower left", ncols=columns, fontsize=8)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(short(name))
