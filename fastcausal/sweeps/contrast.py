"""Two systems side by side: their units, paired by id or unpaired, and a score's difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from fastcausal.counts.joint import joint_units
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.betting import Wealth, bet_on_difference
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import warnings_of
from fastcausal.significance.paired import Difference, difference, n_differing
from fastcausal.significance.unpaired import welch


class UnitNumbers(NamedTuple):
    """Numbers of units of two systems."""

    unit: str  # Noun of single units, or the column of the clusters
    n_units: int  # Paired units; unpaired, the units of both systems together
    n_differ: int | None  # Units with different counts; None if unpaired
    # Units of either system; None if paired
    n_a: int | None = None
    n_b: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contrast:
    """Two systems to compare."""

    # If paired, with the same units in the same order
    a: Statistics
    b: Statistics
    is_paired: bool
    draws: Draws

    def counted(self) -> UnitNumbers:
        """Count the units; add warnings about them."""
        cluster, method = self.draws.cluster, self.draws.method
        if self.is_paired:
            units = joint_units(self.a, self.b, cluster)
            warnings = warnings_of(units, self.a.units, method)
            return UnitNumbers(units.unit, units.n_units, n_differing(units), warnings=warnings)
        a, b = self.a.drawn(cluster), self.b.drawn(cluster)
        warnings = warnings_of(a, self.a.units, method) + warnings_of(b, self.b.units, method)
        return UnitNumbers(
            a.unit, a.n_units + b.n_units, None, a.n_units, b.n_units,
            tuple(dict.fromkeys(warnings)),
        )  # fmt: skip

    def change(self, score: str, n_differ: int | None, exchanged: bool = True) -> Difference:
        """Compute a score's difference, B minus A: by exchanges, or unpaired by Welch's test."""
        # Without exchanges p and bounds are by Student's t.
        draws = self.draws
        if n_differ is None:
            a, b = (side.drawn(draws.cluster, score) for side in (self.a, self.b))
            return welch(a, b, draws.method, draws.confidence)
        units = joint_units(self.a, self.b, draws.cluster, score)
        return difference(units, n_differ, draws, exchanged)

    def change_at_any_time(self, score: str, least: float = 0.0) -> tuple[Difference, Wealth]:
        """Compute a score's difference with bounds for all looks, and bets on ``least``."""
        # p is the least level at which a bound leaves out 0.
        units = joint_units(self.a, self.b, self.draws.cluster, score)
        change = difference(units, 0, self.draws, exchanged=False)
        alpha = (1 - self.draws.confidence) / 2
        bet = bet_on_difference(units, change, least, alpha)
        about_0 = bet_on_difference(units, change, 0.0, alpha) if least else bet
        p = min(1.0, 2 * math.exp(-max(about_0.log_e, about_0.log_e_fail)))
        p = math.nan if math.isnan(bet.low) else p
        return change._replace(low=bet.low, high=bet.high, p=p, p_exact=False, mde=math.nan), bet
