"""Intervals of all scores of an evaluation, with ways to print and store them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from fastcausal.counts.formula import Formula
from fastcausal.options import Method
from fastcausal.report.grid import Grid
from fastcausal.report.printed import Printed
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.intervals import Interval, intervals_of, warnings_of
from fastcausal.significance.units import Units

if TYPE_CHECKING:
    import pyarrow as pa

Groups = dict[str, dict[str, Interval]]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Intervals(Printed):
    """Intervals of every score.

    ``intervals.scores["overall"]["f1"].low``; ``subsets`` has the same for subsets of the units.

    Attributes
    ----------
    method : {"bca", "percentile", "jackknife"}
    confidence : float
    n_resamples, seed : int or None
        None for the jackknife, which draws nothing.
    unit : str
        Noun of single units, or the column of clusters.
    n_units : int
    scores : dict of str to dict of str to Interval
        By group and score.
    subsets : dict of str to the same
    worth : dict of str to dict of str to float
        By group and score: how many equal units tell as much about it.
    text : str
        Number and noun of the units, with the worth of clusters for the main score.
    warnings : tuple of str
    """

    method: Method
    confidence: float
    n_resamples: int | None
    seed: int | None
    unit: str
    n_units: int
    scores: Groups
    subsets: dict[str, Groups]
    worth: dict[str, dict[str, float]]
    text: str
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Line with the method and the units."""
        draws = "" if self.n_resamples is None else f", {self.n_resamples} resamples"
        taken = f"{100 * self.confidence:g}% confidence intervals, {METHODS[self.method]}{draws}"
        return f"{taken}: {self.text}"

    def flat(self) -> dict[str, Interval]:
        """Return the intervals under the flat names of scores, such as ``overall_f1``."""
        return {
            f"{subset}_{group}_{name}" if subset else f"{group}_{name}": interval
            for subset, group, name, interval in self._rows()
        }

    def to_flat(self, prefix: str = "", counts: bool = True) -> dict[str, float]:
        """Return bounds under flat names for loggers: ``{"val/overall_f1_low": ...}``.

        ``counts`` has no effect: there are no counts.
        """
        return {
            f"{prefix}{name}_{side}": getattr(interval, side)
            for name, interval in self.flat().items()
            for side in ("low", "high")
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: bounds as pairs, None if undefined."""
        names = ("method", "confidence", "n_resamples", "seed", "unit", "n_units")
        plain: dict[str, Any] = {name: getattr(self, name) for name in names}
        subsets = {name: _plain(groups) for name, groups in self.subsets.items()}
        return plain | {"scores": _plain(self.scores), "subsets": subsets, "worth": self.worth}

    def to_arrow(self) -> pa.Table:
        """Return a row per score: ``subset`` (``all`` for the whole), ``group``, ``score``."""
        import pyarrow as pa

        rows = [
            (subset or "all", group, name, *_bounds(interval))
            for subset, group, name, interval in self._rows()
        ]
        names = ("subset", "group", "score", "low", "high")
        types = [pa.string()] * 3 + [pa.float64()] * 2
        columns = zip(*rows, strict=True) if rows else [()] * len(names)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
        return pa.Table.from_arrays(arrays, names=names)

    def to_table(self, counts: bool = False) -> Grid:
        """Return a row per score."""
        grid = Grid(self.title, ["low", "high"])
        part = ""
        for subset, group, name, interval in self._rows():
            if subset != part:
                grid.part(part := subset)
            grid.add(f"{group} {name}", *_bounds(interval))
        return grid

    def _notes(self) -> list[str]:
        return [f"warning: {warning}" for warning in self.warnings]

    def _rows(self) -> Iterator[tuple[str, str, str, Interval]]:
        """Yield every interval with its subset, group and name."""
        for subset, groups in {"": self.scores, **self.subsets}.items():
            for group, named in groups.items():
                for name, interval in named.items():
                    yield subset, group, name, interval


def compute_intervals(
    whole: tuple[Formula, Units],
    parts: Mapping[str, tuple[Formula, Units]],
    draws: Draws,
    table: pa.Table | None,
) -> Intervals:
    """Compute the intervals of all units, and of parts of them by name."""
    # ``table`` has a row per unit, for warnings.
    formula, units = whole
    found = intervals_of(units, draws)
    scores, subsets = _nested(formula, found)
    worth, _ = _nested(formula, {name: units.worth(name) for name in found})
    for name, (of_part, part) in parts.items():
        subsets[name] = _nested(of_part, intervals_of(part, draws))[0]
    is_drawn = draws.method != "jackknife"
    return Intervals(
        draws.method,
        draws.confidence,
        draws.n_resamples if is_drawn else None,
        draws.seed if is_drawn else None,
        units.unit,
        units.n_units,
        scores,
        subsets,
        worth,
        units.text,
        warnings_of(units, table, draws.method),
    )


def _nested(
    formula: Formula, flat: Mapping[str, T]
) -> tuple[dict[str, dict[str, T]], dict[str, dict[str, dict[str, T]]]]:
    """Return values by group and score, and the same by subset of the formula."""
    scores: dict[str, dict[str, T]] = {}
    subsets: dict[str, dict[str, dict[str, T]]] = {}
    for group, names in formula.names().items():
        target, name = scores, group
        for subset in formula.subsets_of_groups:
            if group.startswith(f"{subset}_"):
                target = subsets.setdefault(subset, {})
                name = group.removeprefix(f"{subset}_")
        target[name] = {n: flat[formula.flat_name(group, n)] for n in names}
    return scores, subsets


def _plain(groups: Groups) -> dict[str, dict[str, list[float | None]]]:
    return {
        group: {name: [*_bounds(interval)] for name, interval in named.items()}
        for group, named in groups.items()
    }


def _bounds(interval: Interval) -> tuple[float | None, float | None]:
    """Return the bounds, None for NaN."""
    low, high = (None if bound != bound else bound for bound in interval[:2])
    return low, high
