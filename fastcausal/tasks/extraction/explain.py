"""Effects of the quirks of the official scorer on a score: cnc-2023 to recess, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.formats import read
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.protocols import CNC_2023, RECESS
from fastcausal.report.grid import Grid
from fastcausal.report.report import Report, Tables, plain
from fastcausal.tasks.extraction.score import score

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.tasks.extraction.report import ExtractionReport

QUIRKS = {
    "tags": "a one-word argument never closes; nested and adjacent tags are misread",
    "surplus": "predictions beyond the number of gold relations are dropped, in file order",
    "non_causal": "predictions for sentences without a relation cost nothing",
    "ties": "of equally good pairings the first in file order is taken",
}


@dataclass(frozen=True)
class Quirk:
    """One step from cnc-2023 to recess."""

    field: str  # The field of `Protocol` that changes
    meaning: str  # Behaviour of the official scorer
    n_examples: int  # Number of examples whose counts this step changes
    examples: tuple[str, ...]  # The first ten of them
    f1: float  # Overall F1 after this and all earlier steps
    change: float  # Change of F1 by this step, after the earlier ones
    change_alone: float  # Change of the F1 of cnc-2023 by this step alone


@dataclass(eq=False, repr=False)
class Explanation(Report):
    """The scores under both protocols and the steps between them."""

    official: Report
    recess: Report
    quirks: tuple[Quirk, ...]

    def __post_init__(self) -> None:
        reports = {CNC_2023.name: self.official, RECESS.name: self.recess}
        steps = f"{CNC_2023.name}:to:{RECESS.name}"
        super().__init__(
            f"from {CNC_2023.name} to {self.recess.title}",
            f"fastcausal|{__version__}|explain|{steps}|unparsed:empty",
            {name: report["overall"] for name, report in reports.items()},
            facts={**reports, "quirks": self.quirks},
            warnings=tuple(dict.fromkeys((*self.official.warnings, *self.recess.warnings))),
            tables=Tables(quirks=partial(_quirks_table, self.quirks)),
            keys=(CNC_2023.name, RECESS.name, "quirks"),
        )

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table for the terminal with a row per step."""
        columns, signed = ["examples", "F1", "change", "alone"], ["change", "alone"]
        corner, shares = f"quirk of {CNC_2023.name}", ("F1", *signed)
        grid = Grid(self.title, columns, corner, signed=signed, shares=shares)
        grid.add(f"({CNC_2023.name})", "", self.official["overall"].f1)
        for quirk in self.quirks:
            numbers = (quirk.n_examples, quirk.f1, quirk.change, quirk.change_alone)
            grid.add(quirk.meaning, *numbers)
        grid.add(f"({RECESS.name})", "", self.recess["overall"].f1)
        return grid


def _quirks_table(quirks: tuple[Quirk, ...]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(plain(quirks))


def explain(gold: RelationSource, pred: RelationSource) -> Explanation:
    """Split the difference between cnc-2023 and recess F1 into the effects of single quirks.

    Parameters
    ----------
    gold, pred : Relations read from tagged sentences, or anything `fastcausal.read` takes
        Unparsed predictions count as no relation.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        As `fastcausal.score`.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = fc.read([["<ARG0>Rain</ARG0> floods <ARG1>roads</ARG1>"], []])
    >>> pred = fc.read([["<ARG0>Rain</ARG0> floods roads"], ["<ARG0>It</ARG0> is so"]], like=gold)
    >>> for quirk in fc.explain(gold, pred).quirks:
    ...     print(quirk.field, quirk.n_examples, f"{quirk.change:+.3f}")
    tags 1 +0.667
    surplus 0 +0.000
    non_causal 1 -0.167
    ties 0 +0.000
    """
    gold = read(gold)
    pred = read(pred, like=gold)
    try:
        official = current = score(gold, pred, CNC_2023, unparsed="empty")
    except InputError as error:  # its remedy is an argument of `score`, not of `explain`
        raise InputError(error.problem) from None
    protocol, quirks = CNC_2023, []
    for field, meaning in QUIRKS.items():
        step = {"name": "less official", field: getattr(RECESS, field)}
        protocol = replace(protocol, **step)
        after = score(gold, pred, protocol, unparsed="empty")
        alone = score(gold, pred, replace(CNC_2023, **step), unparsed="empty")
        changed = _changed(current, after)
        f1 = float(after["overall"].f1)
        quirks.append(
            Quirk(
                field=field,
                meaning=meaning,
                n_examples=len(changed),
                examples=tuple(changed[:10]),
                f1=f1,
                change=f1 - float(current["overall"].f1),
                change_alone=float(alone["overall"].f1) - float(official["overall"].f1),
            )
        )
        current = after
    return Explanation(official, score(gold, pred, RECESS, unparsed="empty"), tuple(quirks))


def _changed(before: ExtractionReport, after: ExtractionReport) -> list[str]:
    """Return the names of the examples whose counts differ."""
    names = [c for c in before.per_example.column_names if c.startswith(tuple(before.scores))]
    tables = [report.per_example for report in (before, after)]
    a, b = (np.stack([t[name].to_numpy() for name in names]) for t in tables)
    at = np.flatnonzero((a != b).any(axis=0))
    ids = tables[0]["id"].to_pylist() if "id" in tables[0].column_names else range(a.shape[1])
    return [str(ids[k]) for k in at]
